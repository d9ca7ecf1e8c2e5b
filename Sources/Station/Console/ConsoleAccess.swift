// Who may look through the status server: this machine's own programs, or whoever knows the token.

#if Console

  import FoundationEssentials
  import HTTPServer

  /// The rule of a status server.
  public struct ConsoleAccess: Sendable {
    /// The most bytes of a token.
    public static let tokenByteCountMax = 256

    /// nil: only programs of this machine, whose requests name it as such.
    let token: [UInt8]?

    /// - Parameter token: what every request but `/livez` must show; nil for a server on the loopback interface.
    public init(token: String?) { self.token = token.map { Array($0.utf8) } }

    enum Verdict: Equatable {
      case allowed
      case tokenMissing
      /// The request was made for another host: a page of somewhere else whose name was turned to this machine.
      case foreignHost
    }

    /// - Parameters:
    ///   - authorization: the header field of that name. A browser sends the token as the password of any user.
    ///   - host: the host that the request names, with or without port.
    func verdict(authorization: String?, host: String?) -> Verdict {
      guard let token else {
        return host.map(Self.isThisMachine) ?? true ? .allowed : .foreignHost
      }
      guard let authorization else { return .tokenMissing }
      let words = authorization.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { return .tokenMissing }
      let shown: [UInt8]
      switch words[0].lowercased() {
      case "bearer": shown = Array(words[1].utf8)
      case "basic":
        let pair = [UInt8](Data(base64Encoded: words[1]) ?? Data())
        guard let colon = pair.firstIndex(of: UInt8(ascii: ":")) else { return .tokenMissing }
        shown = Array(pair[(colon + 1)...])
      default: return .tokenMissing
      }
      return Self.areEqual(shown, token) ? .allowed : .tokenMissing
    }

    /// Names that no page of another host can take: a name that its owner could point here is refused.
    private static func isThisMachine(_ host: String) -> Bool {
      let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
      return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
    }

    /// Takes the same time wherever two texts differ, so that a token cannot be guessed byte by byte.
    private static func areEqual(_ shown: [UInt8], _ token: [UInt8]) -> Bool {
      var difference = shown.count ^ token.count
      for index in token.indices { difference |= Int((index < shown.count ? shown[index] : 0) ^ token[index]) }
      return difference == 0
    }
  }

  extension ConsoleAccess {
    /// Lets requests in to a handler, and tells browsers what its answers may be used for.
    func guarding(_ handler: @escaping HTTPHandler) -> HTTPHandler {
      { request in
        var response: HTTPResponse
        let verdict = verdict(authorization: request.fields["Authorization"], host: request.fields["Host"])
        // Whether it lives may be asked by anybody who can reach the port, as load balancers do.
        if request.path == "/livez" || verdict == .allowed {
          response = await handler(request)
        } else if verdict == .tokenMissing {
          response = HTTPResponse(401, text: "the token of console.token_file is wanted\n")
          response.fields["WWW-Authenticate"] = "Basic realm=\"reticle\""
        } else {
          response = HTTPResponse(403, text: "ask for localhost or 127.0.0.1\n")
        }
        response.fields["Cache-Control"] = "no-store"
        response.fields["X-Content-Type-Options"] = "nosniff"
        // Its buttons are for its own page, and no other page may lie over that one.
        response.fields["Content-Security-Policy"] =
          "default-src 'none'; img-src 'self'; frame-src 'self'; frame-ancestors 'self'; form-action 'self'; style-src 'unsafe-inline'"
        return response
      }
    }
  }

#endif
