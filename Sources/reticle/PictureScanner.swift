// Pictures one after another through the decoder, over memory that is taken once and grown when a larger picture comes.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Glibc
import PictureFiles

/// Reads picture files and the symbols in them.
struct PictureScanner: ~Copyable {
  private let settings: DecoderSettings
  private var picture = Picture()
  private var workspace: Workspace

  /// The first workspace fits a Full HD picture.
  init(settings: DecoderSettings) {
    self.settings = settings
    workspace = Workspace(pixelCountMax: 1920 * 1080)
  }

  /// Reads a file. Never fails: what went wrong is the answer.
  mutating func scan(_ file: String) -> PictureAnswer {
    do throws(PictureFileError) {
      try picture.load(path: file)
    } catch {
      return PictureAnswer(file: file, outcome: .unreadable("\(error)"))
    }
    let pixelCount = picture.width * picture.height
    if pixelCount > workspace.pixelCountMax { workspace = Workspace(pixelCountMax: pixelCount) }
    let nanoseconds = picture.withLuma { decode($0, settings, &workspace) } ?? 0
    var read = PictureAnswer.Picture(width: picture.width, height: picture.height, decodeNanoseconds: nanoseconds)
    for index in 0..<workspace.symbolCount { read.codes.append(Code(workspace, index, settings)) }
    return PictureAnswer(file: file, outcome: .read(read))
  }
}

/// Decodes into the workspace and returns how many nanoseconds that took.
private func decode(_ luma: LumaView, _ settings: DecoderSettings, _ workspace: inout Workspace) -> UInt64 {
  workspace.beginSequence()
  let start = monotonicNanoseconds()
  _ = Decoder.decode(luma, settings: settings, workspace: &workspace)
  return monotonicNanoseconds() - start
}

/// The answer for one file.
struct PictureAnswer {
  enum Outcome {
    /// The picture could not be read; what is wrong and what to do.
    case unreadable(String)
    case read(Picture)
  }

  struct Picture {
    var width: Int
    var height: Int
    /// Time of the decoder alone.
    var decodeNanoseconds: UInt64
    var codes: [Code] = []
  }

  /// The name as it was given.
  var file: String
  var outcome: Outcome
}

/// One symbol of an answer.
struct Code {
  var symbology: String
  var content: SymbolContent
  var payload: [UInt8]
  var corners: Quad
  var part: StructuredAppend?

  init(_ workspace: borrowing Workspace, _ index: Int, _ settings: DecoderSettings) {
    let symbol = workspace.symbol(index)
    let bytes = workspace.payload(index)
    symbology = symbol.symbology.name.description
    content = SymbolContent(
      symbol: symbol, payload: bytes, segments: workspace.segments(index), assumedECI: settings.assumedECI)
    payload = []
    for offset in bytes.indices { payload.append(bytes[offset]) }
    corners = symbol.corners
    part = symbol.structuredAppend
  }
}
