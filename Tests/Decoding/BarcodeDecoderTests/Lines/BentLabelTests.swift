import BarcodeTypes
import Foundation
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

extension Picture {
  /// Bars around an upright cylinder: seen from straight ahead, or from above or below, so that the label is an arc.
  ///
  /// - Parameters:
  ///   - half: the angle from the middle of the bars to either end, in degrees.
  ///   - modulePixels: the width of a module in the middle.
  ///   - sagitta: how much lower the middle of the arc lies than its ends, in pixels.
  fileprivate static func around(
    _ elements: [Int], half: Double, modulePixels: Double, barHeightPixels: Double, sagitta: Double
  ) -> Picture {
    let moduleCount = Double(elements.reduce(0, +))
    let angle = half * .pi / 180
    let radius = moduleCount * modulePixels / 2 / angle
    let reach = radius * sin(angle)
    var picture = Picture(
      width: Int(2 * reach + 80), height: Int(barHeightPixels + abs(sagitta) + 100), grey: 210)
    var isDark: [Bool] = []
    for (index, element) in elements.enumerated() { isDark += Array(repeating: index % 2 == 0, count: element) }
    for y in 0..<picture.height {
      for x in 0..<picture.width {
        var darkness = 0
        for part in 0..<64 {
          let u = Double(x) + (Double(part % 8) + 0.5) / 8 - Double(picture.width) / 2
          let v = Double(y) + (Double(part / 8) + 0.5) / 8 - Double(picture.height) / 2
          guard abs(u) < reach, abs(v + sagitta * (u / reach * u / reach - 0.5)) < barHeightPixels / 2 else { continue }
          let module = (asin(u / radius) / angle + 1) / 2 * moduleCount
          if isDark[min(isDark.count - 1, max(0, Int(module)))] { darkness += 1 }
        }
        picture.pixels[y * picture.width + x] = UInt8(210 - 170 * darkness / 64)
      }
    }
    return picture
  }
}

@Suite struct BentLabelTests {
  @Test func `the table of the arcsine is exact`() {
    for index in 0...128 { #expect(Int(arcsine[index]) == Int((asin(Double(index) / 128) * 65536).rounded())) }
  }

  @Test func `unrolled places lead back to those of the row`() {
    let bend = RowBend(center: 100_000, radius: 120_000, length: 220_000)
    for place in stride(from: Int32(0), to: 220_000, by: 1_000) { #expect(abs(bend.bent(bend.flat(place)) - place) <= 1) }
    #expect(bend.flat(0) == 0)
    // Twice as wide at 60 degrees as in the middle.
    let side = Int32(100_000 + 103_923)
    let ratio = Double(bend.flat(side + 500) - bend.flat(side - 500)) / Double(bend.flat(100_500) - bend.flat(99_500))
    #expect(abs(ratio - 2) < 0.1)
  }

  @Test(arguments: [
    ("code128", LinearEncoder.code128(text: "XQM32N0V")), ("code39", LinearEncoder.code39("TR-42")),
    ("itf", LinearEncoder.interleaved("30712345000010")), ("ean13", LinearEncoder.ean13("4006381333931")),
    ("upce", LinearEncoder.upce("01234565")),
  ])
  func `bars around a cylinder are read where both ends are half as wide as the middle`(name: String, elements: [Int]) {
    let picture = Picture.around(elements, half: 58, modulePixels: 3.5, barHeightPixels: 60, sagitta: 0)
    #expect(picture.decode().map { $0.symbol.symbology.family } == [.linear], "\(name)")
  }

  @Test(arguments: [-40.0, 40.0])
  func `low bars are read along an arc that no straight line follows`(sagitta: Double) {
    let picture = Picture.around(
      LinearEncoder.code128(text: "XQM32N0V"), half: 20, modulePixels: 3, barHeightPixels: 16, sagitta: sagitta)
    #expect(picture.decode().map(\.text) == ["XQM32N0V"])
  }
}
