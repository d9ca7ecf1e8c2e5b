// TLS to a broker. libmosquitto would verify certificates by its own rules and report only that TLS failed; so it gets a context of
// ours, which applies the webhook's rules and remembers the reason of a failure.

import COpenSSL
import Glibc
import HTTPClient

/// A context of OpenSSL for connections to one broker. Used by one thread at a time.
final class MQTTTLS {
  /// An `SSL_CTX`, freed with this object and the last connection that was made with it.
  let context: OpaquePointer
  /// Why the connection failed; nil if TLS is not the reason.
  private(set) var failure: TLSFailure?
  /// Server name that the handshake asks for (RFC 6066 §3); nil for an address.
  private let serverName: String?
  /// The files' stamps at the time of reading.
  private let stamps: [FileStamp?]

  /// Where a context keeps this object.
  private static let ownerIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil, nil)

  /// Reads the files.
  ///
  /// - Parameters:
  ///   - host: a name or an address, without brackets.
  init(_ files: TLSSettings, host: String) throws(MQTTFailure) {
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw .libraryUnfit }
    self.context = context
    var address = in6_addr()
    let isAddress = inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    serverName = isAddress ? nil : host
    stamps = Self.stamps(of: files)
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
    guard
      SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
      TLSSettings.demand(host: host, of: context),
      SSL_CTX_set_ex_data(context, Self.ownerIndex, Unmanaged.passUnretained(self).toOpaque()) == 1
    else { throw .libraryUnfit }
    let hasAuthorities =
      if let file = files.authorityFile {
        SSL_CTX_load_verify_file(context, file) == 1
      } else {
        SSL_CTX_set_default_verify_paths(context) == 1
      }
    guard hasAuthorities else { throw .tls(.filesUnusable) }
    if let certificate = files.certificateFile, let key = files.keyFile {
      guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1,
        SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1, SSL_CTX_check_private_key(context) == 1
      else { throw .tls(.filesUnusable) }
    }
    watch()
  }

  deinit {
    SSL_CTX_set_ex_data(context, Self.ownerIndex, nil)
    SSL_CTX_free(context)
  }

  /// Whether the files are unchanged since they were read.
  func isFresh(_ files: TLSSettings) -> Bool { stamps == Self.stamps(of: files) }

  /// Forgets the failure of an earlier connection.
  func begin() { failure = nil }

  /// Verifies certificates and remembers failures.
  private func watch() {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { isRight, store in
      guard isRight == 0 else { return isRight }
      if let connection = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()) {
        let verification = X509_STORE_CTX_get_error(store)
        MQTTTLS.owner(of: OpaquePointer(connection))?.failure = TLSFailure(verification: verification)
      }
      return 0
    }
    SSL_CTX_set_info_callback(context) { connection, kind, value in
      guard let owner = MQTTTLS.owner(of: connection) else { return }
      if kind & SSL_CB_HANDSHAKE_START != 0 {
        owner.setServerName(connection)
      } else if kind == SSL_CB_READ_ALERT, value >> 8 == SSL3_AL_FATAL {
        owner.failure = owner.failure ?? TLSFailure(alert: value & 0xFF)
      }
    }
  }

  /// Replaces the server name that libmosquitto sets, which is the broker's address.
  private func setServerName(_ connection: OpaquePointer?) {
    let kind = Int(TLSEXT_NAMETYPE_host_name)
    if let serverName {
      serverName.withCString {
        _ = SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, kind, UnsafeMutableRawPointer(mutating: $0))
      }
    } else {
      SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, kind, nil)
    }
  }

  private static func owner(of connection: OpaquePointer?) -> MQTTTLS? {
    SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), ownerIndex).map {
      Unmanaged<MQTTTLS>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Identity, size and time of a file: a replaced file has another stamp.
  private struct FileStamp: Equatable {
    let number: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  private static func stamps(of files: TLSSettings) -> [FileStamp?] {
    let authorities = files.authorityFile ?? String(cString: X509_get_default_cert_file())
    return [authorities, files.certificateFile, files.keyFile].map { path in
      var status = stat()
      guard let path, stat(path, &status) == 0 else { return nil }
      return FileStamp(
        number: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(status.st_mtim.tv_sec),
        nanoseconds: Int(status.st_mtim.tv_nsec))
    }
  }
}
