// Where controls and texts lie, by the size of the panel, its density and the way it is turned. Sizes are in units: one is
// about a 160th of an inch, so that what is to be pressed is 9 mm high on any panel whose size is known.

public import BarcodeTypes

/// The layout of one panel in one turn. Rectangles are in pixels of the panel as its reader sees it.
public struct ScreenLayout: Equatable, Sendable {
  /// The size as the reader sees it.
  public let size: ScreenSize
  /// Pixels of a unit.
  public let unit: Double
  /// The largest square that a square viewport may take, kept free of the list.
  let viewport: ScreenRect

  /// The part of the panel's shorter side that a square viewport takes unless told otherwise: what leaves room above and
  /// below for a finger-high control on the smallest panel that is sold for kiosks, 480 pixels high.
  public static let viewportPart = 0.62
  /// The smallest and largest number of units of the shorter side: below, a card would not fit; above, text would be small.
  static let unitsMin = 340.0
  static let unitsMax = 520.0

  /// - Parameters:
  ///   - pixelsPerMillimetre: of the panel; nil if it does not tell its size.
  public init(
    panel: ScreenSize, turn: QuarterTurn, pixelsPerMillimetre: Double?, viewportPart: Double = Self.viewportPart
  ) {
    size = panel.turned(turn.isSideways)
    let shorter = Double(panel.shorterSide)
    let byDensity = pixelsPerMillimetre.map { $0 * 25.4 / 160 } ?? shorter / 480
    unit = min(max(byDensity, shorter / Self.unitsMax), shorter / Self.unitsMin)
    let middle = ScreenPoint(x: Double(size.width) / 2, y: Double(size.height) / 2)
    viewport = ScreenRect(center: middle, width: shorter * viewportPart, height: shorter * viewportPart)
  }

  var width: Double { Double(size.width) }
  var height: Double { Double(size.height) }
  var isLandscape: Bool { size.width > size.height }
  var margin: Double { 16 * unit }
  var touch: Double { 56 * unit }
  var whole: ScreenRect { ScreenRect(x: 0, y: 0, width: width, height: height) }

  var closeControl: ScreenRect { ScreenRect(x: width - margin - touch, y: margin, width: touch, height: touch) }

  var torchControl: ScreenRect {
    let size = 168 * unit
    return ScreenRect(x: (width - size) / 2, y: height - margin - touch, width: size, height: touch)
  }

  /// In the middle where there is room beside the close control, else from the left edge up to it.
  var prompt: ScreenRect {
    let wanted = 420 * unit
    let room = width - 2 * (2 * margin + touch)
    let right = closeControl.x - margin
    return room >= wanted
      ? ScreenRect(x: (width - wanted) / 2, y: margin, width: wanted, height: touch)
      : ScreenRect(x: margin, y: margin, width: right - margin, height: touch)
  }

  var codeRowHeight: Double { 54 * unit }

  /// Beside the viewport in landscape, below it in portrait; over its lower edge where a panel is as wide as high.
  var codeList: ScreenRect {
    if isLandscape {
      let left = viewport.right + margin
      let top = closeControl.bottom + margin
      let list = ScreenRect(x: left, y: top, width: width - margin - left, height: height - margin - top)
      if list.width >= 120 * unit { return list }
    }
    let top = min(viewport.bottom + margin, torchControl.y - margin - codeRowHeight)
    return ScreenRect(x: margin, y: top, width: width - 2 * margin, height: torchControl.y - margin - top)
  }

  /// The card of a review with this many rows.
  func reviewCard(rowCount: Int) -> ScreenRect {
    let size = min(width - 2 * margin, 440 * unit)
    let height = (20 + 30 + 12 + 60 + 20) * unit + Double(rowCount) * reviewRowHeight
    return ScreenRect(x: (width - size) / 2, y: (self.height - height) / 2, width: size, height: height)
  }

  var reviewRowHeight: Double { 76 * unit }

  /// The most rows of a review that fit.
  var reviewRowCountMax: Int { max(1, Int((height - 2 * margin - 142 * unit) / reviewRowHeight)) }

  func dialogCard(hasDetail: Bool) -> ScreenRect {
    let size = min(width - 2 * margin, 460 * unit)
    let height = (hasDetail ? 292 : 232) * unit
    return ScreenRect(x: (width - size) / 2, y: (self.height - height) / 2, width: size, height: height)
  }

  /// A round or pill-shaped control's corner radius.
  func pill(_ rect: ScreenRect) -> Double { min(rect.width, rect.height) / 2 }
}
