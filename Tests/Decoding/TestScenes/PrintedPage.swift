// A page of print without a barcode, as seen by a camera: its lines look like bars and cells, so it costs a decoder much.

/// Lines of drawn words in letters of several sizes, slightly blurred, with the sensor's noise. The same page each time.
public enum PrintedPage {
  public static let width = 1280
  public static let height = 720

  private static let paper = 200.0
  private static let ink = 50.0
  /// Standard deviation of the noise, in grey levels.
  private static let noise = 1.5
  /// Letters per word.
  private static let wordLengths = 2...9

  /// Rows of luma.
  public static func draw() -> [UInt8] {
    var chance = SeededNoise(seed: 417)
    var page = [Double](repeating: paper, count: width * height)
    let letters = DotLetters.rows.keys.sorted()
    var y = 12
    while y < height {
      // Pixels per dot.
      let dot = Int.random(in: 2...5, using: &chance)
      var x = Int.random(in: 8...40, using: &chance)
      while x < width {
        for _ in 0..<Int.random(in: wordLengths, using: &chance) {
          let letter = letters[Int.random(in: letters.indices, using: &chance)]
          print(DotLetters.rows[letter] ?? [], x, y, dot, on: &page)
          x += 4 * dot
        }
        x += 3 * dot
      }
      y += 8 * dot
    }
    return seen(page, &chance)
  }

  private static func print(_ rows: [Int], _ left: Int, _ top: Int, _ dot: Int, on page: inout [Double]) {
    for (row, bits) in rows.enumerated() {
      for column in 0..<3 where bits & (4 >> column) != 0 {
        for y in top + row * dot..<min(height, top + (row + 1) * dot) {
          let x = left + column * dot
          for x in min(width, x)..<min(width, x + dot) { page[y * width + x] = ink }
        }
      }
    }
  }

  /// The lens's blur, with weights 1, 2, 1 along rows and columns, and noise.
  private static func seen(_ page: [Double], _ chance: inout SeededNoise) -> [UInt8] {
    var page = page
    for step in [1, width] {
      let sharp = page
      for index in step..<page.count - step {
        page[index] = (sharp[index - step] + 2 * sharp[index] + sharp[index + step]) / 4
      }
    }
    return page.map { UInt8(max(0, min(255, ($0 + noise * chance.nextNormal()).rounded()))) }
  }
}
