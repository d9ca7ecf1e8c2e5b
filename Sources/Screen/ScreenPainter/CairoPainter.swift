// Draws display lists with Cairo, and their text with Pango, into a picture in ordinary memory. Only changes are drawn; the
// painter never draws into display memory, which is slow to read.

public import BarcodeTypes
import CCairo
public import ScanScreen

/// The picture of a panel's overlay. Used by one thread.
public final class CairoPainter: OverlayPainting {
  /// The most images stored; the oldest is replaced.
  static let imageCountMax = 16

  public let panel: ScreenSize
  private let surface: OpaquePointer
  private let context: OpaquePointer
  private let text: TextPainter
  private let outlines = OutlinePainter()
  private var painted: DisplayList?
  private var images: [(reference: ImageReference, surface: OpaquePointer)] = []

  /// - Returns: nil if memory for the picture is not available.
  public init?(panel: ScreenSize) {
    guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(panel.width), Int32(panel.height)),
      cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let context = cairo_create(surface),
      let text = TextPainter(context)
    else { return nil }
    self.panel = panel
    self.surface = surface
    self.context = context
    self.text = text
  }

  deinit {
    for image in images { cairo_surface_destroy(image.surface) }
    cairo_destroy(context)
    cairo_surface_destroy(surface)
  }

  public func setImage(_ reference: ImageReference, luma: [UInt8], width: Int, height: Int) {
    precondition(luma.count == width * height)
    guard let image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height)),
      let bytes = cairo_image_surface_get_data(image)
    else { return }
    let rowBytes = Int(cairo_image_surface_get_stride(image))
    for y in 0..<height {
      let row = UnsafeMutableRawPointer(bytes + y * rowBytes).assumingMemoryBound(to: UInt32.self)
      for x in 0..<width { row[x] = UInt32(luma[y * width + x]) &* 0x01_0101 }
    }
    cairo_surface_mark_dirty(image)
    keep(reference, image)
  }

  public func setImage(_ reference: ImageReference, pngFile path: String) -> Bool {
    guard let image = cairo_image_surface_create_from_png(path) else { return false }
    guard cairo_surface_status(image) == CAIRO_STATUS_SUCCESS else {
      cairo_surface_destroy(image)
      return false
    }
    keep(reference, image)
    return true
  }

  private func keep(_ reference: ImageReference, _ image: OpaquePointer) {
    if let index = images.firstIndex(where: { $0.reference == reference }) {
      cairo_surface_destroy(images.remove(at: index).surface)
    }
    // The picture of the focus frame is set once and stays.
    if images.count == Self.imageCountMax, let index = images.firstIndex(where: { $0.reference != .focusFrame }) {
      cairo_surface_destroy(images.remove(at: index).surface)
    }
    images.append((reference, image))
  }

  public func paint(_ list: DisplayList) -> [PixelRegion] {
    precondition(list.panel == panel)
    let damage = list.damage(since: painted)
    painted = list
    guard !damage.isEmpty else { return damage }
    // Whether a region already contains items of this list, rather than of the previous one.
    var isDrawn = [Bool](repeating: false, count: damage.count)
    cairo_surface_flush(surface)
    draw(list.overlay, .none, in: damage, &isDrawn)
    draw(list.controls, list.turn, in: damage, &isDrawn)
    clear(damage, &isDrawn, damage.indices)
    cairo_surface_mark_dirty(surface)
    return damage
  }

  /// Clears those of the regions into which nothing has been drawn yet.
  private func clear(_ damage: [PixelRegion], _ isDrawn: inout [Bool], _ indices: some Sequence<Int>) {
    guard let rows else { return }
    for index in indices where !isDrawn[index] {
      let region = damage[index]
      for y in region.y..<region.y + region.height {
        (rows.first + y * rows.pixelsPerRow + region.x).update(repeating: 0, count: region.width)
      }
      isDrawn[index] = true
    }
  }

  /// The layout of a text as it is drawn.
  public func place(_ run: TextRun) -> PlacedText { text.place(run) }

  /// Whether the text is shortened where it is drawn.
  public func cuts(_ run: TextRun) -> Bool { place(run).isCut }

  /// Whether the text is drawn with boxes because no font has its characters.
  public func hasBoxes(_ run: TextRun) -> Bool { text.hasBoxes(run) }

  public func withPixels(_ body: (UnsafePointer<UInt32>, _ bytesPerRow: Int) -> Void) {
    cairo_surface_flush(surface)
    guard let bytes = cairo_image_surface_get_data(surface) else { return }
    body(
      UnsafePointer(UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt32.self)),
      Int(cairo_image_surface_get_stride(surface)))
  }

  /// The pixels for code that draws without Cairo, which must flush the surface before and mark it dirty afterwards.
  private var rows: (first: UnsafeMutablePointer<UInt32>, pixelsPerRow: Int)? {
    cairo_image_surface_get_data(surface).map { bytes in
      (
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: UInt32.self),
        Int(cairo_image_surface_get_stride(surface)) / 4
      )
    }
  }

  /// Draws items in the regions that they touch, and nowhere else. The first item drawn into a region clears it.
  private func draw(_ items: [DisplayItem], _ turn: QuarterTurn, in damage: [PixelRegion], _ isDrawn: inout [Bool]) {
    let upright = damage.map { region in
      let rect = ScreenRect(
        x: Double(region.x), y: Double(region.y), width: Double(region.width), height: Double(region.height))
      return turn == .none ? rect : DisplayList.uprightRect(rect, turn: turn, panel: panel)
    }
    let whole = upright.dropFirst().reduce(upright[0]) { $0.union($1) }
    for item in items {
      if case .outline(let points, let colour, let width, let ground, let groundWidth) = item {
        outlines.set(
          points.map { DisplayList.panelPoint($0, turn: turn, panel: panel) }, colour, width, ground, groundWidth)
        if let rows { outlines.draw(in: damage, &isDrawn, of: rows.first, pixelsPerRow: rows.pixelsPerRow) }
        continue
      }
      guard item.bounds.touches(whole) else { continue }
      let places = item.places.filter { $0.touches(whole) }
      let touched = places.isEmpty ? [] : damage.indices.filter { index in places.contains { $0.touches(upright[index]) } }
      guard !touched.isEmpty else { continue }
      clear(damage, &isDrawn, touched)
      cairo_surface_mark_dirty(surface)
      cairo_save(context)
      for index in touched {
        let region = damage[index]
        cairo_rectangle(context, Double(region.x), Double(region.y), Double(region.width), Double(region.height))
      }
      cairo_clip(context)
      var matrix = Self.matrix(turn, panel)
      cairo_transform(context, &matrix)
      draw(item)
      cairo_restore(context)
      cairo_surface_flush(surface)
    }
  }

  /// The transformation from upright coordinates to the panel.
  private static func matrix(_ turn: QuarterTurn, _ panel: ScreenSize) -> cairo_matrix_t {
    let origin = DisplayList.panelPoint(ScreenPoint(x: 0, y: 0), turn: turn, panel: panel)
    let across = DisplayList.panelPoint(ScreenPoint(x: 1, y: 0), turn: turn, panel: panel)
    let down = DisplayList.panelPoint(ScreenPoint(x: 0, y: 1), turn: turn, panel: panel)
    return cairo_matrix_t(
      xx: across.x - origin.x, yx: across.y - origin.y, xy: down.x - origin.x, yy: down.y - origin.y, x0: origin.x,
      y0: origin.y)
  }

  private func draw(_ item: DisplayItem) {
    switch item {
    case .fill(let figures, let colour):
      trace(figures)
      setColour(colour)
      cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD)
      cairo_fill(context)
    case .stroke(let figures, let colour, let width):
      trace(figures)
      setColour(colour)
      cairo_set_line_width(context, width)
      cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
      cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
      cairo_stroke(context)
    case .outline: break
    case .text(let run): text.draw(run)
    case .image(let reference, let center, let width, let height, let angle):
      drawImage(reference, center, width, height, angle)
    }
  }

  private func setColour(_ colour: Colour) {
    cairo_set_source_rgba(
      context, Double(colour.red) / 255, Double(colour.green) / 255, Double(colour.blue) / 255, Double(colour.alpha) / 255)
  }

  private func trace(_ figures: [Figure]) {
    cairo_new_path(context)
    for figure in figures {
      switch figure {
      case .rectangle(let rect): cairo_rectangle(context, rect.x, rect.y, rect.width, rect.height)
      case .rounded(let rect, let radius): traceRounded(rect, min(radius, rect.width / 2, rect.height / 2))
      case .circle(let center, let radius):
        cairo_new_sub_path(context)
        cairo_arc(context, center.x, center.y, radius, 0, 2 * .pi)
        cairo_close_path(context)
      case .polygon(let points):
        traceLine(points)
        cairo_close_path(context)
      case .line(let points): traceLine(points)
      }
    }
  }

  private func traceLine(_ points: [ScreenPoint]) {
    cairo_new_sub_path(context)
    for point in points { cairo_line_to(context, point.x, point.y) }
  }

  private func traceRounded(_ rect: ScreenRect, _ radius: Double) {
    cairo_new_sub_path(context)
    cairo_arc(context, rect.right - radius, rect.y + radius, radius, -.pi / 2, 0)
    cairo_arc(context, rect.right - radius, rect.bottom - radius, radius, 0, .pi / 2)
    cairo_arc(context, rect.x + radius, rect.bottom - radius, radius, .pi / 2, .pi)
    cairo_arc(context, rect.x + radius, rect.y + radius, radius, .pi, 1.5 * .pi)
    cairo_close_path(context)
  }

  private func drawImage(
    _ reference: ImageReference, _ center: ScreenPoint, _ width: Double, _ height: Double, _ angle: Double
  ) {
    guard let image = images.first(where: { $0.reference == reference })?.surface else { return }
    let imageWidth = Double(cairo_image_surface_get_width(image))
    let imageHeight = Double(cairo_image_surface_get_height(image))
    guard imageWidth > 0, imageHeight > 0, width > 0, height > 0 else { return }
    cairo_save(context)
    cairo_translate(context, center.x, center.y)
    cairo_rotate(context, angle)
    cairo_scale(context, width / imageWidth, height / imageHeight)
    cairo_translate(context, -imageWidth / 2, -imageHeight / 2)
    cairo_set_source_surface(context, image, 0, 0)
    cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
    cairo_rectangle(context, 0, 0, imageWidth, imageHeight)
    cairo_fill(context)
    cairo_restore(context)
  }
}
