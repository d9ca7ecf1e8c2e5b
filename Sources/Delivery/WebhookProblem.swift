// What a failed request means, said so that whoever stands before the kiosk knows which cable, file or server to look at.

import Glibc
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
        ("no connection to \(proxy): \(reason(errno))", "check that the proxy runs at that address and port")
      } else {
        (
          "no connection: \(reason(errno))",
          "check that the receiver runs at that address and that nothing blocks the port"
        )
      }
    case .connectLimitExceeded:
      ("no connection within \(connectLimit)", "check the address and the network; a firewall may drop the packets")
    case .answerLimitExceeded:
      ("no answer within \(settings.attemptLimit)", "see why the receiver is slow, or allow it more time")
    case .tls(let failure): description(of: failure)
    case .closed: ("the receiver closed the connection without an answer", "see the receiver's own log")
    case .broken(let errno): ("the connection broke: \(reason(errno))", "check the network and the receiver")
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

  private static func description(of failure: TLSFailure) -> (String, remedy: String) {
    switch failure {
    case .certificateExpired:
      ("TLS failed: the receiver's certificate has expired", "renew the certificate, or set the station's clock")
    case .certificateNotYetValid:
      (
        "TLS failed: the receiver's certificate is not valid yet",
        "set the station's clock, or check from when the certificate is valid"
      )
    case .certificateUntrusted:
      (
        "TLS failed: no trusted authority vouches for the receiver's certificate",
        "name the certificate of the receiver's authority as ca_file, or have the receiver send its whole chain"
      )
    case .certificateForAnotherName:
      (
        "TLS failed: the receiver's certificate is for another host",
        "use a host that the certificate has as subject alternative name; its common name does not count"
      )
    case .clientCertificateWanted:
      (
        "TLS failed: the receiver wants a certificate of the station",
        "set client_certificate_file and client_key_file"
      )
    case .clientCertificateRefused:
      (
        "TLS failed: the receiver does not accept the station's certificate",
        "check that the certificate is valid and that the receiver trusts its authority"
      )
    case .filesUnusable:
      (
        "TLS failed: a certificate or key of the webhook cannot be read",
        "name PEM files with a certificate and its key that the station's user may read"
      )
    case .nothingInCommon:
      (
        "TLS failed: the receiver has no version or cipher in common with the station",
        "allow TLS 1.2 or 1.3 at the receiver, and check that its certificate is of a usual kind"
      )
    case .other:
      ("TLS failed", "check that the receiver speaks TLS at that port, its certificate, and the station's clock")
    }
  }

  private static func reason(_ errno: Int32) -> String {
    // strerror's wording for the few that a network really gives; its own buffer is not safe between threads.
    switch errno {
    case ECONNREFUSED: "connection refused"
    case EHOSTUNREACH: "no route to the host"
    case ENETUNREACH: "the network is unreachable"
    case ECONNRESET: "connection reset"
    case ETIMEDOUT: "timed out"
    case EPIPE: "broken pipe"
    case 0: "it ended unexpectedly"
    default: "errno \(errno)"
    }
  }
}
