// The one file that drives libmosquitto: its handle, its socket and its callbacks, all on the caller's thread. The library never
// reconnects and never resends: the outbox decides what follows a failure.

import CMosquitto
import COpenSSL
import Glibc
import HTTPClient
import Sinks

/// A connection to a broker, from CONNECT to DISCONNECT. Used by one thread at a time.
final class MQTTConnection {
  /// The contents of CONNECT.
  struct Login {
    var version = MQTTSettings.Version.five
    var clientID: String
    var credentials: Credentials?
    /// The message that the broker publishes when the connection ends without DISCONNECT.
    var will: MQTTMessage?
    /// In seconds, at least 5, as libmosquitto demands.
    var keepAliveSeconds: Int32 = 30
    var tls: MQTTTLS?
    /// The session that the broker keeps between connections; nil: none.
    var session: Session?
  }

  /// A session of MQTT 5: the broker keeps what comes while its client is away, and sends again what the client has not acknowledged.
  struct Session {
    /// How long the broker keeps it after the end of a connection, in seconds.
    var expirySeconds: UInt32
    /// The most messages that the broker sends before the first of them is acknowledged.
    var letterCountMax: UInt16
  }

  private let handle: OpaquePointer
  private let login: Login
  private let waker: MQTTWaker
  /// The broker's answer to CONNECT; nil before.
  private var greeting: MQTTReason?
  /// The reason of the broker's DISCONNECT.
  private var farewell: MQTTReason?
  private var answers: [MQTTAnswer] = []
  private var letters: [MQTTLetter] = []
  /// Topics whose subscription the broker has not answered, by the number of the request.
  private var subscriptions: [Int32: String] = [:]
  private var refusedSubscriptions: [String] = []
  /// When the socket was last looked at, and whether messages on it may have waited since long before.
  private var lastTurn = ContinuousClock.now
  private var isBehind = false
  /// Whether the system has not said yet that the address answers.
  private var isConnecting = true

  /// How long closing may take.
  private static let closeLimit = Duration.seconds(1)
  /// Messages outside a session that wait for the caller; further ones are dropped.
  private static let letterCountMax = 64
  /// Bytes that are kept of a message, more than any command has.
  private static let letterByteCountMax = 256
  /// A pause between turns after which messages on the socket count as late: the machine slept, or was too busy.
  var turnPauseMax = Duration.seconds(5)
  private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.status

  // MARK: Opening

  /// Connects to the first of the addresses that answers.
  ///
  /// - Parameters:
  ///   - addresses: in numbers, in the order of preference; at least one.
  ///   - limit: time for one address, TLS and the broker's answer included.
  ///   - isCancelled: asked about ten times per second.
  static func open(
    _ addresses: [String], port: Int, _ login: Login, limit: Duration, _ waker: MQTTWaker, isCancelled: () -> Bool
  ) throws(MQTTFailure) -> MQTTConnection {
    var first: MQTTFailure?
    for address in addresses {
      do throws(MQTTFailure) {
        let connection = try MQTTConnection(login, waker)
        try connection.connect(address, port, until: .now + limit, isCancelled)
        return connection
      } catch {
        switch error {
        case .unconnected, .connectLimitExceeded: first = first ?? error
        default: throw error
        }
      }
    }
    throw first ?? .unconnected(errno: 0)
  }

  private init(_ login: Login, _ waker: MQTTWaker) throws(MQTTFailure) {
    guard Self.isReady, let handle = mosquitto_new(login.clientID, login.session == nil, nil) else { throw .libraryUnfit }
    self.handle = handle
    self.login = login
    self.waker = waker
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    try prepare()
    listen()
  }

  deinit { mosquitto_destroy(handle) }

  private func prepare() throws(MQTTFailure) {
    var isPrepared =
      mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, login.version.number) == MOSQ_ERR_SUCCESS.status
      && mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1) == MOSQ_ERR_SUCCESS.status
    if let session = login.session {
      // The library then queues a PUBACK until the next write, instead of sending it before its callback.
      isPrepared =
        mosquitto_threaded_set(handle, true) == MOSQ_ERR_SUCCESS.status
        && mosquitto_int_option(handle, MOSQ_OPT_RECEIVE_MAXIMUM, Int32(session.letterCountMax)) == MOSQ_ERR_SUCCESS.status
        && isPrepared
    }
    if let credentials = login.credentials {
      isPrepared =
        mosquitto_username_pw_set(handle, credentials.user, credentials.password) == MOSQ_ERR_SUCCESS.status && isPrepared
    }
    if let will = login.will {
      isPrepared =
        mosquitto_will_set_v5(
          handle, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained, nil) == MOSQ_ERR_SUCCESS.status
        && isPrepared
    }
    if let tls = login.tls {
      tls.begin()
      isPrepared =
        mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(tls.context)) == MOSQ_ERR_SUCCESS.status
        && mosquitto_int_option(handle, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0) == MOSQ_ERR_SUCCESS.status && isPrepared
    }
    guard isPrepared else { throw .libraryUnfit }
  }

  private func connect(
    _ address: String, _ port: Int, until deadline: ContinuousClock.Instant, _ isCancelled: () -> Bool
  ) throws(MQTTFailure) {
    let status = begin(address, Int32(port))
    let number = errno
    // Programs that the station starts must not inherit it.
    _ = fcntl(mosquitto_socket(handle), F_SETFD, FD_CLOEXEC)
    if status != MOSQ_ERR_SUCCESS.status {
      // The library may begin the handshake at once; its failure is one of TLS.
      throw status == MOSQ_ERR_ERRNO.status && number != EPROTO ? .unconnected(errno: number) : failure(status, number)
    }
    while greeting == nil {
      guard !isCancelled() else { throw .cancelled }
      guard ContinuousClock.now < deadline else {
        if isConnecting { throw .connectLimitExceeded }
        throw login.tls?.isUnderWay(on: mosquitto_ssl_get(handle)) == true ? .connectLimitExceeded : .noGreeting
      }
      try turn(until: deadline)
    }
    if let greeting, !greeting.isSuccess { throw .refused(greeting) }
  }

  /// Begins to connect. For a session the library waits until the address answers, as it takes properties of CONNECT only then.
  private func begin(_ address: String, _ port: Int32) -> Int32 {
    guard let session = login.session else {
      return mosquitto_connect_bind_async(handle, address, port, login.keepAliveSeconds, nil)
    }
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    mosquitto_property_add_int32(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL.number, session.expirySeconds)
    return mosquitto_connect_bind_v5(handle, address, port, login.keepAliveSeconds, nil, properties)
  }

  // MARK: Messages

  /// Gives a message to the broker, or to the queue of the socket.
  ///
  /// - Returns: the number by which its answer comes.
  func publish(_ message: MQTTMessage) throws(MQTTFailure) -> Int32 {
    var number: Int32 = 0
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if login.version == .five {
      if let type = message.contentType {
        mosquitto_property_add_byte(&properties, MQTT_PROP_PAYLOAD_FORMAT_INDICATOR.number, 1)
        mosquitto_property_add_string(&properties, MQTT_PROP_CONTENT_TYPE.number, type)
      }
      if let id = message.id {
        mosquitto_property_add_string_pair(&properties, MQTT_PROP_USER_PROPERTY.number, "id", id)
      }
    }
    let status = mosquitto_publish_v5(
      handle, &number, message.topic, Int32(message.payload.count), message.payload, 1, message.isRetained, properties)
    switch status {
    case MOSQ_ERR_SUCCESS.status: return number
    case MOSQ_ERR_OVERSIZE_PACKET.status, MOSQ_ERR_PAYLOAD_SIZE.status: throw .messageTooLarge
    case MOSQ_ERR_QOS_NOT_SUPPORTED.status: throw .qosUnavailable
    case MOSQ_ERR_RETAIN_NOT_SUPPORTED.status: throw .retainUnavailable
    case MOSQ_ERR_INVAL.status, MOSQ_ERR_MALFORMED_UTF8.status: throw .topicInvalid(message.topic)
    default: throw failure(status, errno)
    }
  }

  /// Asks for the messages of a topic, and none that the broker retains: each at least once in a session, else at most once.
  func subscribe(_ topic: String) throws(MQTTFailure) {
    var number: Int32 = 0
    var options = MQTT_SUB_OPT_SEND_RETAIN_NEVER.bits | MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.bits
    // A session may share its subscription, which must not have the option (MQTT 5 §3.8.3.1).
    if login.session == nil { options |= MQTT_SUB_OPT_NO_LOCAL.bits }
    let quality: Int32 = login.session == nil ? 0 : 1
    let status = mosquitto_subscribe_v5(handle, &number, topic, quality, login.version == .five ? options : 0, nil)
    guard status == MOSQ_ERR_SUCCESS.status else { throw failure(status, errno) }
    subscriptions[number] = topic
  }

  /// The broker's messages since the last call, in order.
  func takeLetters() -> [MQTTLetter] {
    defer { letters = [] }
    return letters
  }

  /// Whether messages wait to be taken.
  var hasLetters: Bool { !letters.isEmpty }

  /// Whether the broker has not answered to a subscription.
  var isSubscribing: Bool { !subscriptions.isEmpty }

  /// Topics whose subscription the broker has refused since the last call.
  func takeRefusedSubscriptions() -> [String] {
    defer { refusedSubscriptions = [] }
    return refusedSubscriptions
  }

  /// The broker's answers since the last call, in order.
  func takeAnswers() -> [MQTTAnswer] {
    defer { answers = [] }
    return answers
  }

  // MARK: The socket

  /// The longest wait of a turn, after which its caller checks for cancellation.
  private static let turnMax = Duration.milliseconds(100)

  /// Waits for the socket and does what there is to do: once, and not longer than until a moment, `turnMax`, or the waker's ring.
  ///
  /// In a session, what it reads is acknowledged by the next turn.
  ///
  /// - Throws: why the connection is over.
  func turn(until deadline: ContinuousClock.Instant, atMost longest: Duration = turnMax) throws(MQTTFailure) {
    let socket = mosquitto_socket(handle)
    guard socket >= 0 else { throw failure(MOSQ_ERR_CONN_LOST.status, 0) }
    var events = Int16(POLLIN)
    if isConnecting || mosquitto_want_write(handle) && login.tls?.wantsToRead(on: mosquitto_ssl_get(handle)) != true {
      events |= Int16(POLLOUT)
    }
    var polled = [
      pollfd(fd: socket, events: events, revents: 0), pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let wait = min(longest, ContinuousClock.now.duration(to: deadline))
    guard poll(&polled, 2, milliseconds(wait)) >= 0 || errno == EINTR else { throw .broken(errno: errno) }
    if polled[1].revents != 0 { waker.clear() }
    let ready = Int32(polled[0].revents)
    if lastTurn.duration(to: .now) > turnPauseMax + longest { isBehind = true }
    lastTurn = .now
    if isConnecting {
      guard ready & (POLLOUT | POLLERR | POLLHUP) != 0 else { return }
      try finishConnecting(socket)
    }
    let hasEnded = ready & (POLLERR | POLLHUP) != 0
    let canWrite = !hasEnded && ready & POLLOUT != 0
    // In a session, writing acknowledges the messages of earlier turns alone.
    if canWrite, login.session != nil { try check(mosquitto_loop_write(handle, 1)) }
    // Otherwise reading comes first: a failed write closes the socket, and answers that have come would be lost with it.
    if hasEnded || ready & POLLIN != 0 { try read() }
    if canWrite, login.session == nil { try check(mosquitto_loop_write(handle, 1)) }
    guard mosquitto_socket(handle) >= 0 else { throw failure(MOSQ_ERR_CONN_LOST.status, 0) }
    if ready & POLLIN == 0 { isBehind = false }
    try check(mosquitto_loop_misc(handle))
  }

  /// Reads a packet, and the others of its TLS record, which the socket does not show; in a session all that have come.
  private func read() throws(MQTTFailure) {
    repeat {
      try check(mosquitto_loop_read(handle, 1))
    } while login.tls?.holdsBytes(of: mosquitto_ssl_get(handle)) == true || login.session != nil && hasInput
  }

  /// Whether bytes wait on the socket.
  private var hasInput: Bool {
    var polled = pollfd(fd: mosquitto_socket(handle), events: Int16(POLLIN), revents: 0)
    return polled.fd >= 0 && poll(&polled, 1, 0) > 0 && Int32(polled.revents) == POLLIN
  }

  /// The same; answers that came before the end are there to be taken.
  ///
  /// - Returns: why the connection is over; nil if it is not.
  func end(within deadline: ContinuousClock.Instant) -> MQTTFailure? {
    do throws(MQTTFailure) {
      try turn(until: deadline)
      return nil
    } catch {
      return error
    }
  }

  /// Whether the socket is open; a broken connection may show only in the next turn.
  var isOpen: Bool { mosquitto_socket(handle) >= 0 }

  private func finishConnecting(_ socket: Int32) throws(MQTTFailure) {
    var number: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &size) == 0, number == 0 else {
      // The library sends CONNECT at once, so that a server may already have hung up on it.
      throw number == ECONNRESET ? .closed(isGreeted: false) : .unconnected(errno: number)
    }
    isConnecting = false
  }

  private func check(_ status: Int32) throws(MQTTFailure) {
    if status != MOSQ_ERR_SUCCESS.status { throw failure(status, errno) }
  }

  /// The reason behind a status of libmosquitto, with the system's number at that time: the broker's own word comes first.
  private func failure(_ status: Int32, _ errno: Int32) -> MQTTFailure {
    if let greeting, !greeting.isSuccess { return .refused(greeting) }
    if let farewell { return .disconnected(farewell) }
    if let tls = login.tls?.failure { return .tls(tls) }
    switch status {
    case MOSQ_ERR_TLS.status, MOSQ_ERR_TLS_HANDSHAKE.status: return .tls(.other)
    case MOSQ_ERR_KEEPALIVE.status: return .silent
    case MOSQ_ERR_PROTOCOL.status, MOSQ_ERR_MALFORMED_PACKET.status: return .notMQTT
    case MOSQ_ERR_ERRNO.status where errno == EPROTO && login.tls != nil:
      return greeting == nil ? .tls(.other) : .closed(isGreeted: true)
    case MOSQ_ERR_ERRNO.status where greeting == nil && [ECONNRESET, EPIPE].contains(errno): return .closed(isGreeted: false)
    case MOSQ_ERR_ERRNO.status where errno != 0: return .broken(errno: errno)
    case MOSQ_ERR_NOMEM.status, MOSQ_ERR_NOT_SUPPORTED.status: return .libraryUnfit
    default: return .closed(isGreeted: greeting != nil)
    }
  }

  /// Publishes a last message, if any, and sends DISCONNECT, so that the broker does not publish the will.
  func close(after last: MQTTMessage?) {
    let deadline = ContinuousClock.now + Self.closeLimit
    do throws(MQTTFailure) {
      if let last {
        let number = try publish(last)
        while !takeAnswers().contains(where: { $0.number == number }), ContinuousClock.now < deadline {
          try turn(until: deadline)
        }
      }
      guard mosquitto_disconnect_v5(handle, 0, nil) == MOSQ_ERR_SUCCESS.status else { return }
      while mosquitto_socket(handle) >= 0, ContinuousClock.now < deadline { try turn(until: deadline) }
    } catch {
      // The connection ends either way.
    }
  }

  // MARK: Callbacks, which libmosquitto calls only within our calls

  private func listen() {
    mosquitto_connect_v5_callback_set(handle) { _, owner, code, _, _ in
      MQTTConnection.at(owner)?.greet(UInt8(truncatingIfNeeded: code))
    }
    mosquitto_disconnect_v5_callback_set(handle) { _, owner, code, _ in
      // Smaller numbers are libmosquitto's own, not the broker's.
      if code >= 0x80, code <= 0xFF { MQTTConnection.at(owner)?.farewell = MQTTReason(code: UInt8(code)) }
    }
    mosquitto_publish_v5_callback_set(handle) { _, owner, number, code, _ in
      let reason = MQTTReason(code: UInt8(truncatingIfNeeded: code))
      MQTTConnection.at(owner)?.answers.append(MQTTAnswer(number: number, reason: reason))
    }
    mosquitto_message_v5_callback_set(handle) { _, owner, message, _ in
      if let message { MQTTConnection.at(owner)?.take(message.pointee) }
    }
    mosquitto_subscribe_v5_callback_set(handle) { _, owner, number, count, granted, _ in
      guard let connection = MQTTConnection.at(owner), let topic = connection.subscriptions.removeValue(forKey: number),
        count > 0, let granted, granted[0] >= 0x80
      else { return }
      connection.refusedSubscriptions.append(topic)
    }
  }

  private static func at(_ owner: UnsafeMutableRawPointer?) -> MQTTConnection? {
    owner.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  private func take(_ message: mosquitto_message) {
    // The broker limits the messages of a session itself: until they are acknowledged, it sends no more than `letterCountMax`.
    let isSession = login.session != nil
    guard isSession || letters.count < Self.letterCountMax else { return }
    let bytes = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    letters.append(
      MQTTLetter(
        topic: String(cString: message.topic),
        payload: Array(isSession ? bytes[...] : bytes.prefix(Self.letterByteCountMax)),
        isRetained: message.retain, isLate: isBehind))
  }

  private func greet(_ code: UInt8) {
    greeting = login.version == .five && code >= 0x80 ? MQTTReason(code: code) : MQTTReason(connack: code)
  }
}

/// Ends a connection's wait, from any thread.
final class MQTTWaker: Sendable {
  /// An eventfd, readable after a ring.
  let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))

  deinit { Glibc.close(descriptor) }

  func ring() { eventfd_write(descriptor, 1) }

  /// Waits for a ring, or until a moment.
  func wait(until deadline: ContinuousClock.Instant) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, milliseconds(ContinuousClock.now.duration(to: deadline)))
    clear()
  }

  func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}

/// A time as poll(2) takes it: not less, so that a wait does not end before its moment.
private func milliseconds(_ duration: Duration) -> Int32 {
  let (seconds, attoseconds) = max(.zero, duration).components
  let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  return Int32(min(seconds, 3600) * 1000 + part)
}

extension MQTTTLS {
  /// Whether the handshake is not over.
  ///
  /// - Parameter connection: an `SSL`.
  func isUnderWay(on connection: UnsafeMutableRawPointer?) -> Bool { SSL_in_init(connection.map { OpaquePointer($0) }) != 0 }

  /// Whether the handshake waits for the server, so that nothing can be written.
  func wantsToRead(on connection: UnsafeMutableRawPointer?) -> Bool {
    SSL_want(connection.map { OpaquePointer($0) }) == SSL_READING && isUnderWay(on: connection)
  }

  /// Whether bytes of a record wait to be read.
  func holdsBytes(of connection: UnsafeMutableRawPointer?) -> Bool {
    connection.map { SSL_pending(OpaquePointer($0)) > 0 } ?? false
  }
}

extension mosq_err_t {
  /// As functions of libmosquitto return it.
  fileprivate var status: Int32 { Int32(rawValue) }
}

extension mqtt5_property {
  fileprivate var number: Int32 { Int32(rawValue) }
}

extension mqtt5_sub_options {
  fileprivate var bits: Int32 { Int32(rawValue) }
}
