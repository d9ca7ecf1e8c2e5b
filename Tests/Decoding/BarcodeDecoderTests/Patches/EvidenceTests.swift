import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Frames that read a symbol together and not alone.
@Suite struct EvidenceTests {
  @Test func `explore`() {
    for (symbology, text) in [(Symbology.qr, "RETICLE-4711"), (.datamatrix, "RETICLE-4711"), (.ean13, "4006381333931"), (.code128, "RET-4711")] {
      for pixels in [1.1, 1.2, 1.3] {
        for blur in [0.1, 0.15, 0.2] {
        for noise in [3.0, 8, 16, 24, 32] {
          var (single, still, ten) = (0, 0, 0)
          for seed in 1...6 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let symbol = SmallSymbol(symbology, text)
            let frames = (0..<10).map { _ in symbol.frame(modulePixels: pixels, noise: noise, blur: blur, using: &generator) }
            var a = false, b = false, c = false
            var reader = FrameReader()
            for frame in frames { if reader.read(frame).texts.contains(text) { c = true } }
            for frame in frames {
              var alone = FrameReader()
              if alone.read(frame).texts.contains(text) { a = true }
              if alone.read(frame, effort: .still).texts.contains(text) { b = true }
            }
            if a { single += 1 }
            if b { still += 1 }
            if c { ten += 1 }
          }
          print(symbology, pixels, "blur", blur, "noise", noise, "frame", single, "still", still, "ten", ten)
        }
        }
      }
    }
  }
}
