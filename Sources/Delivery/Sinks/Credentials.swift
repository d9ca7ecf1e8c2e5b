// Secrets that are kept in files of their own, such as systemd's credentials, and never in the configuration.

public import DeliveryModel
import FoundationEssentials

/// A user name and password, as a receiver or a proxy asks for them.
public struct Credentials: Equatable, Sendable {
  public let user: String
  public let password: String

  /// Reads `user:password`; nil for a text without a colon, without a user before it, or with a control character in it. The
  /// password may be empty and may have colons (RFC 7617 §2).
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else {
      return nil
    }
    (user, password) = (parts[0], parts[1])
  }

  /// The credentials in the first line of a file.
  public static func read(file path: String) throws(DeliveryProblem) -> Credentials {
    guard let credentials = Credentials(try SecretFile.lines(path)[0]) else {
      throw DeliveryProblem("\(path) holds no user and password", remedy: "put user:password in its first line")
    }
    return credentials
  }

  /// The value of a header field that logs in by them: RFC 7617, in UTF-8.
  var basic: String { "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())" }
}

/// A small file with secrets, such as a systemd credential.
public enum SecretFile {
  /// Bytes at most; a longer file is the wrong file.
  static let byteCountMax = 64 << 10

  /// The lines that are not empty, without surrounding blanks; at least one.
  public static func lines(_ path: String) throws(DeliveryProblem) -> [String] {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw DeliveryProblem(
        "\(path) cannot be read", remedy: "make the file readable for the station's user, or pass it with LoadCredential")
    }
    guard data.count <= byteCountMax else {
      throw DeliveryProblem("\(path) is too large for a secret", remedy: "name the file that holds the secret")
    }
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    let lines = data.split { $0 == 0x0A || $0 == 0x0D }.map { line in
      String(decoding: line.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
    }.filter { !$0.isEmpty }
    guard !lines.isEmpty else { throw DeliveryProblem("\(path) is empty", remedy: "put the secret in it") }
    return lines
  }
}
