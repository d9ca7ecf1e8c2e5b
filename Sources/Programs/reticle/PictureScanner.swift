// Decodes pictures one after another, in memory that is allocated once and grows when a larger picture comes.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Glibc
import PictureFiles

/// Reads picture files and the symbols in them.
struct PictureScanner: ~Copyable {
  private let settings: DecoderSettings
  /// The most frames per picture.
  private let frameCount: Int
  /// Whether the pictures are consecutive frames.
  private let isSequence: Bool
  /// Work units per frame; nil for the least.
  private let workLimit: Int?
  private var picture = Picture()
  private var workspace: Workspace

  /// Allocates a first workspace that fits a Full HD picture.
  /// - Parameter dotsPerInch: of pages that are drawn.
  init(
    settings: DecoderSettings, frameCount: Int = 1, isSequence: Bool = false, workLimit: Int? = nil,
    dotsPerInch: Int = PictureLimits.dotsPerInch
  ) {
    picture.dotsPerInch = dotsPerInch
    self.settings = settings
    self.isSequence = isSequence
    self.workLimit = workLimit
    self.frameCount = frameCount
    workspace = Workspace(pixelCountMax: 1920 * 1080)
  }

  /// Reads a file, with all its pages. Never fails: errors are part of the answer.
  /// - Parameters:
  ///   - name: the file's name in the answer; its path if nil.
  ///   - progress: called before each page but the first, with its number and that of all pages.
  mutating func scan(
    _ path: String, as name: String? = nil, progress: (_ page: Int, _ pageCount: Int) -> Void = { _, _ in }
  ) -> PictureAnswer {
    let file = name ?? path
    do throws(PictureFileError) {
      try picture.load(path: path)
    } catch {
      return PictureAnswer(file: file, outcome: .unreadable("\(error)"))
    }
    var read = PictureAnswer.Picture(width: picture.width, height: picture.height, decodeNanoseconds: 0)
    read.pageCount = picture.pageCount
    if settings.effort == .frame { read.frameCount = 0 }
    for page in 0..<picture.pageCount {
      do throws(PictureFileError) {
        if page > 0 {
          progress(page + 1, picture.pageCount)
          try picture.load(page: page)
        }
        decode(page, &read)
        // White bars on transparent ground are seen on black ground alone.
        if picture.isTransparent {
          try picture.load(page: page, over: .black)
          decode(page, &read)
        }
      } catch {
        let place = picture.pageCount > 1 ? "page \(page + 1): " : ""
        return PictureAnswer(file: file, outcome: .unreadable("\(place)\(error)"))
      }
    }
    return PictureAnswer(file: file, outcome: .read(read))
  }

  /// Adds the codes of the picture that is loaded.
  private mutating func decode(_ page: Int, _ read: inout PictureAnswer.Picture) {
    let pixelCount = picture.width * picture.height
    if pixelCount > workspace.pixelCountMax { workspace = Workspace(pixelCountMax: pixelCount) }
    if !isSequence { workspace.beginSequence() }
    let first = read.codes.firstIndex { $0.page == page } ?? read.codes.endIndex
    for frame in 1...frameCount {
      read.decodeNanoseconds += picture.withLuma { decodeFrame($0, settings, workLimit, &workspace) } ?? 0
      for index in 0..<workspace.symbolCount {
        let code = Code(workspace, index, settings, page: page)
        if read.codes[first...].contains(where: { $0.isSame(as: code) }) { continue }
        read.codes.append(code)
        if settings.effort == .frame { read.frameCount = max(read.frameCount ?? 0, frame) }
      }
    }
  }
}

/// Decodes into the workspace and returns the time taken in nanoseconds.
private func decodeFrame(
  _ luma: LumaView, _ settings: DecoderSettings, _ workLimit: Int?, _ workspace: inout Workspace
) -> UInt64 {
  let start = monotonicNanoseconds()
  _ = Decoder.decode(luma, settings: settings, workLimit: workLimit, workspace: &workspace)
  return monotonicNanoseconds() - start
}

/// The answer for a file.
struct PictureAnswer {
  enum Outcome {
    /// The picture could not be read; the text contains the error and the remedy.
    case unreadable(String)
    case read(Picture)
  }

  struct Picture {
    /// Of the first page.
    var width: Int
    var height: Int
    /// The decoder's time, without loading, in all frames and pages.
    var decodeNanoseconds: UInt64
    /// For camera frames, the number until the last code was read; 0 if no code was read.
    var frameCount: Int?
    var pageCount = 1
    var codes: [Code] = []
  }

  /// The name as given; see `FileName` for one that is not UTF-8.
  var file: String
  var outcome: Outcome
}

/// A symbol in an answer.
struct Code {
  var symbology: String
  var content: SymbolContent
  var payload: [UInt8]
  var corners: Quad
  var part: StructuredAppend?
  var component: CompositeComponent
  /// Counted from 0.
  var page: Int

  init(_ workspace: borrowing Workspace, _ index: Int, _ settings: DecoderSettings, page: Int) {
    self.page = page
    let symbol = workspace.symbol(index)
    let bytes = workspace.payload(index)
    symbology = symbol.symbology.name.description
    component = symbol.component
    content = SymbolContent(
      symbol: symbol, payload: bytes, segments: workspace.segments(index), assumedECI: settings.assumedECI)
    payload = []
    for offset in bytes.indices { payload.append(bytes[offset]) }
    corners = symbol.corners
    part = symbol.structuredAppend
  }

  /// Whether another code has the same content and position.
  func isSame(as other: Code) -> Bool {
    symbology == other.symbology && payload == other.payload
      && (corners.contains(other.corners.center) || other.corners.contains(corners.center))
  }
}
