// The controller's view of a code: enough to distinguish it from others and to forward it. Pixels stay in the capture loop.

public import BarcodeTypes

/// The content of a code: two codes with equal content are the same code, wherever and whenever they are seen.
public struct ScannedCode: Equatable, Sendable {
  public var symbology: Symbology
  /// The modifier character of the AIM symbology identifier, in ASCII.
  public var aimModifier: UInt8
  /// Whether the payload is GS1 element strings, FNC1 separators as byte 0x1D.
  public var isGS1: Bool
  /// Bytes of an EAN or UPC add-on at the end of the payload: 0, 2 or 5.
  public var addOnByteCount: UInt8
  /// The encoded bytes.
  public var payload: [UInt8]
  /// The text of these bytes.
  public var text: String
  /// The human-readable form, for GS1 with the application identifiers in brackets; nil if it equals the text.
  public var humanReadable: String?
  /// Whether the text is a link or a search (behaviour N3).
  public var mark: ResultMark
  /// Whether the code carries invalid GS1 data.
  public var isWrong: Bool
  /// The article that the code names; nil if it names none.
  public var product: ScannedProduct?
  /// Whether the text is an answer derived from the payload. The payload then serves only to distinguish codes, and goes no
  /// further.
  public var isConcealed = false
  /// The part of a message that the code says it holds; nil if it says nothing.
  public var part: StructuredAppend?

  public init(
    symbology: Symbology, aimModifier: UInt8 = 0x30, isGS1: Bool = false, addOnByteCount: UInt8 = 0, payload: [UInt8],
    text: String, humanReadable: String? = nil, mark: ResultMark, isWrong: Bool = false, part: StructuredAppend? = nil
  ) {
    self.symbology = symbology
    self.aimModifier = aimModifier
    self.isGS1 = isGS1
    self.addOnByteCount = addOnByteCount
    self.payload = payload
    self.text = text
    self.humanReadable = humanReadable
    self.mark = mark
    self.isWrong = isWrong
    self.part = part
  }

  /// Compares symbology, bytes, and message part; everything else follows from these.
  public static func == (a: ScannedCode, b: ScannedCode) -> Bool {
    a.symbology == b.symbology && a.isGS1 == b.isGS1 && a.addOnByteCount == b.addOnByteCount && a.part == b.part
      && a.payload == b.payload
  }
}

/// A 64-bit hash of a code, for places that must not keep its data: two codes share it with a probability of 2⁻⁶⁴. Never 0.
public struct CodeMark: Hashable, Sendable {
  public let value: UInt64

  public init(value: UInt64) { self.value = value }

  /// The mark of what distinguishes codes: symbology, bytes, and message part. FNV-1a (draft-eastlake-fnv).
  init(_ code: ScannedCode) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    add(code.symbology.rawValue)
    add(code.isGS1 ? 1 : 0)
    add(code.addOnByteCount)
    if let part = code.part {
      for number in [UInt64(bitPattern: Int64(part.index)), UInt64(bitPattern: Int64(part.count)), part.identifier] {
        for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
      }
    }
    for byte in code.payload { add(byte) }
    value = max(1, hash)
  }
}

/// How a result is used: a URL is opened, other text is searched for (behaviour N3).
public enum ResultMark: Equatable, Sendable { case link, search }

/// A code in one frame.
public struct Sighting: Equatable, Sendable {
  public var code: ScannedCode
  /// Corners in frame pixels.
  public var corners: Quad
  /// The same corners as the user sees them (behaviour N5): in fractions of the preview, 0…1 each way from its top left, or
  /// of the frame if there is no screen; nil until the viewport's owner has added them.
  public var preview: Quad?
  /// 1…100, from the decoder.
  public var confidence: UInt8
  /// Independent scan lines that agreed; 1 for matrix symbologies.
  public var lineCount: UInt8

  public init(code: ScannedCode, corners: Quad, confidence: UInt8 = 100, lineCount: UInt8 = 1) {
    self.code = code
    self.corners = corners
    self.confidence = confidence
    self.lineCount = lineCount
  }
}

/// A symbol that was found but cannot be read, with advice for the user (behaviour N10).
public struct UnreadSymbol: Equatable, Sendable {
  /// Advice for the user.
  public enum Help: String, CaseIterable, Equatable, Sendable {
    /// Its modules are too small in the picture.
    case closer
    /// It is large and bright enough, so it moves or is out of focus.
    case stiller
    /// Dark and light are hard to distinguish.
    case moreLight = "more light"
  }

  /// The symbology that it looks like; nil for bars, which tell only that it is linear.
  public var symbology: Symbology?
  /// Corners in frame pixels.
  public var corners: Quad
  public var help: Help
  /// The width of its modules, in pixels; nil if unknown.
  public var module: Fixed16?

  public init(symbology: Symbology?, corners: Quad, help: Help, module: Fixed16? = nil) {
    self.symbology = symbology
    self.corners = corners
    self.help = help
    self.module = module
  }
}

/// The decoder's findings in one frame.
public struct FrameReport: Equatable, Sendable {
  /// The capture run of the frame, from `Action.startCapture`.
  public var run: UInt32
  /// The frame's number, counted by its source.
  public var sequence: UInt64
  /// When the frame was exposed.
  public var capturedAt: Instant
  /// The file that the frame was read from; nil for a camera frame.
  public var file: String?
  /// At most `DecoderLimits.symbolCountMax`, in order of discovery.
  public var sightings: [Sighting]
  /// Symbols in view for a while that cannot be read, for display only: they cause no result.
  public var unread: [UnreadSymbol] = []

  public init(run: UInt32, sequence: UInt64, capturedAt: Instant, file: String? = nil, sightings: [Sighting]) {
    self.run = run
    self.sequence = sequence
    self.file = file
    self.capturedAt = capturedAt
    self.sightings = sightings
  }
}

/// An accepted code, once per presentation.
public struct ScanResult: Equatable, Sendable {
  public var code: ScannedCode
  /// Corners in frame pixels.
  public var corners: Quad
  /// Corners in fractions of the preview, like those of `Sighting`.
  public var preview: Quad?
  public var confidence: UInt8
  public var lineCount: UInt8
  /// Frames that agreed on it, including the deciding one.
  public var frameCount: Int
  /// The frame that decided it.
  public var frameSequence: UInt64
  /// When that frame was exposed.
  public var capturedAt: Instant
  /// The file that it was read from; nil for a camera frame.
  public var file: String?
  /// The id shared with the other codes of its package; nil unless all of them are sent.
  public var set: PackageSetID?

  public init(_ sighting: Sighting, in frame: FrameReport, frameCount: Int = 1) {
    self.frameCount = frameCount
    lineCount = sighting.lineCount
    code = sighting.code
    corners = sighting.corners
    preview = sighting.preview
    confidence = sighting.confidence
    frameSequence = frame.sequence
    capturedAt = frame.capturedAt
    file = frame.file
  }
}
