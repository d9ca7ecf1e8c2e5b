import BarcodeTypes
import TestSupport
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Frames that show a symbol together and not alone.
@Suite struct EvidenceTests {
  /// A symbol, and how badly each frame shows it.
  struct Hard: Sendable, CustomTestStringConvertible {
    var symbology: Symbology
    var text: String
    /// The text of another label of the same size.
    var other: String
    var modulePixels: Double
    var noise: Double
    var blur: Double

    var testDescription: String { "\(symbology)" }

    func frames(_ text: String, count: Int, seed: UInt64) -> [Picture] {
      var generator = SeededGenerator(seed: seed)
      let symbol = SmallSymbol(symbology, text)
      return (0..<count).map { _ in
        symbol.frame(modulePixels: modulePixels, noise: noise, blur: blur, using: &generator)
      }
    }
  }

  static let hard = [
    Hard(symbology: .qr, text: "RETICLE-4711", other: "RETICLE-4712", modulePixels: 1.2, noise: 12, blur: 0.2),
    Hard(symbology: .datamatrix, text: "RETICLE-4711", other: "RETICLE-4712", modulePixels: 1.2, noise: 12, blur: 0.2),
    Hard(symbology: .ean13, text: "4006381333931", other: "5901234123457", modulePixels: 1, noise: 12, blur: 0.3),
    Hard(symbology: .code128, text: "RET-4711", other: "BOX-0815", modulePixels: 1.1, noise: 24, blur: 0.2),
  ]

  /// One frame already reads most EAN symbols that ten frames read.
  @Test(arguments: hard.filter { $0.symbology != .ean13 })
  func `ten frames read what none of them reads alone`(_ hard: Hard) {
    var readCount = 0
    for seed in 1...3 as ClosedRange<UInt64> where readCount < 2 {
      let frames = hard.frames(hard.text, count: 10, seed: seed)
      let isReadAlone = frames.contains { frame in
        var alone = FrameReader()
        return !alone.read(frame).texts.isEmpty
      }
      if isReadAlone { continue }
      var reader = FrameReader()
      var texts: Set<String> = []
      for frame in frames { texts.formUnion(reader.read(frame).texts) }
      #expect(texts.isSubset(of: [hard.text]))
      if texts == [hard.text] { readCount += 1 }
    }
    #expect(readCount == 2)
  }

  @Test(arguments: hard)
  func `two labels in turn at the same place are two contents, each while it is shown`(_ hard: Hard) {
    var seen: Set<String> = []
    for seed in 1...2 as ClosedRange<UInt64> {
      var reader = FrameReader()
      for (text, count) in [(hard.text, 8), (hard.other, 14), (hard.text, 14)] {
        for frame in hard.frames(text, count: count, seed: seed) {
          let texts = reader.read(frame).texts
          #expect(texts.isEmpty || texts == [text], "\(texts) while \(text) is shown")
          seen.formUnion(texts)
        }
      }
    }
    #expect(seen == [hard.text, hard.other])
  }

  @Test(arguments: hard)
  func `labels that alternate with each frame give no third content`(_ hard: Hard) {
    var reader = FrameReader()
    for (first, second) in zip(hard.frames(hard.text, count: 12, seed: 5), hard.frames(hard.other, count: 12, seed: 6)) {
      for (frame, text) in [(first, hard.text), (second, hard.other)] {
        #expect(Set(reader.read(frame).texts).isSubset(of: [text]))
      }
    }
  }

  @Test func `drawn sequences of labels and decoys give no text that no label has`() {
    let first = TestSeed.value << 8
    var readCount = 0
    for seed in first..<(first + 24) {
      let outcome = ShownLabels(seed: seed).run()
      #expect(outcome.wrong == [], "seed \(seed)")
      if outcome.isRead { readCount += 1 }
    }
    #expect(readCount > 4, "seeds from \(first)")
  }

  /// Two lines through the noise of one frame, with five of eight rows in common, read the same two wrong characters of a Code 128.
  @Test func `rows that two lines share count once`() {
    let outcome = ShownLabels(seed: 7_305_376).run()
    #expect(outcome.wrong == [] && outcome.isRead)
  }

  @Test func `a new sequence begins without the evidence of the last one`() {
    let hard = Self.hard[0]
    let frames = hard.frames(hard.text, count: 12, seed: 1)
    var used = FrameReader()
    for frame in frames.prefix(8) { _ = used.read(frame) }
    used.workspace.beginSequence()
    var fresh = FrameReader()
    for frame in frames.suffix(4) {
      let (again, first) = (used.read(frame), fresh.read(frame))
      #expect(again.texts == first.texts && again.workUnits == first.workUnits)
    }
  }

  @Test func `an empty view costs nothing, and one without symbols costs more only for a while`() {
    var generator = SeededGenerator(seed: 3)
    var plain = Picture(width: SmallSymbol.side, height: SmallSymbol.side, grey: 150)
    for index in plain.pixels.indices { plain.pixels[index] &+= UInt8.random(in: 0...3, using: &generator) }
    var reader = FrameReader()
    for _ in 0..<5 {
      _ = reader.read(plain)
      #expect(reader.workspace.evidence.frameWork == 0)
    }
    // Random cells that resemble a symbol.
    var busy = plain
    for y in 60..<130 {
      for x in 60..<130 where UInt.random(in: 0...1, using: &generator) == 0 { busy.pixels[y * busy.width + x] = 40 }
    }
    var costs: [Int] = []
    var work = 0
    for _ in 0..<900 {
      work += reader.read(busy).workUnits
      costs.append(reader.workspace.evidence.frameWork)
    }
    #expect(costs.prefix(20).max()! > 0)
    #expect(costs.suffix(600).reduce(0, +) * 20 <= work, "\(costs.suffix(600).reduce(0, +)) of \(work) units")
  }
}
