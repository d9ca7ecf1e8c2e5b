// Verification of servers by OpenSSL, shared by all TLS clients.

import COpenSSL

extension TLSSettings {
  /// Has OpenSSL itself check the server's host, by subject alternative names only: a common name does not count (RFC 9110 §4.3.4).
  ///
  /// - Parameters:
  ///   - host: a name or an address, without brackets.
  ///   - context: an `SSL_CTX`.
  /// - Returns: false if OpenSSL cannot take the host.
  public static func demand(host: String, of context: OpaquePointer) -> Bool {
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    let parameters = SSL_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_hostflags(
      parameters, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    return X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 || X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1
  }
}

extension TLSFailure {
  /// - Parameter verification: an `X509_V_ERR_…`.
  public init(verification: Int32) {
    self =
      switch verification {
      case X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
      case X509_V_ERR_CERT_NOT_YET_VALID: .certificateNotYetValid
      case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .certificateForAnotherName
      default: .certificateUntrusted
      }
  }

  /// - Parameter alert: the description of a fatal alert that the server sent: RFC 8446 §6.
  public init(alert: Int32) {
    self =
      switch alert {
      case SSL_AD_CERTIFICATE_REQUIRED: .clientCertificateWanted
      case SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED, SSL_AD_CERTIFICATE_EXPIRED,
        SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA, SSL_AD_ACCESS_DENIED:
        .clientCertificateRefused
      case SSL_AD_HANDSHAKE_FAILURE, SSL_AD_PROTOCOL_VERSION, SSL_AD_INSUFFICIENT_SECURITY: .nothingInCommon
      default: .other
      }
  }
}
