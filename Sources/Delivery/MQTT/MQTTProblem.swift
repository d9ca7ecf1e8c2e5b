// The problem and outcome of a failed attempt: which cable, file or broker to look at, and whether to try again.

import DeliveryModel
import HTTPClient
import Sinks

extension MQTTFailure {
  /// The outcome for the scans of the attempt.
  func outcome(_ settings: MQTTSettings) -> DeliveryOutcome {
    let problem = problem(settings)
    return switch self {
    case .refused(let reason): reason.endsConnecting ? .parked(problem, isFinal: false) : .retry(after: nil, problem)
    case .disconnected(.packetTooLarge), .disconnected(.notAuthorized), .disconnected(.topicNameInvalid),
      .disconnected(.payloadFormatInvalid), .messageTooLarge, .topicInvalid:
      // The fault may be the scan's: other scans are tried.
      .rejected(after: nil, problem)
    case .disconnected(let reason): reason.endsConnecting ? .parked(problem, isFinal: false) : .retry(after: nil, problem)
    case .qosUnavailable, .retainUnavailable: .parked(problem, isFinal: false)
    case .hostUnresolved, .unconnected, .connectLimitExceeded, .tls, .noGreeting, .closed, .broken, .notMQTT, .silent,
      .answerLimitExceeded, .unready, .cancelled, .libraryUnfit:
      .retry(after: nil, problem)
    }
  }

  func problem(_ settings: MQTTSettings) -> DeliveryProblem {
    if case .unready(let problem) = self { return problem }
    let (what, remedy) = description(settings)
    return DeliveryProblem("\(settings.broker): \(what)", remedy: remedy)
  }

  fileprivate func description(_ settings: MQTTSettings) -> (String, remedy: String) {
    switch self {
    case .hostUnresolved(let reason): (reason, "check the name, the network and its DNS")
    case .unconnected(let errno):
      (
        "no connection: \(ConnectionProblem.reason(errno))",
        "check that the broker runs at that address and that nothing blocks the port"
      )
    case .connectLimitExceeded:
      (
        "no connection within \(settings.connectLimit)", "check the address and the network; a firewall may drop the packets"
      )
    // A broker that wants a certificate may close before its alert is read.
    case .tls(.other) where settings.clientCertificateFile == nil:
      (
        "TLS failed; perhaps the broker wants a certificate of the station",
        "check that the broker speaks TLS at that port, its certificate, and the station's clock, or set client_certificate_file"
      )
    case .tls(let failure): failure.description(of: "broker")
    case .noGreeting:
      (
        "connected, but there is no answer to CONNECT within \(settings.connectLimit)",
        settings.broker.isSecure
          ? "check that a broker, and not a proxy, listens at that port"
          : "check the port, and write mqtts:// if the broker speaks TLS there"
      )
    case .refused(let reason), .disconnected(let reason): reason.description(settings)
    case .closed(isGreeted: false):
      (
        "the broker closed the connection before it answered CONNECT",
        "see the broker's own log; "
          + (settings.broker.isSecure ? "" : "write mqtts:// if it speaks TLS at that port, ")
          + (settings.version == .five
            ? "or version: 3.1.1 if it does not know MQTT 5" : "or version: 5 if it knows no older one")
      )
    case .closed(isGreeted: true):
      (
        "the broker closed the connection without a reason",
        settings.version == .five
          ? "see the broker's own log"
          : "see the broker's own log: in MQTT 3.1.1 it says no more if the station may not publish there, or if a scan is too large"
      )
    case .broken(let errno):
      ("the connection broke: \(ConnectionProblem.reason(errno))", "check the network and the broker")
    case .notMQTT:
      (
        "the answer is not MQTT \(settings.version.rawValue)",
        "check the port, and write version: \(settings.version == .five ? "3.1.1" : "5") if the broker knows no other"
      )
    case .silent:
      ("the broker has been silent for \(settings.keepAlive)", "check the network and the broker")
    case .answerLimitExceeded:
      (
        "the broker did not acknowledge within \(settings.attemptLimit)",
        "see why the broker is slow, or allow it more time (timeout)"
      )
    case .messageTooLarge:
      ("a scan is larger than the broker takes", "raise the broker's limit of packets to 256 KiB")
    case .qosUnavailable:
      ("the broker takes messages with QoS 0 alone, and may lose them", "allow QoS 1 at the broker")
    case .retainUnavailable:
      ("the broker keeps no messages", "allow retained messages at the broker, or write state_topic: none")
    case .topicInvalid(let topic): ("\(topic) is not a topic", "check the topic that is configured")
    case .unready(let problem): (problem.summary, problem.remedy)
    case .cancelled: ("the attempt was cancelled", "none needed, the station is stopping")
    case .libraryUnfit:
      ("the system's libmosquitto cannot do what is needed", "install Debian's libmosquitto1, version 2.0.11 or newer")
    }
  }
}

extension MQTTReason {
  /// Whether connecting again fails until someone changes the user, the id, the version or the address.
  fileprivate var endsConnecting: Bool {
    switch self {
    case .malformedPacket, .protocolError, .unsupportedVersion, .clientIDInvalid, .badUserOrPassword, .notAuthorized,
      .banned,
      .badAuthenticationMethod, .topicNameInvalid, .packetTooLarge, .payloadFormatInvalid, .retainNotSupported,
      .qosNotSupported, .useAnotherServer, .serverMoved:
      true
    default: false
    }
  }

  /// The outcome of a message that the broker refuses.
  func outcome(of topic: String, _ settings: MQTTSettings) -> DeliveryOutcome {
    let (what, remedy) = self == .notAuthorized ? notAuthorized(to: topic) : description(settings)
    let problem = DeliveryProblem("\(settings.broker): \(what)", remedy: remedy)
    return switch self {
    case .noMatchingSubscribers, .packetIDInUse, .quotaExceeded, .rateTooHigh, .serverBusy: .retry(after: nil, problem)
    // The fault may be the scan's: other scans are tried.
    default: .rejected(after: nil, problem)
    }
  }

  private func notAuthorized(to topic: String) -> (String, remedy: String) {
    ("the station may not publish to \(topic) (0x87)", "allow it in the broker's access list, or change the sink's topic")
  }

  fileprivate func description(_ settings: MQTTSettings) -> (String, remedy: String) {
    switch self {
    case .noMatchingSubscribers:
      ("the topic has no subscriber", "start the receiver, or check that it subscribes to the sink's topic")
    case .unsupportedVersion:
      (
        "the broker does not know MQTT \(settings.version.rawValue)",
        "write version: \(settings.version == .five ? "3.1.1" : "5")"
      )
    case .clientIDInvalid:
      ("the broker refuses the client id \(settings.ownClientID)", "set client_id to one that the broker allows")
    case .badUserOrPassword:
      (
        "the broker refuses the user or the password",
        settings.credentialsFile == nil
          ? "set credentials_file, whose first line is user:password" : "check both in credentials_file and at the broker"
      )
    case .notAuthorized:
      (
        "the broker does not authorise the station",
        settings.credentialsFile == nil && settings.clientCertificateFile == nil
          ? "set credentials_file, whose first line is user:password, or a client certificate"
          : "check user and password, the certificate, and whether the broker allows the client id \(settings.ownClientID)"
      )
    case .banned: ("the broker has banned the station", "see the broker's own log")
    case .badAuthenticationMethod:
      ("the broker wants another way to log in", "allow user and password, or certificates, at the broker")
    case .sessionTakenOver:
      (
        "another client has the client id \(settings.ownClientID) and took the connection over",
        "give each station a name of its own, or set client_id"
      )
    case .packetTooLarge: ("a scan is larger than the broker takes", "raise the broker's limit of packets to 256 KiB")
    case .rateTooHigh, .quotaExceeded:
      ("the broker says that a quota is exceeded", "raise the broker's quota of messages, or see why they are not taken")
    case .connectionRateExceeded, .serverBusy, .serverUnavailable:
      ("the broker is busy or not available", "see the broker's own log")
    case .serverShuttingDown: ("the broker is shutting down", "start the broker again")
    case .keepAliveTimeout: ("the broker has not heard from the station in time", "check the network, or raise keep_alive")
    case .retainNotSupported: MQTTFailure.retainUnavailable.description(settings)
    case .qosNotSupported: MQTTFailure.qosUnavailable.description(settings)
    case .useAnotherServer, .serverMoved: ("the broker has moved", "set the broker's new address")
    case .topicNameInvalid: ("the broker refuses the topic", "change the sink's topic, or allow it at the broker")
    default: ("the broker refuses with reason \(hexadecimal)", "see the broker's own log")
    }
  }

  private var hexadecimal: String { "0x" + String(code, radix: 16, uppercase: true) }
}
