// The page of a symbol: its grade, what limits the measurement, the parameters, and the profile or the modules.

import PrintQuality

extension Grade {
  /// From green for A to red for F.
  var colour: Colour {
    switch letter {
    case "A": Colour(red: 0.18, green: 0.55, blue: 0.24)
    case "B": Colour(red: 0.5, green: 0.66, blue: 0.2)
    case "C": Colour(red: 0.87, green: 0.68, blue: 0.1)
    case "D": Colour(red: 0.88, green: 0.45, blue: 0.1)
    default: .alert
    }
  }
}

extension ReportCanvas {
  private static let margin = 40.0
  private static let inner = QualityReport.width - 2 * margin
  /// Rows of the table of parameters.
  private static let rowHeight = 15.0

  func draw(_ entry: ReportEntry) {
    let (left, quality) = (Self.margin, entry.quality)
    fill(x: 0, y: 0, width: QualityReport.width, height: QualityReport.height, Colour(red: 1, green: 1, blue: 1))
    text("\(quality.grade.text)  \(quality.grade.letter)", x: left, y: 34, size: 30, quality.grade.colour, isBold: true)
    let beside = left + 110
    text("Print quality of \(entry.symbology)", x: beside, y: 34, size: 13, width: Self.inner - 110, isBold: true)
    text(entry.content, x: beside, y: 51, size: 10, width: Self.inner - 110, lineCountMax: 2)
    var y = 82.0
    y += text(entry.source, x: left, y: y, size: 9, .faint, width: Self.inner)
    y += text(
      "After \(quality.standard). Aperture \(quality.apertureModules.text(2)) modules; a module has \(quality.modulePixels.text(1)) pixels.",
      x: left, y: y, size: 9, .faint, width: Self.inner)
    let limiting = quality.limitingParameters.map(\.kind.title).joined(separator: ", ")
    if !limiting.isEmpty {
      y += text("Lowest: \(limiting)", x: left, y: y, size: 9, width: Self.inner, isBold: true)
    }
    y += 4
    y += text(SymbolQuality.limitation, x: left, y: y, size: 9, .alert, width: Self.inner, lineCountMax: 2)
    for remark in quality.remarks {
      y += text(remark, x: left, y: y, size: 9, .alert, width: Self.inner, lineCountMax: 2)
    }
    y = table(quality.parameters, y: y + 10)
    switch quality.detail {
    case .linear(let profiles): draw(profiles, y: y + 14)
    case .matrix(let matrix): draw(matrix, y: y + 14)
    }
  }

  /// Says at the foot of the page that the report is not complete.
  func drawOmission(shownCount: Int, omittedCount: Int) {
    text(
      "This report shows \(shownCount) of \(shownCount + omittedCount) graded symbols.", x: Self.margin,
      y: QualityReport.height - 28, size: 9, .alert, width: Self.inner)
  }

  /// Returns where the table ends.
  private func table(_ parameters: [QualityParameter], y top: Double) -> Double {
    var y = top
    let columns = (name: Self.margin, measure: Self.margin + 190, grade: Self.margin + 290, bar: Self.margin + 350)
    for parameter in parameters {
      line([(Self.margin, y), (Self.margin + Self.inner, y)], .rule, width: 0.4)
      text(parameter.kind.title, x: columns.name, y: y + 2, size: 9)
      text(parameter.measureText, x: columns.measure, y: y + 2, size: 9)
      if let grade = parameter.grade {
        text("\(grade.text)  \(grade.letter)", x: columns.grade, y: y + 2, size: 9, isBold: true)
        let room = Self.margin + Self.inner - columns.bar
        fill(x: columns.bar, y: y + 4, width: room, height: 7, Colour(red: 0.93, green: 0.93, blue: 0.94))
        fill(x: columns.bar, y: y + 4, width: max(1, room * grade.value / 4), height: 7, grade.colour)
      } else {
        text("not graded", x: columns.grade, y: y + 2, size: 9, .faint)
      }
      y += Self.rowHeight
    }
    line([(Self.margin, y), (Self.margin + Self.inner, y)], .rule, width: 0.4)
    return y
  }

  // MARK: Linear

  private func draw(_ profiles: [ProfileQuality], y top: Double) {
    var y = top
    text("Grades of the profiles, from the top of the symbol", x: Self.margin, y: y, size: 10, isBold: true)
    y += 18
    for (index, profile) in profiles.enumerated() {
      let x = Self.margin + Double(index) * 51
      fill(x: x, y: y, width: 45, height: 16, profile.grade.colour)
      text(profile.grade.text, x: x + 14, y: y + 2, size: 10, Colour(red: 1, green: 1, blue: 1), isBold: true)
    }
    y += 30
    guard let worst = profiles.indices.min(by: { profiles[$0].grade < profiles[$1].grade }) else { return }
    text("Profile \(worst + 1): reflectance along the line", x: Self.margin, y: y, size: 10, isBold: true)
    draw(profiles[worst].profile, y: y + 20, height: min(220, QualityReport.height - y - 60))
  }

  private func draw(_ profile: ScanReflectanceProfile, y top: Double, height: Double) {
    let (left, width) = (Self.margin + 24, Self.inner - 24)
    func x(_ sample: Double) -> Double { left + width * sample / Double(profile.samples.count - 1) }
    func y(_ reflectance: Double) -> Double { top + height * (1 - min(1, max(0, reflectance))) }
    for percent in stride(from: 0, through: 100, by: 25) {
      let level = y(Double(percent) / 100)
      line([(left, level), (left + width, level)], .rule, width: 0.4)
      text("\(percent)", x: Self.margin, y: level - 6, size: 8, .faint)
    }
    let levels = [
      ("Rmax", profile.maximum, Colour.faint), ("global threshold", profile.globalThreshold, .alert),
      ("Rmin", profile.minimum, .faint),
    ]
    for (name, level, colour) in levels {
      line([(left, y(level)), (left + width, y(level))], colour, width: 0.6, isDashed: true)
      text(name, x: left + 2, y: y(level) - 11, size: 7, colour)
    }
    line(profile.samples.enumerated().map { (x(Double($0.offset)), y($0.element)) }, .curve, width: 0.8)
    // The bars as decoded, and the edges between all elements.
    for element in profile.symbolEdges.map({ Array($0.dropLast()) }) ?? [] where profile.elements[element + 1].isDark {
      let (start, end) = (x(profile.edges[element]), x(profile.edges[element + 1]))
      fill(x: start, y: top + height + 6, width: end - start, height: 14, .ink)
    }
    for edge in profile.edges {
      line([(x(edge), top + height), (x(edge), top + height + 4)], .alert, width: 0.4)
    }
  }

  // MARK: Matrix

  private func draw(_ matrix: MatrixQuality, y top: Double) {
    var y = top
    if !matrix.segments.isEmpty {
      text("Fixed patterns", x: Self.margin, y: y, size: 10, isBold: true)
      let words = matrix.segments.map { segment in
        "\(segment.name) \(segment.grade.text)" + (segment.wrongCount > 0 ? " (\(segment.wrongCount) wrong)" : "")
      }
      y += 14
      y += text(words.joined(separator: ",  "), x: Self.margin, y: y, size: 9, width: Self.inner, lineCountMax: 2) + 8
    }
    text(
      "Modules as they should be, each with a mark in the colour of its own grade, from A (green) to F (red)",
      x: Self.margin, y: y, size: 9, .faint, width: Self.inner)
    y += 18
    let side = min(Self.inner / Double(matrix.columns), (QualityReport.height - y - 40) / Double(matrix.rows), 18)
    line(
      [
        (Self.margin, y), (Self.margin + side * Double(matrix.columns), y),
        (Self.margin + side * Double(matrix.columns), y + side * Double(matrix.rows)),
        (Self.margin, y + side * Double(matrix.rows)), (Self.margin, y),
      ], .rule)
    for row in 0..<matrix.rows {
      for column in 0..<matrix.columns {
        let index = row * matrix.columns + column
        let (x, line) = (Self.margin + Double(column) * side, y + Double(row) * side)
        if matrix.isDark[index] {
          fill(x: x, y: line, width: side, height: side, Colour(red: 0.25, green: 0.25, blue: 0.27))
        }
        let grade = matrix.margins[index] < 0 ? Grade.fail : GradeScale.moduleModulation.grade(matrix.margins[index])
        let mark = side * (grade == .best ? 0.3 : 0.6)
        fill(x: x + (side - mark) / 2, y: line + (side - mark) / 2, width: mark, height: mark, grade.colour)
      }
    }
  }
}
