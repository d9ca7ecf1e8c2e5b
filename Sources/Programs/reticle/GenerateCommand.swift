// `reticle generate`: draws symbols with their text, as pictures, on sheets, and for label printers.

#if Labels

  import ArgumentParser
  import BarcodeMessage
  import BarcodeTypes
  import Glibc
  import LabelPrinter
  import PictureFiles
  import SymbolPrinter

  enum LabelFileType: String, ExpressibleByArgument, CaseIterable { case png, svg, pdf, zpl }

  struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "generate",
      abstract: "Make pictures of barcodes.",
      discussion: """
        Text that is not ASCII is marked as UTF-8 where the symbology can say so. An EAN or UPC add-on follows the number after \
        a space; check digits may be left out. Linear symbols have their human-readable text, as their standards draw it.

        PNG and SVG files have one symbol. A PDF has a page for each, of its size; with --sheet it has sheets of labels. ZPL has \
        a label for each, as graphics: send it to a Zebra printer as it is. Bars of ZPL are whole dots wide, so a module of \
        0.33 mm is \(zplExample) dots of a printer with \(defaultDotsPerInch) per inch.

        Exit status: 0, 64 for wrong usage or a text that the symbology cannot encode, 74 if the file could not be written, or \
        read with --input.

        Examples:
          reticle generate 'https://example.org' -o code.png
          reticle generate 4006381333931 --symbology ean13 --scale 3 -o label.svg
          reticle generate '(01)09501101530003(10)AB-123' --gs1 -o gs1.png
          reticle generate --input shelf.txt --symbology code128 --sheet a4 --columns 3 --rows 8 -o shelf.pdf
          reticle generate 95011015300030 --symbology itf14 --dpi 300 -o carton.zpl
        """)

    @Argument(help: "What the symbols shall say: a symbol for each text.")
    var texts: [String] = []

    @Option(
      help: ArgumentHelp("A file with more texts, one per line, or - for standard input.", valueName: "file"),
      completion: .file())
    var input: String?

    @Option(
      name: .shortAndLong, help: ArgumentHelp("The file to write, or - for standard output.", valueName: "file"),
      completion: .file(extensions: LabelFileType.allCases.map(\.rawValue)))
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

    @Option(help: "PNG, SVG, PDF or ZPL. (default: by the file's extension)")
    var format: LabelFileType?

    @Option(
      help: ArgumentHelp(
        "Pixels of a module's side in PNG and SVG, dots in ZPL. (default: \(defaultScale), in ZPL by --module and --dpi)",
        valueName: "n"))
    var scale: Int?

    @Option(
      help: ArgumentHelp(
        "A module's side in PDF and ZPL, in millimetres. (default: \(defaultModule), for MaxiCode \(maxiCodeModule))",
        valueName: "mm"))
    var module: Double?

    @Option(
      help: ArgumentHelp("Dots per inch of the printer that takes ZPL. (default: \(defaultDotsPerInch))", valueName: "n"))
    var dpi: Int?

    @Option(help: "Light space on each side, in modules. (default: what the symbology's standard asks for)")
    var quietZone: Int?

    @Flag(name: .customLong("gs1"), help: "The text is GS1 element strings, written like (01)09501101530003(10)AB-123.")
    var isGS1 = false

    @Flag(name: .customLong("no-text"), help: "Leave out the human-readable text.")
    var hasNoText = false

    @Option(
      help: ArgumentHelp(
        "Dark bars at the ends of the bars of itf14 and itf: none, horizontal (above and below), or frame (all around, for printing "
          + "plates). (default: horizontal for itf14, none for itf)", valueName: "bars"),
      completion: .list(BearerBars.allCases.map(\.rawValue)), transform: GenerateCommand.bearerBars)
    var bearerBars: BearerBars?

    @Option(
      help: ArgumentHelp(
        "Put the labels on sheets of a PDF: \(paperNames), or width x height in millimetres, such as 105x148.",
        valueName: "paper"),
      completion: .list(LabelSheet.papers.map(\.name)))
    var sheet: String?

    @Option(help: "With --sheet: labels per row. (default: \(defaultColumns))")
    var columns: Int?

    @Option(help: "With --sheet: rows of labels per page. (default: \(defaultRows))")
    var rows: Int?

    @Option(help: ArgumentHelp("With --sheet: white border, in millimetres. (default: \(defaultMargin))", valueName: "mm"))
    var margin: Double?

    @Option(
      help: ArgumentHelp("With --sheet: space between labels, in millimetres. (default: \(defaultGap))", valueName: "mm"))
    var gap: Double?

    private static let paperNames = LabelSheet.papers.map(\.name).joined(separator: ", ")
    private static let defaultScale = 8
    /// The nominal module of EAN and UPC.
    private static let defaultModule = 0.33
    /// MaxiCode has one size.
    private static let maxiCodeModule = 0.88
    private static let defaultDotsPerInch = 203
    private static let zplExample = zplScale(module: defaultModule, dotsPerInch: defaultDotsPerInch)
    private static let defaultColumns = 3
    private static let defaultRows = 8
    private static let defaultMargin = 10.0
    private static let defaultGap = 2.0
    private static let moduleRange = 0.05...20.0
    private static let dotsPerInchRange = 72...2400
    private static let columnRange = 1...100
    private static let spaceRange = 0.0...500.0
    private static let paperRange = 10.0...2000.0
    /// The most labels at once.
    private static let labelCountMax = 10_000

    func validate() throws {
      try check(scale, "scale", SymbolPrinterLimits.scale)
      try check(module, "module", Self.moduleRange)
      try check(dpi, "number of dots per inch", Self.dotsPerInchRange)
      try check(columns, "number of columns", Self.columnRange)
      try check(rows, "number of rows", Self.columnRange)
      try check(margin, "margin", Self.spaceRange)
      try check(gap, "gap", Self.spaceRange)
      try check(quietZone, "quiet zone", SymbolPrinterLimits.quietZoneModules)
      guard !texts.isEmpty || input != nil else {
        throw ValidationError("there is no text; give one, or a file with --input")
      }
      let type = try chosenFormat()
      switch type {
      case .png, .svg:
        if texts.count > 1 || input != nil {
          throw ValidationError("\(type.rawValue.uppercased()) has one symbol; choose pdf or zpl for several")
        }
        if module != nil { throw ValidationError("--module is for PDF and ZPL; give --scale") }
      case .pdf:
        if scale != nil { throw ValidationError("a PDF has no pixels for --scale to count; give --module") }
      case .zpl: break
      }
      if dpi != nil, type != .zpl { throw ValidationError("--dpi is for ZPL; leave it out") }
      if sheet != nil, type != .pdf { throw ValidationError("--sheet is for PDF; name a .pdf file") }
      if sheet == nil, columns != nil || rows != nil || margin != nil || gap != nil {
        throw ValidationError("--columns, --rows, --margin and --gap are for sheets; give --sheet with them")
      }
      if bearerBars != nil, !BearerBars.suit(try chosenSymbology()) {
        throw ValidationError("--bearer-bars are for itf14 and itf; leave them out")
      }
      _ = try chosenSheet()
      // A text that cannot be drawn counts as wrong usage: detected here, its error shows this command's usage.
      if input == nil { _ = try file(try texts.map { text in try label(text) }) }
    }

    func run() throws {
      var labels: [Label] = []
      for text in texts { labels.append(try label(text)) }
      if let input { try read(input, &labels) }
      let bytes: [UInt8]
      do throws(ValidationError) {
        bytes = try file(labels)
      } catch {
        throw Self.refusal(error.message)
      }
      if output == "-" {
        try StandardOutput.write(bytes)
      } else {
        try OutputFile.write(bytes, to: output)
      }
    }

    /// Appends the labels of a file's lines.
    private func read(_ path: String, _ labels: inout [Label]) throws {
      let descriptor = path == "-" ? STDIN_FILENO : FileName.withPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else {
        StandardOutput.writeError(
          "reticle: cannot read '\(FileName.safe(path))': \(errorText(errno)); check its name and its rights\n")
        throw ExitCode(74)
      }
      defer { if path != "-" { close(descriptor) } }
      var lines = LineReader(descriptor: descriptor, byteCountMax: SymbolPrinterLimits.textByteCountMax)
      var number = 0
      while let line = lines.next() {
        number += 1
        guard case .text(let text) = line else {
          throw Self.refusal("text \(number) is longer than \(SymbolPrinterLimits.textByteCountMax) bytes; shorten it")
        }
        guard labels.count < Self.labelCountMax else {
          throw Self.refusal("there are more than \(Self.labelCountMax) texts; print them in parts")
        }
        do throws(ValidationError) {
          labels.append(try label(text))
        } catch {
          throw Self.refusal("text \(number): \(error.message)")
        }
      }
      if labels.isEmpty { throw Self.refusal("there is no text in '\(FileName.safe(path))'; give one per line") }
    }

    /// Tells why the texts cannot be printed.
    private static func refusal(_ message: String) -> ExitCode {
      StandardOutput.writeError("reticle: \(message)\n")
      return ExitCode(64)
    }

    private func label(_ text: String) throws(ValidationError) -> Label {
      let request = SymbolRequest(text, symbology: try chosenSymbology(), correction: correction, isGS1: isGS1)
      do throws(SymbolPrinterError) {
        return try Label(
          try SymbolPrinter.print(request), quietZone: quietZone, hasText: !hasNoText, bearerBars: bearerBars)
      } catch {
        throw ValidationError(TerminalText.safe(error.message))
      }
    }

    /// The bytes of the file.
    private func file(_ labels: [Label]) throws(ValidationError) -> [UInt8] {
      let type = try chosenFormat()
      do throws(SymbolPrinterError) {
        switch type {
        case .png: return try labels[0].png(scale: scale ?? Self.defaultScale)
        case .svg: return Array(try labels[0].svg(scale: scale ?? Self.defaultScale).utf8)
        case .zpl:
          let dots =
            scale ?? Self.zplScale(module: chosenModule, dotsPerInch: dpi ?? Self.defaultDotsPerInch)
          var zpl: [UInt8] = []
          for label in labels { zpl += try label.zpl(scale: dots).utf8 }
          return zpl
        case .pdf: break
        }
      } catch {
        throw ValidationError(TerminalText.safe(error.message))
      }
      do throws(LabelSheetError) {
        return try labelDocument(labels, module: chosenModule, sheet: try? chosenSheet())
      } catch {
        throw ValidationError(error.message)
      }
    }

    private var chosenModule: Double {
      module ?? (Symbology(name: symbology) == .maxicode ? Self.maxiCodeModule : Self.defaultModule)
    }

    /// A printer's dots for a module, at least one.
    private static func zplScale(module: Double, dotsPerInch: Int) -> Int {
      max(1, Int((module * Double(dotsPerInch) / 25.4).rounded()))
    }

    private func check(_ value: Int?, _ name: String, _ range: ClosedRange<Int>) throws(ValidationError) {
      guard let value, !range.contains(value) else { return }
      throw ValidationError("\(SymbolPrinterError.outOfRange(name: name, range: range))")
    }

    private func check(_ value: Double?, _ name: String, _ range: ClosedRange<Double>) throws(ValidationError) {
      guard let value, !range.contains(value) else { return }
      throw ValidationError(
        "the \(name) must be from \(decimalText(range.lowerBound)) to \(decimalText(range.upperBound))")
    }

    private func chosenSheet() throws(ValidationError) -> LabelSheet? {
      guard let sheet else { return nil }
      let size: (Double, Double)
      if let paper = LabelSheet.papers.first(where: { $0.name == sheet.lowercased() }) {
        size = (paper.width, paper.height)
      } else {
        let sides = sheet.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
        guard sides.count == 2, sides.allSatisfy(Self.paperRange.contains) else {
          throw ValidationError(
            "there is no paper '\(TerminalText.safe(sheet))'; give \(Self.paperNames), or width x height in millimetres, such as "
              + "105x148")
        }
        size = (sides[0], sides[1])
      }
      return LabelSheet(
        width: size.0, height: size.1, columns: columns ?? Self.defaultColumns, rows: rows ?? Self.defaultRows,
        margin: margin ?? Self.defaultMargin, gap: gap ?? Self.defaultGap)
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

    private static func bearerBars(_ text: String) throws -> BearerBars {
      if let bars = BearerBars(rawValue: text) { return bars }
      throw ValidationError("'\(TerminalText.safe(text))' is not a kind of bearer bars; give none, horizontal or frame")
    }

    private func chosenFormat() throws(ValidationError) -> LabelFileType {
      if let format { return format }
      if output == "-" {
        if isatty(STDOUT_FILENO) != 0 {
          throw ValidationError("a PNG picture is no text for a terminal; name a file, or give --format svg or zpl")
        }
        return .png
      }
      return try fileType(of: output, remedy: "rename it or give --format")
    }
  }

#endif
