// The keys of set-up codes: the administrator signs with a private key, and a station knows only the public one. A stolen
// station therefore cannot make codes, which a shared secret would allow. Ed25519 (RFC 8032) by OpenSSL.

import COpenSSL
import FoundationEssentials

/// A public key that checks the signatures of set-up codes.
public struct SetupPublicKey: Equatable, Sendable {
  /// Bytes of a key (RFC 8032 §5.1.5).
  static let byteCount = 32
  /// Bytes of a signature (RFC 8032 §5.1.6).
  static let signatureByteCount = 64

  private let bytes: [UInt8]

  init(bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "an Ed25519 key of \(bytes.count) bytes")
    self.bytes = bytes
  }

  /// Reads the text form: 32 bytes in base64; nil for anything else.
  public init?(_ text: String) {
    guard let bytes = Data(base64Encoded: text), bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }

  /// The key in base64, as the configuration holds it.
  public var text: String { Data(bytes).base64EncodedString() }

  /// Whether the owner of the private key signed exactly this content.
  func accepts(signature: [UInt8], of content: [UInt8]) -> Bool {
    guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else { return false }
    defer { EVP_PKEY_free(key) }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, content, content.count) == 1
  }
}

/// A private key that signs set-up codes. Stations never hold it.
public struct SetupSigningKey: Sendable {
  /// Bytes of a key (RFC 8032 §5.1.5).
  private static let byteCount = 32
  /// Bytes of a key's PEM file at most; an Ed25519 key takes 119.
  public static let pemByteCountMax = 4096

  private let bytes: [UInt8]
  public let publicKey: SetupPublicKey

  /// Nil if it is no Ed25519 key.
  private init?(_ key: OpaquePointer) {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    var publicBytes = [UInt8](repeating: 0, count: SetupPublicKey.byteCount)
    var (count, publicCount) = (bytes.count, publicBytes.count)
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519,
      EVP_PKEY_get_raw_private_key(key, &bytes, &count) == 1, count == bytes.count,
      EVP_PKEY_get_raw_public_key(key, &publicBytes, &publicCount) == 1, publicCount == publicBytes.count
    else { return nil }
    self.bytes = bytes
    publicKey = SetupPublicKey(bytes: publicBytes)
  }

  /// Generates a key; nil if OpenSSL has no Ed25519 or no randomness.
  public static func generate() -> SetupSigningKey? {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &key) == 1, let key else { return nil }
    defer { EVP_PKEY_free(key) }
    return SetupSigningKey(key)
  }

  /// Reads a PEM file with a private key (RFC 5958), as `pem` writes it; nil if it holds no Ed25519 key, or an encrypted one.
  public init?(pem: [UInt8]) {
    guard let memory = BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else { return nil }
    defer { BIO_free(memory) }
    // Without this callback, OpenSSL would ask for a passphrase on the terminal.
    guard let key = PEM_read_bio_PrivateKey(memory, nil, { _, _, _, _ in 0 }, nil) else { return nil }
    defer { EVP_PKEY_free(key) }
    self.init(key)
  }

  /// The key as a PEM file, unencrypted.
  public var pem: [UInt8] {
    guard let memory = BIO_new(BIO_s_mem()) else { preconditionFailure("no memory for a key") }
    defer { BIO_free(memory) }
    var text = [UInt8](repeating: 0, count: Self.pemByteCountMax)
    let count = withKey { key in
      let isWritten = PEM_write_bio_PrivateKey(memory, key, nil, nil, 0, nil, nil)
      return isWritten == 1 ? BIO_read(memory, &text, Int32(text.count)) : 0
    }
    precondition(count > 0, "OpenSSL cannot write a key")
    return Array(text.prefix(Int(count)))
  }

  /// The signature of a content: 64 bytes.
  func signature(of content: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: SetupPublicKey.signatureByteCount)
    var count = signature.count
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("no memory for a signature") }
    defer { EVP_MD_CTX_free(context) }
    let isSigned = withKey { key in
      EVP_DigestSignInit(context, nil, nil, nil, key) == 1
        && EVP_DigestSign(context, &signature, &count, content, content.count) == 1
    }
    precondition(isSigned && count == signature.count, "OpenSSL cannot sign")
    return signature
  }

  private func withKey<Value>(_ body: (OpaquePointer) -> Value) -> Value {
    guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
      preconditionFailure("no memory for a key")
    }
    defer { EVP_PKEY_free(key) }
    return body(key)
  }
}
