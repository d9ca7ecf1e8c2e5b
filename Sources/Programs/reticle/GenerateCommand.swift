// `reticle generate`: draws the symbol of a text.

import ArgumentParser
import BarcodeMessage
import BarcodeTypes
import Glibc
import SymbolPrinter

enum PictureFileType: String, ExpressibleByArgument, CaseIterable {
  case png, svg

  /// The type that a file's extension names.
  init(fileName: String, remedy: String = "rename it") throws(ValidationError) {
    guard let dot = fileName.lastIndex(of: "."), let type = Self(rawValue: fileName[dot...].dropFirst().lowercased()) else {
      throw ValidationError("the name '\(TerminalText.safe(fileName))' does not end in .png or .svg; \(remedy)")
    }
    self = type
  }

  /// Writes a picture's file, or reports the failure and exits with status 74.
  static func write(_ bytes: [UInt8], to path: String) throws(ExitCode) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    var failure = descriptor < 0 ? errno : bytes.withUnsafeBytes { writeAll(descriptor, $0) }
    if descriptor >= 0, close(descriptor) != 0, failure == 0 { failure = errno }
    if failure == 0 { return }
    StandardOutput.writeError(
      "reticle: cannot write '\(TerminalText.safe(path))': \(errorText(failure)); check the folder, its rights and its space\n"
    )
    throw ExitCode(74)
  }
}

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Make a picture of a barcode.",
    discussion: """
      Text that is not ASCII is marked as UTF-8 where the symbology can say so. An EAN or UPC add-on follows the number after \
      a space; check digits may be left out.

      Exit status: 0, 64 for wrong usage or a text that the symbology cannot encode, 74 if the picture could not be written.

      Examples:
        reticle generate 'https://example.org' -o code.png
        reticle generate 4006381333931 --symbology ean13 --scale 3 -o label.svg
        reticle generate '(01)09501101530003(10)AB-123' --gs1 -o gs1.png
      """)

  @Argument(help: "What the symbol shall say.")
  var text: String

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file to write, or - for standard output.", valueName: "file"),
    completion: .file(extensions: PictureFileType.allCases.map(\.rawValue)))
  var output: String

  @Option(
    help: ArgumentHelp("The symbology: \(SymbologySet.all.names).", valueName: "name"),
    completion: .list(SymbologySet.all.names.split(separator: ", ").map(String.init)))
  var symbology = "qr"

  @Option(
    help: ArgumentHelp("Error correction of QR symbols: L, M, Q or H. (default: M)", valueName: "level"),
    completion: .list(CorrectionLevel.allCases.map(\.rawValue)),
    transform: GenerateCommand.correctionLevel)
  var correction: CorrectionLevel?

  @Option(help: "PNG or SVG. (default: by the file's extension)")
  var format: PictureFileType?

  @Option(help: "Pixels of a module's side.")
  var scale = 8

  @Option(help: "Light space on each side, in modules. (default: what the symbology's standard asks for)")
  var quietZone: Int?

  @Flag(name: .customLong("gs1"), help: "The text is GS1 element strings, written like (01)09501101530003(10)AB-123.")
  var isGS1 = false

  func validate() throws {
    if !SymbolPrinterLimits.scale.contains(scale) {
      throw ValidationError("\(SymbolPrinterError.outOfRange(name: "scale", range: SymbolPrinterLimits.scale))")
    }
    if let quietZone, !SymbolPrinterLimits.quietZoneModules.contains(quietZone) {
      throw ValidationError(
        "\(SymbolPrinterError.outOfRange(name: "quiet zone", range: SymbolPrinterLimits.quietZoneModules))")
    }
    // A text that cannot be drawn counts as wrong usage: detected here, its error shows this command's usage.
    _ = try picture()
  }

  func run() throws {
    let bytes = try picture()
    if output == "-" {
      try StandardOutput.write(bytes)
    } else {
      try PictureFileType.write(bytes, to: output)
    }
  }

  /// The bytes of the picture's file.
  private func picture() throws -> [UInt8] {
    let request = SymbolRequest(text, symbology: try chosenSymbology(), correction: correction, isGS1: isGS1)
    let type = try chosenFormat()
    do throws(SymbolPrinterError) {
      let picture = try SymbolPrinter.print(request)
      switch type {
      case .svg: return Array(try picture.svg(scale: scale, quietZone: quietZone).utf8)
      case .png: return try picture.png(scale: scale, quietZone: quietZone)
      }
    } catch {
      throw ValidationError(TerminalText.safe(error.message))
    }
  }

  private func chosenSymbology() throws(ValidationError) -> Symbology {
    guard let symbology = Symbology(name: symbology) else {
      throw ValidationError(
        "there is no symbology '\(TerminalText.safe(symbology))'; there are \(SymbologySet.all.names)")
    }
    return symbology
  }

  private static func correctionLevel(_ text: String) throws -> CorrectionLevel {
    if let level = CorrectionLevel(rawValue: text.uppercased()) { return level }
    throw ValidationError("there is no correction level '\(TerminalText.safe(text))'; there are L, M, Q and H")
  }

  private func chosenFormat() throws(ValidationError) -> PictureFileType {
    if let format { return format }
    if output == "-" {
      if isatty(STDOUT_FILENO) != 0 {
        throw ValidationError("a PNG picture is no text for a terminal; name a file, or give --format svg")
      }
      return .png
    }
    return try PictureFileType(fileName: output, remedy: "rename it or give --format")
  }
}
