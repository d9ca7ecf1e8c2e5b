import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Symbols of equally wide characters whose edges blur has merged: the grey values of their characters show them.
@Suite struct CharacterTests {
  private static func view(_ blurModules: Double, _ modulePixels: Double, degrees: Double = 0) -> View {
    var view = View()
    view.modulePixels = modulePixels
    view.blurModules = blurModules
    view.noise = 2
    view.degrees = degrees
    return view
  }

  @Test(arguments: [0.0, 33, 160], [0.75, 0.9])
  func `a Code 128 symbol is read even when blur merges its edges`(degrees: Double, blur: Double) {
    let view = CharacterTests.view(blur, 1.6, degrees: degrees)
    #expect(readings(LinearEncoder.code128(text: "Grey 128!"), view) == ["code128 Grey 128!"])
  }

  @Test(arguments: [(0.6, 1.25), (0.6, 1.35), (0.65, 1.25)])
  func `a Code 93 symbol is read even when blur merges its edges`(blur: Double, modulePixels: Double) {
    let values = "GREY93".map { Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ").firstIndex(of: $0)! }
    #expect(readings(LinearEncoder.code93(values), CharacterTests.view(blur, modulePixels)) == ["code93 GREY93"])
  }

  @Test(arguments: [33.0, 160], [(0.6, 1.25), (0.65, 1.25), (0.65, 1.35), (0.65, 1.6)])
  func `a Code 39 symbol is read even when blur merges its edges`(degrees: Double, scale: (Double, Double)) {
    let view = CharacterTests.view(scale.0, scale.1, degrees: degrees)
    #expect(readings(LinearEncoder.code39("MYZ37TX", ratio: 2), view) == ["code39 MYZ37TX"])
  }

  /// A wrong check character is one wrong character: the grey values show it, and no text.
  @Test(arguments: 1...12)
  func `a blurred Code 128 symbol with a wrong check character is refused`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let values = [104] + (0..<8).map { _ in Int.random(in: 0...95, using: &generator) }
    let right = values.enumerated().reduce(0) { $0 + max(1, $1.offset) * $1.element } % 103
    var view = CharacterTests.view(0.75, 1.6)
    view.seed = seed
    let wrong = (right + Int.random(in: 1...102, using: &generator)) % 103
    #expect(readings(LinearEncoder.code128(values, check: wrong), view).isEmpty)
  }

  /// Random bars with a quiet zone on either side, as wide as those of the symbologies and blurred like them.
  @Test(arguments: 1...24)
  func `nothing is read in blurred stripes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let widest = Int.random(in: 2...4, using: &generator)
    let elements = (0..<(2 * Int.random(in: 10...30, using: &generator) + 1)).map { _ in
      Int.random(in: 1...widest, using: &generator)
    }
    var view = CharacterTests.view(Double.random(in: 0.5...0.9, using: &generator), 2)
    view.seed = seed
    #expect(readings(elements, view).isEmpty)
  }
}
