// Grades the symbols in pictures one after another, in memory that grows when a larger picture comes.

import BarcodeDecoder
import BarcodeTypes
import PictureFiles
import PrintQuality

/// A symbol of a picture with its grade.
struct GradedCode {
  var code: Code
  var quality: Result<SymbolQuality, GradingRefusal>
}

/// The graded symbols of a picture file.
struct GradedPicture {
  enum Outcome {
    /// The picture could not be read; the text contains the error and the remedy.
    case unreadable(String)
    case read(codes: [GradedCode], pageCount: Int)
  }

  /// The name as given.
  var file: String
  var outcome: Outcome
}

struct PictureGrader: ~Copyable {
  private let settings: DecoderSettings
  private let options: GradingOptions
  private var picture = Picture()
  private var workspace: Workspace

  init(settings: DecoderSettings, options: GradingOptions, dotsPerInch: Int) {
    (self.settings, self.options) = (settings, options)
    picture.dotsPerInch = dotsPerInch
    workspace = Workspace(pixelCountMax: 1920 * 1080)
  }

  /// Reads a file, with all its pages, and grades what is in it. Never fails: errors are part of the answer.
  mutating func grade(_ path: String) -> GradedPicture {
    var codes: [GradedCode] = []
    do throws(PictureFileError) {
      try picture.load(path: path)
      for page in 0..<picture.pageCount {
        if page > 0 { try picture.load(page: page) }
        grade(page, &codes)
      }
    } catch {
      return GradedPicture(file: path, outcome: .unreadable("\(error)"))
    }
    return GradedPicture(file: path, outcome: .read(codes: codes, pageCount: picture.pageCount))
  }

  private mutating func grade(_ page: Int, _ codes: inout [GradedCode]) {
    let pixelCount = picture.width * picture.height
    if pixelCount > workspace.pixelCountMax { workspace = Workspace(pixelCountMax: pixelCount) }
    workspace.beginSequence()
    let found = picture.withLuma { gradeSymbols($0, page, settings, options, &workspace) }
    codes += found ?? []
  }
}

private func gradeSymbols(
  _ luma: LumaView, _ page: Int, _ settings: DecoderSettings, _ options: GradingOptions, _ workspace: inout Workspace
) -> [GradedCode] {
  _ = Decoder.decode(luma, settings: settings, workspace: &workspace)
  var codes: [GradedCode] = []
  for index in 0..<workspace.symbolCount {
    let code = Code(workspace, index, settings, page: page)
    let symbol = workspace.symbol(index)
    let quality = Result { () throws(GradingRefusal) in
      try SymbolGrader.grade(luma, symbol, payload: code.payload, options)
    }
    codes.append(GradedCode(code: code, quality: quality))
  }
  return codes
}
