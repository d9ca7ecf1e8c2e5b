// Sharp drawings whose edges all lie on the borders of tiles: none of them shows inside of a tile.

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

  /// The modules of a matrix, or of a row of bars 20 modules high, drawn sharply from a place on.
  private func picture(_ modules: [[Bool]], side: Int, at place: Int) -> Picture {
    let rows = modules.count == 1 ? Array(repeating: modules[0], count: 20) : modules
    var picture = Picture(
      width: rows[0].count * side + 2 * place, height: rows.count * side + 2 * place, grey: 220)
    for (y, row) in rows.enumerated() {
      for (x, isDark) in row.enumerated() where isDark {
        for line in 0..<side {
          let first = (place + y * side + line) * picture.width + place + x * side
          for pixel in first..<(first + side) { picture.pixels[pixel] = 20 }
        }
      }
    }
    return picture
  }

  private func bars(_ elements: [Int]) -> [[Bool]] {
    [elements.enumerated().flatMap { index, width in Array(repeating: index % 2 == 0, count: width) }]
  }

  @Test(arguments: [8, 16, 24])
  func `a frame reads a linear symbol whose edges lie on the borders of tiles`(side: Int) {
    for place in [12 * side, 12 * side + 8] {
      let ean = picture(bars(LinearEncoder.ean13("4006381333931")), side: side, at: place)
      #expect(ean.decode(frame).map(\.text) == ["4006381333931"])
      let code128 = picture(bars(LinearEncoder.code128(text: "A-7")), side: side, at: place)
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
      #expect(picture(modules, side: side, at: place).decode(frame).map(\.text) == ["TILE"])
    }
  }
}
