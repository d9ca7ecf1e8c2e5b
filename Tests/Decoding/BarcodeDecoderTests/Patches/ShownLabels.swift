import BarcodeTypes

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Labels with small modules that a camera watches, drawn by chance: one, two in turn at the same place, two that alternate with each
/// frame, or a decoy.
struct ShownLabels {
  enum Story: CaseIterable { case one, inTurn, alternating, decoy }

  /// The result of reading their frames.
  struct Outcome {
    /// Texts that no label has.
    var wrong: [String] = []
    /// Whether the first label was reported while only the second one was shown, in more than its first frame.
    var isStale = false
    var isRead = false
  }

  static let symbologies: [Symbology] = [.qr, .datamatrix, .ean13, .code128]

  let story: Story
  let symbology: Symbology
  let texts: [String]
  private let modulePixels: Double
  private let noise: Double
  private let blur: Double
  private let frameCount: Int
  private let generator: SeededGenerator

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    story = Story.allCases.randomElement(using: &generator)!
    symbology = Self.symbologies.randomElement(using: &generator)!
    let first = Self.text(symbology, using: &generator)
    let isAlike = Bool.random(using: &generator)
    texts = [first, isAlike ? Self.like(first, symbology, using: &generator) : Self.text(symbology, using: &generator)]
    modulePixels = Double.random(in: 1...1.6, using: &generator)
    noise = Double.random(in: 2...24, using: &generator)
    blur = Double.random(in: 0.1...0.3, using: &generator)
    frameCount = Int.random(in: 6...14, using: &generator)
    self.generator = generator
  }

  private static func text(_ symbology: Symbology, using generator: inout SeededGenerator) -> String {
    // With a leading zero it would be a UPC-A.
    if symbology == .ean13 { return checked((0..<12).map { Int.random(in: ($0 == 0 ? 1 : 0)...9, using: &generator) }) }
    let characters = Array("ABCDEFGHKLMNPRSTUVWXYZ0123456789-")
    let length = Int.random(in: symbology == .code128 ? 4...9 : 6...14, using: &generator)
    return String((0..<length).map { _ in characters.randomElement(using: &generator)! })
  }

  /// A text that differs in one character, and in the check digit if there is one.
  private static func like(_ text: String, _ symbology: Symbology, using generator: inout SeededGenerator) -> String {
    if symbology == .ean13 {
      var digits = text.dropLast().map { $0.wholeNumberValue! }
      let place = Int.random(in: 1..<12, using: &generator)
      digits[place] = (digits[place] + Int.random(in: 1...9, using: &generator)) % 10
      return checked(digits)
    }
    var characters = Array(text)
    let place = Int.random(in: characters.indices, using: &generator)
    characters[place] = characters[place] == "7" ? "8" : "7"
    return String(characters)
  }

  private static func checked(_ digits: [Int]) -> String {
    let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 1 ? 3 : 1) }
    return (digits + [(10 - sum % 10) % 10]).map(String.init).joined()
  }

  /// Reads the frames one after another.
  func run() -> Outcome {
    var generator = generator
    var symbols = texts.map { SmallSymbol(symbology, $0) }
    if story == .decoy {
      let share = Bool.random(using: &generator) ? 1 : Double.random(in: 0.1...0.6, using: &generator)
      symbols[0].damage(share: share, using: &generator)
    }
    var reader = FrameReader()
    var outcome = Outcome()
    let count = story == .inTurn ? 2 * frameCount : frameCount
    for index in 0..<count {
      let shown =
        switch story {
        case .one, .decoy: 0
        case .inTurn: index / frameCount
        case .alternating: index & 1
        }
      let frame = symbols[shown].frame(modulePixels: modulePixels, noise: noise, blur: blur, using: &generator)
      let read = reader.read(frame).texts
      outcome.wrong += read.filter { !texts.contains($0) }
      if read.contains(texts[shown]) { outcome.isRead = true }
      if story == .inTurn, index > frameCount, texts[0] != texts[1], read.contains(texts[0]) { outcome.isStale = true }
    }
    return outcome
  }
}
