// Messages to a broker, its answers, and the failures on the way.

import DeliveryModel
import HTTPClient

/// A message to be published with QoS 1.
struct MQTTMessage: Equatable, Sendable {
  let topic: String
  let payload: [UInt8]
  /// Whether the broker keeps it for later subscribers.
  var isRetained = false
  /// The payload's type, and the id that a receiver tells repeats by; both are properties of MQTT 5, which alone carries them.
  var contentType: String?
  var id: String?
}

/// A message that came from the broker.
struct MQTTLetter: Equatable, Sendable {
  let topic: String
  /// Its first bytes.
  let payload: [UInt8]
  /// Whether the broker keeps it, so that its age is unknown.
  let isRetained: Bool
  /// Whether it may have waited on the socket, so that its age is unknown.
  let isLate: Bool
}

/// The broker's word on a message: PUBACK.
struct MQTTAnswer: Equatable, Sendable {
  /// Tells the message among those that are on their way.
  let number: Int32
  let reason: MQTTReason
}

/// A reason code of MQTT 5 (§2.4); those of CONNACK in 3.1.1 are translated.
struct MQTTReason: Equatable, Sendable {
  let code: UInt8

  static let success = MQTTReason(code: 0x00)
  static let noMatchingSubscribers = MQTTReason(code: 0x10)
  static let unspecified = MQTTReason(code: 0x80)
  static let malformedPacket = MQTTReason(code: 0x81)
  static let protocolError = MQTTReason(code: 0x82)
  static let unsupportedVersion = MQTTReason(code: 0x84)
  static let clientIDInvalid = MQTTReason(code: 0x85)
  static let badUserOrPassword = MQTTReason(code: 0x86)
  static let notAuthorized = MQTTReason(code: 0x87)
  static let serverUnavailable = MQTTReason(code: 0x88)
  static let serverBusy = MQTTReason(code: 0x89)
  static let banned = MQTTReason(code: 0x8A)
  static let serverShuttingDown = MQTTReason(code: 0x8B)
  static let badAuthenticationMethod = MQTTReason(code: 0x8C)
  static let keepAliveTimeout = MQTTReason(code: 0x8D)
  static let sessionTakenOver = MQTTReason(code: 0x8E)
  static let topicNameInvalid = MQTTReason(code: 0x90)
  static let packetIDInUse = MQTTReason(code: 0x91)
  static let packetTooLarge = MQTTReason(code: 0x95)
  static let rateTooHigh = MQTTReason(code: 0x96)
  static let quotaExceeded = MQTTReason(code: 0x97)
  static let payloadFormatInvalid = MQTTReason(code: 0x99)
  static let retainNotSupported = MQTTReason(code: 0x9A)
  static let qosNotSupported = MQTTReason(code: 0x9B)
  static let useAnotherServer = MQTTReason(code: 0x9C)
  static let serverMoved = MQTTReason(code: 0x9D)
  static let connectionRateExceeded = MQTTReason(code: 0x9F)

  /// Whether the broker accepted the packet.
  var isSuccess: Bool { code < 0x80 }

  /// - Parameter connack: the return code of a CONNACK in MQTT 3.1.1 (§3.2.2.3).
  init(connack: UInt8) {
    self =
      switch connack {
      case 0: .success
      case 1: .unsupportedVersion
      case 2: .clientIDInvalid
      case 3: .serverUnavailable
      case 4: .badUserOrPassword
      case 5: .notAuthorized
      default: .unspecified
      }
  }

  init(code: UInt8) { self.code = code }
}

/// Why there is no connection, or no answer.
enum MQTTFailure: Error, Equatable, Sendable {
  /// The resolver's reason.
  case hostUnresolved(String)
  /// 0 if the system gave no number.
  case unconnected(errno: Int32)
  /// No server answers at the address, or the TLS handshake does not finish in time.
  case connectLimitExceeded
  case tls(TLSFailure)
  /// The server at the address does not answer CONNECT.
  case noGreeting
  /// The broker's CONNACK.
  case refused(MQTTReason)
  /// The broker's DISCONNECT, which MQTT 5 alone has.
  case disconnected(MQTTReason)
  /// The connection ended without a reason; `isGreeted`: after the broker's CONNACK.
  case closed(isGreeted: Bool)
  case broken(errno: Int32)
  /// The server's answer is not MQTT, or not of this version.
  case notMQTT
  /// The broker answers no PINGREQ.
  case silent
  case answerLimitExceeded
  /// The message is larger than the broker takes.
  case messageTooLarge
  /// The broker takes no QoS 1.
  case qosUnavailable
  /// The broker keeps no messages.
  case retainUnavailable
  /// The broker or the library refuses the topic.
  case topicInvalid(String)
  /// The credentials cannot be read.
  case unready(DeliveryProblem)
  /// The task was cancelled, or the sink closed.
  case cancelled
  /// This build of libmosquitto or OpenSSL lacks a feature that is needed.
  case libraryUnfit
}
