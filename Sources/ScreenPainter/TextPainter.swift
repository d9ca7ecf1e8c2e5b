// Text of any script, in the box it was given and nowhere else. Text is handed to Pango as text, never as markup, and
// whatever a font makes of it is cut at the box.

import CCairo
import ScanScreen

final class TextPainter {
  /// The fonts asked for, in order; where none is installed, the system's own.
  static let family = "Inter, Noto Sans, DejaVu Sans, sans-serif"
  static let monospacedFamily = "DejaVu Sans Mono, Noto Sans Mono, monospace"

  private let context: OpaquePointer
  private let layout: OpaquePointer

  /// - Parameter context: outlives this.
  init?(_ context: OpaquePointer) {
    guard let layout = pango_cairo_create_layout(context) else { return nil }
    self.context = context
    self.layout = layout
    // Greys only: an overlay has no ground to mix coloured fringes with. Unhinted, so that sizes scale alike.
    let options = cairo_font_options_create()
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    pango_cairo_context_set_font_options(pango_layout_get_context(layout), options)
    cairo_font_options_destroy(options)
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

  func draw(_ run: TextRun) {
    guard run.box.width >= 1, run.box.height >= 1, run.size > 0 else { return }
    let size = layOut(run)
    let top = run.lineCountMax == 1 || run.fillsBox ? run.box.y + (run.box.height - size.height) / 2 : run.box.y
    cairo_save(context)
    cairo_rectangle(context, run.box.x, run.box.y, run.box.width, run.box.height)
    cairo_clip(context)
    let colour = run.colour
    cairo_set_source_rgba(
      context, Double(colour.red) / 255, Double(colour.green) / 255, Double(colour.blue) / 255, Double(colour.alpha) / 255)
    cairo_move_to(context, run.box.x, top)
    pango_cairo_update_layout(context, layout)
    pango_cairo_show_layout(context, layout)
    cairo_restore(context)
  }

  /// Whether something of a text is left out, or does not lie in its box.
  func cuts(_ run: TextRun) -> Bool {
    let size = layOut(run)
    return pango_layout_is_ellipsized(layout) != 0 || size.height > run.box.height || size.width > run.box.width
  }

  /// The height of a line, in parts of the text's size: what the fonts that are asked for need.
  private static let lineHeight = 1.2

  /// From one size that is tried to the next.
  private static let shrinking = 0.94

  /// Lays out a text in its size, or in the largest one down to the least in which all of it fits.
  ///
  /// - Returns: its size in pixels.
  private func layOut(_ run: TextRun) -> (width: Double, height: Double) {
    setFont(run)
    // What a shape leaves out is not looked at: all of it, before it gets one.
    pango_layout_set_width(layout, -1)
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE)
    setText(run.text)
    if pango_layout_get_unknown_glyphs_count(layout) > 0 { setText(String(run.text.flatMap(drawable))) }
    if run.fillsBox {
      // On one line, if it need not be much smaller for it: a number or a host is read as one word.
      var line = run
      (line.fillsBox, line.lineCountMax) = (false, 1)
      line.sizeMin = max(run.size * Self.lineShrinkingMax, run.sizeMin ?? run.size)
      if let size = fit(line) { return size }
      // Else with its words whole, as far as it has some; else broken where a reader would break it.
      var words = run
      words.sizeMin = max(run.size * Self.wordShrinkingMax, run.sizeMin ?? run.size)
      if let size = fit(words, keepsWords: true) { return size }
      setText(Self.breakable(run.text))
      words.sizeMin = run.sizeMin
      if pango_layout_get_unknown_glyphs_count(layout) == 0, let size = fit(words, keepsWords: true) { return size }
      setText(run.text)
      if pango_layout_get_unknown_glyphs_count(layout) > 0 { setText(String(run.text.flatMap(drawable))) }
    }
    return fit(run) ?? extent
  }

  /// Digits that stay together in a long number: as many as are read at a glance.
  static let digitGroupCount = 4

  /// A text that may be broken after its separators, and in long numbers between groups of digits counted from the right.
  static func breakable(_ text: String) -> String {
    var broken = ""
    var digits = ""
    func addDigits() {
      for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index) % digitGroupCount == 0 { broken.append("\u{200B}") }
        broken.append(digit)
      }
      digits = ""
    }
    for character in text {
      if character.isASCII, character.isNumber {
        digits.append(character)
        continue
      }
      addDigits()
      broken.append(character)
      if "-/_.,:;?&=+#|)".contains(character) { broken.append("\u{200B}") }
    }
    addDigits()
    return broken
  }

  private func setText(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { pango_layout_set_text(layout, $0.baseAddress, Int32($0.count)) }
    }
  }

  /// Characters that no font of this machine has, as far as they were met.
  private var unknown: [Character: Bool] = [:]
  /// What is remembered of them at most: then it is forgotten.
  private static let unknownCountMax = 1024

  /// A character, or where no font has it, what can be read in its place: Pango would draw a box with its number. Pictures of
  /// control characters become a caret and a letter, all else the mark for what cannot be shown.
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

  /// Whether a text is drawn with boxes for characters that no font has.
  func hasBoxes(_ run: TextRun) -> Bool {
    _ = layOut(run)
    return pango_layout_get_unknown_glyphs_count(layout) > 0
  }

  /// The part of its size to which a text shrinks to stay on one line, and to which it shrinks to keep its words whole.
  private static let lineShrinkingMax = 0.5
  private static let wordShrinkingMax = 0.3

  /// Lays out a text in the largest of its sizes in which all of it fits, else in the least.
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

  /// The size in pixels of what is laid out.
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
    // A hyphen at the end of a line would be taken for one of the barcode's.
    let attributes = pango_attr_list_new()
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
    pango_layout_set_attributes(layout, attributes)
    pango_attr_list_unref(attributes)
    // Pango cuts the middle only of text of one line.
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
