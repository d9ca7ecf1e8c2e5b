// The way to a broker: its address, the login and TLS, whose files are read for each connection.

import DeliveryModel
import Sinks

/// Opens connections to one broker. Used by one thread at a time.
final class MQTTDialer {
  private let settings: MQTTSettings
  private let resolver = NameResolver()
  private var tls: MQTTTLS?

  init(_ settings: MQTTSettings) { self.settings = settings }

  /// Connects, and waits for the broker's answer.
  ///
  /// - Parameters:
  ///   - will: the message that the broker publishes if the connection ends without DISCONNECT.
  ///   - session: the session that the broker keeps; nil: none.
  ///   - isCancelled: asked about ten times per second.
  func open(
    clientID: String, will: MQTTMessage?, session: MQTTConnection.Session?, _ waker: MQTTWaker, isCancelled: () -> Bool
  ) throws(MQTTFailure) -> MQTTConnection {
    var login = MQTTConnection.Login(clientID: clientID)
    login.version = settings.version
    login.will = will
    login.session = session
    login.keepAliveSeconds = Int32(settings.keepAlive.seconds)
    do throws(DeliveryProblem) {
      if let file = settings.credentialsFile { login.credentials = try Credentials.read(file: file) }
    } catch {
      // A file that is being replaced is empty for a moment.
      throw .unready(error)
    }
    if settings.broker.isSecure {
      if tls?.isFresh(settings.tls) != true { tls = try MQTTTLS(settings.tls, host: settings.broker.host) }
      login.tls = tls
    }
    return try MQTTConnection.open(
      try addresses(), port: settings.broker.port, login, limit: settings.connectLimit, waker, isCancelled: isCancelled)
  }

  /// The broker's addresses in digits; at least one.
  private func addresses() throws(MQTTFailure) -> [String] {
    let place = TCPPlace(host: settings.broker.host, port: settings.broker.port)
    switch resolver.addresses(of: place, within: settings.connectLimit) {
    case .success(let addresses): return addresses.map(\.digits)
    case .failure(let failure): throw .hostUnresolved(failure.reason)
    }
  }
}
