// `reticle scan`: decodes picture files and prints one answer per file.

import ArgumentParser
import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Glibc
import PictureFiles
import StationConfiguration

enum AnswerFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

enum AddOnChoice: String, ExpressibleByArgument, CaseIterable {
  case read, ignore, require

  var policy: AddOnPolicy {
    switch self {
    case .read: .read
    case .ignore: .ignore
    case .require: .require
    }
  }
}

enum CompositeChoice: String, ExpressibleByArgument, CaseIterable {
  case wait, ignore

  var policy: CompositePolicy { self == .wait ? .wait : .ignore }
}

enum EffortChoice: String, ExpressibleByArgument, CaseIterable {
  case frame, still

  var effort: Effort {
    switch self {
    case .frame: .frame
    case .still: .still
    }
  }
}

/// The symbologies that are looked for only where they are named.
private let offByDefault = SymbologySet { !SymbologySet.onByDefault.contains($0) }

struct ScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Read the barcodes in picture files.",
    discussion: """
      Reads PNG, JPEG, WebP, GIF, TIFF, BMP, PPM, PGM and PBM pictures, HEIF, HEIC and AVIF if libheif1 is installed, and the \
      pages of PDF documents if poppler-utils is installed; told apart by their content. Of folders it reads the files with the \
      endings of these formats. With - the file names come from standard input, one per line, or with -0 each ended by a zero byte \
      as find -print0 writes them; each answer is written as soon as its name is there. With --stdin, - is a picture on standard \
      input.

      Pictures are turned as their file says (Exif), and corners are those of the picture that a viewer shows. What is transparent \
      is read on white and on black ground. All pages of a TIFF or PDF are read, up to \(PictureLimits.pageCountMax), and the first \
      picture of a GIF that moves. On a terminal, standard error tells which of many files is being read.

      As text, one line per code: file, symbology and content, separated by tabs; GS1 element strings as they are printed below a \
      symbol; control characters and backslashes as \\n, \\t, \\\\, \\xHH or \\u{HHHH}. As JSON, one line per file; if it has several \
      pages, with their number as pages and with a page, counted from 1, for each code. A name that is not UTF-8 has U+FFFD for the \
      bytes that are none, and all its bytes as file_hex.

      Exit status: 0 if a code was found, 1 if none was, 2 if a file could not be read, 64 for wrong usage, \
      74 if the answer could not be written.
      """)

  @Option(help: "How to answer.")
  var format = AnswerFormat.text

  @Option(
    help: ArgumentHelp(
      "Symbologies to look for, separated by commas, out of \(Decoder.supportedSymbologies.names). (default: all but \(offByDefault.names))",
      valueName: "a,b"), completion: .list(Decoder.supportedSymbologies.names.split(separator: ", ").map(String.init)))
  var symbologies: String?

  @Option(help: "What to do with the add-on beside an EAN or UPC symbol.")
  var addons = AddOnChoice.ignore

  @Option(
    help: """
      What to do with the two-dimensional component above a linear symbol of GS1 Composite: read both as one code, for which a \
      sequence of frames waits, or the linear symbol alone.
      """)
  var composite = CompositeChoice.wait

  @Option(help: "How much work a picture may cost: as much as one camera frame, or all that helps a single picture.")
  var effort = EffortChoice.still

  @Option(
    help: ArgumentHelp(
      "With --effort frame: how many frames of the same picture are looked at, as a station does that is held before it.",
      valueName: "n"))
  var frames = 1

  @Flag(
    help: """
      With --effort frame: the pictures are the frames of one sequence, in the order given and those of a folder by name. The \
      decoder keeps what it knows from one to the next, as a station does.
      """)
  var sequence = false

  @Option(
    help: ArgumentHelp(
      "With --effort frame: the work units that a frame may cost, as a station with decoder.effort auto allows it; never less than "
        + "effort frame costs, never more than still.", valueName: "n"))
  var workLimit: Int?

  @Option(
    help: ArgumentHelp(
      """
      What is asked of a symbology, such as code39.check=verify or itf.length=14, named as in the configuration below decoder. \
      May be given several times.
      """, valueName: "name=value"), completion: .list(DecoderSettings.optionNames.map { $0 + "=" }))
  var option: [String] = []

  @Option(
    help: ArgumentHelp(
      "Dots per inch at which pages of PDF documents are drawn; fewer where a page would exceed the limits of pictures.",
      valueName: "n"))
  var resolution = PictureLimits.dotsPerInch

  @Flag(
    name: [.customShort("0"), .customLong("null")], help: "Names on standard input end in a zero byte, not in a line feed.")
  var endsNamesWithZero = false

  @Flag(help: "The file - is a picture on standard input.")
  var stdin = false

  @Argument(
    help: ArgumentHelp("Picture files or folders of them, or - for names from standard input.", valueName: "file"),
    completion: .file(extensions: PictureList.extensions))
  var files: [String]

  /// The most frames per picture: about half an hour of a camera's.
  private static let frameCountMax = 100_000

  func validate() throws {
    guard frames >= 1, frames <= ScanCommand.frameCountMax else {
      throw ValidationError("--frames \(frames) is out of range; give 1 to \(ScanCommand.frameCountMax).")
    }
    guard frames == 1 || effort == .frame else {
      throw ValidationError("--frames counts camera frames; give --effort frame with it.")
    }
    guard !sequence || effort == .frame else {
      throw ValidationError("--sequence is for camera frames; give --effort frame with it.")
    }
    guard workLimit == nil || effort == .frame else {
      throw ValidationError("--work-limit is for camera frames; give --effort frame with it.")
    }
    guard PictureLimits.dotsPerInchRange.contains(resolution) else {
      let range = PictureLimits.dotsPerInchRange
      throw ValidationError("--resolution \(resolution) is out of range; give \(range.lowerBound) to \(range.upperBound).")
    }
    _ = try settings()
  }

  func run() throws {
    var scanner = PictureScanner(
      settings: try settings(), frameCount: frames, isSequence: sequence, workLimit: workLimit, dotsPerInch: resolution)
    var status = ScanStatus()
    var progress = ScanProgress { pictureCount }
    for file in files {
      if stdin, file == "-" {
        try scan("/dev/stdin", as: file, &scanner, &status, &progress)
        continue
      }
      if file != "-" {
        try answer(file, &scanner, &status, &progress)
        continue
      }
      var lines = LineReader(descriptor: STDIN_FILENO, end: endsNamesWithZero ? 0 : 0x0A, areFileNames: true)
      try refusePicture(lines.beginning())
      while let line = lines.next() {
        switch line {
        case .text(let name): try answer(name, &scanner, &status, &progress)
        case .tooLong:
          try write(PictureAnswer(file: "-", outcome: .unreadable(LineReader.tooLongMessage)), &status, &progress)
        }
      }
    }
    progress.clear()
    if status.exitCode != 0 { throw ExitCode(status.exitCode) }
  }

  /// The number of pictures; nil if names come from standard input.
  private var pictureCount: Int? {
    guard stdin || !files.contains("-") else { return nil }
    return files.reduce(0) { count, file in
      count + (PictureList.isFolder(file) ? (try? PictureList.paths(of: [file]).count) ?? 1 : 1)
    }
  }

  /// Data that begins like a picture where file names are read is probably a picture, unless its first line names a file.
  private func refusePicture(_ beginning: ArraySlice<UInt8>) throws {
    guard let format = PictureFormat(beginning: Array(beginning)) else { return }
    let firstLine = FileName.text(beginning.prefix { $0 != 0 && $0 != 0x0A && $0 != 0x0D })
    guard FileName.withPath(firstLine, { access($0, F_OK) }) != 0 else { return }
    StandardOutput.writeError(
      "reticle: standard input is a \(format.rawValue) picture, and - reads names of files from it; add --stdin to scan the picture\n"
    )
    throw ExitCode(64)
  }

  private func settings() throws(ValidationError) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.symbologies = try chosenSymbologies()
    settings.addOns = addons.policy
    settings.composite = composite.policy
    settings.effort = effort.effort
    do throws(DecoderOptionError) {
      try settings.apply(options: option)
    } catch {
      throw ValidationError(error.problems.joined(separator: "\n"))
    }
    return settings
  }

  private func chosenSymbologies() throws(ValidationError) -> SymbologySet {
    guard let symbologies else { return SymbologySet.onByDefault }
    do throws(SymbologyListError) {
      return try SymbologySet(names: symbologies)
    } catch {
      throw ValidationError(error.message)
    }
  }

  /// Answers for a file, or for each picture of a folder.
  private func answer(
    _ file: String, _ scanner: inout PictureScanner, _ status: inout ScanStatus, _ progress: inout ScanProgress
  ) throws {
    guard PictureList.isFolder(file) else { return try scan(file, &scanner, &status, &progress) }
    let pictures: [String]
    do throws(PictureList.Failure) {
      pictures = try PictureList.paths(of: [file])
    } catch {
      return try write(PictureAnswer(file: file, outcome: .unreadable("\(error)")), &status, &progress)
    }
    for picture in pictures { try scan(picture, &scanner, &status, &progress) }
  }

  private func scan(
    _ path: String, as name: String? = nil, _ scanner: inout PictureScanner, _ status: inout ScanStatus,
    _ progress: inout ScanProgress
  ) throws {
    progress.tell(name ?? path)
    let answer = scanner.scan(path, as: name) { progress.tell(name ?? path, page: $0, of: $1) }
    try write(answer, &status, &progress)
  }

  private func write(
    _ answer: PictureAnswer, _ status: inout ScanStatus, _ progress: inout ScanProgress
  ) throws {
    status.note(answer.outcome)
    let text = format == .json ? answer.json + "\n" : answer.text
    if !text.isEmpty {
      progress.clear()
      try StandardOutput.write(text)
    }
    if format == .text, case .unreadable(let message) = answer.outcome {
      progress.clear()
      StandardOutput.writeError("reticle: \(FileName.safe(answer.file)): \(FileName.safe(message))\n")
    }
    progress.count()
  }
}

/// The exit status of the answers so far.
struct ScanStatus {
  private var hasUnreadable = false
  private var hasCode = false

  mutating func note(_ outcome: PictureAnswer.Outcome) {
    switch outcome {
    case .unreadable: hasUnreadable = true
    case .read(let picture): hasCode = hasCode || !picture.codes.isEmpty
    }
  }

  /// 2 if a file could not be read, else 1 if no file had a code, else 0.
  var exitCode: Int32 { hasUnreadable ? 2 : hasCode ? 0 : 1 }
}
