// The declaration of a request that the console answers. The router, the roles and the OpenAPI description follow from it.

import DeliveryModel

#if Console

  import BarcodeMessage
  import FoundationEssentials
  import HTTPServer

  /// A request that the console answers, declared once.
  struct Endpoint: Sendable {
    /// A parameter in the query.
    struct Parameter: Sendable {
      enum Kind: Sendable {
        case text
        case integer(ClosedRange<Int>)
      }

      var name: String
      var kind: Kind
      var summary: String
    }

    /// The content of a good answer.
    enum Content: Sendable {
      /// A schema of `schemas.json`.
      case json(String)
      case type(String)
      case nothing
    }

    var method: String
    /// With names in braces, such as `/api/sinks/{name}/test`.
    var path: String
    /// The least role; nil: no login is needed.
    var role: ConsoleRole?
    var summary: String
    var query: [Parameter] = []
    /// A schema of `schemas.json` for the request's body.
    var body: String?
    /// The status of a good answer.
    var status = 200
    var content: Content
    /// The statuses of other answers of its own, with their meaning.
    var others: [Int: String] = [:]
    /// Whether even a client that names another host gets an answer.
    var isOpenToAll = false
    var respond: @Sendable (HTTPRequest, Visitor) async -> HTTPResponse

    /// Whether errors are JSON objects.
    var isForPrograms: Bool { path.hasPrefix("/api/") }
  }

  extension Endpoint {
    static func get(
      _ path: String, _ role: ConsoleRole?, _ summary: String, query: [Parameter] = [], _ content: Content,
      others: [Int: String] = [:], isOpenToAll: Bool = false,
      _ respond: @escaping @Sendable (HTTPRequest, Visitor) async -> HTTPResponse
    ) -> Endpoint {
      Endpoint(
        method: "GET", path: path, role: role, summary: summary, query: query, content: content, others: others,
        isOpenToAll: isOpenToAll, respond: respond)
    }

    /// - Parameter body: the schema of the request's body, with the type that it is read into.
    static func post<Body: Decodable & Sendable>(
      _ path: String, _ role: ConsoleRole?, _ summary: String, body: (schema: String, type: Body.Type), status: Int = 200,
      _ content: Content, others: [Int: String] = [:], method: String = "POST",
      _ respond: @escaping @Sendable (Body, HTTPRequest, Visitor) async -> HTTPResponse
    ) -> Endpoint {
      Endpoint(
        method: method, path: path, role: role, summary: summary, body: body.schema, status: status, content: content,
        others: others.merging([400: "The body is not the JSON that is wanted.", 415: "The body is no JSON."]) { own, _ in
          own
        }
      ) { request, visitor in
        // A form of another page cannot send this type.
        guard request.fields["Content-Type"]?.lowercased().hasPrefix("application/json") == true else {
          return HTTPResponse(415, text: "send Content-Type: application/json\n")
        }
        do {
          let decoded = try JSONDecoder().decode(Body.self, from: Data(request.body))
          return await respond(decoded, request, visitor)
        } catch {
          return HTTPResponse(400, text: "the body is not \(body.schema) as /api/openapi.json describes it\n")
        }
      }
    }

    static func post(
      _ path: String, _ role: ConsoleRole?, _ summary: String, status: Int = 204, _ content: Content = .nothing,
      others: [Int: String] = [:], _ respond: @escaping @Sendable (HTTPRequest, Visitor) async -> HTTPResponse
    ) -> Endpoint {
      Endpoint(
        method: "POST", path: path, role: role, summary: summary, status: status, content: content, others: others,
        respond: respond)
    }
  }

  extension HTTPResponse {
    /// A value as JSON.
    static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
      HTTPResponse(status, type: "application/json", bytes: value.jsonLine())
    }
  }

  extension HTTPRequest {
    /// The first value of a parameter in the query; nil if it is missing.
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
  }

  // MARK: OpenAPI

  /// The description of all endpoints for other programs (OpenAPI 3.1).
  enum APIDescription {
    static func json(_ endpoints: [Endpoint], version: String, schemas: String) -> String {
      var paths: [(path: String, operations: [String])] = []
      for endpoint in endpoints where !endpoint.path.hasPrefix("/page") && endpoint.path != "/" {
        let operation = "\"\(endpoint.method.lowercased())\":\(operation(endpoint))"
        if let index = paths.firstIndex(where: { $0.path == endpoint.path }) {
          paths[index].operations.append(operation)
        } else {
          paths.append((endpoint.path, [operation]))
        }
      }
      let body = paths.map { "\(JSONText.quoted($0.path)):{\($0.operations.joined(separator: ","))}" }
      return """
        {"openapi":"3.1.0","info":{"title":"Reticle","version":\(JSONText.quoted(version)),"summary":"The console of a barcode \
        scanning station"},"security":[{"token":[]},{"session":[]}],"paths":{\(body.joined(separator: ","))},
        "components":{"securitySchemes":{"token":{"type":"http","scheme":"bearer"},"session":{"type":"apiKey","in":"cookie",\
        "name":"\(ConsoleGate.cookieName)"}},"schemas":\(schemas)}}

        """
    }

    private static func operation(_ endpoint: Endpoint) -> String {
      var members = ["\"summary\":\(JSONText.quoted(endpoint.summary))"]
      if let role = endpoint.role {
        members.append("\"description\":\(JSONText.quoted("Takes the role \(role.rawValue)."))")
      } else {
        members.append("\"security\":[]")
      }
      let parameters = pathParameters(endpoint) + endpoint.query.map(parameter)
      if !parameters.isEmpty { members.append("\"parameters\":[\(parameters.joined(separator: ","))]") }
      if let body = endpoint.body {
        members.append(
          "\"requestBody\":{\"required\":true,\"content\":{\"application/json\":{\"schema\":\(reference(body))}}}")
      }
      members.append("\"responses\":{\(answers(endpoint).joined(separator: ","))}")
      return "{\(members.joined(separator: ","))}"
    }

    private static func pathParameters(_ endpoint: Endpoint) -> [String] {
      endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
        "{\"name\":\"\(part.dropFirst().dropLast())\",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"string\"}}"
      }
    }

    private static func parameter(_ parameter: Endpoint.Parameter) -> String {
      let schema =
        switch parameter.kind {
        case .text: "{\"type\":\"string\"}"
        case .integer(let range):
          "{\"type\":\"integer\",\"minimum\":\(range.lowerBound),\"maximum\":\(range.upperBound)}"
        }
      return "{\"name\":\"\(parameter.name)\",\"in\":\"query\",\"description\":\(JSONText.quoted(parameter.summary)),"
        + "\"schema\":\(schema)}"
    }

    private static func answers(_ endpoint: Endpoint) -> [String] {
      let content =
        switch endpoint.content {
        case .json(let schema): ",\"content\":{\"application/json\":{\"schema\":\(reference(schema))}}"
        case .type(let type): ",\"content\":{\"\(type)\":{}}"
        case .nothing: ""
        }
      var answers = ["\"\(endpoint.status)\":{\"description\":\"Done.\"\(content)}"]
      var others = endpoint.others
      if endpoint.role != nil {
        others[401] = others[401] ?? "There is no session, or the token is wrong."
        others[403] = others[403] ?? "The role does not suffice, or the request comes from a page of another host."
        others[429] = others[429] ?? "Too many wrong tokens wait already."
      }
      others[503] = others[503] ?? "Too many ask at once, or the station is starting."
      for (status, meaning) in others.sorted(by: { $0.key < $1.key }) {
        let type = endpoint.isForPrograms ? "\"application/json\":{\"schema\":\(reference("Error"))}" : "\"text/plain\":{}"
        answers.append("\"\(status)\":{\"description\":\(JSONText.quoted(meaning)),\"content\":{\(type)}}")
      }
      return answers
    }

    private static func reference(_ schema: String) -> String { "{\"$ref\":\"#/components/schemas/\(schema)\"}" }
  }

#endif
