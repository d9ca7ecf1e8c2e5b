// Modules that blur has run into each other, restored.

import Foundation
import TestSupport
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct ModuleRestoringTests {
  /// Random modules on paper, seen through a Gaussian blur with noise: dark ones are 40, light ones 220.
  private struct BlurredModules {
    let columns: Int
    let rows: Int
    var isDark: [Bool] = []
    var greys: [UInt8] = []

    /// - Parameter sigma: the blur's standard deviation in modules.
    init(columns: Int, rows: Int, sigma: Double, noise: Double, isInverted: Bool, _ generator: inout SeededGenerator) {
      (self.columns, self.rows) = (columns, rows)
      for _ in 0..<(columns * rows) { isDark.append(Bool.random(using: &generator)) }
      func share(_ distance: Int) -> Double {
        let unit = sigma * 2.0.squareRoot()
        return (erf((Double(distance) + 0.5) / unit) - erf((Double(distance) - 0.5) / unit)) / 2
      }
      for row in 0..<rows {
        for column in 0..<columns {
          var dark = 0.0
          for y in max(0, row - 4)...min(rows - 1, row + 4) {
            for x in max(0, column - 4)...min(columns - 1, column + 4) where isDark[y * columns + x] {
              dark += share(x - column) * share(y - row)
            }
          }
          let grey = 220 - 180 * dark + Double.random(in: -noise...noise, using: &generator)
          greys.append(UInt8(max(0, min(255, isInverted ? 255 - grey : grey))))
        }
      }
    }

    /// Modules on the wrong side of a threshold.
    func wrongCount(isInverted: Bool, _ value: (Int) -> Int, threshold: (Int) -> Int) -> Int {
      isDark.indices.count { ((value($0) < threshold($0)) != isInverted) != isDark[$0] }
    }
  }

  @Test(arguments: [(0.62, ModuleBlur.moderate), (0.77, .strong)], [false, true])
  func `blurred modules are restored`(_ blur: (sigma: Double, means: ModuleBlur), _ isInverted: Bool) throws {
    var generator = SeededGenerator(seed: UInt64(TestSeed.value))
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { memory.deallocate() }
    var (wrong, wrongBefore, count) = (0, 0, 0)
    for (columns, rows) in [(25, 25), (48, 8), (11, 11), (60, 60)] {
      let drawn = BlurredModules(
        columns: columns, rows: rows, sigma: blur.sigma, noise: 4, isInverted: isInverted, &generator)
      var arena = Arena(base: memory, byteCount: 1 << 20)
      let greys = try ScratchArray<UInt8>(columns * rows, arena: &arena)
      for index in 0..<greys.count { greys[index] = drawn.greys[index] }
      let restoring = try ModuleRestoring(columns * rows, arena: &arena)
      restoring.restore(greys, columns: columns, rows: rows, blur.means, isInverted: isInverted)
      wrong += drawn.wrongCount(isInverted: isInverted) {
        Int(restoring.modules[$0])
      } threshold: {
        restoring.middle(column: $0 % columns, row: $0 / columns)
      }
      wrongBefore += drawn.wrongCount(isInverted: isInverted) {
        Int(greys[$0])
      } threshold: { _ in
        isInverted ? 125 : 130
      }
      count += columns * rows
    }
    print("σ \(blur.sigma): of \(count) modules \(wrongBefore) are wrong as sampled, \(wrong) restored")
    #expect(wrongBefore * 100 > count * 8)
    #expect(wrong * 5 <= wrongBefore)
  }
}
