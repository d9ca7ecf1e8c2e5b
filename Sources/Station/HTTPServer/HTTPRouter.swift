/// Handlers by path and method.
public struct HTTPRouter: Sendable {
  private struct Route: Sendable {
    var parts: [Substring]
    var methods: [String: HTTPHandler]
  }

  private var routes: [Route] = []

  public init() {}

  /// - Parameters:
  ///   - method: such as `GET`, whose handler also answers HEAD: the server omits the body (RFC 9110, 9.3.2).
  ///   - path: the decoded path. A part in braces stands for any text without a slash, which the handler finds in the
  ///     request's parameters: `/scans/{file}`. Of several paths that fit, the one that was added first applies.
  public mutating func on(_ method: String, _ path: String, _ handler: @escaping HTTPHandler) {
    let parts = Self.parts(path)
    if let index = routes.firstIndex(where: { $0.parts == parts }) {
      routes[index].methods[method] = handler
    } else {
      routes.append(Route(parts: parts, methods: [method: handler]))
    }
  }

  /// Answers with 404 for an unknown path, and 405 for a method that the path does not have.
  public func respond(to request: HTTPRequest) async -> HTTPResponse {
    let parts = Self.parts(request.path)
    guard let route = routes.first(where: { Self.fits(parts, $0.parts) }) else {
      return HTTPResponse(404, text: "there is no such page\n")
    }
    if let handler = route.methods[request.method == "HEAD" && route.methods["HEAD"] == nil ? "GET" : request.method] {
      var request = request
      for (name, value) in zip(route.parts, parts) where name.first == "{" {
        request.parameters[String(name.dropFirst().dropLast())] = String(value)
      }
      return await handler(request)
    }
    let allowed = (route.methods.keys + (route.methods["GET"] != nil ? ["HEAD"] : [])).sorted().joined(separator: ", ")
    var response = HTTPResponse(405, text: "only \(allowed) is understood here\n")
    response.fields["Allow"] = allowed
    return response
  }

  private static func parts(_ path: String) -> [Substring] { path.split(separator: "/", omittingEmptySubsequences: false) }

  private static func fits(_ parts: [Substring], _ pattern: [Substring]) -> Bool {
    parts.count == pattern.count && zip(parts, pattern).allSatisfy { $1.first == "{" ? !$0.isEmpty : $0 == $1 }
  }
}
