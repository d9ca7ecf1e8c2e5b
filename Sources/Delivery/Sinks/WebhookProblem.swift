// The causes of failed requests, each with the cable, file or server to check.

import DeliveryModel
import HTTPClient

enum WebhookProblem {
  /// The problem behind a request without an answer.
  static func of(_ failure: HTTPFailure, settings: WebhookSettings) -> DeliveryProblem {
    let (what, remedy) = description(of: failure, settings: settings)
    return DeliveryProblem("\(settings.shownURL): \(what)", remedy: remedy)
  }

  private static func description(of failure: HTTPFailure, settings: WebhookSettings) -> (String, remedy: String) {
    let proxy = settings.proxy.map { "the proxy \($0.host)" }
    let connectLimit = min(settings.connectLimit, settings.attemptLimit)
    return switch failure {
    case .hostUnresolved: ("the host name cannot be resolved", "check the name, the network and its DNS")
    case .proxyUnresolved:
      ("the name of \(proxy ?? "") cannot be resolved", "check the proxy's name, the network and its DNS")
    case .unconnected(let errno):
      if let proxy {
        (
          "no connection to \(proxy): \(ConnectionProblem.reason(errno))",
          "check that the proxy runs at that address and port"
        )
      } else {
        (
          "no connection: \(ConnectionProblem.reason(errno))",
          "check that the receiver runs at that address and that nothing blocks the port"
        )
      }
    case .connectLimitExceeded:
      ("no connection within \(connectLimit)", "check the address and the network; a firewall may drop the packets")
    case .answerLimitExceeded:
      ("no answer within \(settings.attemptLimit)", "see why the receiver is slow, or allow it more time")
    case .tls(let failure): failure.description(of: "receiver")
    case .closed: ("the receiver closed the connection without an answer", "see the receiver's own log")
    case .broken(let errno):
      ("the connection broke: \(ConnectionProblem.reason(errno))", "check the network and the receiver")
    case .proxyWantsCredentials:
      ("\(proxy ?? "") wants credentials", "name a file with user:password as the proxy's credentials")
    case .proxyRefuses:
      (
        "\(proxy ?? "") does not connect to it",
        "allow the receiver's host and port in the proxy, or check that it is an HTTP proxy"
      )
    case .notHTTP: ("the answer is not HTTP", "check the URL and its port: another kind of server may answer there")
    case .headerTooLong:
      ("the header of the answer is too long", "check that the URL leads to the receiver, and see the receiver's own log")
    case .cancelled: ("the attempt was cancelled", "none needed, the station is stopping")
    case .libraryUnfit:
      ("the system's libcurl cannot do what a webhook needs", "install Debian's libcurl4, version 7.88 or newer")
    }
  }
}
