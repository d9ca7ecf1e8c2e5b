// What a failed request means, said so that whoever stands before the kiosk knows which cable, file or server to look at.

import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL

enum WebhookProblem {
  /// The problem behind an error of the HTTP client.
  static func of(_ error: any Error, url: String, settings: WebhookSettings) -> DeliveryProblem {
    switch error {
    case let error as NIOConnectionError:
      if error.connectionErrors.isEmpty {
        return DeliveryProblem(
          "\(url): the host name \(error.host) cannot be resolved", remedy: "check the name, the network and its DNS")
      }
      return DeliveryProblem(
        "\(url): no connection: \(reason(error.connectionErrors[0].error))",
        remedy: "check that the receiver runs at that address and that nothing blocks the port")
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      return DeliveryProblem(
        "\(url): TLS failed: \(error)",
        remedy: "check the receiver's certificate, the station's clock, and the file of certificate authorities")
    case let error as HTTPClientError:
      return client(error, url: url, settings: settings)
    case is CancellationError:
      return DeliveryProblem("\(url): the attempt was cancelled", remedy: "none needed, the station is stopping")
    case let error as IOError:
      return DeliveryProblem("\(url): the connection broke: \(reason(error))", remedy: "check the network and the receiver")
    default:
      return DeliveryProblem("\(url): \(error)", remedy: "check the network and the receiver")
    }
  }

  private static func client(_ error: HTTPClientError, url: String, settings: WebhookSettings) -> DeliveryProblem {
    switch error {
    case .connectTimeout, .tlsHandshakeTimeout:
      DeliveryProblem(
        "\(url): no connection within \(settings.connectLimit)",
        remedy: "check the address and the network; a firewall may drop the packets")
    case .deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout:
      DeliveryProblem(
        "\(url): no answer within \(settings.attemptLimit)", remedy: "see why the receiver is slow, or allow it more time")
    case .remoteConnectionClosed:
      DeliveryProblem(
        "\(url): the receiver closed the connection without an answer", remedy: "see the receiver's own log")
    case .proxyAuthenticationRequired:
      DeliveryProblem(
        "\(url): the proxy \(settings.proxy?.host ?? "") wants credentials",
        remedy: "name a file with user:password as the proxy's credentials")
    case .invalidProxyResponse:
      DeliveryProblem(
        "\(url): the proxy \(settings.proxy?.host ?? "") does not connect to it",
        remedy: "allow the receiver's host and port in the proxy, or check that it is an HTTP proxy")
    case .cancelled:
      DeliveryProblem("\(url): the attempt was cancelled", remedy: "none needed, the station is stopping")
    default:
      DeliveryProblem("\(url): \(error)", remedy: "check the network and the receiver")
    }
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? IOError else { return String(describing: error) }
    // strerror's wording for the few that a network really gives; its own buffer is not safe between threads.
    return switch error.errnoCode {
    case ECONNREFUSED: "connection refused"
    case EHOSTUNREACH: "no route to the host"
    case ENETUNREACH: "the network is unreachable"
    case ECONNRESET: "connection reset"
    case ETIMEDOUT: "timed out"
    case EPIPE: "broken pipe"
    default: "errno \(error.errnoCode)"
    }
  }
}
