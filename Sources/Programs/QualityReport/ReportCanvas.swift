// Lines, rectangles and text on a page, in points.

import CCairo

struct Colour {
  var red: Double
  var green: Double
  var blue: Double

  static let ink = Colour(red: 0.1, green: 0.1, blue: 0.12)
  static let faint = Colour(red: 0.45, green: 0.45, blue: 0.48)
  static let rule = Colour(red: 0.8, green: 0.8, blue: 0.82)
  static let curve = Colour(red: 0.1, green: 0.42, blue: 0.66)
  static let alert = Colour(red: 0.78, green: 0.16, blue: 0.2)
}

/// A page to draw on. Belongs to one thread.
final class ReportCanvas {
  private static let family = "DejaVu Sans, Noto Sans, sans-serif"

  private let context: OpaquePointer
  private let layout: OpaquePointer
  /// The page's upper edge on the surface.
  var top = 0.0

  /// Nil if there is no memory.
  init?(_ surface: OpaquePointer) {
    guard let context = cairo_create(surface) else { return nil }
    guard let layout = pango_cairo_create_layout(context) else {
      cairo_destroy(context)
      return nil
    }
    (self.context, self.layout) = (context, layout)
    ccairo_draw_plain_text(layout)
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(layout))
    cairo_destroy(context)
  }

  func endPage() { cairo_show_page(context) }

  private func set(_ colour: Colour) { cairo_set_source_rgb(context, colour.red, colour.green, colour.blue) }

  func fill(x: Double, y: Double, width: Double, height: Double, _ colour: Colour) {
    set(colour)
    cairo_rectangle(context, x, top + y, width, height)
    cairo_fill(context)
  }

  func line(_ points: [(x: Double, y: Double)], _ colour: Colour, width: Double = 0.7, isDashed: Bool = false) {
    set(colour)
    cairo_set_line_width(context, width)
    let dashes = isDashed ? [3.0, 2.0] : []
    cairo_set_dash(context, dashes, Int32(dashes.count), 0)
    for (index, point) in points.enumerated() {
      if index == 0 {
        cairo_move_to(context, point.x, top + point.y)
      } else {
        cairo_line_to(context, point.x, top + point.y)
      }
    }
    cairo_stroke(context)
    cairo_set_dash(context, [], 0, 0)
  }

  /// Draws text from its upper left corner, in as many lines as it needs up to `lineCountMax`. Returns its height.
  @discardableResult
  func text(
    _ text: String, x: Double, y: Double, size: Double, _ colour: Colour = .ink, width: Double? = nil, lineCountMax: Int = 1,
    isBold: Bool = false
  ) -> Double {
    let font = pango_font_description_from_string(Self.family)
    pango_font_description_set_absolute_size(font, size * Double(PANGO_SCALE))
    pango_font_description_set_weight(font, isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
    pango_layout_set_width(layout, width.map { Int32($0 * Double(PANGO_SCALE)) } ?? -1)
    // Negative heights count lines.
    pango_layout_set_height(layout, Int32(-lineCountMax))
    pango_layout_set_text(layout, text, Int32(text.utf8.count))
    set(colour)
    cairo_move_to(context, x, top + y)
    pango_cairo_show_layout(context, layout)
    var logical = PangoRectangle()
    pango_layout_get_extents(layout, nil, &logical)
    return Double(logical.height) / Double(PANGO_SCALE)
  }
}
