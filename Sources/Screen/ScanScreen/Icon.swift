// The few icons of the controls, as outlines: they are sharp at any size and need no files.

enum Icon {
  static func bolt(_ center: ScreenPoint, size: Double) -> [ScreenPoint] {
    let corners: [(Double, Double)] = [
      (0.12, -0.5), (-0.3, 0.08), (-0.04, 0.08), (-0.12, 0.5), (0.3, -0.1), (0.04, -0.1),
    ]
    return corners.map { ScreenPoint(x: center.x + $0.0 * size, y: center.y + $0.1 * size) }
  }

  static func cross(_ center: ScreenPoint, size: Double) -> [Figure] {
    let corners = ScreenRect(center: center, width: size, height: size).corners
    return [.line([corners[0], corners[2]]), .line([corners[1], corners[3]])]
  }

  static func triangle(_ center: ScreenPoint, size: Double) -> [ScreenPoint] {
    [(0, -0.5), (0.56, 0.44), (-0.56, 0.44)].map { ScreenPoint(x: center.x + $0.0 * size, y: center.y + $0.1 * size) }
  }

  static func exclamation(_ center: ScreenPoint, size: Double) -> [Figure] {
    let stem = ScreenRect(
      x: center.x - 0.055 * size, y: center.y - 0.18 * size, width: 0.11 * size, height: 0.3 * size)
    return [
      .rounded(stem, radius: 0.05 * size),
      .circle(center: ScreenPoint(x: center.x, y: center.y + 0.27 * size), radius: 0.07 * size),
    ]
  }

  static func brackets(_ rect: ScreenRect) -> [Figure] {
    let arm = rect.width * 0.24
    let corners = rect.corners
    let inward: [(Double, Double)] = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    return (0..<4).map { index in
      let corner = corners[index]
      let (x, y) = inward[index]
      return .line([
        ScreenPoint(x: corner.x + x * arm, y: corner.y), corner, ScreenPoint(x: corner.x, y: corner.y + y * arm),
      ])
    }
  }

  /// A row of bars and spaces with the relative widths of EAN elements, 1 to 4.
  static func bars(_ rect: ScreenRect) -> [Figure] {
    let widths: [Double] = [2, 1, 1, 2, 3, 1, 1, 1, 2, 2, 1, 1, 4, 1, 2]
    let module = rect.width / widths.reduce(0, +)
    var x = rect.x
    var figures: [Figure] = []
    for (index, width) in widths.enumerated() {
      if index.isMultiple(of: 2) {
        figures.append(.rectangle(ScreenRect(x: x, y: rect.y, width: width * module, height: rect.height)))
      }
      x += width * module
    }
    return figures
  }
}
