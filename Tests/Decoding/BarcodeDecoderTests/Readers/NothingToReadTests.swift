import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Pictures without a code that resemble one. Nothing may be read from any of them.
@Suite struct NothingToReadTests {
  @Test(arguments: 1...12)
  func `nothing is read in random stripes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let elements = (0..<Int.random(in: 25...90, using: &generator)).map { _ in Int.random(in: 1...4, using: &generator) }
    var view = View()
    view.seed = seed
    view.degrees = Double.random(in: 0..<180, using: &generator)
    view.modulePixels = 2
    #expect(Picture(elements: elements, view: view).decode().isEmpty)
  }

  @Test(arguments: 1...6)
  func `nothing is read in noise`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var picture = Picture(width: 320, height: 240)
    for index in picture.pixels.indices { picture.pixels[index] = UInt8.random(in: 0...255, using: &generator) }
    #expect(picture.decode().isEmpty)
  }

  @Test func `nothing is read in even stripes`() {
    for width in 1...4 {
      #expect(Picture(elements: [Int](repeating: width, count: 79)).decode().isEmpty)
    }
  }

  @Test(arguments: [(1, 1), (1, 600), (600, 1), (7, 9), (48, 3), (3, 48)])
  func `nothing is read in tiny pictures`(width: Int, height: Int) {
    var picture = Picture(width: width, height: height)
    for index in picture.pixels.indices where index % 3 == 0 { picture.pixels[index] = 0 }
    #expect(picture.decode().isEmpty)
  }

  @Test func `equal pixels give equal outcomes for equal work`() {
    let picture = Picture(elements: LinearEncoder.ean13("4006381333931"))
    var workspace = Workspace(pixelCountMax: picture.width * picture.height)
    var outcomes: [DecodeOutcome] = []
    picture.pixels.withUnsafeBufferPointer {
      let luma = LumaView(base: $0.baseAddress!, width: picture.width, height: picture.height, bytesPerRow: picture.width)
      for _ in 0..<3 { outcomes.append(Decoder.decode(luma, settings: DecoderSettings(), workspace: &workspace)) }
    }
    #expect(outcomes[0] == outcomes[1] && outcomes[1] == outcomes[2])
  }
}
