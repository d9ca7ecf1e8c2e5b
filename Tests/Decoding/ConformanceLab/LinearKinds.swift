// The linear symbologies and postal codes that are drawn.

import BarcodeDecoder
import BarcodeTypes
import CZint

let linearKinds: [Kind] = [
  kind("EAN-13", 360, digits(.ean13, 13, 12, addOns: true)), kind("EAN-8", 180, digits(.ean8, 13, 7)),
  kind("UPC-A", 180, digits(.upca, 34, 11, addOns: true)), kind("UPC-E", 360, digits(.upce, 37, 7)),
  kind("ITF-14", 180, digits(.itf14, 89, 13)),
  kind("Leitcode", 180) { random in
    var one = digits(.leitcode, 21, 13)(&random)
    one.twins = [.itf14]
    return one
  },
  kind("Identcode", 180, digits(.identcode, 22, 11)), kind("Industrial 2 of 5", 240) { twoOfFive(.industrial2of5, 7, &$0) },
  kind("IATA 2 of 5", 240) { twoOfFive(.iata2of5, 4, &$0) }, kind("Matrix 2 of 5", 240) { twoOfFive(.matrix2of5, 2, &$0) },
  kind("Data Logic 2 of 5", 240) { twoOfFive(.datalogic2of5, 6, &$0) },
  kind("Code 11", 360) { random in
    let characters = Array("0123456789-".utf8)
    var one = DrawnCase(.code11, 1, (0..<random.number(3...16)).map { _ in random.element(characters) })
    // libzint's option: 0 for two check characters, 1 for one.
    one.option2 = Int32(random.number(0...1))
    one.expected = .bytes(withChecks(one.bytes, count: 2 - Int(one.option2)))
    return one
  },
  kind("Interleaved 2 of 5", 360) { random in
    let count = random.element([2, 4, 6, 8, 10, 12, 16, 20, 30])
    var one = DrawnCase(.itf, 3, Array(random.digits(count).utf8))
    one.twins = [.leitcode, .identcode]
    return one
  },
  kind("Codabar", 480) { random in
    let ends = Array("ABCD".utf8)
    let middle = Contents.mixed([Contents.digits, Array("-$:/.+".utf8)], longest: 16, &random)
    return DrawnCase(.codabar, 18, [random.element(ends)] + middle + [random.element(ends)])
  },
  kind("MSI", 720) { random in
    // In the order of libzint's options.
    let checks: [MSICheck] = [.none, .mod10, .mod10Mod10, .mod11, .mod11Mod10]
    let option = random.number(0...4)
    var one = DrawnCase(.msi, 47, [])
    // A number whose check digit modulo 11 would be 10 cannot be encoded.
    repeat { one.bytes = Array(random.digits(random.number(5...16)).utf8) } while option > 2 && lacksMod11(one.bytes)
    one.option2 = Int32(option)
    one.msiCheck = checks[option]
    one.expected = .printedDigits
    return one
  },
  kind("Plessey Code", 360) { random in
    let characters = Array("0123456789ABCDEF".utf8)
    return DrawnCase(.plessey, 86, (0..<random.number(2...20)).map { _ in random.element(characters) })
  },
  kind("Pharmacode", 360) { random in
    DrawnCase(.pharmacode, 51, Array("\(random.number(100...131_070))".utf8))
  },
  kind("Code 39", 480) { random in
    let sets = [Contents.upper, Contents.digits, Array("-. $/+%".utf8)]
    var one = DrawnCase(.code39, 8, Contents.mixed(sets, longest: 20, &random))
    one.twins = [.code32, .pzn]
    return one
  },
  kind("Code 32", 240) { random in
    let digits = random.digits(8)
    // The check digit doubles every second digit and adds the digits of the result.
    let sum = digits.enumerated().reduce(0) { sum, digit in
      let product = digit.element.wholeNumberValue! * (digit.offset % 2 + 1)
      return sum + product / 10 + product % 10
    }
    var one = DrawnCase(.code32, 129, Array(digits.utf8))
    one.expected = .bytes(Array("A\(digits)\(sum % 10)".utf8))
    return one
  },
  kind("PZN", 240) { random in
    var digits = ""
    var sum = 0
    // A number whose check digit would be 10 cannot be encoded.
    repeat {
      digits = random.digits(7)
      sum = digits.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element.wholeNumberValue! } % 11
    } while sum == 10
    var one = DrawnCase(.pzn, 52, Array(digits.utf8))
    one.expected = .bytes(Array("-\(digits)\(sum)".utf8))
    return one
  },
  kind("Code 39 full ASCII", 480) { random in
    var one = DrawnCase(.code39, 9, Contents.mixed(Contents.ascii, longest: 12, &random))
    one.isFullASCII = true
    one.twins = [.code32, .pzn]
    return one
  },
  kind("Code 93", 720, text(.code93, 25, Contents.ascii, longest: 24)),
  kind("Code 128", 1440) { random in
    // A single run of Latin-1: between several, libzint 2.11 sometimes omits an FNC4, and zxing-cpp reads the same as we do.
    var bytes = Contents.mixed(Contents.ascii, longest: 24, &random)
    if random.isOnce(in: 3) { bytes += (0..<random.number(1...8)).map { _ in random.element(Contents.latin) } }
    var one = DrawnCase(.code128, 20, bytes)
    one.isReaderProgramming = random.isOnce(in: 12)
    return one
  },
  kind("GS1-128", 360, gs1(.code128, 16)),
]

private func twoOfFive(_ symbology: Symbology, _ number: Int32, _ random: inout SeededRandom) -> DrawnCase {
  DrawnCase(symbology, number, Array(random.digits(random.number(6...20)).utf8))
}

/// The characters of a Code 11 with one check character or two: weights from the right, up to 10 for the first and 9 for the second.
private func withChecks(_ bytes: [UInt8], count: Int) -> [UInt8] {
  let characters = Array("0123456789-".utf8)
  return (0..<count).reduce(bytes) { bytes, index in
    let sum = bytes.reversed().enumerated().reduce(0) {
      $0 + characters.firstIndex(of: $1.element)! * ($1.offset % (10 - index) + 1)
    }
    return bytes + [characters[sum % 11]]
  }
}

/// Whether the check digit modulo 11 with weights from 2 to 7 would be 10.
private func lacksMod11(_ digits: [UInt8]) -> Bool {
  digits.reversed().enumerated().reduce(0) { $0 + Int($1.element - 0x30) * ($1.offset % 6 + 2) } % 11 == 1
}

let postKinds: [Kind] = [
  kind("Pharmacode Two-Track", 360) { random in
    DrawnCase(.pharmacodeTwoTrack, 53, Array("\(random.number(1000...64_570_079))".utf8))
  },
  kind("POSTNET", 240) { DrawnCase(.postnet, 40, Array($0.digits($0.element([5, 9, 11])).utf8)) },
  kind("PLANET", 240) { DrawnCase(.planet, 82, Array($0.digits($0.element([11, 13])).utf8)) },
  kind("CEPNet", 240) { DrawnCase(.cepnet, 54, Array($0.digits(8).utf8)) },
  kind("USPS Intelligent Mail", 720) { random in
    let tracking = random.digits(1) + "\(random.number(0...4))" + random.digits(18)
    let routing = random.digits(random.element([0, 5, 9, 11]))
    var one = DrawnCase(.intelligentMail, 85, Array((tracking + (routing.isEmpty ? "" : "-") + routing).utf8))
    one.expected = .bytes(Array((tracking + routing).utf8))
    return one
  },
  kind("RM4SCC", 360) { DrawnCase(.rm4scc, 70, capitals(5...14, &$0)) },
  kind("KIX", 360) { DrawnCase(.kix, 90, capitals(7...18, &$0)) },
  kind("Mailmark", 480) { random in
    let formats = ["ANANLLNLS", "AANNLLNLS", "AANNNLLNL", "AANANLLNL", "ANNLLNLSS", "ANNNLLNLS"]
    let sets: [Character: String] = [
      "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "L": "ABDEFGHJLNPQRSTUWXYZ", "N": "0123456789", "S": " ",
    ]
    var text = "\(random.number(0...4))\(random.number(1...4))"
    text += String(random.element(Array("0123456789ABCDE"))) + random.digits(random.element([2, 6]) + 8)
    for letter in random.element(formats) { text.append(random.element(Array(sets[letter]!))) }
    return DrawnCase(.mailmark, 121, Array(text.utf8))
  },
  kind("Australia Post", 480) { random in
    // libzint finds the format control code by the length.
    let (code, count, areDigits) = random.element([
      ("11", 0, true), ("59", 5, false), ("59", 8, true), ("62", 10, false), ("62", 15, true),
    ])
    // The bars of ten capital letters may be those of fifteen digits, too; of small letters, they are not.
    let all = Contents.upper + Contents.lower + Contents.digits + Array(" #".utf8)
    let characters = areDigits ? Contents.digits : count == 10 ? Contents.lower : all
    let information = (0..<count).map { _ in random.element(characters) }
    var one = DrawnCase(.auspost, 63, Array(random.digits(8).utf8) + information)
    one.expected = .bytes(Array(code.utf8) + one.bytes)
    return one
  },
  kind("Japan Post", 360) { random in
    let letters = (0..<random.number(0...6)).map { _ in random.element(Contents.upper + Contents.digits + Array("-".utf8)) }
    return DrawnCase(.japanpost, 76, Array(random.digits(7).utf8) + letters)
  },
]

private func capitals(_ count: ClosedRange<Int>, _ random: inout SeededRandom) -> [UInt8] {
  (0..<random.number(count)).map { _ in random.element(Contents.upper + Contents.digits) }
}
