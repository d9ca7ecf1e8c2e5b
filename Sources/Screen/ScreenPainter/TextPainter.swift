// Text of any script within its box, except that letters may overhang its edge. Pango receives plain text, never markup, and
// all output of a font is clipped at the box.

import CCairo
public import ScanScreen

/// The layout of a text as drawn.
public struct PlacedText: Equatable, Sendable {
  /// The text of each line, as shortened.
  public var lines: [String]
  /// The height of the font's em in pixels.
  public var size: Double
  /// The rectangle that the letters cover.
  public var rect: ScreenRect
  /// Whether the text is shortened, or does not lie in its box.
  public var isCut: Bool
}

final class TextPainter {
  /// The preferred fonts, in order; if none is installed, the system's default.
  static let family = "Inter, Noto Sans, DejaVu Sans, sans-serif"
  static let monospacedFamily = "DejaVu Sans Mono, Noto Sans Mono, monospace"

  private let context: OpaquePointer
  private let layout: OpaquePointer

  /// - Parameter context: must outlive this object.
  init?(_ context: OpaquePointer) {
    guard let layout = pango_cairo_create_layout(context) else { return nil }
    self.context = context
    self.layout = layout
    ccairo_draw_plain_text(layout)
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

  func draw(_ run: TextRun) {
    guard run.box.width >= 1, run.box.height >= 1, run.size > 0 else { return }
    let size = layOut(run)
    let top = top(of: run, height: size.height)
    cairo_save(context)
    let extent = run.extent
    cairo_rectangle(context, extent.x, extent.y, extent.width, extent.height)
    cairo_clip(context)
    let colour = run.colour
    cairo_set_source_rgba(
      context, Double(colour.red) / 255, Double(colour.green) / 255, Double(colour.blue) / 255, Double(colour.alpha) / 255)
    cairo_move_to(context, run.box.x, top)
    pango_cairo_update_layout(context, layout)
    pango_cairo_show_layout(context, layout)
    cairo_restore(context)
  }

  private func top(of run: TextRun, height: Double) -> Double {
    run.lineCountMax == 1 || run.fillsBox ? run.box.y + (run.box.height - height) / 2 : run.box.y
  }

  /// Pango reports whole pixels, rounded up.
  private static let rounding = 1.0

  /// The layout of a text as drawn.
  func place(_ run: TextRun) -> PlacedText {
    let size = layOut(run)
    var ink = PangoRectangle()
    pango_layout_get_pixel_extents(layout, &ink, nil)
    let font = pango_layout_get_font_description(layout)
    let text = Array(String(cString: pango_layout_get_text(layout)).utf8)
    let lines = (0..<pango_layout_get_line_count(layout)).compactMap { index in
      pango_layout_get_line_readonly(layout, index).map { line in
        let start = Int(line.pointee.start_index)
        return String(decoding: text[start..<start + Int(line.pointee.length)], as: UTF8.self)
      }
    }
    return PlacedText(
      lines: lines, size: Double(pango_font_description_get_size(font)) / Double(PANGO_SCALE),
      rect: ScreenRect(
        x: run.box.x + Double(ink.x), y: top(of: run, height: size.height) + Double(ink.y), width: Double(ink.width),
        height: Double(ink.height)),
      isCut: pango_layout_is_ellipsized(layout) != 0 || size.height > run.box.height + Self.rounding
        || size.width > run.box.width + Self.rounding)
  }

  /// The height of a line, as a fraction of the text's size: enough for the preferred fonts.
  private static let lineHeight = 1.2

  /// The ratio between successive sizes that are tried.
  private static let shrinking = 0.94

  /// Lays out a text at its size, or at the largest size down to its minimum at which all of it fits.
  ///
  /// - Returns: its size in pixels.
  private func layOut(_ run: TextRun) -> (width: Double, height: Double) {
    setFont(run)
    setDrawableText(run.text)
    if run.fillsBox {
      // On one line if it need not become much smaller: a number or a host is read as one word.
      var line = run
      (line.fillsBox, line.lineCountMax) = (false, 1)
      line.sizeMin = max(run.lineSizeMin ?? run.size, run.sizeMin ?? run.size)
      if let size = fit(line) { return size }
      // Otherwise broken where a reader would break it: at separators and, only if it would become much smaller otherwise,
      // within numbers.
      var words = run
      words.sizeMin = max(run.size * Self.wordShrinkingMax, run.sizeMin ?? run.size)
      setDrawableText(Self.breakable(run.text, splitsNumbers: false))
      if let size = fit(words, keepsWords: true) { return size }
      setDrawableText(Self.breakable(run.text, splitsNumbers: true))
      words.sizeMin = run.sizeMin
      if let size = fit(words, keepsWords: true) { return size }
      setDrawableText(run.text)
    }
    return fit(run) ?? extent
  }

  /// An invisible, zero-width character that allows a line break.
  static let breakMark: Character = "\u{200B}"

  /// Characters after which a reader would break a text.
  private static let separators = "-/_.,:;?&=+#|"

  /// Whether a character is the picture of a line break or of another control character.
  private static func isControlPicture(_ character: Character) -> Bool {
    character.unicodeScalars.first.map { (0x2400...0x2421).contains($0.value) } ?? false
  }

  /// Digits per group in a long number: the number read at a glance.
  static let digitGroupCount = 4

  /// Allows breaks after separators and control characters, except decimal points; before GS1's identifiers in parentheses;
  /// and, if numbers may be split, between groups of digits counted from the right.
  static func breakable(_ text: String, splitsNumbers: Bool) -> String {
    var broken = ""
    var digits = ""
    func addDigits() {
      for (index, digit) in digits.enumerated() {
        if splitsNumbers, index > 0, (digits.count - index) % digitGroupCount == 0 { broken.append(breakMark) }
        broken.append(digit)
      }
      digits = ""
    }
    // Whether a mark is due, and whether a digit cancels it: after a point or comma that follows a digit.
    var (isMarkDue, isDecimal) = (false, false)
    for character in text {
      let isDigit = character.isASCII && character.isNumber
      if isMarkDue, !(isDigit && isDecimal) { broken.append(breakMark) }
      isMarkDue = false
      if isDigit {
        digits.append(character)
        continue
      }
      isDecimal = !digits.isEmpty && (character == "." || character == ",")
      addDigits()
      if character == "(", !broken.isEmpty { broken.append(breakMark) }
      broken.append(character)
      isMarkDue = separators.contains(character) || isControlPicture(character)
    }
    addDigits()
    return broken
  }

  /// The font must be set.
  private func setDrawableText(_ text: String) {
    // A shape hides glyphs from the count; the text has no shape yet.
    pango_layout_set_width(layout, -1)
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE)
    setText(text)
    if pango_layout_get_unknown_glyphs_count(layout) > 0 { setText(String(text.flatMap(drawable))) }
  }

  private func setText(_ text: String) { pango_layout_set_text(layout, text, Int32(text.utf8.count)) }

  /// Whether no font on this machine has a character, for the characters met so far.
  private var unknown: [Character: Bool] = [:]
  /// The most characters remembered; beyond this, the memory is cleared.
  private static let unknownCountMax = 1024

  /// A character, or a readable replacement if no font has it, because Pango would draw a box with its number. Pictures of
  /// control characters become a caret and a letter; all others become the replacement character.
  private func drawable(_ character: Character) -> String {
    guard isUnknown(character) else { return String(character) }
    if let scalar = character.unicodeScalars.first, (0x2400...0x241F).contains(scalar.value),
      let letter = Unicode.Scalar(scalar.value - 0x2400 + 0x40)
    {
      return "^" + String(letter)
    }
    return isUnknown("\u{FFFD}") ? "?" : "\u{FFFD}"
  }

  /// The font must be set.
  private func isUnknown(_ character: Character) -> Bool {
    if let known = unknown[character] { return known }
    setText(String(character))
    let isUnknown = pango_layout_get_unknown_glyphs_count(layout) > 0
    if unknown.count == Self.unknownCountMax { unknown.removeAll() }
    unknown[character] = isUnknown
    return isUnknown
  }

  /// Whether the text is drawn with boxes because no font has its characters.
  func hasBoxes(_ run: TextRun) -> Bool {
    _ = layOut(run)
    return pango_layout_get_unknown_glyphs_count(layout) > 0
  }

  /// The fraction of its size to which a text shrinks to keep its words and numbers whole.
  private static let wordShrinkingMax = 0.3

  /// Lays out a text at the largest size at which all of it fits, else at the minimum.
  ///
  /// - Returns: its size in pixels; nil if not all of it fits.
  private func fit(_ run: TextRun, keepsWords: Bool = false) -> (width: Double, height: Double)? {
    setShape(run, keepsWords)
    var run = run
    let least = min(run.sizeMin ?? run.size, run.size)
    while true {
      if run.fillsBox {
        run.lineCountMax = max(1, Int(run.box.height / (run.size * Self.lineHeight)))
        setShape(run, keepsWords)
      }
      setFont(run)
      let extent = extent
      let isWide = keepsWords && extent.width > run.box.width
      if !isWide, pango_layout_is_ellipsized(layout) == 0, extent.height <= run.box.height { return extent }
      if run.size <= least { return nil }
      run.size = max(run.size * Self.shrinking, least)
    }
  }

  /// The size of the laid-out text in pixels.
  private var extent: (width: Double, height: Double) {
    var width: Int32 = 0
    var height: Int32 = 0
    pango_layout_get_pixel_size(layout, &width, &height)
    return (Double(width), Double(height))
  }

  private func setFont(_ run: TextRun) {
    let font = pango_font_description_new()
    pango_font_description_set_family(font, run.isMonospaced ? Self.monospacedFamily : Self.family)
    pango_font_description_set_weight(font, run.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
    pango_font_description_set_absolute_size(font, run.size * Double(PANGO_SCALE))
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
  }

  private func setShape(_ run: TextRun, _ keepsWords: Bool) {
    pango_layout_set_single_paragraph_mode(layout, 1)
    pango_layout_set_width(layout, Int32(run.box.width * Double(PANGO_SCALE)))
    pango_layout_set_height(layout, -Int32(run.lineCountMax))
    pango_layout_set_wrap(layout, keepsWords ? PANGO_WRAP_WORD : PANGO_WRAP_WORD_CHAR)
    // A hyphen at the end of a line would look like part of the barcode.
    let attributes = pango_attr_list_new()
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
    pango_layout_set_attributes(layout, attributes)
    pango_attr_list_unref(attributes)
    // Pango shortens the middle only in single-line text.
    let cut = run.cut == .middle && run.lineCountMax == 1 ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END
    pango_layout_set_ellipsize(layout, cut)
    let alignment =
      switch run.alignment {
      case .leading: PANGO_ALIGN_LEFT
      case .center: PANGO_ALIGN_CENTER
      case .trailing: PANGO_ALIGN_RIGHT
      }
    pango_layout_set_alignment(layout, alignment)
  }
}
