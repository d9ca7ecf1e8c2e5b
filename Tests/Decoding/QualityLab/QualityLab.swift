// The series of grades, and the repetition of one symbol with noise.

import BarcodeTypes
import PrintQuality
import SymbolPrinter
import WornSymbols

/// The grades of one symbology with one defect, by strength.
struct Series {
  let symbology: Symbology
  let defect: Defect
  /// Mean grades of several symbols, for evenly spaced strengths from 0 to 1.
  var grades: [Double] = []
  /// The largest rise of a single symbol's grade from one strength to the next.
  var riseMax = 0.0

  /// Half the tolerance that the standards give for repeated measurements of one symbol.
  static let tolerance = 0.25

  /// Whether no symbol's grade rose with the strength by more than the tolerance.
  var isMonotone: Bool { riseMax <= Self.tolerance }
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
        var series = Series(symbology: symbology, defect: defect)
        var last = [Double](repeating: 4, count: count)
        for step in 0..<Self.strengthCount {
          let strength = Double(step) / Double(Self.strengthCount - 1)
          var sum = 0.0
          for number in 0..<count {
            let own = seed &+ UInt64(number)
            let grade = grade(
              WornSymbol(Self.drawn(symbology, text(own)), defect, strength: strength, seed: own))
            if step > 0 { series.riseMax = max(series.riseMax, grade - last[number]) }
            last[number] = grade
            sum += grade
            total += 1
          }
          series.grades.append(sum / Double(count))
        }
        let text = series.grades.map { "\((10 * $0).rounded() / 10)" }.joined(separator: " ")
        print("\(series.isMonotone ? "ok  " : "RISE") \(defect) \(symbology.name): \(text)  (largest rise \(series.riseMax))")
        all.append(series)
      }
    }
    print("\(total) symbols")
    return all
  }

  /// 0 for a symbol that is not read or refused.
  private func grade(_ symbol: WornSymbol) -> Double { (try? symbol.graded())??.grade.value ?? 0 }

  /// Whether noisy pictures of one symbol have nearly the same grade.
  func isRepeatable() -> Bool {
    var isRepeatable = true
    for (symbology, text) in Self.texts {
      let picture = Self.drawn(symbology, text(seed))
      for strength in [0.0, 0.35] {
        let grades = (0..<Self.repetitionCount).map { number in
          grade(
            WornSymbol(
              picture, .blur, strength: strength, seed: seed, noise: Self.noise, noiseSeed: seed &+ UInt64(number)))
        }
        let spread = (grades.max() ?? 0) - (grades.min() ?? 0)
        if spread > Self.spreadMax + 1e-9 { isRepeatable = false }
        print("\(spread > Self.spreadMax + 1e-9 ? "WIDE" : "ok  ") noise \(symbology.name) blur \(strength): \(grades)")
      }
    }
    return isRepeatable
  }
}
