// The decoder's report of a symbol. A plain value; the payload's bytes stay in the decoder's workspace and are lent.

/// A symbol that was read.
public struct DecodedSymbol: Sendable, BitwiseCopyable {
  public var symbology: Symbology
  /// The modifier character of the AIM symbology identifier, in ASCII. The identifier is `]`, the symbology's code
  /// character, and this modifier.
  public var aimModifier: UInt8
  /// Whether the payload consists of GS1 element strings, with FNC1 separators as byte 0x1D.
  public var isGS1: Bool
  /// Whether light and dark are exchanged: light modules on a dark background.
  public var isInverted: Bool
  /// Whether the symbol was seen mirrored.
  public var isMirrored: Bool
  /// Bytes of the add-on at the end of the payload: 0, 2 or 5. EAN and UPC only.
  public var addOnByteCount: UInt8
  /// The component above a linear symbol.
  public var component = CompositeComponent.none
  /// The position of this symbol in a structured append message; nil if the symbol does not indicate one.
  public var structuredAppend: StructuredAppend?
  /// The symbol's corners in the pixels of the frame.
  public var corners: Quad
  /// 1…100; 100 means that nothing was corrected and nothing was near a limit.
  public var confidence: UInt8
  /// Independent scan lines that agree, for linear and stacked symbologies; 1 for matrix symbologies.
  public var lineCount: UInt8
  /// Codewords that error correction changed or filled in.
  public var correctedCodewordCount: UInt16

  public init(symbology: Symbology, aimModifier: UInt8, corners: Quad) {
    self.symbology = symbology
    self.aimModifier = aimModifier
    self.corners = corners
    isGS1 = false
    isInverted = false
    isMirrored = false
    addOnByteCount = 0
    structuredAppend = nil
    confidence = 100
    lineCount = 1
    correctedCodewordCount = 0
  }

  /// The code character and the modifier of the AIM symbology identifier, in ASCII. Both parts of a GS1 Composite symbol are sent
  /// under the identifier of GS1 DataBar; EAN and UPC keep their own.
  public var aimIdentifier: (code: UInt8, modifier: UInt8) {
    component == .read && isGS1
      ? (UInt8(ascii: "e"), UInt8(ascii: "0")) : (symbology.aimCodeCharacter, aimModifier)
  }
}

/// The two-dimensional component above a linear symbol of GS1 Composite.
public enum CompositeComponent: Sendable, BitwiseCopyable {
  /// The symbol announces no component; above EAN and UPC, which never do, no component was seen.
  case none
  /// A component that the symbol announces, or that was seen above it, was not read.
  case unread
  /// The component's element strings end the payload, after FNC1 if the linear symbol's do not end by themselves.
  case read
}

/// A symbol that was found but not read (behaviour N10).
public struct LocatedSymbol: Equatable, Sendable, BitwiseCopyable {
  /// The symbology that it looks like; nil for bars, which tell only that it is linear.
  public var symbology: Symbology?
  /// Its corners in the pixels of the frame. For bars, only the part that fills tiles.
  public var corners: Quad
  /// The width of its modules, in pixels. For bars, estimated from the density of their edges.
  public var module: Fixed16

  public init(symbology: Symbology?, corners: Quad, module: Fixed16) {
    self.symbology = symbology
    self.corners = corners
    self.module = module
  }
}

/// The place of a symbol in a message that is spread over several symbols.
public struct StructuredAppend: Equatable, Sendable, BitwiseCopyable {
  /// From 0.
  public var index: Int32
  /// Symbols in the message; 0 if the symbol does not say.
  public var count: Int32
  /// The value shared by all symbols of the message: the parity byte of QR Code, the file identification of Data Matrix
  /// (both bytes) and PDF417 (its codewords as a base 900 number), the identifier of Aztec (its characters as a base 256
  /// number). Values longer than 64 bits are reduced modulo 2^64.
  public var identifier: UInt64

  public init(index: Int32, count: Int32, identifier: UInt64) {
    self.index = index
    self.count = count
    self.identifier = identifier
  }
}

/// The interpretation as text of a payload's bytes from `byteOffset` up to the next segment.
public struct PayloadSegment: Equatable, Sendable, BitwiseCopyable {
  public var byteOffset: Int
  public var interpretation: TextInterpretation

  public init(byteOffset: Int, interpretation: TextInterpretation) {
    self.byteOffset = byteOffset
    self.interpretation = interpretation
  }
}

/// The character set that a symbol declares for its bytes.
public enum TextInterpretation: Equatable, Sendable, BitwiseCopyable {
  /// No declaration: the symbology's default applies, which for byte modes is best guessed.
  case unspecified
  /// An Extended Channel Interpretation by its assignment number, 0…999999.
  case eci(UInt32)
}
