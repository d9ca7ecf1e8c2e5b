/// Handlers by path and method.
public struct HTTPRouter: Sendable {
  private var routes: [String: [String: HTTPHandler]] = [:]
  /// Handlers of all other paths that begin with these.
  private var folders: [(prefix: String, methods: [String: HTTPHandler])] = []

  public init() {}

  /// - Parameters:
  ///   - method: such as `GET`, whose handler also answers HEAD: the server omits the body (RFC 9110, 9.3.2).
  ///   - path: the whole decoded path.
  public mutating func on(_ method: String, _ path: String, _ handler: @escaping HTTPHandler) {
    routes[path, default: [:]][method] = handler
  }

  /// - Parameters:
  ///   - method: such as `GET`, as above.
  ///   - prefix: the beginning of decoded paths, such as `/scans/`. A handler for a whole path takes precedence.
  public mutating func on(_ method: String, below prefix: String, _ handler: @escaping HTTPHandler) {
    folders.append((prefix, [method: handler]))
  }

  /// Answers with 404 for an unknown path, and 405 for a method that the path does not have.
  public func respond(to request: HTTPRequest) async -> HTTPResponse {
    let folder = folders.first { request.path.hasPrefix($0.prefix) }
    guard let methods = routes[request.path] ?? folder?.methods else {
      return HTTPResponse(404, text: "there is no such page\n")
    }
    if let handler = methods[request.method == "HEAD" && methods["HEAD"] == nil ? "GET" : request.method] {
      return await handler(request)
    }
    let allowed = (methods.keys + (methods["GET"] != nil ? ["HEAD"] : [])).sorted().joined(separator: ", ")
    var response = HTTPResponse(405, text: "only \(allowed) is understood here\n")
    response.fields["Allow"] = allowed
    return response
  }
}
