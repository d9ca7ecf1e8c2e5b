// Controls, texts and cards, upright for the reader.

struct ControlDrawing {
  let view: ScreenView
  let style: ScreenStyle

  private var colours: ScreenColours { style.colours }
  private var layout: ScreenLayout { view.layout }
  private var content: ScreenContent { view.content }
  private var words: ScreenWords { view.words }
  private var unit: Double { layout.unit }
  private var radius: Double { 14 * unit }

  /// The part of its size that a text may shrink to, so that it fits: what is read at arm's length on the panels that are sold
  /// for kiosks (5 mm and 3.5 mm high there) is still legible.
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

  /// The ground of something over the preview.
  private func panel(_ rect: ScreenRect, radius: Double) -> DisplayItem {
    .fill([.rounded(rect, radius: radius)], colours.surface.faded(to: 0.9))
  }

  // MARK: The scanner

  func scannerItems() -> [DisplayItem] {
    // Under a card there is nothing to read or to press.
    guard content.review == nil, content.dialog == nil else { return [] }
    var items = promptItems()
    items += codeListItems()
    for placed in view.controls(isScannerRevealed: true) {
      switch placed.control {
      case .torch: items += torchItems(placed)
      case .close: items += closeItems(placed)
      case .open, .result, .confirm, .cancel: break
      }
    }
    return items
  }

  private func promptItems() -> [DisplayItem] {
    let box = layout.prompt
    let (ground, colour) =
      switch content.promptTone {
      case .plain: (colours.surface.faded(to: 0.9), colours.text)
      case .good: (colours.accent, colours.accentText)
      case .warning: (colours.warning, colours.accentText)
      }
    return [
      .fill([.rounded(box, radius: layout.pill(box))], ground),
      text(
        words.counted(content.prompt, content.promptCount), box.inset(by: 8 * unit), 19, colour, bold: true, .center),
    ]
  }

  private func torchItems(_ placed: PlacedControl) -> [DisplayItem] {
    let rect = placed.rect
    let isOn = content.torch.isOn
    let colour = !placed.isEnabled ? colours.quietText.faded(to: 0.6) : isOn ? colours.accentText : colours.text
    let ground = isOn ? colours.accent : colours.surface.faded(to: 0.9)
    let icon = ScreenPoint(x: rect.x + 34 * unit, y: rect.center.y)
    let words = ScreenRect(x: rect.x + 58 * unit, y: rect.y, width: rect.width - 66 * unit, height: rect.height)
    let upper = ScreenRect(x: words.x, y: rect.y + 8 * unit, width: words.width, height: 20 * unit)
    let lower = ScreenRect(x: words.x, y: rect.y + 28 * unit, width: words.width, height: 20 * unit)
    return [
      .fill([.rounded(rect, radius: layout.pill(rect))], ground),
      .fill([.polygon(Icon.bolt(icon, size: 30 * unit))], colour),
      text(placed.name, upper, 16, colour, bold: true),
      text(placed.value, lower, 13, colour),
    ]
  }

  private func closeItems(_ placed: PlacedControl) -> [DisplayItem] {
    [
      .fill([.circle(center: placed.rect.center, radius: placed.rect.width / 2)], colours.surface.faded(to: 0.9)),
      .stroke(Icon.cross(placed.rect.center, size: 20 * unit), colours.text, width: 3 * unit),
    ]
  }

  private func codeListItems() -> [DisplayItem] {
    let box = layout.codeList
    let fitting = max(1, Int(box.height / layout.codeRowHeight))
    let isOverfull = content.codes.count > fitting
    let count = isOverfull ? max(1, fitting - 1) : content.codes.count
    var items: [DisplayItem] = []
    var top = box.y
    for code in content.codes.prefix(count) {
      let row = ScreenRect(x: box.x, y: top, width: box.width, height: layout.codeRowHeight - 6 * unit)
      items.append(panel(row, radius: 10 * unit))
      items += codeText(code, in: row.inset(by: 6 * unit), colours.text, colours.quietText)
      top += layout.codeRowHeight
    }
    if isOverfull {
      let row = ScreenRect(x: box.x, y: top, width: box.width, height: 24 * unit)
      items.append(text(words.counted(.moreCodes, content.codes.count - count), row, 14, colours.text, .center))
    }
    return items
  }

  /// A code's value above its type; a link has a mark.
  private func codeText(_ code: CodeRow, in box: ScreenRect, _ colour: Colour, _ quiet: Colour) -> [DisplayItem] {
    let middle = box.y + box.height * 0.56
    let upper = ScreenRect(x: box.x + 4 * unit, y: box.y, width: box.width - 8 * unit, height: middle - box.y)
    let lower = ScreenRect(x: upper.x, y: middle, width: upper.width, height: box.bottom - middle)
    var value = TextRun(code.value.shown, in: upper, size: 16 * unit, colour: colour)
    value.isBold = true
    value.cut = .middle
    let type = code.isLink ? "\(code.type)  ·  \(words[.link])" : code.type
    return [.text(value), text(type, lower, 12.5, code.isLink ? colours.accent : quiet)]
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
    items.append(text(words[.review], title, 22, colours.text, bold: true))
    if count > 1 {
      items.append(text("\(review.focusIndex + 1) / \(count)", title, 16, colours.quietText, .trailing))
    }
    for placed in view.controls(isScannerRevealed: true) {
      switch placed.control {
      case .result(let index): items += reviewField(review.rows[index], placed)
      case .cancel: items += button(placed, isMain: false)
      case .confirm: items += button(placed, isMain: true)
      case .open, .close, .torch: break
      }
    }
    return items
  }

  private func reviewField(_ row: CodeRow, _ placed: PlacedControl) -> [DisplayItem] {
    let rect = placed.rect
    var items: [DisplayItem] = [.fill([.rounded(rect, radius: 10 * unit)], colours.background)]
    let ring: (Colour, Double) =
      placed.hasFocus ? (colours.accent, 3 * unit) : (colours.border.faded(to: 0.25), 1.5 * unit)
    items.append(.stroke([.rounded(rect, radius: 10 * unit)], ring.0, width: ring.1))
    var box = rect.inset(by: 8 * unit)
    if let image = row.image {
      let side = box.height
      let ground = ScreenRect(x: box.x, y: box.y, width: side, height: side)
      items.append(.fill([.rounded(ground, radius: 4 * unit)], Colour(red: 255, green: 255, blue: 255)))
      items.append(
        .image(image, center: ground.center, width: side - 6 * unit, height: side - 6 * unit, angle: 0))
      box = ScreenRect(x: box.x + side + 6 * unit, y: box.y, width: box.width - side - 6 * unit, height: box.height)
    }
    return items + codeText(row, in: box, colours.text, colours.quietText)
  }

  func dialogItems() -> [DisplayItem] {
    guard let dialog = content.dialog else { return [] }
    let rect = layout.dialogCard(hasDetail: !dialog.detail.isEmpty)
    let pad = 24 * unit
    let width = rect.width - 2 * pad
    var items = card(rect)
    let icon = ScreenPoint(x: rect.x + pad + 16 * unit, y: rect.y + pad + 11 * unit)
    items.append(.fill([.polygon(Icon.triangle(icon, size: 32 * unit))], colours.warning))
    items.append(.fill(Icon.exclamation(icon, size: 32 * unit), colours.surface))
    let title = ScreenRect(
      x: rect.x + pad + 44 * unit, y: rect.y + pad - 4 * unit, width: width - 44 * unit, height: 60 * unit)
    items.append(text(words[dialog.title], title, 21, colours.text, bold: true, lines: 2))
    let remedy = ScreenRect(x: rect.x + pad, y: rect.y + pad + 56 * unit, width: width, height: 68 * unit)
    items.append(text(words[dialog.remedy], remedy, 17, colours.text, lines: 3))
    if !dialog.detail.isEmpty {
      let box = ScreenRect(x: rect.x + pad, y: remedy.bottom + 6 * unit, width: width, height: 56 * unit)
      items.append(text(dialog.detail, box, 13, colours.quietText, lines: 3))
    }
    for placed in view.controls(isScannerRevealed: true) { items += button(placed, isMain: false) }
    return items
  }

  // MARK: The idle screen

  func idleItems() -> [DisplayItem] {
    let middle = ScreenPoint(x: layout.width / 2, y: layout.height * 0.4)
    let side = 150 * unit
    let width = layout.width - 2 * layout.margin
    let title = ScreenRect(x: layout.margin, y: middle.y + side / 2 + 28 * unit, width: width, height: 44 * unit)
    let hint = ScreenRect(x: layout.margin, y: title.bottom + 4 * unit, width: width, height: 52 * unit)
    let name = ScreenRect(x: layout.margin, y: layout.height - layout.margin - 24 * unit, width: width, height: 24 * unit)
    let frame = ScreenRect(center: middle, width: side, height: side)
    let isOff = content.idleTitle == .switchedOff
    var items: [DisplayItem] = [
      .fill([.rectangle(layout.whole)], colours.background),
      .stroke(Icon.brackets(frame), isOff ? colours.quietText : colours.accent, width: 7 * unit),
      .fill(Icon.bars(frame.inset(by: 30 * unit)), isOff ? colours.quietText : colours.text),
      text(words[content.idleTitle], title, 32, colours.text, bold: true, .center),
    ]
    if let idleHint = content.idleHint {
      items.append(text(words[idleHint], hint, 18, colours.quietText, .center, lines: 2))
    }
    if !content.stationName.isEmpty {
      items.append(text(content.stationName, name, 14, colours.quietText, .center))
    }
    return items
  }
}
