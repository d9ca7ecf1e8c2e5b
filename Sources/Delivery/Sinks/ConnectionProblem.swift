// Failures on the way to a peer on the network, for every protocol.

package import DeliveryModel
import Glibc
package import HTTPClient

extension TLSFailure {
  /// The failure in words and its remedy; `peer` names the other end, such as `receiver`.
  package func description(of peer: String) -> (String, remedy: String) {
    switch self {
    case .certificateExpired:
      ("TLS failed: the \(peer)'s certificate has expired", "renew the certificate, or set the station's clock")
    case .certificateNotYetValid:
      (
        "TLS failed: the \(peer)'s certificate is not valid yet",
        "set the station's clock, or check from when the certificate is valid"
      )
    case .certificateUntrusted:
      (
        "TLS failed: no trusted authority vouches for the \(peer)'s certificate",
        "name the certificate of the \(peer)'s authority as ca_file, or have the \(peer) send its whole chain"
      )
    case .certificateForAnotherName:
      (
        "TLS failed: the \(peer)'s certificate is for another host",
        "use a host that the certificate has as subject alternative name; its common name does not count"
      )
    case .clientCertificateWanted:
      (
        "TLS failed: the \(peer) wants a certificate of the station",
        "set client_certificate_file and client_key_file"
      )
    case .clientCertificateRefused:
      (
        "TLS failed: the \(peer) does not accept the station's certificate",
        "check that the certificate is valid and that the \(peer) trusts its authority"
      )
    case .filesUnusable:
      (
        "TLS failed: a certificate or key cannot be read",
        "name PEM files with a certificate and its key that the station's user may read"
      )
    case .nothingInCommon:
      (
        "TLS failed: the \(peer) has no version or cipher in common with the station",
        "allow TLS 1.2 or 1.3 at the \(peer), and check that its certificate is of a usual kind"
      )
    case .other:
      ("TLS failed", "check that the \(peer) speaks TLS at that port, its certificate, and the station's clock")
    }
  }
}

extension TLSSettings {
  /// Looks at the files.
  ///
  /// - Throws: what is wrong with them.
  package func checkForDelivery() throws(DeliveryProblem) {
    do throws(Problem) {
      try check()
    } catch {
      let remedy = "name PEM files that the station's user may read"
      switch error {
      case .unreadable(let path): throw DeliveryProblem("\(path) cannot be read", remedy: remedy)
      case .noCertificate(let path): throw DeliveryProblem("\(path) holds no certificate", remedy: remedy)
      case .noKey(let path): throw DeliveryProblem("\(path) holds no key without a passphrase", remedy: remedy)
      case .keyOfAnotherCertificate(let certificate, let key):
        throw DeliveryProblem(
          "the key in \(key) does not belong to the certificate in \(certificate)",
          remedy: "name the key that the certificate was made for")
      }
    }
  }
}

package enum ConnectionProblem {
  /// The system's reason in words; 0 if it gave none.
  package static func reason(_ errno: Int32) -> String {
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
