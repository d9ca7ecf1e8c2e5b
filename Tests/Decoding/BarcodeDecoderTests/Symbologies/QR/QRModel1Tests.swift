// Model 1 of QR Code from picture to payload.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct QRModel1Tests {
  private func settings(_ effort: Effort) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.effort = effort
    return settings
  }

  @Test(arguments: 1...QRModel1.versionMax)
  func `every version and level of Model 1 is read and reported with its identifier`(version: Int) {
    for level in 0..<4 {
      let drawing = QRDrawing(model1: "MODEL1", version: version, level: level, mask: (version + level) % 8)
      let view = MatrixView(
        modulePixels: 3, degrees: Double(version * 40 + level * 13), isMirrored: level == 1, isInverted: level == 2)
      for effort in [Effort.frame, .still] {
        let read = Picture.drawn(drawing.modules, view: view).picture.decode(settings(effort))
        #expect(read.map(\.text) == ["MODEL1"], "level \(level)")
        guard let symbol = read.first?.symbol else { continue }
        #expect(symbol.symbology == .qr && symbol.aimModifier == 0x30)
        #expect(symbol.isMirrored == (level == 1) && symbol.isInverted == (level == 2))
      }
    }
  }

  /// The blocks of a level leave fewer codewords unused than there are blocks, and all places differ.
  @Test(arguments: 1...QRModel1.versionMax)
  func `no two codewords of Model 1 share a module`(version: Int) {
    let size = QRTables.size(version: version)
    var isTaken = [Bool](repeating: false, count: size * size)
    var count = 0
    QRModel1.forEachCodeword(version: version) { column, row, width in
      count += 1
      for bit in 0..<8 {
        let index = (row - bit / width) * size + column - bit % width
        #expect(!isTaken[index])
        isTaken[index] = true
      }
    }
    for level in 0..<4 {
      let blocks = QRModel1.blocks(version: version, level: QRCorrectionLevel(rawValue: level)!)
      #expect(blocks.codewordCount <= count && blocks.codewordCount + blocks.count > count)
      #expect(blocks.checkCount <= QRCodewordReader.checkCountMax)
    }
  }

  @Test func `damage to Model 1 is corrected`() {
    let drawing = QRDrawing(model1: "MODEL1", version: 3, level: 1, mask: 2, damaged: Array(stride(from: 1, to: 29, by: 2)))
    let read = Picture.drawn(drawing.modules).picture.decode(settings(.still))
    #expect(read.map(\.text) == ["MODEL1"] && read.first?.symbol.correctedCodewordCount == 14)
  }

  @Test(arguments: [(2.0, 0.35, 2), (3.0, 0.45, 7), (2.5, 0.4, 12)])
  func `a blurred, tilted and noisy symbol of Model 1 is read`(modulePixels: Double, blur: Double, version: Int) {
    let drawing = QRDrawing(model1: "MODEL1", version: version, level: 1, mask: 3)
    let view = MatrixView(
      modulePixels: modulePixels, degrees: 50, taper: 0.1, blurModules: blur, noise: 1.5, seed: 5, light: 200, dark: 60)
    #expect(Picture.drawn(drawing.modules, view: view).picture.decode(settings(.still)).map(\.text) == ["MODEL1"])
  }
}
