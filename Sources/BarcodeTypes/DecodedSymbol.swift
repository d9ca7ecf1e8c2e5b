// What the decoder says of one symbol. A plain value; the payload's bytes stay in the decoder's workspace and are lent.

/// One symbol that was read.
public struct DecodedSymbol: Sendable, BitwiseCopyable {
  public var symbology: Symbology
  /// The modifier character of the AIM symbology identifier, in ASCII; the identifier is `]`, the symbology's code
  /// character, this.
  public var aimModifier: UInt8
  /// Whether the payload is GS1 element strings, FNC1 separators as byte 0x1D.
  public var isGS1: Bool
  /// Whether light modules are where dark ones belong.
  public var isInverted: Bool
  /// Whether the symbol was seen mirrored.
  public var isMirrored: Bool
  /// Bytes of the add-on at the payload's end: 0, 2 or 5. EAN and UPC only.
  public var addOnByteCount: UInt8
  /// The part of a message that this symbol holds, if it says that it holds a part.
  public var structuredAppend: StructuredAppend?
  /// The symbol's corners in the pixels of the frame.
  public var corners: Quad
  /// 1…100. 100: nothing had to be corrected and nothing was near a limit.
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
}

/// A symbol that was found and could not be read (behaviour N10).
public struct LocatedSymbol: Equatable, Sendable, BitwiseCopyable {
  /// What it looks like.
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case bars, qr, aztec, dataMatrix, pdf417, micropdf417, maxicode, rmqr
  }

  public var kind: Kind
  /// Its corners in the pixels of the frame; of bars as far as they fill tiles.
  public var corners: Quad
  /// How wide its modules are, in pixels; those of bars by how often they change.
  public var module: Fixed16

  public init(kind: Kind, corners: Quad, module: Fixed16) {
    self.kind = kind
    self.corners = corners
    self.module = module
  }
}

/// The place of a symbol in a message that is spread over several symbols.
public struct StructuredAppend: Equatable, Sendable, BitwiseCopyable {
  /// From 0.
  public var index: Int32
  /// Symbols in all; 0 where the symbol does not say.
  public var count: Int32
  /// What all symbols of one message share: the parity byte of QR Code, the file identification of Data Matrix (both bytes) and
  /// PDF417 (its codewords as a number to the base 900), the identifier of Aztec (its characters as one to the base 256). Of
  /// those longer than 64 bits it is what such a number leaves modulo 2^64.
  public var identifier: UInt64

  public init(index: Int32, count: Int32, identifier: UInt64) {
    self.index = index
    self.count = count
    self.identifier = identifier
  }
}

/// How the bytes of a payload from `byteOffset` up to the next segment are to be read as text.
public struct PayloadSegment: Equatable, Sendable, BitwiseCopyable {
  public var byteOffset: Int
  public var interpretation: TextInterpretation

  public init(byteOffset: Int, interpretation: TextInterpretation) {
    self.byteOffset = byteOffset
    self.interpretation = interpretation
  }
}

/// What a symbol says about the character set of its bytes.
public enum TextInterpretation: Equatable, Sendable, BitwiseCopyable {
  /// Nothing: the symbology's default, which for byte modes is best guessed.
  case unspecified
  /// An Extended Channel Interpretation by its assignment number, 0…999999.
  case eci(UInt32)
}
