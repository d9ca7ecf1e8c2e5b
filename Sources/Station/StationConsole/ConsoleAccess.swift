// Access to the status server: for this machine's own programs, or for clients that know the token.

#if Console

  import FoundationEssentials
  import HTTPServer
  import Synchronization

  /// The access rule of a status server.
  public struct ConsoleAccess: Sendable, CustomStringConvertible {
    /// Nil: only programs on this machine, whose requests name it as the host.
    let token: [UInt8]?

    /// - Parameter token: required in every request except `/livez`; nil for a server on the loopback interface.
    public init(token: String?) { self.token = token.map { Array($0.utf8) } }

    /// Without the token, because services are logged with their properties.
    public var description: String { token == nil ? "this machine" : "who knows the token" }

    enum Verdict: Equatable {
      case allowed
      case tokenMissing
      case tokenWrong
      /// The request names another host: a foreign page whose host name was redirected to this machine.
      case foreignHost
    }

    /// - Parameters:
    ///   - authorization: the header field of that name. A browser sends the token as the password of any user.
    ///   - host: the host named in the request, with or without port.
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

    /// Accepts only names that no page of another host can have, with or without a port: the owner of any other name could
    /// point it here.
    private static func isThisMachine(_ host: String) -> Bool {
      let name = host.lowercased()
      return ["localhost", "127.0.0.1", "[::1]"].contains { own in
        guard name.hasPrefix(own) else { return false }
        let rest = name.dropFirst(own.count)
        return rest.isEmpty || rest.first == ":" && rest.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
      }
    }

    /// Compares in constant time, so that a token cannot be guessed byte by byte.
    private static func areEqual(_ shown: [UInt8], _ token: [UInt8]) -> Bool {
      var difference = shown.count ^ token.count
      for index in token.indices { difference |= Int((index < shown.count ? shown[index] : 0) ^ token[index]) }
      return difference == 0
    }
  }

  /// Slows down clients that guess tokens: after `countMax` wrong ones within `window`, a client's tokens are checked one at
  /// a time, one per `pause`. A client with the right token waits only a moment; a guessing client has at most 86 400
  /// guesses per day.
  final class GuessBrake: Sendable {
    static let countMax = 10
    static let window = Duration.seconds(60)
    static let pause = Duration.seconds(1)
    /// The most requests that wait to be checked; further ones are refused.
    static let waitingCountMax = 4
    /// The most clients distinguished by address; all others count as one.
    static let clientCountMax = 1024

    private struct Guesses {
      var count = 0
      var last: ContinuousClock.Instant
      /// When the next token is checked.
      var turn: ContinuousClock.Instant
    }
    private let guesses = Mutex<[String: Guesses]>([:])

    /// How long a client's token waits before it is checked; zero for most clients.
    ///
    /// - Returns: nil if too many of the client's tokens are waiting.
    func wait(of peer: String, at now: ContinuousClock.Instant) -> Duration? {
      guesses.withLock { guesses in
        guesses = guesses.filter { now - $0.value.last < Self.window || $0.value.turn > now }
        let key = key(of: peer, guesses)
        guard let own = guesses[key], own.count >= Self.countMax else { return .zero }
        let turn = max(now, own.turn)
        guard turn - now < Self.pause * Self.waitingCountMax else { return nil }
        guesses[key]?.turn = turn + Self.pause
        return turn - now
      }
    }

    /// Counts a wrong token. Returns true for the one that reaches the limit.
    func noteWrong(from peer: String, at now: ContinuousClock.Instant) -> Bool {
      guesses.withLock { guesses in
        let key = key(of: peer, guesses)
        var own = guesses[key] ?? Guesses(last: now, turn: now)
        own.count += 1
        own.last = now
        own.turn = max(own.turn, now + Self.pause)
        guesses[key] = own
        return own.count == Self.countMax
      }
    }

    private func key(of peer: String, _ guesses: [String: Guesses]) -> String {
      guesses[peer] != nil || guesses.count < Self.clientCountMax ? peer : "others"
    }
  }

  extension ConsoleAccess {
    /// Wraps a handler with access control, and adds headers that restrict browsers' use of its answers.
    ///
    /// - Parameters:
    ///   - pause: waits before a client's token is checked.
    ///   - onGuessLimit: called with the address of a client that has presented too many wrong tokens.
    func guarding(
      _ handler: @escaping HTTPHandler, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
      pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
      onGuessLimit: @escaping @Sendable (String) -> Void = { _ in }
    ) -> HTTPHandler {
      let brake = GuessBrake()
      return { request in
        var response: HTTPResponse
        let verdict = verdict(authorization: request.fields["Authorization"], host: request.fields["Host"])
        // Any client that can reach the port may check liveness, as load balancers do.
        if request.path == "/livez" {
          response = await handler(request)
        } else if let wait = token == nil || verdict == .tokenMissing ? .zero : brake.wait(of: request.peer, at: now()) {
          if wait > .zero { await pause(wait) }
          switch verdict {
          case .allowed: response = await handler(request)
          case .tokenMissing, .tokenWrong:
            if verdict == .tokenWrong, brake.noteWrong(from: request.peer, at: now()) { onGuessLimit(request.peer) }
            response = HTTPResponse(401, text: "the token of console.token_file is wanted\n")
            response.fields["WWW-Authenticate"] = "Basic realm=\"reticle\""
          case .foreignHost: response = HTTPResponse(403, text: "ask for localhost or 127.0.0.1\n")
          }
        } else {
          response = HTTPResponse(429, text: "too many wrong tokens wait already; try again in a moment\n")
          response.fields["Retry-After"] = "\(GuessBrake.pause.components.seconds)"
        }
        response.fields["Cache-Control"] = "no-store"
        response.fields["X-Content-Type-Options"] = "nosniff"
        // Only the station's own page may use its buttons, and no other page may cover that page.
        response.fields["Content-Security-Policy"] =
          "default-src 'none'; img-src 'self'; frame-src 'self'; frame-ancestors 'self'; form-action 'self'; style-src 'unsafe-inline'"
        return response
      }
    }
  }

#endif
