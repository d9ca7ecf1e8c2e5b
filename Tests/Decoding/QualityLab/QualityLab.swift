// The series of grades, and the repetition of one symbol with noise.

import BarcodeTypes
import PrintQuality
import SymbolPrinter
import WornSymbols

/// The grades of one symbology with one defect, by strength.
struct Series {
  let symbology: Symbology
  let defect: Defect
  /// Of each drawn symbol, for evenly spaced strengths from 0 to 1; nil where it was not read.
  var grades: [[Double?]]

  /// The rise that a stronger defect may bring, as its edges fall on other pixels and its spots elsewhere: the spread that repeated
  /// pictures may have.
  static let riseMax = 0.5

  /// Means by strength. A symbol that is never read again has the grade 0, one that is read at a greater strength counts as there.
  var means: [Double] {
    let filled = grades.map { one in
      one.indices.map { index in one[index] ?? one[index...].compactMap(\.self).first ?? 0 }
    }
    return filled[0].indices.map { index in filled.reduce(0) { $0 + $1[index] } / Double(filled.count) }
  }

  /// Symbols that were not read, but at a greater strength: the decoder's misses.
  var missCount: Int {
    grades.reduce(0) { sum, one in
      sum + one.indices.count { index in one[index] == nil && one[index...].contains { $0 != nil } }
    }
  }

  /// The largest rise of a symbol's grade with the strength.
  var rise: Double {
    grades.map { one in
      let read = one.compactMap(\.self)
      return zip(read, read.dropFirst()).map { $1 - $0 }.max() ?? 0
    }.max() ?? 0
  }

  var isMonotone: Bool { rise <= Self.riseMax }
}

struct QualityLab {
  let seed: UInt64
  let depth: Double

  /// Strengths in a series, and symbols for each of them at a depth of 1.
  private static let (strengthCount, symbolCount) = (11, 4.0)
  /// Noisy pictures of one symbol, their noise in levels, and by how much their grades may differ.
  private static let (repetitionCount, noise, spreadMax) = (10, 2.0, 0.5)

  private static let texts: [(symbology: Symbology, text: @Sendable (UInt64) -> String)] = [
    (.ean13, { "4\(digits($0, 11))" }),
    (.ean8, { digits($0, 7) }),
    (.upca, { digits($0, 11) }),
    (.code128, { "TK\(digits($0, 6))" }),
    (.code39, { "A\(digits($0, 5))" }),
    (.itf14, { digits($0, 13) }),
    (.datamatrix, { "SERIAL \(digits($0, 12))" }),
    (.qr, { "https://example.org/\(digits($0, 9))" }),
  ]

  private static func digits(_ seed: UInt64, _ count: Int) -> String {
    var state = seed
    return String(
      (0..<count).map { _ -> Character in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Character("\(state >> 33 % 10)")
      })
  }

  private static func drawn(_ symbology: Symbology, _ text: String) -> ModulePicture {
    do throws(SymbolPrinterError) {
      return try SymbolPrinter.print(SymbolRequest(text, symbology: symbology))
    } catch {
      fatalError("\(symbology): \(error)")
    }
  }

  /// Grades all series.
  func run() -> [Series] {
    let count = max(1, Int((Self.symbolCount * depth).rounded()))
    var all: [Series] = []
    var total = 0
    for defect in Defect.allCases {
      for (symbology, text) in Self.texts where defect.applies(to: symbology) {
        let grades = (0..<count).map { number -> [Double?] in
          let own = seed &+ UInt64(number)
          let picture = Self.drawn(symbology, text(own))
          return (0..<Self.strengthCount).map { step in
            grade(WornSymbol(picture, defect, strength: Double(step) / Double(Self.strengthCount - 1), seed: own))
          }
        }
        total += count * Self.strengthCount
        let series = Series(symbology: symbology, defect: defect, grades: grades)
        let means = series.means.map { "\((10 * $0).rounded() / 10)" }.joined(separator: " ")
        let verdict = series.isMonotone ? "ok  " : "RISE"
        print("\(verdict) \(defect) \(symbology.name): \(means)  rise \(series.rise), misses \(series.missCount)")
        all.append(series)
      }
    }
    print("\(total) symbols")
    return all
  }

  /// Nil for a symbol that is not read; 0 for one that is refused.
  private func grade(_ symbol: WornSymbol) -> Double? {
    do throws(GradingRefusal) {
      return try symbol.graded()?.grade.value
    } catch {
      return 0
    }
  }

  /// Whether noisy pictures of one symbol have nearly the same grade.
  func isRepeatable() -> Bool {
    var isRepeatable = true
    for (symbology, text) in Self.texts {
      let picture = Self.drawn(symbology, text(seed))
      for strength in [0.0, 0.35, 0.5] {
        let grades = (0..<Self.repetitionCount).map { number -> Double in
          grade(
            WornSymbol(
              picture, .blur, strength: strength, seed: seed, noise: Self.noise, noiseSeed: seed &+ UInt64(number))) ?? 0
        }
        let spread = (grades.max() ?? 0) - (grades.min() ?? 0)
        if spread > Self.spreadMax + 1e-9 { isRepeatable = false }
        print("\(spread > Self.spreadMax + 1e-9 ? "WIDE" : "ok  ") noise \(symbology.name) blur \(strength): \(grades)")
      }
    }
    return isRepeatable
  }
}
