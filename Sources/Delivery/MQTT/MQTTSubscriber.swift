// Messages from a broker, in a session: the receiver decides when each is acknowledged.

public import DeliveryModel
import Sinks

/// A message from a broker.
public struct MQTTDelivery: Equatable, Sendable {
  public var topic: String
  public var payload: [UInt8]

  public init(topic: String, payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }
}

/// Receives the messages of topics, at least once each. Used by one thread at a time.
///
/// The broker keeps the session of the client id while no connection is open, and sends again what was not acknowledged when the last
/// one ended.
public final class MQTTSubscriber {
  private let settings: MQTTSettings
  private let topics: [String]
  private let dialer: MQTTDialer
  private let waker = MQTTWaker()
  private var connection: MQTTConnection?

  /// The most messages that are received before the first is acknowledged: brokers default to 20, which would commit 20 at a time.
  public static let deliveryCountMax = 500
  /// How long the broker keeps the session without a connection: a week, for a holiday and the day after.
  static let sessionSeconds: UInt32 = 7 * 86400

  /// - Parameters:
  ///   - settings: broker, client id, credentials and files of TLS; the version must be 5.
  ///   - topics: topic filters, such as `reticle/+/scan`.
  /// - Throws: what is wrong with the settings.
  public init(_ settings: MQTTSettings, topics: [String]) throws(DeliveryProblem) {
    try MQTTSink.check(settings)
    (self.settings, self.topics, dialer) = (settings, topics, MQTTDialer(settings))
  }

  /// Connects and subscribes, unless connected.
  ///
  /// - Throws: why the broker cannot be reached or refuses.
  public func connect(isCancelled: () -> Bool) throws(DeliveryProblem) {
    guard connection?.isOpen != true else { return }
    let session = MQTTConnection.Session(
      expirySeconds: Self.sessionSeconds, letterCountMax: UInt16(Self.deliveryCountMax))
    do throws(MQTTFailure) {
      let opened = try dialer.open(
        clientID: settings.ownClientID, will: nil, session: session, waker, isCancelled: isCancelled)
      for topic in topics { try opened.subscribe(topic) }
      let deadline = ContinuousClock.now + settings.attemptLimit
      // A turn acknowledges what the one before has read.
      while opened.isSubscribing, !opened.hasLetters {
        guard ContinuousClock.now < deadline else { throw MQTTFailure.answerLimitExceeded }
        try opened.turn(until: deadline)
      }
      connection = opened
    } catch {
      throw error.problem(settings)
    }
    try checkSubscriptions()
  }

  private func checkSubscriptions() throws(DeliveryProblem) {
    guard let topic = connection?.takeRefusedSubscriptions().first else { return }
    drop()
    throw DeliveryProblem(
      "\(settings.broker): it refuses the subscription to \(topic)", remedy: "allow it in the broker's access list")
  }

  /// Acknowledges what the last call returned, and waits for messages up to a tenth of a second.
  ///
  /// - Returns: up to `deliveryCountMax` messages in the broker's order; none if none came.
  /// - Throws: why the connection is over; what was not acknowledged comes again after `connect`.
  public func receive() throws(DeliveryProblem) -> [MQTTDelivery] {
    guard let connection else { throw MQTTFailure.closed(isGreeted: true).problem(settings) }
    if !connection.hasLetters {
      do throws(MQTTFailure) {
        try connection.turn(until: .now + .seconds(1))
      } catch {
        drop()
        throw error.problem(settings)
      }
      try checkSubscriptions()
    }
    return connection.takeLetters().map { MQTTDelivery(topic: $0.topic, payload: $0.payload) }
  }

  /// Ends the connection at once. What was received last is not acknowledged.
  public func drop() { connection = nil }

  /// Acknowledges what was received last, and disconnects. The broker keeps the session.
  public func close() {
    if connection?.hasLetters == false { connection?.close(after: nil) }
    connection = nil
  }
}
