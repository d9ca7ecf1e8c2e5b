// Reads the drawn symbols and compares the readings with their contents.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Glibc

struct Judge: ~Copyable {
  private var workspace = Workspace(pixelCountMax: 2000 * 2000)
  private var names: [String] = []
  private var counts: [String: Count] = [:]
  private var complaints: [String] = []
  private(set) var failures: [String] = []

  /// The most unread symbols of a kind, unless the kind specifies another limit.
  static let unreadMax = 2
  /// Of all symbols, at most one in this number may be unread, plus a few in runs of few symbols: several times the measured
  /// rate.
  private static let drawnPerUnread = 5000
  private static let spareUnreadCount = 3
  /// The number of symbols of a kind from which its share of corrected symbols is judged.
  private static let correctionDrawnMin = 100

  /// The results for the symbols of a kind.
  private struct Count {
    var drawn = 0
    var refused = 0
    var failed = 0
    /// Failures without any reading.
    var unread = 0
    /// Symbols read after error correction changed codewords.
    var corrected = 0
  }

  /// The reading of a symbol.
  private struct Answer: Equatable {
    var symbology: Symbology
    var bytes: [UInt8]
    var text: String
    var part: StructuredAppend?
    var isGS1: Bool
    var isCorrected: Bool
  }

  /// Judges a case drawn by libzint.
  mutating func judge(_ one: DrawnCase, in name: String) {
    if let picture = draw(one) {
      judge(picture, one, in: name)
    } else {
      note(name)
      counts[name, default: Count()].refused += 1
    }
  }

  private mutating func note(_ name: String) { if counts[name] == nil { names.append(name) } }

  /// Judges a picture of a case.
  mutating func judge(_ picture: DrawnPicture, _ one: DrawnCase, in name: String) {
    note(name)
    counts[name, default: Count()].drawn += 1
    let answers = read(picture, one)
    if answers.count == 1, problem(answers[0], one, picture) == nil {
      if answers[0].isCorrected { counts[name, default: Count()].corrected += 1 }
      return
    }
    counts[name, default: Count()].failed += 1
    if answers.isEmpty { counts[name, default: Count()].unread += 1 }
    let said =
      answers.isEmpty
      ? "nothing"
      : answers.map {
        "\(problem($0, one, picture) ?? "more than one"): \($0.symbology) \(hexadecimal($0.bytes)) \($0.text)"
      }
      .joined(separator: " and ")
    failures.append("\(name): \(description(one)), read \(said)")
    write(picture)
  }

  /// Writes the picture of the last failure as `N.pgm` into the folder that `RETICLE_PICTURES` names, if it is set.
  private func write(_ picture: DrawnPicture) {
    guard let folder = getenv("RETICLE_PICTURES"), let file = fopen("\(String(cString: folder))/\(failures.count).pgm", "w")
    else { return }
    defer { fclose(file) }
    fputs("P5 \(picture.width) \(picture.height) 255\n", file)
    fwrite(picture.luma, 1, picture.luma.count, file)
  }

  /// Judges the number of unread symbols of a kind, and the share that needed error correction, which is not meaningful for
  /// few symbols.
  mutating func judgeCounts(in name: String, unreadMax: Int, correctedPercentMax: Int) {
    let count = counts[name] ?? Count()
    if unreadMax > Judge.unreadMax { judgedAloneCount += count.unread }
    if count.unread > unreadMax { complaints.append("\(name): \(count.unread) are unread, at most \(unreadMax) may be") }
    if count.drawn >= Judge.correctionDrawnMin, count.corrected * 100 > correctedPercentMax * count.drawn {
      complaints.append(
        "\(name): \(count.corrected) of \(count.drawn) were corrected, at most \(correctedPercentMax) % may be")
    }
  }

  /// Judges the kinds drawn by another program.
  mutating func judgeDrawnKinds() {
    for name in names { judgeCounts(in: name, unreadMax: Judge.unreadMax, correctedPercentMax: 100) }
  }

  /// The unread symbols of kinds that may have more of them than others.
  private var judgedAloneCount = 0
  private var drawnCount: Int { counts.values.map(\.drawn).reduce(0, +) }
  private var unreadCount: Int { counts.values.map(\.unread).reduce(0, +) }

  /// Whether the run passed: no wrong reading, all fixed cases read, and no kind with too many unread.
  var isPassed: Bool {
    complaints.isEmpty && failures.count == unreadCount
      && unreadCount - judgedAloneCount <= drawnCount / Judge.drawnPerUnread + Judge.spareUnreadCount
      && failures.allSatisfy { !$0.hasPrefix(fixedCasesName) }
  }

  func report() {
    for name in names {
      let count = counts[name] ?? Count()
      print(
        "\(name): \(count.drawn) drawn, \(count.failed) failed, \(count.corrected) corrected, \(count.refused) that the encoder refused"
      )
    }
    for failure in failures + complaints { print("FAILED \(failure)") }
    print("\(drawnCount) symbols, \(failures.count - unreadCount) read wrongly, \(unreadCount) unread")
  }

  private mutating func read(_ picture: DrawnPicture, _ one: DrawnCase) -> [Answer] {
    var settings = DecoderSettings()
    settings.addOns = one.hasAddOn ? .require : .ignore
    settings.code39FullASCII = one.isFullASCII ? .always : .never
    settings.symbologies = SymbologySet { !one.twins.contains($0) }
    settings.msiCheck = one.msiCheck ?? .mod10
    // Weakly protected symbologies may be this short only where they are expected: the bars of others contain such lengths
    // by chance.
    switch one.symbology {
    case .code39: settings.lengths[.code39].min = 1
    case .codabar: settings.lengths[.codabar].min = 1
    case .itf: settings.lengths[.itf].min = 2
    default: break
    }
    let pixelCount = picture.width * picture.height
    if pixelCount > workspace.pixelCountMax { workspace = Workspace(pixelCountMax: pixelCount) }
    picture.luma.withUnsafeBufferPointer { luma in
      guard let base = luma.baseAddress else { return }
      let view = LumaView(base: base, width: picture.width, height: picture.height, bytesPerRow: picture.width)
      _ = Decoder.decode(view, settings: settings, workspace: &workspace)
    }
    return (0..<workspace.symbolCount).compactMap { index in
      let symbol = workspace.symbol(index)
      // A linear part that says that its component was not read is no wrong reading.
      if one.isComposite, symbol.component == .unread { return nil }
      let payload = workspace.payload(index)
      let content = SymbolContent(symbol: symbol, payload: payload, segments: workspace.segments(index))
      return Answer(
        symbology: symbol.symbology, bytes: payload.indices.map { payload[$0] }, text: content.text,
        part: symbol.structuredAppend, isGS1: symbol.isGS1,
        isCorrected: symbol.correctedCodewordCount > 0)
    }
  }

  /// The difference between a reading and the expected one, if any.
  private func problem(_ answer: Answer, _ one: DrawnCase, _ picture: DrawnPicture) -> String? {
    var symbology = one.symbology
    var bytes =
      switch one.expected {
      case .bytes(let bytes): bytes
      case .printedDigits: picture.digits
      case .textAlone: answer.bytes
      }
    // An EAN-13 that begins with 0 is a UPC-A.
    if symbology == .ean13, bytes.first == 0x30 {
      symbology = .upca
      bytes.removeFirst()
    }
    if answer.symbology != symbology { return "another symbology" }
    if answer.bytes != bytes { return "other bytes" }
    if let text = one.expectedText, answer.text != text { return "another text" }
    if answer.part != one.expectedPart { return "another part" }
    if answer.isGS1 != one.isGS1 { return "GS1 or not" }
    return nil
  }

  /// Describes a case so that it can become a fixed one.
  private func description(_ one: DrawnCase) -> String {
    var words = "\(one.symbology) (\(one.number)) of \(hexadecimal(one.bytes))"
    words += ", mode \(one.mode), eci \(one.eci), options \(one.option1) \(one.option2) \(one.option3), scale \(one.scale)"
    for segment in one.segments { words += ", then eci \(segment.eci) \(hexadecimal(segment.bytes))" }
    if let part = one.part { words += ", part \(part.index) of \(part.count), id \(part.id)" }
    if one.isReaderProgramming { words += ", reader programming" }
    return words
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
