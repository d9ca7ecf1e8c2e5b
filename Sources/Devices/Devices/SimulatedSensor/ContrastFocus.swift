// A camera's own focus: the lens climbs to where the contrast is highest, and searches again when the contrast changes.

import BarcodeTypes

/// Moves a lens by the contrast of frames.
struct ContrastFocus {
  private enum State {
    /// The lens steps on while the contrast grows.
    case climbing(step: Double, turns: Int)
    /// The lens stays; frames in a row whose contrast differs.
    case resting(contrast: Double, changedCount: Int)
  }

  /// The first step and the last one, in dioptres.
  private static let firstStep = 1.0
  private static let lastStep = 0.2
  /// A fall from the best contrast that ends a climb.
  private static let fall = 0.9
  /// The contrasts relative to that at rest within which the lens stays.
  private static let steadyRange = 0.6...1.7
  /// Frames with another contrast until the lens searches again.
  private static let changedCountMax = 5
  /// Pixels between the two that are compared, and rows from one that is examined to the next.
  private static let contrastDistance = 2
  private static let rowStep = 4

  private let range: ClosedRange<Double>
  private var state = State.climbing(step: firstStep, turns: 0)
  private var best: (position: Double, contrast: Double)?
  /// Where the lens should go, in dioptres.
  private(set) var target: Double

  /// - Parameter range: the lens positions to search, in dioptres.
  init(range: ClosedRange<Double>, from position: Double) {
    self.range = range
    target = min(range.upperBound, max(range.lowerBound, position))
  }

  /// The mean squared difference of pixels in a window, relative to their squared mean.
  static func contrast(of frame: LumaView, in window: PixelRegion) -> Double {
    guard let part = frame.cropped(to: window)?.view, part.width > contrastDistance else { return 0 }
    var (differences, levels, count) = (0, 0, 0)
    for y in stride(from: 0, to: part.height, by: rowStep) {
      let row = part.row(y)
      for x in 0..<part.width - contrastDistance {
        let difference = Int(row[x + contrastDistance]) - Int(row[x])
        differences += difference * difference
        levels += Int(row[x])
      }
      count += part.width - contrastDistance
    }
    let mean = Double(levels) / Double(count)
    return Double(differences) / Double(count) / max(1, mean * mean)
  }

  /// Examines a frame that was taken at a lens position.
  mutating func examine(_ contrast: Double, at position: Double) {
    switch state {
    case .resting(let rest, let changedCount):
      let isSteady = Self.steadyRange.contains(contrast / max(1e-9, rest))
      state = .resting(contrast: rest, changedCount: isSteady ? 0 : changedCount + 1)
      if changedCount + 1 > Self.changedCountMax, !isSteady {
        best = nil
        state = .climbing(step: Self.firstStep, turns: 0)
      }
    case .climbing(let step, let turns):
      // A lens that still moves tells nothing.
      guard abs(position - target) < 0.05 else { return }
      climb(contrast, at: position, step: step, turns: turns)
    }
  }

  private mutating func climb(_ contrast: Double, at position: Double, step: Double, turns: Int) {
    if contrast > best?.contrast ?? -1 { best = (position, contrast) }
    guard let best else { return }
    let next = position + step
    if contrast >= best.contrast * Self.fall, range.contains(next) {
      target = next
      state = .climbing(step: step, turns: turns)
    } else if turns == 0 {
      target = min(range.upperBound, max(range.lowerBound, best.position - step))
      state = .climbing(step: -step, turns: 1)
    } else if abs(step) / 2 >= Self.lastStep {
      target = min(range.upperBound, max(range.lowerBound, best.position - step / 2))
      state = .climbing(step: -step / 2, turns: 0)
    } else {
      target = best.position
      state = .resting(contrast: best.contrast, changedCount: 0)
    }
  }
}
