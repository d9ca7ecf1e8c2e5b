// Sharp drawings whose edges all lie on the borders of tiles: no edge is inside a tile.

import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct TileBorderTests {
  private var frame: DecoderSettings {
    var settings = DecoderSettings()
    settings.effort = .frame
    return settings
  }

  @Test(arguments: [8, 16, 24])
  func `a frame reads a linear symbol whose edges lie on the borders of tiles`(side: Int) {
    for place in [12 * side, 12 * side + 8] {
      let ean = Picture.sharp(bars(LinearEncoder.ean13("4006381333931")), side: side, margin: place)
      #expect(ean.decode(frame).map(\.text) == ["4006381333931"])
      let code128 = Picture.sharp(bars(LinearEncoder.code128(text: "A-7")), side: side, margin: place)
      #expect(code128.decode(frame).map(\.text) == ["A-7"])
    }
  }

  @Test(arguments: [8, 16, 24])
  func `a frame reads a Data Matrix whose edges lie on the borders of tiles`(side: Int) {
    let size = (0..<DataMatrixTables.sizeCount).map { DataMatrixTables.size($0) }.first {
      $0.rows == 12 && $0.columns == 12
    }!
    let modules = DataMatrixDrawing("TILE", size: size).modules
    for place in [4 * side, 4 * side + 8] {
      #expect(Picture.sharp(modules, side: side, margin: place).decode(frame).map(\.text) == ["TILE"])
    }
  }
}
