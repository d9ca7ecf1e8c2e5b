// The letters of a label, through Pango and Cairo: measured, as outlines, as pixels, and as text of a PDF. OCR-B where it is installed, as
// on packages, else a font whose letters are equally wide.

import CCairo
import SymbolPrinter

/// A font, and the means to draw with it. Belongs to one thread.
final class LabelFont {
  static let family = "OCR B, OCRB, DejaVu Sans Mono, Noto Sans Mono, monospace"
  /// Heights as fractions of the em, for all of these fonts: of digits and capitals, with accents, and below the line.
  static let digitHeight = 0.73
  static let letterHeight = 0.8
  static let depth = 0.25

  /// The em at which text is laid out before it is scaled: Pango counts in fractions of a unit.
  private static let em = 100.0

  private let surface: OpaquePointer
  private let context: OpaquePointer
  private let layout: OpaquePointer

  /// Nil if there is no memory.
  init?() {
    guard let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1) else { return nil }
    guard let context = cairo_create(surface), let layout = pango_cairo_create_layout(context) else {
      cairo_surface_destroy(surface)
      return nil
    }
    self.surface = surface
    self.context = context
    self.layout = layout
    Self.prepare(layout)
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(layout))
    cairo_destroy(context)
    cairo_surface_destroy(surface)
  }

  private static func prepare(_ layout: OpaquePointer) {
    ccairo_draw_plain_text(layout)
    let font = pango_font_description_from_string(family)
    pango_font_description_set_absolute_size(font, em * Double(PANGO_SCALE))
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
    pango_layout_set_single_paragraph_mode(layout, 1)
  }

  /// The width of a text.
  func width(_ text: String, size: Double) -> Double {
    pango_layout_set_text(layout, text, Int32(text.utf8.count))
    return Self.width(layout) * size / Self.em
  }

  private static func width(_ layout: OpaquePointer) -> Double {
    var logical = PangoRectangle()
    pango_layout_get_extents(layout, nil, &logical)
    return Double(logical.width) / Double(PANGO_SCALE)
  }

  /// Moves a context to where a line is drawn, in units of its em; the caller restores it.
  private static func place(_ line: Label.Line, _ layout: OpaquePointer, _ context: OpaquePointer) {
    pango_layout_set_text(layout, line.text, Int32(line.text.utf8.count))
    cairo_translate(context, line.x, line.baseline)
    cairo_scale(context, line.size / em, line.size / em)
    cairo_move_to(context, -width(layout) / 2, -Double(pango_layout_get_baseline(layout)) / Double(PANGO_SCALE))
  }

  /// The outlines of a line as an SVG path.
  func path(_ line: Label.Line) -> String {
    cairo_save(context)
    cairo_new_path(context)
    Self.place(line, layout, context)
    pango_cairo_layout_path(context, layout)
    cairo_restore(context)
    guard let outline = cairo_copy_path(context) else { return "" }
    defer { cairo_path_destroy(outline) }
    var path = ""
    var index = 0
    while index < Int(outline.pointee.num_data), let data = outline.pointee.data {
      let header = data[index].header
      guard header.length > 0 else { break }
      func point(_ number: Int) -> String {
        let point = data[index + number].point
        return "\(decimalText(point.x)) \(decimalText(point.y))"
      }
      switch header.type {
      case CAIRO_PATH_MOVE_TO: path += "M\(point(1))"
      case CAIRO_PATH_LINE_TO: path += "L\(point(1))"
      case CAIRO_PATH_CURVE_TO: path += "C\(point(1)) \(point(2)) \(point(3))"
      default: path += "z"
      }
      index += Int(header.length)
    }
    cairo_new_path(context)
    return path
  }

  /// Darkens the pixels that a line covers.
  func paint(_ line: Label.Line, scale: Int, _ pixels: inout [UInt8], width: Int, height: Int) {
    let scale = Double(scale)
    let half = (self.width(line.text, size: line.size) / 2 + line.size / 4) * scale
    let left = max(0, Int(line.x * scale - half))
    let right = min(width, Int((line.x * scale + half).rounded(.up)))
    let top = max(0, Int((line.baseline - line.size) * scale))
    let bottom = min(height, Int(((line.baseline + line.size / 2) * scale).rounded(.up)))
    guard left < right, top < bottom,
      let patch = cairo_image_surface_create(CAIRO_FORMAT_A8, Int32(right - left), Int32(bottom - top))
    else { return }
    defer { cairo_surface_destroy(patch) }
    guard let context = cairo_create(patch) else { return }
    defer { cairo_destroy(context) }
    cairo_translate(context, Double(-left), Double(-top))
    cairo_scale(context, scale, scale)
    show(line, on: context)
    cairo_surface_flush(patch)
    guard let cover = cairo_image_surface_get_data(patch) else { return }
    let bytesPerRow = Int(cairo_image_surface_get_stride(patch))
    for y in top..<bottom {
      for x in left..<right {
        let covered = cover[(y - top) * bytesPerRow + x - left]
        pixels[y * width + x] = min(pixels[y * width + x], 255 - covered)
      }
    }
  }

  /// Draws a line on another surface, in its colour; in a PDF it stays text.
  func show(_ line: Label.Line, on context: OpaquePointer) {
    guard let layout = pango_cairo_create_layout(context) else { return }
    defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
    Self.prepare(layout)
    cairo_save(context)
    Self.place(line, layout, context)
    pango_cairo_update_layout(context, layout)
    pango_cairo_show_layout(context, layout)
    cairo_restore(context)
  }
}
