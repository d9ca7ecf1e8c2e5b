// One scan after the controller: its content, place, time and station. It is made once, written to the outbox, and sent
// unchanged to every sink. Its JSON form is an interface to other programs, so it is specified here, and members are only
// ever added.

/// A scan.
///
/// As JSON, an object with these members, sorted by name; members may be added, none is renamed or removed:
///
/// | member | type | meaning |
/// |---|---|---|
/// | `aim` | string | AIM symbology identifier (ISO/IEC 15424), such as `]E0` |
/// | `bootId` | string | the boot during which the scan was captured, as Linux names it |
/// | `bytes` | string | the payload's bytes, base64 (RFC 4648 §4) |
/// | `captured` | string | when the frame was captured by the wall clock, RFC 3339 in UTC with milliseconds |
/// | `capturedBootNanoseconds` | integer | the same by CLOCK_BOOTTIME, right even when the wall clock was not set |
/// | `confidence` | integer | 1…100 |
/// | `corners` | array | four `[x, y]` in pixels of the frame: the symbol's own top left, then clockwise |
/// | `elements` | array | GS1 elements: objects with `ai`, `title`, `value` and the members of `Element`; left out when there are none |
/// | `fields` | array | fields of driver licences (AAMVA) and of labels by ISO/IEC 15434: objects with `format`, `id`, `title`, `value` and `date`; left out when there are none |
/// | `flags` | array | words that rules have set; left out when there are none |
/// | `frames` | integer | frames in which the symbol was read before it counted |
/// | `hostText` | string | the text for the host, where choices or rules made it differ from `text`; left out elsewhere |
/// | `hostTexts` | array | in the outbox and its exports: the same for sinks whose text differs from `hostText`, objects with `sink` and `text` |
/// | `hri` | string | human-readable form, such as `(01)09501101530003`; left out when there is none |
/// | `id` | string | UUID version 7; the same in every delivery of this scan |
/// | `isGS1` | boolean | whether the payload is GS1 element strings, separated by U+001D |
/// | `isLink` | boolean | whether the text is a URL |
/// | `lines` | integer | independent scan lines that agreed; 1 for matrix symbologies |
/// | `missing` | array | in the record of an incomplete set: the parts that did not come |
/// | `noRead` | string | in a record that is no scan: why a trigger ended without one, `no symbol` or `unreadable`, or that a set was given up, `incomplete set`; left out of scans. Then `symbology` is `none`, and `text` what serial lines get, or empty |
/// | `part` | object | of a message in several symbols, which part this is: `position` from 1, `total` if it is known, and `id`, a string that all parts share; left out where it is whole |
/// | `parts` | array | of a set, its codes in order: objects with `name`, `symbology`, `aim` and `text`; left out elsewhere |
/// | `picture` | string | the path of the scan's picture on the station; its file may follow some milliseconds later, and is missing if the disk was full; omitted without a picture |
/// | `pictureMissing` | string | in a delivery that carries pictures: why that of `picture` is not in it; the word of a `PictureMissing` |
/// | `preview` | array | the corners as they are seen: four `[x, y]` in parts of the preview, 0…1 from its top left, mirrored and turned as it is; in parts of the frame where there is no screen |
/// | `problems` | array | what is wrong with the GS1 elements: objects with `code`, `message` and, where it is about one of them, `ai`; left out when nothing is |
/// | `schema` | integer | 1 |
/// | `sent` | string | when this delivery was tried, by the wall clock; left out where nothing was delivered |
/// | `sentBootNanoseconds` | integer | the same by CLOCK_BOOTTIME; left out when that is another boot's |
/// | `sequence` | integer | 1, 2, 3 … in the order of scans of one outbox |
/// | `set` | string | the set of codes that are one message; left out elsewhere |
/// | `setId` | string | eight digits shared by the codes of a package, with `retail.mode: 3`; omitted otherwise |
/// | `sinks` | array | in the outbox and its exports: the sinks that get the scan, where rules left any out |
/// | `station` | string | the station's name |
/// | `symbology` | string | such as `ean13`, `qr`, `databar-limited` |
/// | `text` | string | the payload as text |
public struct ScanRecord: Equatable, Sendable {
  /// The version of the JSON form.
  public static let schema = 1

  /// Made once; the outbox, every sink and every receiver tell scans apart by it.
  public var id: ScanID
  /// Given by the outbox; 0 before.
  public var sequence: Int64
  public var station: String
  /// The symbology's id, such as `ean13`.
  public var symbology: String
  /// The AIM symbology identifier: `]`, the code character, the modifier.
  public var aimIdentifier: String
  public var text: String
  public var bytes: [UInt8]
  /// The human-readable form, for GS1 with the application identifiers in brackets.
  public var hri: String?
  public var isGS1: Bool
  public var isLink: Bool
  /// The text for hosts; nil where it is the symbol's text.
  public var hostText: String?
  /// Texts for sinks that get another one; empty in a record that a sink delivers.
  public var hostTexts: [SinkText] = []
  /// Fields of a driver licence or of a label by ISO/IEC 15434.
  public var fields: [Field] = []
  /// The sinks that get the scan; nil: all.
  public var sinks: [String]?
  /// Words that rules have set.
  public var flags: [String] = []
  /// The set of codes whose message this is; nil of a single code.
  public var set: String?
  /// Set id of the package that the code is on, eight digits; nil unless all codes of a package are sent.
  public var setID: String?
  /// The codes of the set, in order.
  public var parts: [SetMember] = []
  /// The parts that a set lacked when it was given up; empty elsewhere.
  public package(set) var missing: [String] = []
  /// Why nothing was scanned, in a record that is no scan; nil in that of a scan.
  public package(set) var noRead: NoRead?
  /// Which part of a message in several symbols this is; nil where it is whole.
  public var part: Part?
  /// GS1 elements, also of a GTIN or a Digital Link in any other symbol.
  public var elements: [Element] = []
  /// Faults of the elements.
  public var problems: [Problem] = []
  /// Four corners in pixels of the frame: the symbol's own top left, then clockwise.
  public var corners: [Corner]
  /// The corners in fractions of the preview, 0…1 each way from its top left; nil if unknown.
  public var preview: [Corner]?
  public var captured: CaptureTime
  /// The path of the picture's file on the station; nil without one.
  public var picture: String?
  /// Why a delivery that carries pictures lacks that of `picture`; nil elsewhere.
  public package(set) var pictureMissing: PictureMissing?
  /// When the delivery that carries this record was tried; nil in the outbox. With both clocks of capture and delivery a
  /// receiver knows when a scan was captured even if the station's wall clock was set only later.
  public var sent: CaptureTime?
  /// Frames in which the symbol was read before it counted, at least 1.
  public var frameCount: Int
  /// Independent scan lines that agreed; 1 for matrix symbologies.
  public var lineCount: Int
  /// 1…100.
  public var confidence: Int

  /// A code of a set.
  public struct SetMember: Equatable, Sendable, Codable {
    /// The part that it is in the set.
    public let name: String
    public let symbology: String
    public let aim: String
    public let text: String

    public init(name: String, symbology: String, aim: String, text: String) {
      (self.name, self.symbology, self.aim, self.text) = (name, symbology, aim, text)
    }
  }

  /// The text for the host of a sink.
  public struct SinkText: Equatable, Sendable, Codable {
    /// The sink's name.
    public let sink: String
    public let text: String

    public init(sink: String, text: String) {
      self.sink = sink
      self.text = text
    }
  }

  /// Why nothing was scanned.
  public enum NoRead: String, CaseIterable, Equatable, Sendable, Codable {
    case noSymbol = "no symbol"
    case unreadable
    /// Codes of a set came, and others of it did not.
    case incompleteSet = "incomplete set"
  }

  /// Why a picture is not in the delivery that was to carry it.
  public enum PictureMissing: String, CaseIterable, Equatable, Sendable, Codable {
    /// It was not written, or could not be read, in time.
    case late
    /// Its file is not there: it was deleted, or could not be written.
    case gone
    /// The delivery would be too large with it.
    case large
    /// The receiver failed with this picture or an earlier one, and took the scan without it.
    case failing
  }

  /// The place of a symbol in a message that is spread over several (structured append, Macro PDF417).
  public struct Part: Equatable, Sendable, Codable {
    /// The identifier that all parts of a message share.
    public let id: String
    /// From 1.
    public let position: Int
    /// Symbols in all; nil if the symbol does not say.
    public let total: Int?

    public init(id: String, position: Int, total: Int?) {
      self.id = id
      self.position = position
      self.total = total
    }
  }

  /// A place in the frame, in pixels, where (0, 0) is the centre of the top left one; or in parts of the preview. y grows downwards.
  public struct Corner: Equatable, Sendable {
    public let x: Double
    public let y: Double

    /// Kept to a hundredth of a pixel; what is not a number becomes 0.
    public init(x: Double, y: Double) {
      self.x = x.isFinite ? (x * 100).rounded() / 100 : 0
      self.y = y.isFinite ? (y * 100).rounded() / 100 : 0
    }

    /// Parts of something, kept to a ten thousandth: less than a pixel of any panel. What is not a number becomes 0.
    public init(partX: Double, partY: Double) {
      x = partX.isFinite ? (partX * 10_000).rounded() / 10_000 : 0
      y = partY.isFinite ? (partY * 10_000).rounded() / 10_000 : 0
    }
  }

  /// Whether a sink gets the scan. A scan for sinks that are all gone goes to those that are there: nothing is lost by a new name.
  package func isFor(_ sink: String, among names: [String]) -> Bool {
    guard let sinks else { return true }
    return sinks.contains(sink) || !sinks.contains(where: names.contains)
  }

  /// The record as a sink delivers it.
  public func addressed(to sink: String) -> ScanRecord {
    guard !hostTexts.isEmpty || sinks != nil else { return self }
    var record = self
    record.sinks = nil
    record.hostText = hostTexts.first { $0.sink == sink }?.text ?? hostText
    record.hostTexts = []
    return record
  }

  public init(
    id: ScanID, station: String, symbology: String, aimIdentifier: String, text: String, bytes: [UInt8],
    captured: CaptureTime
  ) {
    self.id = id
    self.sequence = 0
    self.station = station
    self.symbology = symbology
    self.aimIdentifier = aimIdentifier
    self.text = text
    self.bytes = bytes
    self.captured = captured
    isGS1 = false
    isLink = false
    corners = []
    frameCount = 1
    lineCount = 1
    confidence = 100
  }
}

extension ScanRecord {
  /// The record of a trigger that ended without a scan, for hosts that hear of it. `]X0` says of its data that they are not a
  /// symbol's (ISO/IEC 15424: X is no bar code).
  public init(id: ScanID, station: String, noRead: NoRead, text: String, captured: CaptureTime) {
    self.init(
      id: id, station: station, symbology: "none", aimIdentifier: "]X0", text: text, bytes: [], captured: captured)
    self.noRead = noRead
    corners = [Corner](repeating: Corner(x: 0, y: 0), count: 4)
  }

  /// The record of a set that was given up.
  public init(
    id: ScanID, station: String, incompleteSet set: String, missing: [String], text: String, captured: CaptureTime
  ) {
    self.init(id: id, station: station, noRead: .incompleteSet, text: text, captured: captured)
    (self.set, self.missing) = (set, missing)
  }
}

/// One moment on the three clocks that matter: the wall's, which may be wrong until the network sets it, and the boot's,
/// which is never wrong but means something only together with the boot it counts from.
public struct CaptureTime: Equatable, Sendable {
  /// Milliseconds since 1970 by the wall clock.
  public var unixMilliseconds: Int64
  /// Nanoseconds of CLOCK_BOOTTIME: since the boot, suspended time included.
  public var bootNanoseconds: Int64
  /// The boot, as `/proc/sys/kernel/random/boot_id` names it.
  public var bootID: String

  public init(unixMilliseconds: Int64, bootNanoseconds: Int64, bootID: String) {
    self.unixMilliseconds = unixMilliseconds
    self.bootNanoseconds = bootNanoseconds
    self.bootID = bootID
  }
}
