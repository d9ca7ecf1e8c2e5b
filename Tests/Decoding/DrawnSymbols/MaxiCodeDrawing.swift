// Makes MaxiCode symbols from ISO/IEC 16023: data codewords to blocks with check codewords, hexagons and rings. Only the
// places of the modules come from the decoder's table, which has its own tests.

import BarcodeTypes
import Foundation

@testable import BarcodeDecoder

/// A symbol as modules; true is dark.
struct MaxiCodeDrawing {
  /// 33 rows of 30 modules; the last one of odd rows is not drawn.
  private(set) var modules: [[Bool]]

  /// Makes a symbol from its data codewords: ten for the primary message, beginning with the mode, then 84 more, or 68 in
  /// mode 5.
  ///
  /// - Parameter damaged: codewords of the symbol, 0...143, with one inverted bit.
  init(_ data: [Int], damaged: [Int] = []) {
    let checkCount = data[0] & 15 == 5 ? 56 : 40
    precondition(data.count == 10 + 124 - checkCount)
    let primary = Array(data.prefix(10))
    let secondary = Array(data.dropFirst(10))
    var codewords = primary + AztecDrawing.checkCodewords(primary, count: 10, width: 6)
    let checks = (0..<2).map { turn in
      AztecDrawing.checkCodewords(
        secondary.indices.filter { $0 % 2 == turn }.map { secondary[$0] }, count: checkCount / 2, width: 6)
    }
    codewords += secondary + (0..<checkCount).map { checks[$0 % 2][$0 / 2] }
    for index in damaged { codewords[index] ^= 1 << (index % 6) }
    let memory = TestArena()
    let layout = try! MaxiCodeLayout(arena: &memory.arena)
    modules = [[Bool]](repeating: [Bool](repeating: false, count: 30), count: 33)
    for bit in 0..<864 where codewords[bit / 6] >> (5 - bit % 6) & 1 == 1 {
      modules[layout.place(ofBit: bit) / 30][layout.place(ofBit: bit) % 30] = true
    }
    // Orientation marks (§4.2.3) and the upper right corner.
    for (row, column) in [
      (0, 28), (0, 29), (9, 10), (9, 11), (10, 11), (15, 7), (16, 8), (16, 20), (17, 20), (22, 10), (23, 10), (22, 17),
      (23, 17),
    ] {
      modules[row][column] = true
    }
  }

  /// Makes a symbol from text in code set A, in mode 4 or 5.
  init(_ text: String, mode: Int = 4, damaged: [Int] = []) {
    let count = mode == 5 ? 78 : 94
    let codewords = [mode] + MaxiCodeDrawing.codewords(text)
    self.init(codewords + [Int](repeating: 33, count: count - codewords.count), damaged: damaged)
  }

  /// Capital letters, spaces and the characters from 34 to 58, in code set A.
  static func codewords(_ text: String) -> [Int] { text.utf8.map { Int($0) >= 0x41 ? Int($0) - 0x40 : Int($0) } }

  mutating func flip(column: Int, row: Int) { modules[row][column].toggle() }

  /// The hexagons and rings as a printer draws them.
  struct Print {
    /// The distance of rows, in that of columns.
    var rowPitch = 0.75.squareRoot()
    /// The rings' radii, in those of the standard.
    var rings = 1.0
    /// The width and height of the dots that replace hexagons, relative to the distances of columns and rows; nil draws hexagons
    /// without gaps.
    var dot: (width: Double, height: Double)?
  }

  /// The symbol in the middle of a picture. Used from the view are the module's width, rotation, mirroring, inversion, blur,
  /// noise and grey levels.
  func picture(_ view: MatrixView = MatrixView(), _ print: Print = Print()) -> Picture {
    let side = Int((30 * 2.0.squareRoot() + 2 * view.quietModules) * view.modulePixels)
    let middle = Double(side) / 2
    let angle = view.degrees * .pi / 180
    var grey = [Double](repeating: 0, count: side * side)
    for y in 0..<side {
      for x in 0..<side {
        var darkness = 0.0
        for part in 0..<4 {
          let dx = (Double(x) + Double(part % 2) / 2 - 0.25 - middle) / view.modulePixels
          let dy = (Double(y) + Double(part / 2) / 2 - 0.25 - middle) / view.modulePixels
          let across = (dx * cos(angle) + dy * sin(angle)) * (view.isMirrored ? -1 : 1)
          if isDark(across, dy * cos(angle) - dx * sin(angle), print) != view.isInverted { darkness += 0.25 }
        }
        grey[y * side + x] = view.light - (view.light - view.dark) * darkness
      }
    }
    if view.blurModules > 0 { grey = Picture.blurred(grey, side: side, sigma: view.blurModules * view.modulePixels) }
    var picture = Picture(width: side, height: side)
    var generator = SeededGenerator(seed: view.seed)
    for index in grey.indices {
      let noise = view.noise > 0 ? generator.normal() * view.noise : 0
      picture.pixels[index] = UInt8(min(255, max(0, (grey[index] + noise).rounded())))
    }
    return picture
  }

  /// Whether a place, in modules from the bullseye's centre, is dark.
  private func isDark(_ x: Double, _ y: Double, _ print: Print) -> Bool {
    let radius = (x * x + y * y).squareRoot()
    let radii = [0.58, 1.34, 2.11, 2.88, 3.64, 4.40].map { $0 * print.rings }
    if radius < radii[5] { return radii.filter { $0 <= radius }.count % 2 == 1 }
    let pitch = print.rowPitch
    var nearest = (distance: Double.infinity, row: 0, column: 0, across: 0.0, down: 0.0)
    for row in Int((y / pitch).rounded(.down)) + 16...Int((y / pitch).rounded(.up)) + 16 {
      let shift = row % 2 == 0 ? 0.0 : 0.5
      let column = Int((x - shift).rounded()) + 14
      let (dx, dy) = (x - Double(column - 14) - shift, y - Double(row - 16) * pitch)
      if dx * dx + dy * dy < nearest.distance { nearest = (dx * dx + dy * dy, row, column, dx, dy) }
    }
    guard modules.indices.contains(nearest.row), nearest.column >= 0, nearest.column < (nearest.row % 2 == 0 ? 30 : 29)
    else {
      return false
    }
    if let dot = print.dot {
      let (across, down) = (nearest.across / dot.width * 2, nearest.down / dot.height / pitch * 2)
      guard across * across + down * down <= 1 else { return false }
    }
    return modules[nearest.row][nearest.column]
  }
}
