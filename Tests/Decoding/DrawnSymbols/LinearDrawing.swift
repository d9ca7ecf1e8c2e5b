// Draws linear symbols as seen by a camera: rotated, blurred, noisy. The blur is exact, each edge a Gaussian integral, so
// that a test states its difficulty in numbers. Floating point is fine here; the decoder uses none.

import BarcodeDecoder
import BarcodeTypes
import Foundation
import TestScenes

/// A generator with the same numbers for the same seed on every machine (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A normally distributed number.
  mutating func normal() -> Double {
    let u = Double.random(in: 1e-12..<1, using: &self)
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }
}

/// The viewing conditions of a symbol.
struct View {
  var modulePixels = 3.0
  /// Clockwise.
  var degrees = 0.0
  /// Standard deviation of the blur across the bars, in modules.
  var blurModules = 0.3
  /// Excess width of the bars, in modules.
  var inkModules = 0.0
  /// Standard deviation in grey levels.
  var noise = 0.0
  var seed: UInt64 = 1
  var barHeightPixels = 80.0
  /// Free modules before and after the symbol; the area beyond them is dark.
  var quietModules = 12.0
  var light = 220.0
  var dark = 30.0
}

/// A picture of 8-bit luma.
struct Picture {
  let width: Int
  let height: Int
  var pixels: [UInt8]

  init(width: Int, height: Int, grey: UInt8 = 200) {
    self.width = width
    self.height = height
    pixels = [UInt8](repeating: grey, count: width * height)
  }

  /// A symbol in the middle of a picture, from the widths of its elements in modules; the first element is a bar.
  init(elements: [Int], view: View = View()) {
    let moduleCount = Double(elements.reduce(0, +))
    let length = (moduleCount + 2 * view.quietModules) * view.modulePixels
    let angle = view.degrees * .pi / 180
    let (c, s) = (cos(angle), sin(angle))
    let margin = 24.0
    self.init(
      width: Int(length * abs(c) + view.barHeightPixels * abs(s) + 2 * margin),
      height: Int(length * abs(s) + view.barHeightPixels * abs(c) + 2 * margin))
    var bars: [(Double, Double)] = []
    var at = 0.0
    for (index, element) in elements.enumerated() {
      if index % 2 == 0 { bars.append((at - view.inkModules / 2, at + Double(element) + view.inkModules / 2)) }
      at += Double(element)
    }
    let sigma = max(0.05, view.blurModules) * 2.0.squareRoot()
    // Darkness across the bars, in steps of 1/32 module.
    let table = (0...Int((moduleCount + 2 * view.quietModules) * 32)).map { step -> Double in
      let u = Double(step) / 32 - view.quietModules
      return bars.reduce(0.0) { $0 + (erf((u - $1.0) / sigma) - erf((u - $1.1) / sigma)) / 2 }
    }
    var generator = SeededGenerator(seed: view.seed)
    for y in 0..<height {
      for x in 0..<width {
        let dx = Double(x) - Double(width) / 2 + 0.5
        let dy = Double(y) - Double(height) / 2 + 0.5
        let u = dx * c + dy * s
        let v = dy * c - dx * s
        var grey = view.light
        if abs(v) > view.barHeightPixels / 2 + 12 || abs(u) > length / 2 {
          grey = (view.light + view.dark) / 2
        } else if abs(v) <= view.barHeightPixels / 2 {
          let darkness = table[min(table.count - 1, max(0, Int((u + length / 2) / view.modulePixels * 32)))]
          grey = view.light - (view.light - view.dark) * darkness
        }
        if view.noise > 0 { grey += generator.normal() * view.noise }
        pixels[y * width + x] = UInt8(min(255, max(0, grey.rounded())))
      }
    }
  }

  /// A sharp symbol on plain ground, its bars upright or, if `isLevel`, horizontal.
  ///
  /// - Parameters:
  ///   - modulePixels: pixels per module; `barPixels`: the length of a bar.
  ///   - x, y: the upper left corner of the symbol.
  init(
    width: Int, height: Int, elements: [Int], modulePixels: Int, barPixels: Int, x: Int, y: Int, isLevel: Bool,
    light: UInt8 = 255, dark: UInt8 = 0
  ) {
    self.init(width: width, height: height, grey: light)
    var at = 0
    for (index, element) in elements.enumerated() {
      for across in at..<(at + element * modulePixels) where index % 2 == 0 {
        for along in 0..<barPixels {
          pixels[(y + (isLevel ? across : along)) * width + x + (isLevel ? along : across)] = dark
        }
      }
      at += element * modulePixels
    }
  }

  /// The picture with light that a glossy surface reflects, in a column around `middle` whose brightness falls like a Gaussian of
  /// standard deviation `width`, in pixels.
  ///
  /// - Parameter light: grey levels in the middle of the column.
  func glaring(at middle: Double, width spread: Double, light: Double) -> Picture {
    var picture = self
    for y in 0..<height {
      for x in 0..<width {
        let distance = (Double(x) - middle) / spread
        let grey = Double(pixels[y * width + x]) + light * exp(-distance * distance / 2)
        picture.pixels[y * width + x] = UInt8(min(255, grey.rounded()))
      }
    }
    return picture
  }

  /// The picture as if it had moved by `length` pixels along its rows during the exposure.
  func moved(by length: Int) -> Picture {
    var picture = self
    for y in 0..<height {
      for x in 0..<width {
        let places = (0..<length).map { max(0, min(width - 1, x + $0 - length / 2)) }
        picture.pixels[y * width + x] = UInt8(places.reduce(0) { $0 + Int(pixels[y * width + $1]) } / length)
      }
    }
    return picture
  }

  /// Decodes the picture and returns copies of its symbols. The byte before or after the picture is inaccessible.
  func decode(_ settings: DecoderSettings = DecoderSettings()) -> [ReadSymbol] {
    decode(settings, guarded: height % 2 == 0 ? .first : .last)
  }

  func decode(_ settings: DecoderSettings, guarded side: GuardedPixels.Side) -> [ReadSymbol] {
    var workspace = Workspace(pixelCountMax: width * height)
    let guarded = GuardedPixels(pixels, width: width, height: height, side: side)
    return withExtendedLifetime(guarded) {
      let outcome = Decoder.decode(guarded.view, settings: settings, workspace: &workspace)
      return (0..<outcome.symbolCount).map { index in
        let payload = workspace.payload(index)
        return ReadSymbol(symbol: workspace.symbol(index), bytes: payload.indices.map { payload[$0] })
      }
    }
  }
}

/// A symbol with its payload.
struct ReadSymbol {
  let symbol: DecodedSymbol
  let bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// Element widths of linear symbols, drawn from their standards independently of the decoder's tables.
enum LinearEncoder {
  private static let setA = [
    "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011",
  ]

  private static func digit(_ value: Int, set: Character) -> String {
    let a = setA[value]
    let c = String(a.map { $0 == "0" ? "1" : "0" })
    return set == "A" ? a : (set == "C" ? c : String(c.reversed()))
  }

  /// Widths of runs of equal modules.
  static func elements(ofModules modules: String) -> [Int] {
    var widths: [Int] = []
    var last: Character = "0"
    for module in modules {
      if module == last, !widths.isEmpty { widths[widths.count - 1] += 1 } else { widths.append(1) }
      last = module
    }
    return widths
  }

  /// The check digit of a number without it.
  static func checkDigit(_ digits: [Int]) -> Int {
    let sum = digits.reversed().enumerated().reduce(0) { $0 + ($1.offset % 2 == 0 ? 3 : 1) * $1.element }
    return (10 - sum % 10) % 10
  }

  static func ean13(_ text: String) -> [Int] {
    let digits = text.map { $0.wholeNumberValue! }
    let sets = ["AAAAAA", "AABABB", "AABBAB", "AABBBA", "ABAABB", "ABBAAB", "ABBBAA", "ABABAB", "ABABBA", "ABBABA"]
    var modules = "101"
    for (index, set) in sets[digits[0]].enumerated() { modules += digit(digits[index + 1], set: set) }
    modules += "01010"
    for index in 7..<13 { modules += digit(digits[index], set: "C") }
    return elements(ofModules: modules + "101")
  }

  static func ean8(_ text: String) -> [Int] {
    let digits = text.map { $0.wholeNumberValue! }
    var modules = "101"
    for index in 0..<4 { modules += digit(digits[index], set: "A") }
    modules += "01010"
    for index in 4..<8 { modules += digit(digits[index], set: "C") }
    return elements(ofModules: modules + "101")
  }

  /// The elements of a UPC-E, from number system, six digits and check digit.
  static func upce(_ text: String) -> [Int] {
    let digits = text.map { $0.wholeNumberValue! }
    let sets = ["BBBAAA", "BBABAA", "BBAABA", "BBAAAB", "BABBAA", "BAABBA", "BAAABB", "BABABA", "BABAAB", "BAABAB"]
    var modules = "101"
    for (index, set) in sets[digits[7]].enumerated() {
      let isB = (set == "B") != (digits[0] == 1)
      modules += digit(digits[index + 1], set: isB ? "B" : "A")
    }
    return elements(ofModules: modules + "010101")
  }

  private static let code128 = [
    "212222", "222122", "222221", "121223", "121322", "131222", "122213", "122312", "132212", "221213", "221312", "231212",
    "112232", "122132", "122231", "113222", "123122", "123221", "223211", "221132", "221231", "213212", "223112", "312131",
    "311222", "321122", "321221", "312212", "322112", "322211", "212123", "212321", "232121", "111323", "131123", "131321",
    "112313", "132113", "132311", "211313", "231113", "231311", "112133", "112331", "132131", "113123", "113321", "133121",
    "313121", "211331", "231131", "213113", "213311", "213131", "311123", "311321", "331121", "312113", "312311", "332111",
    "314111", "221411", "431111", "111224", "111422", "121124", "121421", "141122", "141221", "112214", "112412", "122114",
    "122411", "142112", "142211", "241211", "221114", "413111", "241112", "134111", "111242", "121142", "121241", "114212",
    "124112", "124211", "411212", "421112", "421211", "212141", "214121", "412121", "111143", "111341", "131141", "114113",
    "114311", "411113", "411311", "113141", "114131", "311141", "411131", "211412", "211214", "211232",
  ]

  /// The elements of a Code 128, from the values of the start and data characters.
  static func code128(_ values: [Int], check: Int? = nil) -> [Int] {
    let sum = values.enumerated().reduce(0) { $0 + max(1, $1.offset) * $1.element } % 103
    let all = values + [check ?? sum]
    return all.flatMap { code128[$0].map { $0.wholeNumberValue! } } + [2, 3, 3, 1, 1, 1, 2]
  }

  /// Printable ASCII in code set B.
  static func code128(text: String) -> [Int] { code128([104] + text.utf8.map { Int($0) - 32 }) }

  /// Elements of characters with narrow and wide elements, with narrow gaps; a wide element is `ratio` narrow ones wide.
  private static func twoWidths(_ masks: [(Int, bits: Int)], ratio: Int) -> [Int] {
    var widths: [Int] = []
    for (mask, bits) in masks {
      if !widths.isEmpty { widths.append(1) }
      widths += (0..<bits).map { mask >> (bits - 1 - $0) & 1 == 1 ? ratio : 1 }
    }
    return widths
  }

  private static let code39Masks = [
    0x034, 0x121, 0x061, 0x160, 0x031, 0x130, 0x070, 0x025, 0x124, 0x064, 0x109, 0x049, 0x148, 0x019, 0x118, 0x058, 0x00D,
    0x10C, 0x04C, 0x01C, 0x103, 0x043, 0x142, 0x013, 0x112, 0x052, 0x007, 0x106, 0x046, 0x016, 0x181, 0x0C1, 0x1C0, 0x091,
    0x190, 0x0D0, 0x085, 0x184, 0x0C4, 0x0A8, 0x0A2, 0x08A, 0x02A, 0x094,
  ]
  static let code39Characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%*")

  static func code39(_ text: String, ratio: Int = 3) -> [Int] {
    twoWidths(("*" + text + "*").map { (code39Masks[code39Characters.firstIndex(of: $0)!], 9) }, ratio: ratio)
  }

  private static let codabarMasks: [Character: Int] = [
    "0": 0x03, "1": 0x06, "2": 0x09, "3": 0x60, "4": 0x12, "5": 0x42, "6": 0x21, "7": 0x24, "8": 0x30, "9": 0x48, "-": 0x0C,
    "$": 0x18, ":": 0x45, "/": 0x51, ".": 0x54, "+": 0x15, "A": 0x1A, "B": 0x29, "C": 0x0B, "D": 0x0E,
  ]

  static func codabar(_ text: String, ratio: Int = 3) -> [Int] {
    twoWidths(text.map { (codabarMasks[$0]!, 7) }, ratio: ratio)
  }

  static func msi(_ text: String, ratio: Int = 2) -> [Int] {
    let bits = text.flatMap { digit in (0..<4).map { digit.wholeNumberValue! >> (3 - $0) & 1 } }
    return ([1] + bits + [0]).flatMap { $0 == 1 ? [ratio, 1] : [1, ratio] } + [1]
  }

  static func interleaved(_ text: String, ratio: Int = 3) -> [Int] {
    let masks = ["00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010"].map(Array.init)
    let digits = text.map { $0.wholeNumberValue! }
    var widths = [1, 1, 1, 1]
    for pair in stride(from: 0, to: digits.count, by: 2) {
      for index in 0..<5 {
        widths.append(masks[digits[pair]][index] == "1" ? ratio : 1)
        widths.append(masks[digits[pair + 1]][index] == "1" ? ratio : 1)
      }
    }
    return widths + [ratio, 1, 1]
  }

  private static let code93 = [
    "131112", "111213", "111312", "111411", "121113", "121212", "121311", "111114", "131211", "141111", "211113", "211212",
    "211311", "221112", "221211", "231111", "112113", "112212", "112311", "122112", "132111", "111123", "111222", "111321",
    "121122", "131121", "212112", "212211", "211122", "211221", "221121", "222111", "112122", "112221", "122121", "123111",
    "121131", "311112", "311211", "321111", "112131", "113121", "211131", "121221", "312111", "311121", "122211", "111141",
  ]

  /// The elements of a Code 93, from the values of the data characters; check characters are added, the first changed by
  /// `error`.
  static func code93(_ values: [Int], error: Int = 0) -> [Int] {
    func sum(_ values: [Int], _ weightMax: Int) -> Int {
      values.reversed().enumerated().reduce(0) { $0 + ($1.offset % weightMax + 1) * $1.element } % 47
    }
    var all = values
    all.append((sum(all, 20) + error) % 47)
    all.append(sum(all, 15))
    return ([47] + all + [47]).flatMap { code93[$0].map { $0.wholeNumberValue! } } + [1]
  }

  /// The elements of an EAN-13 with an add-on of 2 or 5 digits, `gap` modules after it.
  static func ean13(_ text: String, addOn: String, gap: Int = 9) -> [Int] {
    let digits = addOn.map { $0.wholeNumberValue! }
    let sets: String
    if digits.count == 2 {
      sets = ["AA", "AB", "BA", "BB"][(digits[0] * 10 + digits[1]) % 4]
    } else {
      let check = (3 * (digits[0] + digits[2] + digits[4]) + 9 * (digits[1] + digits[3])) % 10
      sets = ["BBAAA", "BABAA", "BAABA", "BAAAB", "ABBAA", "AABBA", "AAABB", "ABABA", "ABAAB", "AABAB"][check]
    }
    var modules = "1011"
    for (index, set) in sets.enumerated() { modules += (index > 0 ? "01" : "") + digit(digits[index], set: set) }
    return ean13(text) + [gap] + elements(ofModules: modules)
  }
}

/// The codes read from a picture, by symbology and text.
func readings(_ elements: [Int], _ view: View = View(), _ settings: DecoderSettings = DecoderSettings()) -> [String] {
  Picture(elements: elements, view: view).decode(settings).map { "\($0.symbol.symbology.name) \($0.text)" }
}

/// The symbology identifier modifiers of the codes read from a picture.
func modifiers(_ elements: [Int], _ settings: DecoderSettings) -> String {
  String(decoding: Picture(elements: elements).decode(settings).map(\.symbol.aimModifier), as: UTF8.self)
}
