// Start reading here: graded symbols as a drawn report, a PDF with a page for each or an SVG picture with one below the other.

import CCairo
public import PrintQuality

/// A graded symbol in a report.
public struct ReportEntry: Sendable {
  /// Where it was read, such as a file's name.
  public var source: String
  public var symbology: String
  public var content: String
  public var quality: SymbolQuality

  public init(source: String, symbology: String, content: String, quality: SymbolQuality) {
    (self.source, self.symbology, self.content, self.quality) = (source, symbology, content, quality)
  }
}

/// Cairo's own message about why a report cannot be drawn.
public struct QualityReportError: Error, CustomStringConvertible {
  public let description: String
}

public enum QualityReport {
  public enum Format: String, CaseIterable, Sendable { case svg, pdf }

  /// The size of a page, in points: A4.
  static let (width, height) = (595.0, 842.0)

  /// The bytes of a report.
  ///
  /// - Parameter omittedCount: graded symbols that were too many for the report; every page says so.
  public static func document(
    _ entries: [ReportEntry], omittedCount: Int = 0, as format: Format
  ) throws(QualityReportError) -> [UInt8] {
    var file: [UInt8] = []
    let problem: String? = withUnsafeMutablePointer(to: &file) { file in
      let write: cairo_write_func_t = { context, bytes, count in
        context?.assumingMemoryBound(to: [UInt8].self).pointee.append(
          contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
        return CAIRO_STATUS_SUCCESS
      }
      let surface =
        switch format {
        case .pdf: cairo_pdf_surface_create_for_stream(write, file, width, height)
        case .svg: cairo_svg_surface_create_for_stream(write, file, width, height * Double(max(1, entries.count)))
        }
      guard let surface else { return "there is not enough memory" }
      defer { cairo_surface_destroy(surface) }
      guard let canvas = ReportCanvas(surface) else { return "there is not enough memory" }
      for (index, entry) in entries.enumerated() {
        if index > 0, format == .pdf { canvas.endPage() }
        canvas.top = format == .svg ? Double(index) * height : 0
        canvas.draw(entry)
        if omittedCount > 0 { canvas.drawOmission(shownCount: entries.count, omittedCount: omittedCount) }
      }
      cairo_surface_finish(surface)
      let status = cairo_surface_status(surface)
      return status == CAIRO_STATUS_SUCCESS ? nil : String(cString: cairo_status_to_string(status))
    }
    if let problem { throw QualityReportError(description: problem) }
    return file
  }
}
