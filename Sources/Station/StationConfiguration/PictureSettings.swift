// The settings of pictures of scans, and the names of their files. A name never contains scanned data.

public import DeliveryModel
public import PictureFiles

/// The occasion of a picture, by its word in `pictures.of`.
public enum PictureKind: String, Sendable, CaseIterable {
  /// A scan.
  case scan = "scans"
  /// A trigger that ended without a scan.
  case noRead = "no-reads"
  /// A symbol that was found and could not be read.
  case unread

  /// The word in names of files.
  public var word: String {
    switch self {
    case .scan: "scan"
    case .noRead: "no-read"
    case .unread: "unread"
    }
  }
}

/// Which pictures are kept, where, and how many.
public struct PictureSettings: Equatable, Sendable {
  /// The part of the frame in a picture.
  public enum Area: String, Sendable, CaseIterable { case frame, code }

  /// The most pictures; the oldest make room.
  public static let fileCountMax = 50_000
  /// Disk space that pictures leave to others, such as the outbox, on the same file system.
  public static let freeByteCountMin: Int64 = 64 << 20

  /// At least one.
  public var kinds: Set<PictureKind>
  public var folder = "/var/lib/reticle/pictures"
  public var format = WrittenFormat.webp
  /// 1…100.
  public var quality = 75
  public var area = Area.frame
  public var template = PictureTemplate.standard
  /// The most bytes of all pictures together.
  public var byteCountMax = 256 << 20
  /// The greatest age of a picture; nil: any.
  public var ageMax: Duration? = .seconds(7 * 86_400)

  public init(kinds: Set<PictureKind>) { self.kinds = kinds }
}

/// The template of file names: what precedes the kind and the id of each picture.
public struct PictureTemplate: Equatable, Sendable {
  /// The most bytes of a template, and of a file's name.
  static let byteCountMax = 100
  static let nameByteCountMax = 255
  /// The most bytes of a station's name in a file name.
  private static let wordByteCountMax = 64

  public static let standard = PictureTemplate("{date}-{time}-")!

  private enum Part: Equatable {
    case literal(String)
    case date, time, symbology, station
  }

  /// As it is written.
  let text: String
  private let parts: [Part]

  /// - Parameter text: letters, digits, `-`, `_`, `.` and the placeholders `{date}`, `{time}`, `{symbology}` and `{station}`;
  ///   at most 100 bytes. It must not begin with a dot, which hides a file. Nil for anything else.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.byteCountMax, !text.hasPrefix(".") else { return nil }
    var parts: [Part] = []
    var rest = text[...]
    while let first = rest.first {
      guard first == "{" else {
        let literal = rest.prefix { $0 != "{" }
        guard literal.utf8.allSatisfy(Self.isPlain) else { return nil }
        parts.append(.literal(String(literal)))
        rest = rest.dropFirst(literal.count)
        continue
      }
      guard let end = rest.firstIndex(of: "}") else { return nil }
      switch rest[..<end].dropFirst() {
      case "date": parts.append(.date)
      case "time": parts.append(.time)
      case "symbology": parts.append(.symbology)
      case "station": parts.append(.station)
      default: return nil
      }
      rest = rest[rest.index(after: end)...]
    }
    (self.text, self.parts) = (text, parts)
  }

  /// The name of a picture's file, such as `20260102-030405678-no-read-0198c2b6-….webp`; at most 255 bytes. Date and time
  /// are in UTC.
  ///
  /// - Parameter symbology: such as `ean13`, or the kind of a symbol that could not be read.
  public func fileName(
    id: ScanID, kind: PictureKind, symbology: String, station: String, format: WrittenFormat
  ) -> String {
    let moment = Timestamp.text(unixMilliseconds: id.unixMilliseconds).filter { $0.isNumber || $0 == "T" }
    let halves = moment.split(separator: "T")
    let words = parts.map { part in
      switch part {
      case .literal(let text): text
      case .date: String(halves.first ?? "")
      case .time: String(halves.last ?? "")
      case .symbology: Self.plain(symbology)
      case .station: Self.plain(station)
      }
    }
    let ending = "\(kind.word)-\(id).\(format.fileEnding)"
    return words.joined().prefix(Self.nameByteCountMax - ending.utf8.count) + ending
  }

  /// The kind and id of a picture by the name of its file; nil if it is no name of a picture, with any template.
  public static func parse(_ name: String) -> (kind: PictureKind, id: ScanID, format: WrittenFormat)? {
    guard name.utf8.count <= nameByteCountMax, !name.hasPrefix("."), name.utf8.allSatisfy(isPlain),
      let format = WrittenFormat.allCases.first(where: { name.hasSuffix(".\($0.fileEnding)") })
    else { return nil }
    let stem = name.dropLast(format.fileEnding.count + 1)
    let idText = String(stem.suffix(idCharacterCount))
    guard let id = ScanID(idText), id.description == idText, id.isVersion7 else { return nil }
    let rest = stem.dropLast(idCharacterCount)
    guard let kind = PictureKind.allCases.first(where: { rest.hasSuffix("\($0.word)-") }) else { return nil }
    return (kind, id, format)
  }

  /// The characters of a UUID.
  private static let idCharacterCount = 36

  /// Bytes that mean nothing to a shell, a web address or a file system: letters, digits, `-`, `_` and `.`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
      || "-_.".utf8.contains(byte)
  }

  /// A word with every other byte replaced by `_`, and no dot, which could hide the file.
  private static func plain(_ word: String) -> String {
    String(
      decoding: word.utf8.prefix(wordByteCountMax).map { isPlain($0) && $0 != UInt8(ascii: ".") ? $0 : UInt8(ascii: "_") },
      as: UTF8.self)
  }
}

extension ScanID {
  /// Whether it is a UUID of version 7 and the variant of RFC 9562.
  fileprivate var isVersion7: Bool { high >> 12 & 0xF == 7 && low >> 62 == 2 }
}
