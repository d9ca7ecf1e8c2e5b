import BarcodeTypes
import Testing

@testable import PrintQuality

/// Profiles made by hand: reflectances of whole elements, without blur, so that each parameter is known.
@Suite struct ProfileTests {
  /// Samples per module.
  private static let step = 10

  /// The samples of elements, a quiet zone of `quiet` modules before and after.
  private static func samples(
    _ widths: [Double], dark: Double = 0.1, light: Double = 0.9, quiet: Double = 12
  ) -> [Double] {
    func run(_ level: Double, _ width: Double) -> [Double] {
      [Double](repeating: level, count: Int((width * Double(step)).rounded()))
    }
    var samples = run(light, quiet)
    for (index, width) in widths.enumerated() { samples += run(index % 2 == 0 ? dark : light, width) }
    return samples + run(light, quiet)
  }

  private static func quality(
    _ samples: [Double], _ widths: [Double], quiet: Double = 12, as symbology: Symbology, _ kind: LinearKind, payload: String
  ) -> ProfileQuality {
    let start = quiet * Double(step)
    let profile = ScanReflectanceProfile(
      samples: samples, moduleSamples: Double(step), start: start, end: start + widths.reduce(0, +) * Double(step))
    return ProfileQuality(profile, as: symbology, kind, payload: Array(payload.utf8))
  }

  /// An EAN-8 of 9638 5074, digit by digit after the figure of the GS1 General Specifications.
  private static let ean8: [Double] =
    [1, 1, 1] + [3, 1, 1, 2] + [1, 1, 1, 4] + [1, 4, 1, 1] + [1, 2, 1, 3] + [1, 1, 1, 1, 1] + [1, 2, 3, 1] + [3, 2, 1, 1]
    + [1, 3, 1, 2] + [1, 1, 3, 2] + [1, 1, 1]

  private func measure(_ quality: ProfileQuality, _ kind: QualityParameter.Kind) -> Double? {
    quality.parameters.first { $0.kind == kind }?.measure
  }

  private func grade(_ quality: ProfileQuality, _ kind: QualityParameter.Kind) -> Int? {
    quality.parameters.first { $0.kind == kind }?.grade?.tenths
  }

  @Test func `a perfect profile has 4.0 in everything`() {
    let quality = Self.quality(Self.samples(Self.ean8), Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(quality.decoding?.characters == Array("96385074".utf8))
    #expect(quality.grade == .best)
    #expect(abs((measure(quality, .symbolContrast) ?? 0) - 0.8) < 1e-9)
    #expect(abs((measure(quality, .decodability) ?? 0) - 1) < 1e-9)
    #expect(abs(measure(quality, .printGrowth) ?? 1) < 1e-9)
  }

  @Test func `one pale bar sets edge contrast and modulation`() {
    var samples = Self.samples(Self.ean8)
    // The first bar, one module wide, reaches 0.42 alone: EC 0.48 of SC 0.8.
    for index in 120..<130 { samples[index] = 0.42 }
    let quality = Self.quality(samples, Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(abs((measure(quality, .edgeContrast) ?? 0) - 0.48) < 1e-9)
    #expect(abs((measure(quality, .modulation) ?? 0) - 0.6) < 1e-9)
    #expect(grade(quality, .modulation) == 30)
    #expect(quality.grade.tenths == 30)
  }

  @Test func `a spot in a quiet zone and a void in a bar are defects by their depth`() {
    var samples = Self.samples(Self.ean8)
    for index in 40..<44 { samples[index] = 0.9 - 0.16 }
    let spot = Self.quality(samples, Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(abs((measure(spot, .defects) ?? 0) - 0.2) < 1e-9)
    #expect(grade(spot, .defects) == 30)
    // A bar of four modules begins after 3 + 7 + 3 modules.
    var voids = Self.samples(Self.ean8)
    for index in 270..<274 { voids[index] = 0.1 + 0.24 }
    #expect(voids[262] == 0.1 && voids[280] == 0.1)
    let void = Self.quality(voids, Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(abs((measure(void, .defects) ?? 0) - 0.3) < 1e-9)
    #expect(grade(void, .defects) == 10)
  }

  @Test func `slopes of edges are no defects`() {
    let sharp = Self.samples(Self.ean8)
    let blurred = sharp.indices.map { index in
      let part = sharp[max(0, index - 3)...min(sharp.count - 1, index + 3)]
      return part.reduce(0, +) / Double(part.count)
    }
    let quality = Self.quality(blurred, Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(abs(measure(quality, .defects) ?? 1) < 1e-9 && quality.decoding != nil)
  }

  @Test func `dark paper fails by its minimum reflectance and its edge contrast`() {
    let pale = Self.quality(Self.samples(Self.ean8, dark: 0.46), Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(grade(pale, .minimumReflectance) == 0 && pale.grade == .fail && pale.decoding != nil)
    let limit = Self.quality(Self.samples(Self.ean8, dark: 0.45), Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(grade(limit, .minimumReflectance) == 40)
    let dim = Self.quality(
      Self.samples(Self.ean8, dark: 0.05, light: 0.19), Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(grade(dim, .edgeContrast) == 0)
  }

  /// Sums of neighbouring elements may deviate by half a module: an edge moved by d uses 2 d of that.
  @Test(arguments: [(0.1, 0.8), (0.2, 0.6), (0.3, 0.4)])
  func `an edge that moves costs decodability`(shift: Double, expected: Double) {
    // The first space and bar of the digit 6: their sum stays, that of the bar and the next space shrinks.
    var widths = Self.ean8
    widths[7] += shift
    widths[8] -= shift
    let quality = Self.quality(Self.samples(widths), widths, as: .ean8, .ean8, payload: "96385074")
    #expect(abs((measure(quality, .decodability) ?? 0) - expected) < 1e-6)
  }

  @Test func `ink spread leaves the sums of edges, but not the bars of 1, 2, 7 and 8`() {
    func spread(_ widths: [Double], _ growth: Double) -> [Double] {
      widths.enumerated().map { $0.offset % 2 == 0 ? $0.element + growth : $0.element - growth }
    }
    // 9638 5074 has an 8 with five dark modules and a 7 with two, where its 2 and 1 would have three and four.
    let plain = LinearKind.ean8.decode(Self.ean8)
    let grown = LinearKind.ean8.decode(spread(Self.ean8, 0.3))
    #expect(plain?.decodability == 1)
    #expect(abs((grown?.decodability ?? 0) - 0.4) < 1e-9)
    #expect(LinearKind.ean8.decode(spread(Self.ean8, 0.3))?.characters == Array("96385074".utf8))
  }

  @Test func `narrow quiet zones fail, and what the picture cuts is not graded`() {
    var samples = Self.samples(Self.ean8)
    // Something dark that ends 5 modules before the first bar, where 7 are needed.
    for index in 60..<70 { samples[index] = 0.1 }
    let narrow = Self.quality(samples, Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(grade(narrow, .quietZone) == 0 && narrow.grade == .fail)
    #expect(abs((measure(narrow, .quietZone) ?? 0) - 5) < 0.06)
    let cut = Self.quality(
      Self.samples(Self.ean8, quiet: 4), Self.ean8, quiet: 4, as: .ean8, .ean8, payload: "96385074")
    #expect(cut.parameters.contains { $0.kind == .quietZone && $0.grade == nil } && cut.grade == .best)
  }

  @Test func `another number is no decoding, and nothing is one`() {
    let other = Self.quality(Self.samples(Self.ean8), Self.ean8, as: .ean8, .ean8, payload: "96385081")
    #expect(other.decoding == nil && other.grade == .fail)
    let empty = Self.quality([Double](repeating: 0.5, count: 900), Self.ean8, as: .ean8, .ean8, payload: "96385074")
    #expect(empty.grade == .fail)
    #expect(LinearKind.ean13.decode([]) == nil && LinearKind.code128.decode([1, 2, 3]) == nil)
  }

  @Test func `two widths compare the worst element with the mean ones`() {
    // Interleaved 2 of 5 of 38 67: narrow 1, wide 2.5.
    let wide = 2.5
    func pair(_ bars: [Bool], _ spaces: [Bool]) -> [Double] { zip(bars, spaces).flatMap { [$0 ? wide : 1, $1 ? wide : 1] } }
    let three = [true, true, false, false, false]
    let eight = [true, false, false, true, false]
    let widths: [Double] = [1, 1, 1, 1] + pair(three, eight) + [wide, 1, 1]
    let perfect = LinearKind.interleaved.decode(widths)
    #expect(perfect?.characters == Array("38".utf8))
    #expect(abs((perfect?.decodability ?? 0) - 1) < 1e-9)
    // Threshold 16 · 7/64 = 1.75. A narrow element of 1.3 and one of 0.7 keep mean and sum: 0.45 of 0.75.
    var uneven = widths
    let narrows = (4..<14).filter { widths[$0] == 1 }
    uneven[narrows[0]] = 1.3
    uneven[narrows[1]] = 0.7
    #expect(abs((LinearKind.interleaved.decode(uneven)?.decodability ?? 0) - 0.6) < 1e-9)
  }
}
