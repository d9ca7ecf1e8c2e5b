// Who may look through the status server: this machine's own programs, or whoever knows the token.

#if Console

  import FoundationEssentials
  import HTTPServer
  import Synchronization

  /// The rule of a status server.
  public struct ConsoleAccess: Sendable, CustomStringConvertible {
    /// nil: only programs of this machine, whose requests name it as such.
    let token: [UInt8]?

    /// - Parameter token: what every request but `/livez` must show; nil for a server on the loopback interface.
    public init(token: String?) { self.token = token.map { Array($0.utf8) } }

    /// Without the token: services are logged with what they hold.
    public var description: String { token == nil ? "this machine" : "who knows the token" }

    enum Verdict: Equatable {
      case allowed
      case tokenMissing
      case tokenWrong
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
      return Self.areEqual(shown, token) ? .allowed : .tokenWrong
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

  /// Stops clients that guess tokens: after `countMax` wrong ones, a client's further tokens are not looked at until `window` has
  /// passed since its first wrong one.
  final class GuessLimiter: Sendable {
    static let countMax = 10
    static let window = Duration.seconds(60)
    /// Clients that are told apart by their addresses; all others count as one.
    static let clientCountMax = 1024

    private struct Guesses {
      var count = 0
      let begin: ContinuousClock.Instant
    }
    private let guesses = Mutex<[String: Guesses]>([:])

    /// How long a client's tokens are not looked at yet; nil if they are.
    func wait(of peer: String, at now: ContinuousClock.Instant) -> Duration? {
      guesses.withLock { guesses in
        guesses = guesses.filter { now - $0.value.begin < Self.window }
        guard let own = guesses[key(of: peer, guesses)], own.count >= Self.countMax else { return nil }
        return Self.window - (now - own.begin)
      }
    }

    /// Counts a wrong token. True for the one that reaches the limit.
    func noteWrong(from peer: String, at now: ContinuousClock.Instant) -> Bool {
      guesses.withLock { guesses in
        let key = key(of: peer, guesses)
        guesses[key, default: Guesses(begin: now)].count += 1
        return guesses[key]?.count == Self.countMax
      }
    }

    private func key(of peer: String, _ guesses: [String: Guesses]) -> String {
      guesses[peer] != nil || guesses.count < Self.clientCountMax ? peer : "others"
    }
  }

  extension ConsoleAccess {
    /// Lets requests in to a handler, and tells browsers what its answers may be used for.
    ///
    /// - Parameter onGuessLimit: is told the address of a client that has shown too many wrong tokens.
    func guarding(
      _ handler: @escaping HTTPHandler, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
      onGuessLimit: @escaping @Sendable (String) -> Void = { _ in }
    ) -> HTTPHandler {
      let limiter = GuessLimiter()
      return { request in
        var response: HTTPResponse
        let verdict = verdict(authorization: request.fields["Authorization"], host: request.fields["Host"])
        let wait = token == nil || verdict == .tokenMissing ? nil : limiter.wait(of: request.peer, at: now())
        // Whether it lives may be asked by anybody who can reach the port, as load balancers do.
        if request.path == "/livez" {
          response = await handler(request)
        } else if let wait {
          response = HTTPResponse(429, text: "too many wrong tokens; try again later\n")
          response.fields["Retry-After"] = "\(wait.components.seconds + 1)"
        } else {
          switch verdict {
          case .allowed: response = await handler(request)
          case .tokenMissing, .tokenWrong:
            if verdict == .tokenWrong, limiter.noteWrong(from: request.peer, at: now()) { onGuessLimit(request.peer) }
            response = HTTPResponse(401, text: "the token of console.token_file is wanted\n")
            response.fields["WWW-Authenticate"] = "Basic realm=\"reticle\""
          case .foreignHost: response = HTTPResponse(403, text: "ask for localhost or 127.0.0.1\n")
          }
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
