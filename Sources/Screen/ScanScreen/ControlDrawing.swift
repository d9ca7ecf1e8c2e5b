// Draws controls, texts and cards, upright for the reader.

struct ControlDrawing {
  let view: ScreenView
  let style: ScreenStyle

  private var colours: ScreenColours { style.colours }
  private var layout: ScreenLayout { view.layout }
  private var content: ScreenContent { view.content }
  private var words: ScreenWords { view.words }
  private var unit: Double { layout.unit }
  private var radius: Double { 14 * unit }

  /// The fraction of its size to which a text may shrink to fit: text meant for arm's length on common kiosk panels (5 mm
  /// and 3.5 mm high there) remains legible.
  private static let shrinkingMax = 0.7

  func text(
    _ text: String, _ box: ScreenRect, _ size: Double, _ colour: Colour, bold: Bool = false,
    _ alignment: TextRun.Alignment = .leading, lines: Int = 1
  ) -> DisplayItem {
    var run = TextRun(text.shown, in: box, size: size * unit, colour: colour)
    run.sizeMin = run.size * Self.shrinkingMax
    run.isBold = bold
    run.alignment = alignment
    run.lineCountMax = lines
    return .text(run)
  }

  /// The fraction of its size to which a phrase shrinks to stay on one line.
  private static let phraseLineShrinkingMax = 0.8

  /// A short text in bold: on one line or, if it would become too small, on the lines that fit.
  private func phrase(
    _ text: String, _ box: ScreenRect, _ size: Double, _ colour: Colour, _ alignment: TextRun.Alignment
  ) -> DisplayItem {
    guard case .text(var run) = self.text(text, box, size, colour, bold: true, alignment) else { preconditionFailure() }
    run.fillsBox = true
    run.lineSizeMin = run.size * Self.phraseLineShrinkingMax
    return .text(run)
  }

  /// The background of an element over the preview.
  private func panel(_ rect: ScreenRect, radius: Double) -> DisplayItem {
    .fill([.rounded(rect, radius: radius)], colours.surface.faded(to: 0.9))
  }

  // MARK: The scanner

  func scannerItems() -> [DisplayItem] {
    // Under a card there is nothing to read or press.
    guard content.review == nil, content.dialog == nil, content.list == nil else { return [] }
    var items = promptItems()
    items += content.result == nil ? codeListItems() : resultItems()
    for placed in view.controls(isScannerRevealed: true) {
      switch placed.control {
      case .torch: items += torchItems(placed)
      case .close: items += closeItems(placed)
      case .open, .result, .confirm, .cancel, .list, .listNext, .listClose: break
      }
    }
    return items
  }

  /// The background of the prompt, and the colour of its text.
  private var promptColours: (ground: Colour, text: Colour) {
    switch content.promptTone {
    case .plain: (colours.surface.faded(to: 0.9), colours.text)
    case .good: (colours.accent, colours.accentText)
    case .warning: (colours.warning, colours.accentText)
    }
  }

  private func promptItems() -> [DisplayItem] {
    let box = layout.prompt(hasClose: content.hasTouch)
    let (ground, colour) = promptColours
    return [
      .fill([.rounded(box, radius: layout.pill(box))], ground),
      phrase(words.counted(content.prompt, content.promptCount), box.inset(by: 8 * unit), 19, colour, .center),
    ]
  }

  private func torchItems(_ placed: PlacedControl) -> [DisplayItem] {
    let rect = placed.rect
    let isOn = content.torch.isOn
    let colour = !placed.isEnabled ? colours.quietText.faded(to: 0.75) : isOn ? colours.accentText : colours.text
    let ground = isOn ? colours.accent : colours.surface.faded(to: 0.9)
    let icon = ScreenPoint(x: rect.x + 34 * unit, y: rect.center.y)
    let words = ScreenRect(x: rect.x + 58 * unit, y: rect.y, width: rect.width - 66 * unit, height: rect.height)
    let upper = ScreenRect(x: words.x, y: rect.y + 8 * unit, width: words.width, height: 20 * unit)
    let lower = ScreenRect(x: words.x, y: rect.y + 28 * unit, width: words.width, height: 20 * unit)
    return [
      .fill([.rounded(rect, radius: layout.pill(rect))], ground),
      .fill([.polygon(Icon.bolt(icon, size: 30 * unit))], colour),
      text(placed.name, upper, 16, colour, bold: true),
      text(placed.value, lower, 14.5, colour),
    ]
  }

  private func closeItems(_ placed: PlacedControl) -> [DisplayItem] {
    [
      .fill([.circle(center: placed.rect.center, radius: placed.rect.width / 2)], colours.surface.faded(to: 0.9)),
      .stroke(Icon.cross(placed.rect.center, size: 20 * unit), colours.text, width: 3 * unit),
    ]
  }

  private func codeListItems() -> [DisplayItem] {
    let box = layout.codeList(holdsHelp: content.codes.contains(where: \.isUnread))
    let moreHeight = layout.moreRowHeight
    let isOverfull = content.codes.count > max(1, Int(box.height / layout.codeRowHeight))
    let count = isOverfull ? max(1, Int((box.height - moreHeight) / layout.codeRowHeight)) : content.codes.count
    var items: [DisplayItem] = []
    var top = box.y
    for code in content.codes.prefix(count) {
      let row = ScreenRect(x: box.x, y: top, width: box.width, height: layout.codeRowHeight - 6 * unit)
      items.append(panel(row, radius: 10 * unit))
      items += codeText(code, in: row.inset(by: 6 * unit), colours.text, colours.quietText)
      top += layout.codeRowHeight
    }
    if isOverfull {
      let row = ScreenRect(x: box.x, y: top, width: box.width, height: moreHeight)
      items.append(panel(row, radius: layout.pill(row)))
      items.append(text(words.counted(.moreCodes, content.codes.count - count), row, 14, colours.text, .center))
    }
    return items
  }

  /// A code's value above its type; for a link, its host and what follows. Text that does not fit is shortened in the
  /// middle.
  private func codeText(_ code: CodeRow, in box: ScreenRect, _ colour: Colour, _ quiet: Colour) -> [DisplayItem] {
    let middle = box.y + box.height * 0.56
    let upper = ScreenRect(x: box.x + 4 * unit, y: box.y, width: box.width - 8 * unit, height: middle - box.y)
    let lower = ScreenRect(x: upper.x, y: middle, width: upper.width, height: box.bottom - middle)
    let place = code.isLink ? code.value.linkPlace : nil
    var value = TextRun((place ?? code.value).shown, in: upper, size: 16 * unit, colour: colour)
    value.sizeMin = Self.valueSizeMin * unit
    value.isBold = true
    value.cut = .middle
    let type = code.isLink ? "\(code.type)  ·  \(words[.link])" : code.type
    return [.text(value), text(type, lower, 14, code.isLink ? colours.accent : code.isUnread ? colours.warning : quiet)]
  }

  // MARK: Scanned results

  /// The size of a value with ample room, and its minimum, in units.
  private static let (valueSize, valueSizeMin) = (64.0, 12.4)
  /// The fractions of their sizes to which a value, and a whole link below its host, shrink to stay on one line.
  private static let (valueLineShrinkingMax, linkLineShrinkingMax) = (0.5, 0.8)

  private func resultItems() -> [DisplayItem] {
    guard let result = content.result else { return [] }
    let box = layout.result
    let border =
      switch content.promptTone {
      case .plain: colours.border
      case .good: colours.accent
      case .warning: colours.warning
      }
    var items: [DisplayItem] = [
      .fill([.rounded(box, radius: radius)], colours.surface.faded(to: 0.94)),
      .stroke([.rounded(box, radius: radius)], border, width: 3 * unit),
    ]
    let more = result.moreCount > 0 ? "  ·  " + words.counted(.moreCodes, result.moreCount) : ""
    items += valueItems(result.row, in: box.inset(by: 12 * unit), .center, more: more)
    return items
  }

  /// The mean width of a letter, and the height of a line, as fractions of the text's size.
  private static let (letterWidth, lineHeight) = (0.65, 1.2)

  /// Whether the box holds a text at its minimum size, with half a line to spare for lines that break early.
  private func holds(_ text: String, _ box: ScreenRect) -> Bool {
    let size = Self.valueSizeMin * unit
    let lineCount = (box.height / (size * Self.lineHeight)).rounded(.down)
    return Double(text.count) <= (box.width / (size * Self.letterWidth)) * (lineCount - 0.5)
  }

  /// A whole value, wrapped and as large as its box allows, above its type; for a link, first its host on a separate line if
  /// there is room.
  private func valueItems(
    _ row: CodeRow, in box: ScreenRect, _ alignment: TextRun.Alignment, more: String = ""
  ) -> [DisplayItem] {
    let typeHeight = 20 * unit
    let type = ScreenRect(x: box.x, y: box.bottom - typeHeight, width: box.width, height: typeHeight)
    let values = ScreenRect(x: box.x, y: box.y, width: box.width, height: box.height - typeHeight - 4 * unit)
    var items: [DisplayItem] = []
    func value(_ text: String, _ box: ScreenRect, _ size: Double, bold: Bool) {
      var run = TextRun(text, in: box, size: size * unit, colour: bold ? colours.text : colours.quietText)
      run.sizeMin = Self.valueSizeMin * unit
      run.lineSizeMin = run.size * (bold ? Self.valueLineShrinkingMax : Self.linkLineShrinkingMax)
      run.isBold = bold
      run.alignment = alignment
      run.fillsBox = true
      items.append(.text(run))
    }
    let hostBox = ScreenRect(x: values.x, y: values.y, width: values.width, height: values.height * 0.6)
    let linkBox = ScreenRect(
      x: values.x, y: hostBox.bottom, width: values.width, height: values.height - hostBox.height)
    if row.isLink, let host = row.value.linkHost, holds(row.value.shown, linkBox) {
      value(host.shown, hostBox, Self.valueSize * 0.75, bold: true)
      value(row.value.shown, linkBox, 18, bold: false)
    } else {
      value((row.isLink ? row.value.linkPlace ?? row.value : row.value).shown, values, Self.valueSize, bold: true)
    }
    let name = (row.isLink ? "\(row.type)  ·  \(words[.link])" : row.type) + more
    items.append(text(name, type, 15, row.isLink ? colours.accent : colours.quietText, alignment))
    return items
  }

  // MARK: Cards

  private func card(_ rect: ScreenRect) -> [DisplayItem] {
    [
      .fill([.rectangle(layout.whole)], Colour(red: 0, green: 0, blue: 0, alpha: 115)),
      .fill([.rounded(rect, radius: radius)], colours.surface),
      .stroke([.rounded(rect, radius: radius)], colours.border.faded(to: 0.14), width: unit),
    ]
  }

  private func button(_ placed: PlacedControl, isMain: Bool) -> [DisplayItem] {
    let ground = isMain ? colours.accent : colours.text.faded(to: 0.12)
    return [
      .fill([.rounded(placed.rect, radius: radius)], ground),
      text(
        placed.name, placed.rect.inset(by: 6 * unit), 19, isMain ? colours.accentText : colours.text, bold: true, .center),
    ]
  }

  func reviewItems() -> [DisplayItem] {
    guard let review = content.review else { return [] }
    let rect = view.reviewCard
    var items = card(rect)
    let title = ScreenRect(x: rect.x + 20 * unit, y: rect.y + 18 * unit, width: rect.width - 40 * unit, height: 34 * unit)
    let count = review.rows.count
    if let decided = review.decided {
      items += decidedItems(
        decided, in: ScreenRect(x: title.x, y: rect.y + 8 * unit, width: title.width, height: 48 * unit))
    } else {
      items.append(text(words[.review], title, 22, colours.text, bold: true))
      if count > 1 {
        items.append(text("\(review.focusIndex + 1) / \(count)", title, 16, colours.quietText, .trailing))
      }
    }
    if let hint = review.hint {
      let place = ScreenRect(x: title.x, y: rect.bottom - 40 * unit, width: title.width, height: 26 * unit)
      items.append(text(words[hint], place, 16, colours.quietText, .center))
    }
    for placed in view.controls(isScannerRevealed: true) {
      switch placed.control {
      case .result(let index): items += reviewField(review.rows[index], placed)
      case .cancel: items += button(placed, isMain: false)
      case .confirm: items += button(placed, isMain: true)
      case .open, .close, .torch, .list, .listNext, .listClose: break
      }
    }
    return items
  }

  /// The outcome of the last decision, above the results still to be decided.
  private func decidedItems(_ value: String, in box: ScreenRect) -> [DisplayItem] {
    let (ground, colour) = promptColours
    let inner = box.inset(by: 4 * unit)
    let half = inner.width * 0.6
    var cut = TextRun(
      value.shown,
      in: ScreenRect(x: inner.x + half, y: inner.y, width: inner.width - half - 10 * unit, height: inner.height),
      size: 16 * unit, colour: colour)
    cut.sizeMin = Self.valueSizeMin * unit
    cut.alignment = .trailing
    cut.cut = .middle
    return [
      .fill([.rounded(box, radius: layout.pill(box))], ground),
      phrase(
        words.counted(content.prompt, content.promptCount),
        ScreenRect(x: inner.x + 10 * unit, y: inner.y, width: half - 16 * unit, height: inner.height), 17, colour, .leading),
      .text(cut),
    ]
  }

  /// The minimum width of a review row, in units, with room for a picture next to the value.
  private static let pictureRowWidthMin = 400.0

  private func reviewField(_ row: CodeRow, _ placed: PlacedControl) -> [DisplayItem] {
    let rect = placed.rect
    var items: [DisplayItem] = [.fill([.rounded(rect, radius: 10 * unit)], colours.background)]
    let ring: (Colour, Double) =
      placed.hasFocus ? (colours.accent, 3 * unit) : (colours.border.faded(to: 0.25), 1.5 * unit)
    items.append(.stroke([.rounded(rect, radius: 10 * unit)], ring.0, width: ring.1))
    var box = rect.inset(by: 8 * unit)
    // The value comes first: a narrow card gives it the full width.
    if let image = row.image, box.width >= Self.pictureRowWidthMin * unit {
      let side = min(box.height, box.width * 0.3)
      let ground = ScreenRect(x: box.x, y: box.y, width: side, height: side)
      items.append(.fill([.rounded(ground, radius: 4 * unit)], Colour(red: 255, green: 255, blue: 255)))
      items.append(
        .image(image, center: ground.center, width: side - 6 * unit, height: side - 6 * unit, angle: 0))
      box = ScreenRect(x: box.x + side + 6 * unit, y: box.y, width: box.width - side - 6 * unit, height: box.height)
    }
    return items + valueItems(row, in: box, .leading)
  }

  /// The list of codes: one page, with a whole value, and a link also as a QR Code for the reader's phone.
  func listItems() -> [DisplayItem] {
    guard let list = content.list, content.review == nil, content.dialog == nil else { return [] }
    let places = layout.list(hasTouch: content.hasTouch)
    var items = card(places.card)
    items.append(text(words[.list], places.title, 22, colours.text, bold: true))
    items.append(text("\(list.position) / \(list.count)", places.title, 16, colours.quietText, .trailing))
    var box = places.body
    if let symbol = list.symbol {
      // Next to the value, or below it where there is more room.
      let isWide = box.width > box.height
      let side = isWide ? min(box.height, box.width * 0.45) : min(box.width, box.height * 0.45)
      let place =
        isWide
        ? ScreenRect(x: box.right - side, y: box.y, width: side, height: box.height)
        : ScreenRect(x: box.x, y: box.bottom - side, width: box.width, height: side)
      items += symbolItems(symbol, in: place)
      if isWide { box.width -= side + 12 * unit } else { box.height -= side + 12 * unit }
    }
    items += valueItems(list.row, in: box, .leading)
    if let hint = list.hint { items.append(text(words[hint], places.hint, 16, colours.quietText, .center)) }
    for placed in view.controls(isScannerRevealed: true) {
      if placed.control == .listClose || placed.control == .listNext {
        items += button(placed, isMain: placed.control == .listNext)
      }
    }
    return items
  }

  func dialogItems() -> [DisplayItem] {
    guard let dialog = content.dialog else { return [] }
    let places = layout.dialog(hasTouch: content.hasTouch)
    var items = card(places.card)
    items.append(.fill([.polygon(Icon.triangle(places.icon.center, size: 32 * unit))], colours.warning))
    items.append(.fill(Icon.exclamation(places.icon.center, size: 32 * unit), colours.surface))
    items.append(text(words[dialog.title], places.title, 20, colours.text, bold: true, lines: 2))
    items.append(text(words[dialog.advice], places.advice, 17, colours.text, lines: 2))
    // For the technician: the remedy, the device's message, and both as a QR Code for a phone.
    items.append(.fill([.rounded(places.details, radius: 10 * unit)], colours.background))
    var box = places.details.inset(by: 8 * unit)
    if let symbol = dialog.symbol {
      items += symbolItems(symbol, in: places.symbol)
      box.width = places.symbol.x - 8 * unit - box.x
    }
    let height = dialog.detail.isEmpty ? box.height : box.height * 0.55
    let remedy = ScreenRect(x: box.x, y: box.y, width: box.width, height: height)
    items.append(text(words[dialog.remedy], remedy, 15, colours.text, lines: 6))
    if !dialog.detail.isEmpty {
      let detail = ScreenRect(x: box.x, y: remedy.bottom, width: box.width, height: box.height - height)
      items.append(text(dialog.detail, detail, 14, colours.quietText, lines: 4))
    }
    for placed in view.controls(isScannerRevealed: true) { items += button(placed, isMain: false) }
    return items
  }

  /// Quiet zone without which modules are not a QR Code (ISO/IEC 18004: four modules on each side).
  private static let quietZoneModules = 4

  /// A symbol on white, with modules a whole number of pixels wide if the box is large enough.
  private func symbolItems(_ symbol: ModuleGrid, in box: ScreenRect) -> [DisplayItem] {
    let count = Double(symbol.side + 2 * Self.quietZoneModules)
    let wanted = min(box.width, box.height) / count
    let module = wanted >= 1 ? wanted.rounded(.down) : wanted
    let ground = ScreenRect(
      x: (box.right - count * module).rounded(), y: (box.center.y - count * module / 2).rounded(), width: count * module,
      height: count * module)
    var modules: [Figure] = []
    for row in 0..<symbol.side {
      var column = 0
      while column < symbol.side {
        let start = column
        while column < symbol.side, symbol.isDark[row * symbol.side + column] { column += 1 }
        if column > start {
          modules.append(
            .rectangle(
              ScreenRect(
                x: ground.x + Double(start + Self.quietZoneModules) * module,
                y: ground.y + Double(row + Self.quietZoneModules) * module, width: Double(column - start) * module,
                height: module)))
        } else {
          column += 1
        }
      }
    }
    return [
      .fill([.rectangle(ground)], Colour(red: 255, green: 255, blue: 255)),
      .fill(modules, Colour(red: 0, green: 0, blue: 0)),
    ]
  }

  // MARK: The idle screen

  func idleItems() -> [DisplayItem] {
    let places = layout.idle
    let frame = places.frame
    let isOff = content.idleTitle == .switchedOff || content.idleTitle == .paused
    var items: [DisplayItem] = [
      .fill([.rectangle(layout.whole)], colours.background),
      .stroke(Icon.brackets(frame), isOff ? colours.quietText : colours.accent, width: 7 * unit),
      .fill(Icon.bars(frame.inset(by: frame.width / 5)), isOff ? colours.quietText : colours.text),
      phrase(words[content.idleTitle], places.title, 32, colours.text, .center),
    ]
    if let idleHint = content.idleHint {
      items.append(text(words[idleHint], places.hint, 18, colours.quietText, .center, lines: 2))
    }
    if !content.stationName.isEmpty {
      items.append(text(content.stationName, places.name, 16, colours.quietText, .center))
    }
    return items
  }
}
