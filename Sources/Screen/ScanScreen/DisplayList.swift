// The items to draw, as plain values in order: the painter knows nothing of scanners, and a test can read what a user would
// see. Two layers share the panel. The overlay uses the panel's own pixels, because it marks places in the preview; controls
// are upright for the reader and are rotated onto the panel.

public import BarcodeTypes

/// A colour with its opacity, not premultiplied.
public struct Colour: Equatable, Sendable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8
  /// 255 is opaque.
  public var alpha: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// `#rrggbb`, or `#rrggbbaa` with the opacity last; nil for any other text.
  public init?(hexadecimal text: String) {
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6 || digits.count == 8,
      digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }), let value = UInt32(text.dropFirst(), radix: 16)
    else { return nil }
    let rgba = digits.count == 6 ? value << 8 | 0xFF : value
    self.init(
      red: UInt8(rgba >> 24), green: UInt8(rgba >> 16 & 0xFF), blue: UInt8(rgba >> 8 & 0xFF), alpha: UInt8(rgba & 0xFF))
  }

  /// The colour with another opacity, 0…1.
  public func faded(to opacity: Double) -> Colour {
    var colour = self
    colour.alpha = UInt8((Double(alpha) * min(max(opacity, 0), 1)).rounded())
    return colour
  }
}

/// An outline to fill or to stroke.
public enum Figure: Equatable, Sendable {
  case rectangle(ScreenRect)
  case rounded(ScreenRect, radius: Double)
  case circle(center: ScreenPoint, radius: Double)
  /// A closed outline.
  case polygon([ScreenPoint])
  /// An open line; only for strokes.
  case line([ScreenPoint])
}

/// Text in a box, wrapped and clipped to the box, regardless of its content.
public struct TextRun: Equatable, Sendable {
  /// The horizontal position of a line within its box.
  public enum Alignment: Equatable, Sendable { case leading, center, trailing }
  /// The part that is shortened if text does not fit.
  public enum Cut: Equatable, Sendable { case middle, end }

  public var text: String
  public var box: ScreenRect
  /// The height of the font's em in pixels.
  public var size: Double
  /// The minimum height, for text that does not fit otherwise; nil to allow only `size`.
  public var sizeMin: Double?
  /// The minimum height at which text that fills its box stays on one line; nil to allow only `size`.
  public var lineSizeMin: Double?
  public var isBold = false
  public var isMonospaced = false
  public var colour: Colour
  public var alignment = Alignment.leading
  /// Where text that does not fit is shortened.
  public var cut = Cut.end
  /// Whether the text is centred vertically in its box and uses any number of lines for which there is room.
  public var fillsBox = false
  /// The most lines. A single line is centred vertically in its box; several lines begin at its top.
  public var lineCountMax = 1

  public init(_ text: String, in box: ScreenRect, size: Double, colour: Colour) {
    self.text = text
    self.box = box
    self.size = size
    self.colour = colour
  }
}

extension TextRun {
  /// How far letters extend beyond their advance to the left and right, as a fraction of the text's size.
  static let overhang = 0.1

  /// The box, extended by the overhang of letters at its ends.
  public var extent: ScreenRect {
    ScreenRect(x: box.x - Self.overhang * size, y: box.y, width: box.width + 2 * Self.overhang * size, height: box.height)
  }
}

/// The number of a picture given to the painter.
public struct ImageReference: Hashable, Sendable {
  public var number: UInt32

  public init(number: UInt32) { self.number = number }

  /// The picture of the focus frame, if one is configured.
  public static let focusFrame = ImageReference(number: 0)
}

/// A drawable item.
public enum DisplayItem: Equatable, Sendable {
  /// Fills the points that an odd number of outlines surrounds.
  case fill([Figure], Colour)
  /// Strokes the outlines with a line of this width, with round joints.
  case stroke([Figure], Colour, width: Double)
  /// A closed line through these points over a wider one, so that it is visible on any background; with round joints.
  case outline([ScreenPoint], Colour, width: Double, ground: Colour, groundWidth: Double)
  case text(TextRun)
  /// A picture stretched to this size about a centre and rotated clockwise by an angle in radians.
  case image(ImageReference, center: ScreenPoint, width: Double, height: Double, angle: Double)
}

/// The whole picture over the preview, back to front: the overlay, then the controls.
public struct DisplayList: Equatable, Sendable {
  public let panel: ScreenSize
  /// The rotation of the controls on the panel.
  public var turn: QuarterTurn
  /// In panel pixels.
  public var overlay: [DisplayItem]
  /// In pixels of the panel as the reader sees it.
  public var controls: [DisplayItem]

  public init(panel: ScreenSize, turn: QuarterTurn, overlay: [DisplayItem] = [], controls: [DisplayItem] = []) {
    self.panel = panel
    self.turn = turn
    self.overlay = overlay
    self.controls = controls
  }

  /// The panel rectangle of a rectangle as the reader sees it.
  static func panelRect(_ rect: ScreenRect, turn: QuarterTurn, panel: ScreenSize) -> ScreenRect {
    ScreenRect(around: rect.corners.map { panelPoint($0, turn: turn, panel: panel) })
  }

  /// The panel point of a point as the reader sees it.
  public static func panelPoint(_ point: ScreenPoint, turn: QuarterTurn, panel: ScreenSize) -> ScreenPoint {
    let width = Double(panel.width)
    let height = Double(panel.height)
    return switch turn {
    case .none: point
    case .clockwise: ScreenPoint(x: width - point.y, y: point.x)
    case .half: ScreenPoint(x: width - point.x, y: height - point.y)
    case .anticlockwise: ScreenPoint(x: point.y, y: height - point.x)
    }
  }

  /// The rectangle, as the reader sees it, of a panel rectangle.
  public static func uprightRect(_ rect: ScreenRect, turn: QuarterTurn, panel: ScreenSize) -> ScreenRect {
    ScreenRect(around: rect.corners.map { uprightPoint($0, turn: turn, panel: panel) })
  }

  /// The point, as the reader sees it, of a panel point.
  public static func uprightPoint(_ point: ScreenPoint, turn: QuarterTurn, panel: ScreenSize) -> ScreenPoint {
    panelPoint(point, turn: turn.inverse, panel: panel.turned(turn.isSideways))
  }
}

extension Figure {
  var bounds: ScreenRect {
    switch self {
    case .rectangle(let rect), .rounded(let rect, _): rect
    case .circle(let center, let radius): ScreenRect(center: center, width: 2 * radius, height: 2 * radius)
    case .polygon(let points), .line(let points): ScreenRect(around: points)
    }
  }

  func moved(by offset: ScreenPoint) -> Figure {
    switch self {
    case .rectangle(let rect): .rectangle(rect.moved(by: offset))
    case .rounded(let rect, let radius): .rounded(rect.moved(by: offset), radius: radius)
    case .circle(let center, let radius): .circle(center: center + offset, radius: radius)
    case .polygon(let points): .polygon(points.map { $0 + offset })
    case .line(let points): .line(points.map { $0 + offset })
    }
  }
}

extension DisplayItem {
  /// The rectangle that contains every pixel that the item may touch.
  public var bounds: ScreenRect {
    switch self {
    case .fill(let figures, _): return ScreenRect(around: figures.flatMap(\.bounds.corners))
    case .stroke(let figures, _, let width):
      // A mitre would extend further; joints are round.
      return ScreenRect(around: figures.flatMap(\.bounds.corners)).inset(by: -width / 2)
    case .outline(let points, _, _, _, let width): return ScreenRect(around: points).inset(by: -width / 2)
    case .text(let run): return run.extent
    case .image(_, let center, let width, let height, _):
      let diagonal = (width * width + height * height).squareRoot()
      return ScreenRect(center: center, width: diagonal, height: diagonal)
    }
  }

  func moved(by offset: ScreenPoint) -> DisplayItem {
    switch self {
    case .fill(let figures, let colour): return .fill(figures.map { $0.moved(by: offset) }, colour)
    case .stroke(let figures, let colour, let width):
      return .stroke(figures.map { $0.moved(by: offset) }, colour, width: width)
    case .outline(let points, let colour, let width, let ground, let groundWidth):
      return .outline(points.map { $0 + offset }, colour, width: width, ground: ground, groundWidth: groundWidth)
    case .text(var run):
      run.box = run.box.moved(by: offset)
      return .text(run)
    case .image(let image, let center, let width, let height, let angle):
      return .image(image, center: center + offset, width: width, height: height, angle: angle)
    }
  }
}
