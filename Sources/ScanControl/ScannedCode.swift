// What the controller knows of a code: enough to tell it from another and to hand it on. Pixels stay below.

public import BarcodeTypes

/// The content of a code: two codes with equal content are the same code, wherever and whenever they are seen.
public struct ScannedCode: Equatable, Sendable {
  public var symbology: Symbology
  /// The modifier character of the AIM symbology identifier, in ASCII.
  public var aimModifier: UInt8
  /// Whether the payload is GS1 element strings, FNC1 separators as byte 0x1D.
  public var isGS1: Bool
  /// Bytes of an EAN or UPC add-on at the payload's end: 0, 2 or 5.
  public var addOnByteCount: UInt8
  /// The bytes as they are encoded.
  public var payload: [UInt8]
  /// The bytes read as text.
  public var text: String
  /// The human-readable form, for GS1 with the application identifiers in brackets; nil where it would be the text.
  public var humanReadable: String?
  /// What the text is good for (behaviour N3).
  public var mark: ResultMark
  /// Whether the code carries GS1 data that are wrong.
  public var isWrong: Bool
  /// The article that the code names; nil if it names none.
  public var product: ScannedProduct?
  /// Whether the text is an answer about the payload, which is kept to tell the code from others, and goes no further.
  public var isConcealed = false
  /// The part of a message that the code holds, if it says that it holds a part.
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

  /// Whether both have the same symbology and bytes, and are the same part of a message. What follows from these is not compared.
  public static func == (a: ScannedCode, b: ScannedCode) -> Bool {
    a.symbology == b.symbology && a.isGS1 == b.isGS1 && a.addOnByteCount == b.addOnByteCount && a.part == b.part
      && a.payload == b.payload
  }
}

/// What can be done with a result: a URL is followed, other text is searched for (behaviour N3).
public enum ResultMark: Equatable, Sendable { case link, search }

/// A code in one frame.
public struct Sighting: Equatable, Sendable {
  public var code: ScannedCode
  /// Corners in the pixels of the frame.
  public var corners: Quad
  /// The same corners as they are seen (behaviour N5): in parts of the preview, 0…1 each way from its top left, or of the frame
  /// where there is no screen; nil until whoever knows the preview has said so.
  public var preview: Quad?
  /// 1…100, as the decoder says.
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

/// A symbol that was found and cannot be read, and what would help (behaviour N10).
public struct UnreadSymbol: Equatable, Sendable {
  /// What is to be done about it.
  public enum Help: String, CaseIterable, Equatable, Sendable {
    /// Its modules are too small in the picture.
    case closer
    /// It is large and bright enough: it moves, or is out of focus.
    case stiller
    /// Dark and light are hardly told apart.
    case moreLight = "more light"
  }

  public var kind: LocatedSymbol.Kind
  /// Corners in the pixels of the frame.
  public var corners: Quad
  public var help: Help

  public init(kind: LocatedSymbol.Kind, corners: Quad, help: Help) {
    self.kind = kind
    self.corners = corners
    self.help = help
  }
}

/// What the decoder found in one frame.
public struct FrameReport: Equatable, Sendable {
  /// The capture run that the frame belongs to, as told by `Action.startCapture`.
  public var run: UInt32
  /// The frame's number, as its source counts.
  public var sequence: UInt64
  /// When the frame was exposed.
  public var capturedAt: Instant
  /// The file that the frame was read from; nil for a camera's.
  public var file: String?
  /// At most `DecoderLimits.symbolCountMax`, in order of discovery.
  public var sightings: [Sighting]
  /// What has been in view for a while and cannot be read; for whoever shows it. No result comes of it.
  public var unread: [UnreadSymbol] = []

  public init(run: UInt32, sequence: UInt64, capturedAt: Instant, file: String? = nil, sightings: [Sighting]) {
    self.run = run
    self.sequence = sequence
    self.file = file
    self.capturedAt = capturedAt
    self.sightings = sightings
  }
}

/// A code that was accepted, once for each time it is presented.
public struct ScanResult: Equatable, Sendable {
  public var code: ScannedCode
  /// Corners in the pixels of the frame.
  public var corners: Quad
  /// Corners in parts of the preview, as those of `Sighting`.
  public var preview: Quad?
  public var confidence: UInt8
  public var lineCount: UInt8
  /// Frames that agreed on it, the deciding one included.
  public var frameCount: Int
  /// The frame that decided it.
  public var frameSequence: UInt64
  /// When that frame was exposed.
  public var capturedAt: Instant
  /// The file that it was read from; nil for a camera's.
  public var file: String?
  /// The id that it shares with the other codes of its package; nil unless all of these are sent.
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
