// The signature of Standard Webhooks 1.0.0: how a receiver knows that a scan comes from this station and was not changed.
// Both sides are here, because the receiver of the demo and the tests checks what the sink signs.

import COpenSSL
import DeliveryModel
import FoundationEssentials

/// A secret that station and receiver share.
public struct WebhookSecret: Sendable {
  private let key: [UInt8]

  /// Bytes of a secret: Standard Webhooks 1.0.0, "Signature scheme".
  static let byteCounts = 24...64
  static let prefix = "whsec_"

  /// Reads the text form: `whsec_` and 24 to 64 bytes in base64; nil for anything else.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.prefix), let bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
      Self.byteCounts.contains(bytes.count)
    else { return nil }
    key = Array(bytes)
  }

  /// The signature of one attempt: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
  public func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
    "v1,\(Data(code(for: Self.content(id, timestamp, body))).base64EncodedString())"
  }

  /// Whether one of the space-separated signatures of a header is right. Takes the same time for every wrong one.
  public func accepts(signatures: String, id: String, timestamp: Int64, body: [UInt8]) -> Bool {
    let right = code(for: Self.content(id, timestamp, body))
    return signatures.split(separator: " ").contains { signature in
      guard signature.hasPrefix("v1,"), let code = Data(base64Encoded: String(signature.dropFirst(3))),
        code.count == right.count
      else { return false }
      return CRYPTO_memcmp(Array(code), right, right.count) == 0
    }
  }

  /// HMAC-SHA256 (RFC 2104) of a content: 32 bytes.
  private func code(for content: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    let isMade = HMAC(EVP_sha256(), key, Int32(key.count), content, content.count, &code, &count) != nil
    precondition(isMade, "OpenSSL has no SHA-256")
    return Array(code.prefix(Int(count)))
  }

  private static func content(_ id: String, _ timestamp: Int64, _ body: [UInt8]) -> [UInt8] {
    Array("\(id).\(timestamp).".utf8) + body
  }

  /// The secrets of a file, one per line; empty lines are passed over.
  static func read(file path: String) throws(DeliveryProblem) -> [WebhookSecret] {
    let lines = try SecretFile.lines(path)
    var secrets: [WebhookSecret] = []
    for line in lines {
      guard let secret = WebhookSecret(line) else {
        throw DeliveryProblem(
          "\(path): a line is not a signing secret",
          remedy: "each line must be whsec_ and 24 to 64 random bytes in base64")
      }
      secrets.append(secret)
    }
    return secrets
  }
}
