import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Symbols damaged beyond repair, drawn with seeds: the right text or nothing, for every symbology.
@Suite struct DamagedSymbolTests {
  @Test(arguments: 1...40)
  func `a damaged symbol gives the right text or nothing`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func digits(_ count: Int) -> String {
      (0..<count).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
    }
    let text: String
    let elements: [Int]
    let ratio = Int.random(in: 2...3, using: &generator)
    switch seed % 4 {
    case 0:
      text = digits(2 * Int.random(in: 3...6, using: &generator))
      elements = LinearEncoder.interleaved(text, ratio: ratio)
    case 1:
      text = "A" + digits(8) + "D"
      elements = LinearEncoder.codabar(text, ratio: ratio)
    case 2:
      text = "K" + digits(6) + "Z"
      elements = LinearEncoder.code39(text, ratio: ratio)
    default:
      text = digits(8)
      elements = LinearEncoder.code93(text.map { $0.wholeNumberValue! })
    }
    var view = View()
    view.seed = seed
    view.degrees = Double.random(in: 0..<360, using: &generator)
    view.modulePixels = Double.random(in: 1.0...3, using: &generator)
    view.blurModules = Double.random(in: 0.2...0.9, using: &generator)
    view.noise = Double.random(in: 0...20, using: &generator)
    view.inkModules = Double.random(in: -0.3...0.3, using: &generator)
    let found = Picture(elements: elements, view: view).decode().map(\.text)
    #expect(found.isEmpty || found == [text])
  }
}
