// Labels as PDF: one to a page of its size, or many on sheets of labels, page after page.

import CCairo
import SymbolPrinter

/// A sheet of labels, in millimetres: places of equal size in columns and rows.
public struct LabelSheet: Equatable, Sendable {
  public var width: Double
  public var height: Double
  public var columns: Int
  public var rows: Int
  /// From the sheet's edges to the outer places.
  public var margin: Double
  /// Between places.
  public var gap: Double

  public init(width: Double, height: Double, columns: Int, rows: Int, margin: Double, gap: Double) {
    (self.width, self.height, self.columns, self.rows, self.margin, self.gap) = (width, height, columns, rows, margin, gap)
  }

  /// The size of a place.
  public var place: (width: Double, height: Double) {
    (
      (width - 2 * margin - Double(columns - 1) * gap) / Double(columns),
      (height - 2 * margin - Double(rows - 1) * gap) / Double(rows)
    )
  }

  /// Sizes of paper by name.
  public static let papers: [(name: String, width: Double, height: Double)] = [
    ("a4", 210, 297), ("a5", 148, 210), ("a6", 105, 148), ("letter", 215.9, 279.4), ("legal", 215.9, 355.6),
  ]
}

/// Why labels cannot be put on a sheet.
public enum LabelSheetError: Error, Equatable, Sendable {
  /// The margins and gaps leave no place.
  case noPlace
  /// A label is larger than a place; its number, counted from 1, and both sizes in millimetres.
  case labelTooLarge(number: Int, width: Double, height: Double, place: (width: Double, height: Double))
  /// Cairo failed, with its own message.
  case refused(String)

  public static func == (one: Self, other: Self) -> Bool { one.message == other.message }

  public var message: String {
    switch self {
    case .noPlace: "the margins and gaps leave no room for labels; choose smaller ones, or fewer columns and rows"
    case .labelTooLarge(let number, let width, let height, let place):
      "label \(number) has \(millimetres(width)) by \(millimetres(height)) mm, and a place on the sheet has "
        + "\(millimetres(place.width)) by \(millimetres(place.height)) mm; choose a smaller module, or fewer columns and rows"
    case .refused(let detail): "the PDF cannot be written: \(detail)"
    }
  }
}

private func millimetres(_ value: Double) -> String { decimalText((value * 10).rounded() / 10) }

/// The bytes of a PDF document with labels.
///
/// - Parameters:
///   - module: the side of a module, in millimetres.
///   - sheet: nil for a page for each label, as large as the label.
public func labelDocument(
  _ labels: [Label], module: Double, sheet: LabelSheet? = nil
) throws(LabelSheetError) -> [UInt8] {
  let points = 72 / 25.4
  if let sheet, sheet.place.width <= 0 || sheet.place.height <= 0 { throw .noPlace }
  var file: [UInt8] = []
  let problem: LabelSheetError? = withUnsafeMutablePointer(to: &file) { file in
    let surface = cairo_pdf_surface_create_for_stream(
      { context, bytes, count in
        context?.assumingMemoryBound(to: [UInt8].self).pointee.append(
          contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
        return CAIRO_STATUS_SUCCESS
      }, file, (sheet?.width ?? 1) * points, (sheet?.height ?? 1) * points)
    guard let surface, let font = LabelFont() else { return .refused("there is not enough memory") }
    defer { cairo_surface_destroy(surface) }
    guard let context = cairo_create(surface) else { return .refused("there is not enough memory") }
    defer { cairo_destroy(context) }
    for (index, label) in labels.enumerated() {
      let (width, height) = (label.width * module, label.height * module)
      var (x, y) = (0.0, 0.0)
      if let sheet {
        let place = sheet.place
        guard width <= place.width + 0.001, height <= place.height + 0.001 else {
          return .labelTooLarge(number: index + 1, width: width, height: height, place: place)
        }
        let number = index % (sheet.columns * sheet.rows)
        if number == 0, index > 0 { cairo_show_page(context) }
        x = sheet.margin + Double(number % sheet.columns) * (place.width + sheet.gap) + (place.width - width) / 2
        y = sheet.margin + Double(number / sheet.columns) * (place.height + sheet.gap) + (place.height - height) / 2
      } else {
        if index > 0 { cairo_show_page(context) }
        cairo_pdf_surface_set_size(surface, width * points, height * points)
      }
      cairo_save(context)
      cairo_translate(context, x * points, y * points)
      cairo_scale(context, module * points, module * points)
      label.draw(on: context, font)
      cairo_restore(context)
    }
    cairo_surface_finish(surface)
    let status = cairo_surface_status(surface)
    return status == CAIRO_STATUS_SUCCESS ? nil : .refused(String(cString: cairo_status_to_string(status)))
  }
  if let problem { throw problem }
  return file
}

extension Label {
  /// Draws the label in modules.
  fileprivate func draw(on context: OpaquePointer, _ font: LabelFont) {
    cairo_set_source_rgb(context, 0, 0, 0)
    for bar in bars { cairo_rectangle(context, bar.x, bar.y, bar.width, bar.height) }
    cairo_fill(context)
    for mark in picture.marks {
      let shade = mark.isDark ? 0.0 : 1.0
      cairo_set_source_rgb(context, shade, shade, shade)
      let (x, y) = (left + mark.x, top + mark.y)
      if mark.isHexagon {
        let inner = mark.radius * 0.866_025_403_784
        for (dx, dy) in [
          (0, -mark.radius), (inner, -mark.radius / 2), (inner, mark.radius / 2), (0, mark.radius),
          (-inner, mark.radius / 2), (-inner, -mark.radius / 2),
        ] {
          cairo_line_to(context, x + dx, y + dy)
        }
        cairo_close_path(context)
      } else {
        cairo_new_sub_path(context)
        cairo_arc(context, x, y, mark.radius, 0, 2 * Double.pi)
      }
      cairo_fill(context)
    }
    cairo_set_source_rgb(context, 0, 0, 0)
    for line in lines { font.show(line, on: context) }
  }
}
