// Certificates of servers: one that a server makes for itself, and what a person compares before trusting it.

import CMicrohttpd

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A certificate in PEM (RFC 7468), the first of a chain.
public struct ServerCertificate: Equatable, Sendable {
  /// SHA-256 of the certificate, as browsers show it: pairs of hexadecimal digits with colons between them.
  public let fingerprint: String
  /// Seconds since 1970 from when and until when it is valid.
  public let validity: ClosedRange<Int64>

  /// The most names in a certificate that a server makes for itself.
  public static let nameCountMax = 16
  /// GnuTLS's time for a certificate without a well-defined end, and the time that such a certificate has: the last second of 9999.
  private static let (noEnd, lastSecond): (Int64, Int64) = (4_294_197_631, 253_402_300_799)
  /// Bytes of a certificate or a key in PEM.
  private static let byteCountMax = 16 << 10

  /// Reads the first certificate of a text; nil without one.
  public init?(pem: String) {
    guard let certificate = OwnedCertificate(), certificate.read(pem) else { return nil }
    var digest = [UInt8](repeating: 0, count: 32)
    var count = digest.count
    guard gnutls_x509_crt_get_fingerprint(certificate.handle, GNUTLS_DIG_SHA256, &digest, &count) == 0 else { return nil }
    fingerprint = digest.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.count == 1 ? "0" + digits : digits
    }.joined(separator: ":")
    let begin = Int64(gnutls_x509_crt_get_activation_time(certificate.handle))
    let end = Int64(gnutls_x509_crt_get_expiration_time(certificate.handle))
    guard begin <= end else { return nil }
    validity = begin...(end == Self.noEnd ? Self.lastSecond : end)
  }

  /// Makes a certificate that is signed with its own key: ECDSA with P-256 and SHA-256.
  ///
  /// It is valid from 2020 on, because a board without a battery starts in the past, and has no well-defined end
  /// (RFC 5280, 4.1.2.5): a person compares the fingerprint once, and the same key stays.
  ///
  /// - Parameter names: the names of the server, the first one foremost; those in digits are addresses.
  /// - Returns: certificate and key in PEM; nil if GnuTLS refuses.
  public static func selfMade(names: [String]) -> (certificate: String, key: String)? {
    let names = names.prefix(nameCountMax)
    guard let first = names.first, let key = OwnedKey(), let certificate = OwnedCertificate(), key.generate() else {
      return nil
    }
    let handle = certificate.handle
    var random = SystemRandomNumberGenerator()
    // A positive number of at most 20 bytes (RFC 5280, 4.1.2.2).
    let serial = [UInt8(0x01)] + (0..<15).map { _ in UInt8.random(in: 0...255, using: &random) }
    let january2020: Int = 1_577_836_800
    var results = [
      gnutls_x509_crt_set_version(handle, 3), gnutls_x509_crt_set_serial(handle, serial, serial.count),
      gnutls_x509_crt_set_activation_time(handle, january2020), gnutls_x509_crt_set_expiration_time(handle, Int(noEnd)),
      gnutls_x509_crt_set_dn_by_oid(handle, "2.5.4.3", 0, first, UInt32(first.utf8.count)),
      gnutls_x509_crt_set_basic_constraints(handle, 0, -1),
      gnutls_x509_crt_set_key_usage(handle, UInt32(GNUTLS_KEY_DIGITAL_SIGNATURE)),
      gnutls_x509_crt_set_key_purpose_oid(handle, "1.3.6.1.5.5.7.3.1", 0),
      gnutls_x509_crt_set_key(handle, key.handle),
    ]
    for name in names {
      let address = addressBytes(name)
      let kind = address == nil ? GNUTLS_SAN_DNSNAME : GNUTLS_SAN_IPADDRESS
      let bytes = address ?? Array(name.utf8)
      results.append(
        gnutls_x509_crt_set_subject_alt_name(handle, kind, bytes, UInt32(bytes.count), UInt32(GNUTLS_FSAN_APPEND)))
    }
    results.append(gnutls_x509_crt_sign2(handle, handle, key.handle, GNUTLS_DIG_SHA256, 0))
    guard results.allSatisfy({ $0 == 0 }),
      let certificateText = text({ gnutls_x509_crt_export(handle, GNUTLS_X509_FMT_PEM, $0, $1) }),
      let keyText = text({ gnutls_x509_privkey_export_pkcs8(key.handle, GNUTLS_X509_FMT_PEM, nil, 0, $0, $1) })
    else { return nil }
    return (certificateText, keyText)
  }

  /// The bytes of an address in digits, in network order; nil for a name.
  private static func addressBytes(_ name: String) -> [UInt8]? {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, name, &bytes) == 1 { return bytes }
    }
    return nil
  }

  private static func text(_ export: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> Int32) -> String? {
    var (bytes, count) = ([UInt8](repeating: 0, count: byteCountMax), byteCountMax)
    guard export(&bytes, &count) == 0 else { return nil }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}

/// A certificate of GnuTLS, freed with its owner.
private final class OwnedCertificate {
  let handle: gnutls_x509_crt_t

  init?() {
    var made: gnutls_x509_crt_t?
    guard gnutls_x509_crt_init(&made) == 0, let made else { return nil }
    handle = made
  }

  deinit { gnutls_x509_crt_deinit(handle) }

  func read(_ pem: String) -> Bool {
    var bytes = Array(pem.utf8)
    let count = UInt32(bytes.count)
    return bytes.withUnsafeMutableBufferPointer { buffer in
      var text = gnutls_datum_t(data: buffer.baseAddress, size: count)
      return gnutls_x509_crt_import(handle, &text, GNUTLS_X509_FMT_PEM) == 0
    }
  }
}

/// A private key of GnuTLS, freed with its owner.
private final class OwnedKey {
  let handle: gnutls_x509_privkey_t

  init?() {
    var made: gnutls_x509_privkey_t?
    guard gnutls_x509_privkey_init(&made) == 0, let made else { return nil }
    handle = made
  }

  deinit { gnutls_x509_privkey_deinit(handle) }

  func generate() -> Bool {
    let bitCount = gnutls_sec_param_to_pk_bits(GNUTLS_PK_ECDSA, GNUTLS_SEC_PARAM_HIGH)
    return gnutls_x509_privkey_generate(handle, GNUTLS_PK_ECDSA, bitCount, 0) == 0
  }
}
