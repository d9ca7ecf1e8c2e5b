// `reticle grade`: grades the print of barcodes in picture files.

import ArgumentParser
import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import PictureFiles
import PrintQuality

#if Labels
  import QualityReport
#endif

enum TransferChoice: String, ExpressibleByArgument, CaseIterable {
  case srgb, linear

  var transfer: LumaTransfer { self == .srgb ? .srgb : .linear }
}

enum MarksChoice: String, ExpressibleByArgument, CaseIterable { case printed, direct }

struct GradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grade",
    abstract: "Grade the print quality of barcodes in picture files.",
    discussion: """
      Measures symbols as ISO/IEC 15416 (linear) and ISO/IEC 15415 (matrix) describe, and gives each a grade from 4.0 (A) to 0.0 \
      (F), with every parameter behind it. \(SymbolQuality.limitation)

      Graded are \(SymbolGrader.symbologies.names). Other symbols are reported as not graded. A picture shows the whole symbol \
      with its quiet zone, straight from above and evenly lit, and modules of at least 5 pixels; below \
      \(SymbolGrader.modulePixelsMin.text(0)) pixels, nothing is graded.

      As text, a line per symbol: file, symbology, content, grade, letter and standard, separated by tabs, or a dash and the \
      reason if it is not graded; then indented lines with the parameters. As JSON, one line per file, with the profiles of \
      linear symbols and the segments of matrix symbols.

      Exit status: 0 if a symbol was graded, 1 if none was, 2 if a file could not be read, 64 for wrong usage, 74 if an answer or \
      the report could not be written.

      Examples:
        reticle grade label.png
        reticle grade --report label.pdf label.png
        reticle grade --marks direct --format json part.png
      """)

  @Option(help: "How to answer.")
  var format = AnswerFormat.text

  @Option(
    help: ArgumentHelp(
      "Symbologies to look for, separated by commas. (default: those that reticle scan looks for)", valueName: "a,b"),
    completion: .list(Decoder.supportedSymbologies.names.split(separator: ", ").map(String.init)))
  var symbologies: String?

  @Option(
    help: ArgumentHelp(
      "Diameter of the measuring aperture, in modules. (default: 0.5 for linear symbols, 0.8 for matrix symbols)",
      valueName: "modules"))
  var aperture: Double?

  @Option(
    help: """
      How the picture's grey values encode light: srgb, as picture files and most cameras do, or linear, as many machine vision \
      cameras do.
      """)
  var transfer = TransferChoice.srgb

  @Option(
    help: """
      How matrix symbols were made: printed, or marked directly on a part by laser, needle or etching, which is judged by cell \
      contrast and cell modulation as ISO/IEC 29158 describes.
      """)
  var marks = MarksChoice.printed

  #if Labels
    @Option(
      help: ArgumentHelp(
        """
        Also write a drawn report of the graded symbols, with profiles and modules, to a file that ends in .svg or .pdf. It shows \
        the first \(Self.reportEntryMax) symbols. Without a graded symbol, none is written.
        """, valueName: "file"),
      completion: .file(extensions: QualityReport.Format.allCases.map(\.rawValue)))
    var report: String?
  #endif

  @Option(help: ArgumentHelp("Dots per inch at which pages of PDF documents are drawn.", valueName: "n"))
  var resolution = PictureLimits.dotsPerInch

  @Argument(
    help: ArgumentHelp("Picture files or folders of them.", valueName: "file"),
    completion: .file(extensions: PictureList.extensions))
  var files: [String]

  /// The most symbols in a report, which bounds its memory: a page has up to a few hundred kilobytes.
  private static let reportEntryMax = 500

  func validate() throws {
    if let aperture, !GradingOptions.apertureRange.contains(aperture) {
      let range = GradingOptions.apertureRange
      throw ValidationError(
        "--aperture \(aperture) is out of range; give \(range.lowerBound.text(1)) to \(range.upperBound.text(1)) modules.")
    }
    guard PictureLimits.dotsPerInchRange.contains(resolution) else {
      let range = PictureLimits.dotsPerInchRange
      throw ValidationError("--resolution \(resolution) is out of range; give \(range.lowerBound) to \(range.upperBound).")
    }
    _ = try settings()
    #if Labels
      if let report { _ = try fileType(of: report) as QualityReport.Format }
    #endif
  }

  private func settings() throws(ValidationError) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.composite = .ignore
    if let symbologies {
      do throws(SymbologyListError) {
        settings.symbologies = try SymbologySet(names: symbologies)
      } catch {
        throw ValidationError(error.message)
      }
    }
    return settings
  }

  func run() throws {
    var options = GradingOptions()
    options.apertureModules = aperture
    options.transfer = transfer.transfer
    options.isDirectMark = marks == .direct
    var grader = PictureGrader(settings: try settings(), options: options, dotsPerInch: resolution)
    var isUnreadable = false
    var all: [(file: String, code: Code, quality: SymbolQuality)] = []
    var gradedCount = 0
    for file in files {
      for answer in answers(of: file, &grader) {
        try StandardOutput.write(format == .json ? answer.json + "\n" : answer.text)
        switch answer.outcome {
        case .unreadable(let message):
          isUnreadable = true
          if format == .text {
            StandardOutput.writeError("reticle: \(FileName.safe(answer.file)): \(FileName.safe(message))\n")
          }
        case .read(let codes, _):
          for code in codes {
            guard case .success(let quality) = code.quality else { continue }
            gradedCount += 1
            if all.count < Self.reportEntryMax { all.append((answer.file, code.code, quality)) }
          }
        }
      }
    }
    #if Labels
      if let report { try write(all, of: gradedCount, to: report) }
    #endif
    if isUnreadable { throw ExitCode(2) }
    if gradedCount == 0 { throw ExitCode(1) }
  }

  /// The answers for a file, or for each picture of a folder.
  private func answers(of file: String, _ grader: inout PictureGrader) -> [GradedPicture] {
    guard PictureList.isFolder(file) else { return [grader.grade(file)] }
    do throws(PictureList.Failure) {
      return try PictureList.paths(of: [file]).map { grader.grade($0) }
    } catch {
      return [GradedPicture(file: file, outcome: .unreadable("\(error)"))]
    }
  }

  #if Labels
    /// Writes the report, or says why it cannot be written.
    ///
    /// - Parameter gradedCount: all graded symbols, those beyond the report's limit included.
    private func write(
      _ all: [(file: String, code: Code, quality: SymbolQuality)], of gradedCount: Int, to path: String
    ) throws {
      let name = FileName.safe(path)
      guard gradedCount > 0 else {
        StandardOutput.writeError(
          "reticle: \(name) is not written, because no symbol was graded; `reticle grade --help` says which pictures can be graded\n"
        )
        return
      }
      let omittedCount = gradedCount - all.count
      if omittedCount > 0 {
        StandardOutput.writeError(
          "reticle: \(name) shows the first \(all.count) of \(gradedCount) graded symbols; grade the others in further runs\n"
        )
      }
      let entries = all.map { file, code, quality in
        ReportEntry(
          source: FileName.safe(file), symbology: code.symbology,
          content: TerminalText.safe(code.content.humanReadable ?? code.content.text), quality: quality)
      }
      let format: QualityReport.Format = try fileType(of: path)
      let document: [UInt8]
      do throws(QualityReportError) {
        document = try QualityReport.document(entries, omittedCount: omittedCount, as: format)
      } catch {
        StandardOutput.writeError("reticle: the report cannot be drawn: \(error)\n")
        throw ExitCode(74)
      }
      try OutputFile.write(document, to: path)
    }
  #endif
}
