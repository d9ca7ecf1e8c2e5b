// The set-up codes that a station has carried out: none is carried out twice, across restarts and power cuts.

/// The ids of used codes, in a file.
public struct UsedSetupCodes: Sendable {
  /// The most ids that are kept. Ids are dropped only when there are more, and only of codes that have expired.
  public static let countMax = 256
  /// The longest file in bytes: more than that of the most ids.
  static let byteCountMax = 32 << 10

  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    case file(FileFault)
    /// A line is not an id with its time: it is unknown which codes were used.
    case damaged(path: String)
    /// The most ids are kept, and none of their codes has expired.
    case full(path: String)

    public var description: String {
      switch self {
      case .file(let fault): "\(fault)"
      case .damaged(let path): "\(path) is damaged; remove it once every earlier code has expired"
      case .full(let path): "\(path) holds \(UsedSetupCodes.countMax) codes, and none of them has expired"
      }
    }
  }

  private let path: String
  /// Oldest first.
  private var entries: [(id: String, expiry: Int64)] = []

  /// Reads the file; without one, no code has been used.
  public init(path: String) throws(Fault) {
    self.path = path
    let bytes: [UInt8]?
    do throws(FileFault) {
      bytes = try DurableFile.read(path, byteCountMax: Self.byteCountMax)
    } catch { throw .file(error) }
    guard let bytes else { return }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard bytes.count < Self.byteCountMax, lines.last == "" else { throw .damaged(path: path) }
    for line in lines.dropLast() {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let expiry = Int64(parts[1]), Base64URL.bytes(parts[0])?.count == SetupCode.idByteCount else {
        throw .damaged(path: path)
      }
      entries.append((String(parts[0]), expiry))
    }
  }

  public func contains(_ id: String) -> Bool { entries.contains { $0.id == id } }

  /// Notes that a code is used. On return, this is on the storage.
  ///
  /// - Parameter unixSeconds: the present time.
  public mutating func add(_ code: SetupCode, at unixSeconds: Int64) throws(Fault) {
    var entries = entries
    if entries.count >= Self.countMax {
      guard let expired = entries.firstIndex(where: { $0.expiry < unixSeconds }) else { throw .full(path: path) }
      entries.remove(at: expired)
    }
    entries.append((code.id, code.madeAt + code.validSeconds))
    let text = entries.map { "\($0.id) \($0.expiry)\n" }.joined()
    do throws(FileFault) {
      try DurableFile.replace(path, with: Array(text.utf8))
    } catch { throw .file(error) }
    self.entries = entries
  }
}
