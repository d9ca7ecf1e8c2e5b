// The sessions of browsers that have logged in. They outlive a station that is replaced, but not the process.

import Synchronization

/// A session.
struct ConsoleSession: Sendable {
  /// The token that it was opened with: without it the session ends.
  let token: [UInt8]
  /// The text that requests which change anything must show, so that no other page can make them.
  let proof: String
  let opened: ContinuousClock.Instant
  var seen: ContinuousClock.Instant
}

/// The open sessions, by the secret in the browser's cookie.
public final class ConsoleSessions: Sendable {
  /// A session without requests ends after this time.
  static let idleLimit = Duration.seconds(30 * 60)
  /// A session ends after this time at the latest.
  static let lifeLimit = Duration.seconds(12 * 3600)
  /// The most sessions; the one that was idle longest gives way to a new one.
  static let countMax = 256
  /// Characters of a secret: 32 random bytes in hexadecimal.
  static let secretLength = 64

  private let sessions = Mutex<[String: ConsoleSession]>([:])
  /// The proof of this machine's own browser, which needs no session.
  let ownProof = ConsoleSessions.makeSecret()

  public init() {}

  /// Opens a session.
  ///
  /// - Returns: the secret for the cookie.
  func open(token: [UInt8], at now: ContinuousClock.Instant = .now) -> (secret: String, session: ConsoleSession) {
    let secret = Self.makeSecret()
    let session = ConsoleSession(token: token, proof: Self.makeSecret(), opened: now, seen: now)
    sessions.withLock { sessions in
      sessions = sessions.filter { Self.isAlive($0.value, at: now) }
      if sessions.count >= Self.countMax, let idlest = sessions.min(by: { $0.value.seen < $1.value.seen }) {
        sessions[idlest.key] = nil
      }
      sessions[secret] = session
    }
    return (secret, session)
  }

  /// The session with this secret, which is used now; nil if it has ended.
  func use(_ secret: String, at now: ContinuousClock.Instant = .now) -> ConsoleSession? {
    sessions.withLock { sessions in
      guard let session = sessions[secret], Self.isAlive(session, at: now) else {
        sessions[secret] = nil
        return nil
      }
      sessions[secret]?.seen = now
      return session
    }
  }

  func close(_ secret: String) { sessions.withLock { _ = $0.removeValue(forKey: secret) } }

  private static func isAlive(_ session: ConsoleSession, at now: ContinuousClock.Instant) -> Bool {
    now - session.seen < idleLimit && now - session.opened < lifeLimit
  }

  private static func makeSecret() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<secretLength / 16).map { _ in
      let digits = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
