// Every symbology that the encoder draws and the decoder reads, with all options that change the encoding of contents.

import BarcodeDecoder
import BarcodeTypes
import CZint

/// A row of the table: how cases of a kind are made, and their number at a depth of 1.
struct Kind: Sendable {
  let name: String
  let count: Int
  /// Greatest share of symbols that needed error correction, in percent: several times the measured rate. Error correction
  /// would hide a wrong table entry.
  let correctedPercentMax: Int
  /// Least depth; a sweep is never shortened.
  var depthMin = 0.0
  /// The most unread symbols at a depth of 1: several times the measured number. A sweep allows none, as each of its symbols
  /// is the only one of its size.
  var unreadMax = Judge.unreadMax
  /// Makes the case with a number from 0 to `count` - 1, which selects the contents that no run may miss.
  let make: @Sendable (Int, inout SeededRandom) -> DrawnCase
}

let allKinds: [Kind] = linearKinds + postKinds + dataBarKinds + compositeKinds + stackedKinds + matrixKinds + sizeKinds

func kind(
  _ name: String, _ count: Int, correctedPercentMax: Int = 2, unreadMax: Int = Judge.unreadMax,
  _ make: @escaping @Sendable (inout SeededRandom) -> DrawnCase
) -> Kind {
  Kind(name: name, count: count, correctedPercentMax: correctedPercentMax, unreadMax: unreadMax) { _, random in
    var one = make(&random)
    one.scale = random.element([2, 3, 3, 4])
    return one
  }
}

/// Cases selected by their number; every run includes all of them.
private func sweep(
  _ name: String, _ count: Int, correctedPercentMax: Int = 2, unreadMax: Int = 0,
  _ make: @escaping @Sendable (Int, inout SeededRandom) -> DrawnCase
) -> Kind {
  Kind(name: name, count: count, correctedPercentMax: correctedPercentMax, depthMin: 1, unreadMax: unreadMax) {
    index, random in
    var one = make(index, &random)
    one.scale = random.element([2, 3, 3, 4])
    return one
  }
}

/// Symbols of digits, whose check digit libzint adds and prints.
func digits(
  _ symbology: Symbology, _ number: Int32, _ count: Int, addOns: Bool = false
) -> @Sendable (inout SeededRandom) -> DrawnCase {
  { random in
    let addOn = addOns && random.isOnce(in: 3) ? "+" + random.digits(random.element([2, 5])) : ""
    let main = (symbology == .upce ? "0" : "") + random.digits(symbology == .upce ? count - 1 : count)
    var one = DrawnCase(symbology, number, Array((main + addOn).utf8))
    one.expected = .printedDigits
    one.hasAddOn = !addOn.isEmpty
    return one
  }
}

func gs1(
  _ symbology: Symbology, _ number: Int32,
  _ contents: @escaping @Sendable (inout SeededRandom) -> (input: [UInt8], expected: [UInt8]) = Contents.gs1
) -> @Sendable (inout SeededRandom) -> DrawnCase {
  { random in
    let elements = contents(&random)
    var one = DrawnCase(symbology, number, elements.input)
    one.expected = .bytes(elements.expected)
    one.isGS1 = true
    one.mode = GS1_MODE
    return one
  }
}

func text(
  _ symbology: Symbology, _ number: Int32, _ sets: [[UInt8]], longest: Int
) -> @Sendable (inout SeededRandom) -> DrawnCase {
  { DrawnCase(symbology, number, Contents.mixed(sets, longest: longest, &$0)) }
}

private let dataBarKinds: [Kind] = [
  kind("GS1 DataBar", 360) { databar(.databar, 29, random: &$0) },
  kind("GS1 DataBar Stacked", 360) { databar(.databar, 79, random: &$0) },
  kind("GS1 DataBar Stacked Omnidirectional", 360) { databar(.databar, 80, random: &$0) },
  kind("GS1 DataBar Limited", 360) { databar(.databarLimited, 30, random: &$0) },
  kind("GS1 DataBar Expanded", 480, gs1(.databarExpanded, 31)),
  kind("GS1 DataBar Expanded of measured items", 480, gs1(.databarExpanded, 31, Contents.measuredItem)),
  kind("GS1 DataBar Expanded Stacked", 360) { random in
    var one = gs1(.databarExpanded, 81)(&random)
    one.option2 = Int32(random.number(1...5))
    return one
  },
]

/// A GTIN, whose check digit no symbol contains but every reader transmits.
private func databar(_ symbology: Symbology, _ number: Int32, random: inout SeededRandom) -> DrawnCase {
  item(symbology, number, symbology == .databarLimited ? "\(random.number(0...1))" + random.digits(12) : random.digits(13))
}

private func item(_ symbology: Symbology, _ number: Int32, _ digits: String) -> DrawnCase {
  var one = DrawnCase(symbology, number, Array(digits.utf8))
  one.expected = .bytes(Array("01\(digits)\(Contents.checkDigit(digits))".utf8))
  one.isGS1 = true
  return one
}

/// The contents common to symbologies with byte modes: bytes of all values, text in character sets, GS1 if `gs1` is set,
/// parts of messages.
private func message(
  _ symbology: Symbology, _ number: Int32, longest: Int, gs1 hasGS1: Bool, part: (@Sendable (inout SeededRandom) -> Part)?,
  hasReaderProgramming: Bool = false, _ options: @escaping @Sendable (inout DrawnCase, inout SeededRandom) -> Void
) -> @Sendable (inout SeededRandom) -> DrawnCase {
  { random in
    var one: DrawnCase
    switch random.number(0...11) {
    case 0, 1: one = inCharacterSet(symbology, number, longest: longest / 8 + 1, &random)
    // libzint 2.11 does not reset the encodation scheme of a Data Matrix, or the code set of a MaxiCode, at the beginning of
    // a segment: zxing-cpp reads the same nonsense as we do.
    case 2 where symbology != .datamatrix && symbology != .maxicode: one = inSegments(symbology, number, &random)
    case 3 where hasGS1: one = gs1(symbology, number)(&random)
    case 4: one = DrawnCase(symbology, number, Array(random.digits(random.number(1...longest)).utf8))
    case 5:
      let set = random.isOnce(in: 2) ? Contents.high : Array(0...255)
      one = DrawnCase(symbology, number, Contents.mixed([set], longest: longest, &random))
    case 9 where random.isOnce(in: 3):
      // Bytes of an interpretation without a character set: its number has one to three bytes, or two to six digits.
      one = DrawnCase(symbology, number, Contents.mixed(Contents.all, longest: longest / 2, &random))
      one.eci = Int32(
        random.element([99, 127, 128, 898, 899, 900, 9999, 16_382, 16_383, 16_384, 123_456, 810_900, 811_799]))
    case 10 where random.isOnce(in: 3):
      one = DrawnCase(symbology, number, Contents.envelope(longest: longest / 2, &random))
    case 6, 7, 8: one = DrawnCase(symbology, number, Contents.mixed(Contents.all, longest: longest, &random))
    default: one = DrawnCase(symbology, number, Contents.mixed(Contents.ascii, longest: longest, &random))
    }
    options(&one, &random)
    if let part, random.isOnce(in: 8), !one.isGS1, one.segments.isEmpty {
      let drawn = part(&random)
      one.part = (drawn.index + 1, drawn.count, drawn.id)
      one.expectedPart = StructuredAppend(index: drawn.index, count: drawn.reportedCount, identifier: drawn.identifier)
    } else if hasReaderProgramming, random.isOnce(in: 20), !one.isGS1 {
      one.isReaderProgramming = true
    }
    return one
  }
}

/// A position in a message, in libzint's terms and as expected.
private struct Part {
  var index: Int32
  var count: Int32
  var id: String
  var identifier: UInt64
  /// The count, if the symbol contains it.
  var reportedCount: Int32
}

private func inCharacterSet(
  _ symbology: Symbology, _ number: Int32, longest: Int, _ random: inout SeededRandom
) -> DrawnCase {
  let script = random.element(Contents.scripts)
  let text = Contents.text(script.letters, longest: longest, &random)
  var one = DrawnCase(symbology, number, Array(text.utf8))
  one.mode = UNICODE_MODE
  one.eci = script.eci
  one.expectedText = text
  one.expected = .textAlone
  return one
}

private func inSegments(_ symbology: Symbology, _ number: Int32, _ random: inout SeededRandom) -> DrawnCase {
  var one = inCharacterSet(symbology, number, longest: 8, &random)
  for _ in 0..<random.number(1...3) {
    let next = inCharacterSet(symbology, number, longest: 8, &random)
    one.segments.append((next.bytes, next.eci))
    one.expectedText = (one.expectedText ?? "") + (next.expectedText ?? "")
  }
  return one
}

@Sendable private func pdf417Part(_ random: inout SeededRandom) -> Part {
  let count = Int32(random.number(2...(random.isOnce(in: 4) ? 99_999 : 12)))
  let index = Int32(random.number(0...(Int(count) - 1)))
  let codewords = (0..<random.number(1...5)).map { _ in random.number(0...899) }
  let id = codewords.map { String(repeating: "0", count: 3 - "\($0)".utf8.count) + "\($0)" }.joined()
  return Part(
    index: index, count: count, id: id, identifier: codewords.reduce(0) { $0 &* 900 &+ UInt64($1) }, reportedCount: count)
}

private let stackedKinds: [Kind] = [
  kind(
    "PDF417", 2520,
    message(.pdf417, 55, longest: 300, gs1: false, part: pdf417Part, hasReaderProgramming: true) { one, random in
      one.option1 = Int32(random.element([-1, -1, 0, 1, 2, 4, 6]))
      one.option2 = Int32(random.number(0...12))
    }),
  kind(
    // Without a stop pattern, the places of columns far from the start are less precise.
    "Compact PDF417", 1440, correctedPercentMax: 15,
    message(.pdf417, 56, longest: 200, gs1: false, part: pdf417Part, hasReaderProgramming: true) { one, random in
      one.option2 = Int32(random.number(0...8))
    }),
  kind(
    // Four rows of four columns are low with modules of two pixels.
    "MicroPDF417", 1800, unreadMax: 5,
    message(.micropdf417, 84, longest: 80, gs1: false, part: pdf417Part, hasReaderProgramming: true) { one, random in
      one.option2 = Int32(random.number(0...4))
    }),
]

private let matrixKinds: [Kind] = [
  kind(
    "QR Code", 3600,
    message(.qr, 58, longest: 400, gs1: true, part: qrPart) { one, random in
      one.option1 = Int32(random.number(1...4))
      one.option2 = random.isOnce(in: 3) ? Int32(random.number(1...40)) : 0
      one.option3 = random.isOnce(in: 2) ? Int32(random.number(1...8)) << 8 : 0
    }),
  kind("Micro QR Code", 1200) { random in
    let sets = random.element([[Contents.digits], [Contents.upper, Contents.digits], Contents.ascii, Contents.all])
    var one = DrawnCase(.microqr, 97, Contents.mixed(sets, longest: random.number(1...15), &random))
    one.option1 = Int32(random.number(1...3))
    one.option2 = Int32(random.number(0...4))
    one.option3 = random.isOnce(in: 2) ? Int32(random.number(1...4)) << 8 : 0
    return one
  },
  kind(
    "rMQR Code", 1200,
    message(.rmqr, 145, longest: 60, gs1: true, part: nil) { one, random in
      one.option1 = random.element([2, 4])
      one.option2 = random.isOnce(in: 3) ? Int32(random.number(1...38)) : 0
    }),
  kind(
    // The reader accepts the first grid that error correction can handle.
    // Of 4200, 0 to 2 are unread beside Han Xin Code and DotCode.
    "Data Matrix", 4200, correctedPercentMax: 15, unreadMax: 8,
    message(.datamatrix, 71, longest: 300, gs1: true, part: dataMatrixPart, hasReaderProgramming: true) { one, random in
      switch random.number(0...3) {
      case 0: one.option2 = Int32(random.number(1...48))
      case 1: one.option3 = Int32(DM_DMRE)
      default: one.option3 = random.isOnce(in: 2) ? Int32(DM_SQUARE) : 0
      }
    }),
  kind(
    "Aztec Code", 3600,
    message(.aztec, 92, longest: 400, gs1: true, part: aztecPart, hasReaderProgramming: true) { one, random in
      if random.isOnce(in: 3) {
        one.option2 = Int32(random.number(1...36))
      } else {
        one.option1 = Int32(random.number(1...4))
      }
    }),
  kind(
    // At 15 pixels per module, libzint draws the bullseye some per cent too wide and rows too narrow.
    "MaxiCode", 1800, unreadMax: 12,
    message(.maxicode, 57, longest: 80, gs1: false, part: maxiCodePart) { one, random in
      one.option1 = Int32(random.number(4...6))
    }),
  kind(
    // Of 1200, 1 to 4 are unread beside Data Matrix and DotCode.
    "Han Xin Code", 1200, unreadMax: 12,
    message(.hanxin, 116, longest: 200, gs1: false, part: nil) { one, random in
      one.option1 = Int32(random.number(1...4))
      one.option2 = random.isOnce(in: 3) ? Int32(random.number(1...84)) : 0
    }),
  // The picture has squares for dots, which touch at their corners. libzint 2.11 encodes FNC1 as a bracket where it shifts the code
  // set, and so no GS1 element strings.
  Kind(name: "DotCode", count: 1200, correctedPercentMax: 4, unreadMax: 12) { _, random in
    var one = message(.dotcode, 115, longest: 100, gs1: false, part: nil) { one, random in
      // Masks with forced corners need error correction.
      one.option3 = random.isOnce(in: 2) ? Int32(random.number(1...4)) << 8 : 0
    }(&random)
    one.scale = random.element([4, 5, 6])
    return one
  },
  kind("MaxiCode of parcels", 900, unreadMax: 6) { random in carrierMessage(&random) },
]

/// A message after a postal code (digits, or letters and digits), a country and a class of service; with or without the
/// header of the Transportation Data Format.
private func carrierMessage(_ random: inout SeededRandom) -> DrawnCase {
  let hasDigits = random.isOnce(in: 2)
  let postalCode =
    hasDigits
    ? "\(random.number(1...9))" + random.digits(random.number(4...8))
    : String(decoding: (0..<6).map { _ in random.element(Contents.upper + Contents.digits) }, as: UTF8.self)
  let (country, service) = (random.digits(3), random.digits(3))
  let message = Contents.mixed([Contents.upper, Contents.digits, Contents.latin], longest: 60, &random)
  var one = DrawnCase(.maxicode, 57, message)
  one.option1 = hasDigits ? 2 : 3
  one.primary = postalCode + country + service
  var prefix = "\(postalCode)\u{1D}\(country)\u{1D}\(service)\u{1D}"
  if random.isOnce(in: 2) {
    let version = random.number(0...99)
    one.option2 = Int32(version + 1)
    prefix = "[)>\u{1E}01\u{1D}\(version < 10 ? "0" : "")\(version)" + prefix
  }
  one.expected = .bytes(Array(prefix.utf8) + message)
  return one
}

@Sendable private func maxiCodePart(_ random: inout SeededRandom) -> Part {
  let count = Int32(random.number(2...8))
  return Part(
    index: Int32(random.number(0...(Int(count) - 1))), count: count, id: "", identifier: 0, reportedCount: count)
}

@Sendable private func qrPart(_ random: inout SeededRandom) -> Part {
  let count = Int32(random.number(2...16))
  let parity = random.number(0...255)
  return Part(
    index: Int32(random.number(0...(Int(count) - 1))), count: count, id: "\(parity)", identifier: UInt64(parity),
    reportedCount: count)
}

@Sendable private func dataMatrixPart(_ random: inout SeededRandom) -> Part {
  let count = Int32(random.number(2...16))
  let (high, low) = (random.number(1...254), random.number(1...254))
  return Part(
    index: Int32(random.number(0...(Int(count) - 1))), count: count, id: "\(high * 1000 + low)",
    identifier: UInt64(high << 8 | low), reportedCount: count)
}

@Sendable private func aztecPart(_ random: inout SeededRandom) -> Part {
  let count = Int32(random.number(2...26))
  let id = String(decoding: Contents.mixed([Contents.upper, Contents.digits], longest: 8, &random).prefix(8), as: UTF8.self)
  return Part(
    index: Int32(random.number(0...(Int(count) - 1))), count: count, id: id,
    identifier: id.utf8.reduce(0) { $0 << 8 | UInt64($1) }, reportedCount: count)
}

/// Every size of every symbology with several sizes, in every run, so that no entry of their tables is missed.
private let sizeKinds: [Kind] = [
  sweep("QR Code of every version and level", 160) { index, random in
    let (level, version) = (index % 4, index / 4 + 1)
    // Nearly full: a block of the wrong length begins like the right one.
    let hundredths = [76, 58, 42, 32][level]
    let count = qrCodewordCount(version: version) * hundredths / 100 - 4
    var one = DrawnCase(.qr, 58, (0..<count).map { _ in random.element(Contents.lower) })
    one.option1 = Int32(level + 1)
    one.option2 = Int32(version)
    return one
  },
  sweep("Micro QR Code of every version and level", 80) { index, random in
    let (version, level) = [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)][index % 8]
    var one = DrawnCase(.microqr, 97, Array(random.digits(random.number(1...5)).utf8))
    one.option1 = Int32(level)
    one.option2 = Int32(version)
    return one
  },
  sweep("rMQR Code of every size and level", 128) { index, random in
    var one = DrawnCase(.rmqr, 145, Array(random.digits(random.number(1...5)).utf8))
    one.option1 = index & 1 == 0 ? 2 : 4
    one.option2 = Int32(index / 2 % 32 + 1)
    return one
  },
  sweep("Data Matrix of every size", 144, correctedPercentMax: 25) { index, random in
    var one = DrawnCase(.datamatrix, 71, Array(random.digits(random.number(1...6)).utf8))
    one.option2 = Int32(index % 48 + 1)
    return one
  },
  sweep("Aztec Code of every size", 72) { index, random in
    var one = DrawnCase(.aztec, 92, Contents.mixed([Contents.upper], longest: 8, &random))
    one.option2 = Int32(index % 36 + 1)
    return one
  },
  // Three rows of thirty columns are hard to read.
  sweep("PDF417 of every width and level", 270, correctedPercentMax: 8, unreadMax: 4) { index, random in
    var one = DrawnCase(.pdf417, 55, Contents.mixed(Contents.ascii, longest: 80, &random))
    one.option1 = Int32(index % 9)
    one.option2 = Int32(index / 9 + 1)
    return one
  },
  sweep("MicroPDF417 of every size", 320) { index, random in
    // The length determines the number of rows.
    var one = DrawnCase(.micropdf417, 84, Array(random.digits(1 + index / 4 * 4).utf8))
    one.option2 = Int32(index % 4 + 1)
    return one
  },
]

/// Codewords of a symbol: modules less those of the function patterns and of the format and version information (ISO/IEC
/// 18004 §6.3).
private func qrCodewordCount(version: Int) -> Int {
  let alignment = version > 1 ? version / 7 + 2 : 0
  let patterns = version > 1 ? (25 * alignment - 10) * alignment - 55 : 0
  return ((16 * version + 128) * version + 64 - patterns - (version >= 7 ? 36 : 0)) / 8
}

let fixedCasesName = "fixed cases"

/// Regression cases: symbols that were once misread or not read.
let fixedCases: [DrawnCase] = [
  // Padding before a byte shift.
  DrawnCase(.pdf417, 55, Array("Gr".utf8) + [0xF6, 0xDF] + Array("e: sch".utf8) + [0xF6] + Array("n 827".utf8)),
  DrawnCase(.pdf417, 55, Array("[)>\u{1E}06\u{1D}9SUN123\u{1D}20Z1\u{1E}\u{4}".utf8)),
  DrawnCase(.micropdf417, 84, Array("AQ56y;\"td7\u{18}=)\u{1C}\rXJP!GD\u{B}\u{2}227".utf8)),
  // A single line above the others shows both rows.
  scaled(item(.databar, 79, "6158895669080"), 2),
  // The last check codeword is 0: without its last columns the symbol passes for another one.
  masked(bytesCase(.dotcode, 115, Array("00ecrvnbb^".utf8), scale: 5), 2),
  // Latin-1 that looks like katakana.
  latin1Case(.datamatrix, 71), latin1Case(.aztec, 92), latin1Case(.pdf417, 55),
  // Version 2, with data between the finders that alternate like the timing pattern of version 1.
  gs1Case(.qr, 58, "[01]94845981544438[37]970780[17]210315", "0194845981544438" + "37970780\u{1D}17210315"),
  // Rows that tiles hardly see.
  item(.databar, 79, "7045633700586"), item(.databar, 79, "6246522416938"),
  item(.databar, 79, "7823121490694"),
  // Rows that tiles see only in pieces.
  item(.databar, 79, "8051597172434"), item(.databar, 79, "4797532807466"),
  // Rings next to the bullseye that pull a line through its corner away from the centre.
  bytesCase(
    .aztec, 92,
    [
      0x0D, 0xAF, 0x02, 0xD1, 0x2F, 0x96, 0x29, 0x67, 0xFD, 0xA0, 0x8D, 0x73, 0x19, 0x7B, 0x4A, 0xB9, 0xC7, 0xB2, 0x6A, 0xFA,
      0xAB, 0x08, 0x41, 0xEE, 0xF1, 0x5A,
    ], option1: 1),
  // Low and wide, with small modules: the end of an arm is known only to about a module, or the arm seems twice as thick.
  bytesCase(
    .datamatrix, 71,
    Array(
      ("99616965912839095646136607344828862542844319032281696450491106"
        + "488674656866034515845877977144767252849566879553445731966689801").utf8),
    option2: 36, scale: 2),
  // The smallest size, with a dark module next to nearly every module of an arm.
  bytesCase(.datamatrix, 71, [0xFD, 0x51], scale: 4), bytesCase(.datamatrix, 71, [0xFD, 0x51], scale: 6),
  // At half its size, a line passes the check character by chance.
  bytesCase(.code128, 20, [0x54, 0x75, 0x0F, 0x05, 0x06, 0x02]),
  // Wider than a region of tiles is long.
  gs1Case(
    .databarExpanded, 31, "[01]97516987116642[21]+__++,[3103]039794[17]210511",
    "0197516987116642" + "21+__++,\u{1D}3103039794" + "17210511"),
  // Two of its rows also pass as GS1 DataBar.
  gs1Case(
    .databarExpanded, 81, "[01]95843227304227[400]:/%%-2X++6GEA[91]-:[8005]394611",
    "0195843227304227" + "400:/%%-2X++6GEA\u{1D}91-:\u{1D}8005394611", option2: 4),
  // Its bars contain a whole GS1 DataBar Limited.
  fullASCIICase([0x19, 0x02, 0x2B, 0x60, 0x5F, 0x0A, 0x5F, 0x3B, 0x2F, 0x60]),
  // A sighting next to the bullseye is nearer to a ring than the one in its middle.
  modeCase(4, "dcj4747468HT="), modeCase(4, "XDDFSDGNDGARNZCSY$5"),
  // Part of it also passes as 2 of 5 without a check digit, in a reduced picture.
  bytesCase(.datalogic2of5, 6, Array("5092358868542".utf8)),
]

private func fullASCIICase(_ bytes: [UInt8]) -> DrawnCase {
  var one = DrawnCase(.code39, 9, bytes)
  one.isFullASCII = true
  return one
}

/// A MaxiCode in a mode.
private func modeCase(_ mode: Int32, _ text: String) -> DrawnCase {
  bytesCase(.maxicode, 57, Array(text.utf8), option1: mode)
}

private func latin1Case(_ symbology: Symbology, _ number: Int32) -> DrawnCase {
  let bytes: [UInt8] = Array("G28@*qO2".utf8) + [0xB9, 0xA2, 0xBB] + Array("180jcmQ".utf8) + [0xC3]
  var one = DrawnCase(symbology, number, bytes)
  one.expectedText = "G28@*qO2¹¢»180jcmQÃ"
  return one
}

private func bytesCase(
  _ symbology: Symbology, _ number: Int32, _ bytes: [UInt8], option1: Int32 = -1, option2: Int32 = 0, scale: Int = 3
) -> DrawnCase {
  var one = DrawnCase(symbology, number, bytes)
  one.option1 = option1
  one.option2 = option2
  one.scale = scale
  return one
}

private func scaled(_ drawn: DrawnCase, _ scale: Int) -> DrawnCase {
  var one = drawn
  one.scale = scale
  return one
}

/// A DotCode with a mask, 0 to 3.
private func masked(_ dotCode: DrawnCase, _ mask: Int32) -> DrawnCase {
  var one = dotCode
  one.option3 = (mask + 1) << 8
  return one
}

private func gs1Case(
  _ symbology: Symbology, _ number: Int32, _ input: String, _ expected: String, option2: Int32 = 0
) -> DrawnCase {
  var one = DrawnCase(symbology, number, Array(input.utf8))
  one.option2 = option2
  one.expected = .bytes(Array(expected.utf8))
  one.isGS1 = true
  one.mode = GS1_MODE
  return one
}
