// Positions of controls and texts, from the size, density and rotation of the panel. Sizes are in units of about 1/160 inch,
// so that controls are 9 mm high on any panel of known size.

public import BarcodeTypes

/// The layout of a panel in one rotation. Rectangles are in pixels of the panel as the reader sees it.
public struct ScreenLayout: Equatable, Sendable {
  /// The size as the reader sees it.
  public let size: ScreenSize
  /// Pixels per unit.
  public let unit: Double
  /// The largest square available to a square viewport, clear of the list.
  let viewport: ScreenRect

  /// The default size of a square viewport, as a fraction of the panel's shorter side: it leaves room above and below for a
  /// finger-high control on the smallest common kiosk panel, 480 pixels high.
  public static let viewportPart = 0.62
  /// The minimum of units along the shorter side: with fewer, a card would not fit.
  static let unitsMin = 340.0
  static let unitsMax = 520.0

  /// - Parameters:
  ///   - pixelsPerMillimetre: the panel's density; nil if it does not report its size.
  public init(
    panel: ScreenSize, turn: QuarterTurn, pixelsPerMillimetre: Double?, viewportPart: Double = Self.viewportPart
  ) {
    size = panel.turned(turn.isSideways)
    let shorter = Double(panel.shorterSide)
    // A panel of unknown size is assumed to be seen whole at arm's length. Small panels have few pixels per letter, so they
    // get the largest letters that fit.
    let unitMax = shorter / Self.unitsMin
    let byDensity = pixelsPerMillimetre.map { $0 * 25.4 / 160 } ?? max(shorter / 480, min(1, unitMax))
    unit = min(max(byDensity, shorter / Self.unitsMax), unitMax)
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
    let size = 190 * unit
    return ScreenRect(x: (width - size) / 2, y: height - margin - touch, width: size, height: touch)
  }

  /// In the middle if there is room next to the close control, else from the left edge up to it.
  func prompt(hasClose: Bool) -> ScreenRect {
    let wanted = min(420 * unit, width - 2 * margin)
    let room = hasClose ? width - 2 * (2 * margin + touch) : wanted
    let right = closeControl.x - margin
    return room >= wanted
      ? ScreenRect(x: (width - wanted) / 2, y: margin, width: wanted, height: touch)
      : ScreenRect(x: margin, y: margin, width: right - margin, height: touch)
  }

  var codeRowHeight: Double { 54 * unit }

  /// The height of the row below the list with the number of codes not shown.
  var moreRowHeight: Double { 24 * unit }

  /// Units next to the viewport that suffice for values, which may be shortened, and for the longest advice about an
  /// unreadable code, which may not.
  private static let listUnitsMin = (values: 120.0, help: 170.0)

  /// The list of codes: next to the viewport in landscape, below it in portrait; over its lower edge if the panel is square,
  /// or too narrow for advice.
  func codeList(holdsHelp: Bool) -> ScreenRect {
    if isLandscape {
      let left = viewport.right + margin
      let top = closeControl.bottom + margin
      let list = ScreenRect(x: left, y: top, width: width - margin - left, height: height - margin - top)
      if list.width >= (holdsHelp ? Self.listUnitsMin.help : Self.listUnitsMin.values) * unit { return list }
    }
    let top = min(viewport.bottom + margin, torchControl.y - margin - codeRowHeight - moreRowHeight)
    return ScreenRect(x: margin, y: top, width: width - 2 * margin, height: torchControl.y - margin - top)
  }

  /// The last scan, in the middle: between the prompt and the torch control, and no wider than is read at a glance.
  var result: ScreenRect {
    let top = prompt(hasClose: true).bottom + margin / 2
    let size = min(width - 2 * margin, 640 * unit)
    return ScreenRect(x: (width - size) / 2, y: top, width: size, height: torchControl.y - margin / 2 - top)
  }

  /// The card of a review with this many rows.
  func reviewCard(rowCount: Int, hasTouch: Bool) -> ScreenRect {
    let size = min(width - 2 * margin, 640 * unit)
    let height = reviewFrame(hasTouch) + Double(rowCount) * reviewRowHeight(rowCount: rowCount, hasTouch: hasTouch)
    return ScreenRect(x: (width - size) / 2, y: (self.height - height) / 2, width: size, height: height)
  }

  /// The height of a review's title and buttons, with the space around them.
  private func reviewFrame(_ hasTouch: Bool) -> Double { (20 + 30 + 12 + (hasTouch ? 80 : 44)) * unit }

  private var reviewRowHeightMin: Double { 82 * unit }

  /// The height of a review's row: fewer results get more room each.
  func reviewRowHeight(rowCount: Int, hasTouch: Bool) -> Double {
    let room = (height - 2 * margin - reviewFrame(hasTouch)) / Double(max(1, rowCount))
    return max(reviewRowHeightMin, min(260 * unit, room))
  }

  /// The most rows of a review that fit.
  func reviewRowCountMax(hasTouch: Bool) -> Int {
    max(1, Int((height - 2 * margin - reviewFrame(hasTouch)) / reviewRowHeightMin))
  }

  /// The parts of the idle screen.
  struct IdlePlaces {
    var frame, title, hint, name: ScreenRect
  }

  var idle: IdlePlaces {
    let inner = width - 2 * margin
    let name = ScreenRect(x: margin, y: height - margin - 24 * unit, width: inner, height: 24 * unit)
    let side = min(150 * unit, 0.34 * height)
    let gap = side / 6
    let (titleHeight, hintHeight) = (60 * unit, 48 * unit)
    // Slightly below the middle of the room above the name: most hints fill one of their two lines.
    let top = 0.55 * (name.y - side - gap - titleHeight - hintHeight)
    let frame = ScreenRect(x: (width - side) / 2, y: top, width: side, height: side)
    let title = ScreenRect(x: margin, y: frame.bottom + gap, width: inner, height: titleHeight)
    let hint = ScreenRect(x: margin, y: title.bottom, width: inner, height: hintHeight)
    return IdlePlaces(frame: frame, title: title, hint: hint, name: name)
  }

  /// The parts of an error dialog.
  struct DialogPlaces {
    var card, icon, title, advice, details, symbol, cancel: ScreenRect
  }

  func dialog(hasTouch: Bool) -> DialogPlaces {
    let pad = 14 * unit
    let cardWidth = min(width - 2 * margin, 520 * unit)
    let rest = (14 + 46 + 42 + 8 + 8 + 12) * unit + (hasTouch ? 8 * unit + touch : 0)
    let side = max(90 * unit, min(200 * unit, 0.42 * cardWidth, height - margin - rest))
    let cardHeight = rest + side
    let card = ScreenRect(x: (width - cardWidth) / 2, y: (height - cardHeight) / 2, width: cardWidth, height: cardHeight)
    let (left, inner) = (card.x + pad, cardWidth - 2 * pad)
    let icon = ScreenRect(x: left, y: card.y + pad + 4 * unit, width: 34 * unit, height: 34 * unit)
    let title = ScreenRect(x: icon.right + 10 * unit, y: card.y + pad, width: inner - 44 * unit, height: 46 * unit)
    let advice = ScreenRect(x: left, y: title.bottom, width: inner, height: 42 * unit)
    let details = ScreenRect(x: left, y: advice.bottom + 8 * unit, width: inner, height: side + 8 * unit)
    return DialogPlaces(
      card: card, icon: icon, title: title, advice: advice, details: details,
      symbol: ScreenRect(x: details.right - side - 4 * unit, y: details.y + 4 * unit, width: side, height: side),
      cancel: ScreenRect(x: left, y: details.bottom + 8 * unit, width: inner, height: touch))
  }

  /// The parts of the opened list.
  struct ListPlaces {
    var card, title, body, hint, close, next: ScreenRect
  }

  func list(hasTouch: Bool) -> ListPlaces {
    let pad = 16 * unit
    let size = min(width - 2 * margin, 640 * unit)
    let card = ScreenRect(x: (width - size) / 2, y: margin, width: size, height: height - 2 * margin)
    let (left, inner) = (card.x + pad, size - 2 * pad)
    let title = ScreenRect(x: left, y: card.y + pad / 2, width: inner, height: 34 * unit)
    let below = hasTouch ? touch : 26 * unit
    let bottom = ScreenRect(x: left, y: card.bottom - pad - below, width: inner, height: below)
    let half = (inner - 12 * unit) / 2
    let body = ScreenRect(x: left, y: title.bottom + pad / 2, width: inner, height: bottom.y - title.bottom - pad)
    return ListPlaces(
      card: card, title: title, body: body, hint: bottom,
      close: ScreenRect(x: left, y: bottom.y, width: half, height: below),
      next: ScreenRect(x: left + half + 12 * unit, y: bottom.y, width: half, height: below))
  }

  /// A round or pill-shaped control's corner radius.
  func pill(_ rect: ScreenRect) -> Double { min(rect.width, rect.height) / 2 }
}
