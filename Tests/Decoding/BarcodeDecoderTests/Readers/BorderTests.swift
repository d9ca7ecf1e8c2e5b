// Symbols that end at the picture's border: beyond it, the area may or may not be quiet.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct BorderTests {
  private static let efforts: [Effort] = [.frame, .still]

  private func texts(_ picture: Picture, _ effort: Effort) -> [String] {
    var settings = DecoderSettings()
    settings.effort = effort
    return picture.decode(settings).map(\.text)
  }

  /// Dark on light, and light on dark.
  private static let colours: [(light: UInt8, dark: UInt8)] = [(220, 20), (20, 220)]

  @Test(arguments: [3, 4, 7]) func `QR symbols that fill the picture are read, dark on light and light on dark`(side: Int) {
    var rectangular = RMQRBits(RMQRFormat(data: 8))
    rectangular.appendDigits("90210")
    let drawings = [
      ("BORDER", QRDrawing("BORDER", version: 1, level: 1, mask: 2).modules),
      ("90210", RMQRDrawing(rectangular).modules),
      ("123", MicroQRDrawing(MicroQRDrawing.digits("123", version: 2), number: 1, mask: 1).modules),
    ]
    for (text, modules) in drawings {
      for (light, dark) in Self.colours {
        let picture = Picture.sharp(modules, side: side, margin: 0, light: light, dark: dark)
        for effort in Self.efforts { #expect(texts(picture, effort) == [text], "\(effort), light \(light)") }
      }
    }
  }

  @Test(arguments: [2, 3, 5]) func `an Interleaved 2 of 5 and a Codabar that were cropped to their bars are read`(side: Int)
  {
    for margin in [0, 1, 2 * side] {
      for effort in Self.efforts {
        let interleaved = Picture.sharp(bars(LinearEncoder.interleaved("0829220875")), side: side, margin: margin)
        #expect(texts(interleaved, effort) == ["0829220875"], "\(margin) pixels")
        let codabar = Picture.sharp(bars(LinearEncoder.codabar("A294586B")), side: side, margin: margin)
        #expect(texts(codabar, effort) == ["A294586B"], "\(margin) pixels")
      }
    }
  }

  /// Pieces whose cut end looks like a start or a stop. In some, half of the narrow element nearest to the cut is missing.
  @Test func `no piece of an Interleaved 2 of 5 or a Codabar is read as a shorter one`() {
    for (text, elements) in [
      // 3, 5 and 6 end like a start; 1, 5 and 8 begin like a stop.
      ("335566118855", LinearEncoder.interleaved("335566118855")), ("A80125178+B", LinearEncoder.codabar("A80125178+B")),
      ("A0944416895273A", LinearEncoder.codabar("A0944416895273A")),
    ] {
      let side = 4
      let whole = Picture.sharp(bars(elements), side: side, margin: 12 * side)
      for cut in stride(from: 0, to: whole.width, by: 2) {
        for picture in [whole.cut(cut..<whole.width), whole.cut(0..<(whole.width - cut))] where picture.width >= 16 {
          let read = texts(picture, .still)
          #expect(read.isEmpty || read == [text], "\(cut) pixels cut off")
        }
      }
    }
  }
}
