// Access to the console: for this machine's own programs, or for those who know a token. A token stands for a role.

#if Console

  import FoundationEssentials
  import HTTPServer
  import Synchronization

  /// A short code that is printed where the station stands, and opens one session.
  public final class OneTimeCode: Sendable {
    /// Letters and digits that are not mistaken for others.
    private static let characters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    /// With as many, 60 bits: at the brake's pace, no client guesses it.
    private static let length = 12

    public let text: String
    private let isUsed = Atomic(false)

    public init() {
      var random = SystemRandomNumberGenerator()
      var text = ""
      for index in 0..<Self.length {
        if index > 0, index % 4 == 0 { text += "-" }
        text.append(Self.characters.randomElement(using: &random) ?? "A")
      }
      self.text = text
    }

    /// Whether this is the code, however it is typed; it is right only once.
    func use(_ typed: [UInt8]) -> Bool {
      func plain(_ text: [UInt8]) -> [UInt8] {
        text.filter { $0 != 0x2D && $0 != 0x20 }.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
      }
      guard ConsoleAccess.areEqual(plain(typed), plain(Array(text.utf8))) else { return false }
      return isUsed.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    }
  }

  /// The rights of a visitor; each role has those before it too.
  public enum ConsoleRole: String, CaseIterable, Comparable, Sendable, Codable {
    /// Sees the camera's view, the scans, the sinks and the findings.
    case look
    /// Gives commands, tests sinks, sends scans again.
    case operate
    /// Reads and changes the configuration, gives up scans.
    case configure

    public static func < (a: ConsoleRole, b: ConsoleRole) -> Bool { a.level < b.level }

    private var level: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// The access rule of a console.
  public struct ConsoleAccess: Sendable, CustomStringConvertible {
    private let tokens: [(role: ConsoleRole, token: [UInt8])]
    /// Whether programs on this machine may do everything without a token, if their requests name it as the host.
    let trustsThisMachine: Bool
    private let code: OneTimeCode?

    /// - Parameters:
    ///   - tokens: the token of each role.
    ///   - trustsThisMachine: without tokens, always.
    ///   - code: stands once for the token of the highest role at a login.
    public init(tokens: [ConsoleRole: String], trustsThisMachine: Bool = false, code: OneTimeCode? = nil) {
      self.code = code
      self.tokens = tokens.sorted { $0.key > $1.key }.map { ($0.key, Array($0.value.utf8)) }
      self.trustsThisMachine = trustsThisMachine || tokens.isEmpty
    }

    /// Without the tokens, because services are logged with their properties.
    public var description: String { tokens.isEmpty ? "this machine" : "those who know a token" }

    /// Whether anyone can log in.
    var hasTokens: Bool { !tokens.isEmpty }

    /// The token that somebody means who types a text at the login: the text, or the one of the code.
    func token(typed text: [UInt8]) -> [UInt8] {
      if let code, let first = tokens.first, code.use(text) { return first.token }
      return text
    }

    /// The role for which a token stands; the highest if several have the same.
    func role(of token: some Sequence<UInt8>) -> ConsoleRole? {
      let shown = Array(token)
      var found: ConsoleRole?
      // All are compared, in constant time each, so that a token cannot be guessed byte by byte.
      for (role, token) in tokens where Self.areEqual(shown, token) { found = found ?? role }
      return found
    }

    /// The token in a header field `Authorization`; a browser sends it as the password of any user. Nil if there is none.
    static func token(in authorization: String?) -> [UInt8]? {
      let words = (authorization ?? "").split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { return nil }
      switch words[0].lowercased() {
      case "bearer": return Array(words[1].utf8)
      case "basic":
        let pair = [UInt8](Data(base64Encoded: words[1]) ?? Data())
        return pair.firstIndex(of: UInt8(ascii: ":")).map { Array(pair[($0 + 1)...]) }
      default: return nil
      }
    }

    /// Whether a request comes from a program on this machine, and names this machine as its host.
    func isFromThisMachine(_ request: HTTPRequest) -> Bool {
      let isLocal = request.peer == "::1" || request.peer.hasPrefix("127.") || request.peer.hasPrefix("::ffff:127.")
      return isLocal && request.fields["Host"].map(Self.isThisMachine) ?? true
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

    /// Whether a request does not come from a foreign page. Browsers send a page's requests to any host that it names, but
    /// state the page's origin: with Sec-Fetch-Site on trusted connections, with Origin always. Other programs send neither.
    ///
    /// - Parameters:
    ///   - origin: the Origin header field, such as `http://localhost:9470`, or `null`.
    ///   - site: the Sec-Fetch-Site header field.
    ///   - host: the host named in the request.
    static func isOwnPage(origin: String?, site: String?, host: String?) -> Bool {
      if let site { return site == "same-origin" || site == "none" }
      guard let origin else { return true }
      guard let host, let end = origin.firstRange(of: "://") else { return false }
      return origin[end.upperBound...].lowercased() == host.lowercased()
    }

    fileprivate static func areEqual(_ shown: [UInt8], _ token: [UInt8]) -> Bool {
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

#endif
