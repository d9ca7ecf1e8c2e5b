// The trusted authorities and the client's certificate, checked before anything is sent. libcurl reads the same files again
// for each connection, so that they can be renewed while the station runs.

import COpenSSL

/// The TLS files, all in PEM.
public struct TLSSettings: Equatable, Sendable {
  /// The authorities to trust instead of the system's.
  public var authorityFile: String?
  /// The certificate, with its chain, and the key to present to a server that asks. Both or neither.
  public var certificateFile: String?
  public var keyFile: String?

  public init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
    self.authorityFile = authorityFile
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }

  /// The faults of the files.
  public enum Problem: Error, Equatable, Sendable {
    case unreadable(String)
    case noCertificate(String)
    /// The key is missing, or needs a passphrase, which a station cannot ask for.
    case noKey(String)
    case keyOfAnotherCertificate(certificate: String, key: String)
  }

  /// Checks the files.
  public func check() throws(Problem) {
    if let authorityFile { X509_free(try Self.certificate(authorityFile)) }
    guard let certificateFile, let keyFile else { return }
    let certificate = try Self.certificate(certificateFile)
    defer { X509_free(certificate) }
    let file = try Self.open(keyFile)
    defer { BIO_free(file) }
    // Without this callback, OpenSSL would ask for a passphrase on the terminal.
    guard let key = PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in 0 }, nil) else { throw .noKey(keyFile) }
    defer { EVP_PKEY_free(key) }
    guard X509_check_private_key(certificate, key) == 1 else {
      throw .keyOfAnotherCertificate(certificate: certificateFile, key: keyFile)
    }
  }

  private static func open(_ path: String) throws(Problem) -> OpaquePointer {
    guard let file = BIO_new_file(path, "r") else { throw .unreadable(path) }
    return file
  }

  /// The first certificate in a file; the caller frees it.
  private static func certificate(_ path: String) throws(Problem) -> OpaquePointer {
    let file = try open(path)
    defer { BIO_free(file) }
    guard let certificate = PEM_read_bio_X509(file, nil, nil, nil) else { throw .noCertificate(path) }
    return certificate
  }
}
