// The fixed patterns of matrix symbols in segments, and the grades of their damage.

import BarcodeDecoder

/// A part of a symbol's fixed patterns.
public struct PatternSegment: Sendable {
  /// As the symbology's standard calls it.
  public let name: String
  public let grade: Grade
  /// The modules that are wrong outright.
  public let wrongCount: Int
  public let moduleCount: Int
}

/// A module of a fixed pattern, inside the symbol or in its quiet zone.
struct FixedModule: Hashable {
  var column: Int
  var row: Int
  var isDark: Bool
}

/// How many module errors a segment may have for each grade.
enum DamageScale {
  /// Numbers of module errors: one grade less for each.
  case count
  /// Percentages of the modules for the grades 3, 2 and 1; none for 4.
  case share(Double, Double, Double)
  /// The same, but percentages of patterns: those with an error.
  case patterns(Double, Double, Double, moduleCount: Int)

  /// - Parameter isWrong: of each module of the segment in order.
  func grade(_ isWrong: [Bool]) -> Grade {
    switch self {
    case .count:
      return Grade(tenths: 40 - 10 * isWrong.count { $0 })
    case .share(let three, let two, let one):
      return Self.grade(percent: 100 * Double(isWrong.count { $0 }) / Double(max(1, isWrong.count)), three, two, one)
    case .patterns(let three, let two, let one, let moduleCount):
      let starts = stride(from: 0, to: isWrong.count, by: moduleCount)
      let damaged = starts.count { isWrong[$0..<min(isWrong.count, $0 + moduleCount)].contains(true) }
      return Self.grade(
        percent: 100 * Double(damaged) / Double(max(1, isWrong.count / moduleCount)), three, two, one)
    }
  }

  private static func grade(percent: Double, _ three: Double, _ two: Double, _ one: Double) -> Grade {
    if percent == 0 { return .best }
    let reached = [three, two, one].firstIndex { percent <= $0 }
    return reached.map { Grade(tenths: 30 - 10 * $0) } ?? .fail
  }
}

/// A segment before it is graded.
struct FixedSegment {
  var name: String
  var scale: DamageScale
  var modules: [FixedModule]
  /// Whether more than two errors among five neighbours fail: a reader cannot bridge such a gap.
  var isTrack = false
}

extension MatrixKind {
  /// The segments of the fixed patterns, without what lies outside of the picture.
  ///
  /// Data Matrix: ISO/IEC 16022:2006 Annex M with its corrigendum of 2008. The division into the sides of the L, their quiet zones and
  /// the clock track follows it; all modules
  /// of clock tracks and of inner borders form one segment here, whose transitions are not graded separately.
  /// QR Code: ISO/IEC 18004:2015, finder patterns with separators and quiet zone (A), timing patterns (B), alignment patterns (C).
  /// The numbers are inferred from public descriptions.
  func segments(_ pattern: MatrixPattern, version: Int) -> [FixedSegment] {
    switch self {
    case .dataMatrix: Self.dataMatrixSegments(pattern)
    case .qr: Self.qrSegments(pattern, version: version)
    }
  }

  private static func dataMatrixSegments(_ pattern: MatrixPattern) -> [FixedSegment] {
    let (columns, rows) = (pattern.columns, pattern.rows)
    let sides = DamageScale.share(9, 13, 17)
    func column(_ column: Int, isDark: Bool) -> [FixedModule] {
      (-1..<rows + 1).filter { !isDark || (0..<rows).contains($0) }.map {
        FixedModule(column: column, row: $0, isDark: isDark)
      }
    }
    func row(_ row: Int, isDark: Bool) -> [FixedModule] {
      (-1..<columns + 1).filter { !isDark || (0..<columns).contains($0) }.map {
        FixedModule(column: $0, row: row, isDark: isDark)
      }
    }
    let inner = pattern.fixedModules.filter { $0.column > 0 && $0.row < rows - 1 }
    return [
      FixedSegment(name: "L1", scale: sides, modules: column(0, isDark: true)),
      FixedSegment(name: "L2", scale: sides, modules: row(rows - 1, isDark: true)),
      FixedSegment(name: "QZL1", scale: sides, modules: column(-1, isDark: false)),
      FixedSegment(name: "QZL2", scale: sides, modules: row(rows, isDark: false)),
      FixedSegment(name: "clock track", scale: .share(10, 15, 20), modules: inner, isTrack: true),
    ]
  }

  /// Modules per side of a finder pattern with its separator, and of the quiet zone.
  private static let (finderSide, quietSide) = (8, 4)

  private static func qrSegments(_ pattern: MatrixPattern, version: Int) -> [FixedSegment] {
    let size = pattern.columns
    let fixed = Dictionary(uniqueKeysWithValues: pattern.fixedModules.map { (($0.row * size) + $0.column, $0) })
    func finder(_ columns: Range<Int>, _ rows: Range<Int>) -> [FixedModule] {
      rows.flatMap { row in
        columns.compactMap { column in
          guard (0..<size).contains(row), (0..<size).contains(column) else {
            return FixedModule(column: column, row: row, isDark: false)
          }
          return fixed[row * size + column]
        }
      }
    }
    let (near, far) = (-quietSide..<finderSide, size - finderSide..<size + quietSide)
    let timing = finderSide..<size - finderSide
    let share = DamageScale.share(7, 11, 14)
    var segments = [
      FixedSegment(name: "A1", scale: .count, modules: finder(near, near)),
      FixedSegment(name: "A2", scale: .count, modules: finder(far, near)),
      FixedSegment(name: "A3", scale: .count, modules: finder(near, far)),
      FixedSegment(name: "B1", scale: share, modules: timing.compactMap { fixed[6 * size + $0] }, isTrack: true),
      FixedSegment(name: "B2", scale: share, modules: timing.compactMap { fixed[$0 * size + 6] }, isTrack: true),
    ]
    let centres = QRStructure.alignmentCoordinates(version: version)
    let last = centres.count - 1
    let alignments = centres.indices.flatMap { line in
      centres.indices.filter { place in
        !(line == 0 && (place == 0 || place == last) || line == last && place == 0)
      }.flatMap { place in
        (-2...2).flatMap { row in
          (-2...2).compactMap { column in fixed[(centres[line] + row) * size + centres[place] + column] }
        }
      }
    }
    if !alignments.isEmpty {
      segments.append(
        FixedSegment(name: "C", scale: .patterns(10, 20, 30, moduleCount: 25), modules: alignments))
    }
    return segments
  }
}

extension MatrixPattern {
  /// The modules that are always light or always dark, row by row.
  var fixedModules: [FixedModule] {
    roles.indices.compactMap { index in
      switch roles[index] {
      case .light, .dark:
        FixedModule(column: index % columns, row: index / columns, isDark: roles[index] == .dark)
      case .information, .data: nil
      }
    }
  }
}

extension FixedSegment {
  /// The grade of the segment: the best level at which the modules that miss it, counted as errors, leave a grade as good.
  ///
  /// - Parameter margin: how far a module is on its own side of the threshold, as a share of what is possible; nil outside the picture.
  func graded(margin: (FixedModule) -> Double?) -> PatternSegment {
    let margins = modules.compactMap(margin)
    var best = Grade.fail
    for tenths in stride(from: 40, through: 1, by: -1) {
      let level = Grade(tenths: tenths)
      if level <= best { break }
      let threshold = GradeScale.moduleModulation.threshold(of: level)
      let isWrong = margins.map { $0 < threshold - 1e-9 }
      best = max(best, min(level, isTrack && Self.hasGap(isWrong) ? .fail : scale.grade(isWrong)))
    }
    return PatternSegment(
      name: name, grade: best, wrongCount: margins.count { $0 <= 0 }, moduleCount: margins.count)
  }

  /// Whether five neighbours have more than two errors.
  private static func hasGap(_ isWrong: [Bool]) -> Bool {
    isWrong.indices.contains { start in
      start + 5 <= isWrong.count && isWrong[start..<start + 5].count { $0 } > 2
    }
  }
}
