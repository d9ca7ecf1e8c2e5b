// The controls, with names and values for people who cannot see them (behaviour W4). Drawing and touch use the same list, so
// that a touch always acts on the visible control.

/// A control by its purpose.
public enum ScreenControl: Equatable, Sendable {
  /// Opens a session from the idle screen.
  case open
  case close
  case torch
  /// Chooses a result under review, by its index.
  case result(Int)
  case confirm
  case cancel
  /// Controls that open the list of codes, show its next page, and close it.
  case list, listNext, listClose
}

/// A control with its place.
public struct PlacedControl: Equatable, Sendable {
  public var control: ScreenControl
  /// In pixels of the panel as its reader sees it.
  public var rect: ScreenRect
  /// The control's accessible name.
  public var name: String
  /// The control's accessible state, or an empty text.
  public var value: String
  public var isEnabled = true
  public var hasFocus = false
}

/// The layout of a state: every element with its place.
public struct ScreenView: Equatable, Sendable {
  public let content: ScreenContent
  public let layout: ScreenLayout
  public let words: ScreenWords

  public init(content: ScreenContent, layout: ScreenLayout, words: ScreenWords) {
    self.content = content
    self.layout = layout
    self.words = words
  }

  /// The available controls, topmost last.
  ///
  /// - Parameter isScannerRevealed: false while the idle screen covers the scanner.
  public func controls(isScannerRevealed: Bool) -> [PlacedControl] {
    if content.dialog != nil { return content.hasTouch ? [dialogCancel] : [] }
    if content.review != nil { return reviewControls }
    if content.list != nil { return listControls }
    guard isScannerRevealed else {
      guard content.hasTouch, let hint = content.idleHint, hint == .touchToStart || hint == .touchAlone else { return [] }
      return [PlacedControl(control: .open, rect: layout.whole, name: words[hint], value: words[content.idleTitle])]
    }
    var controls: [PlacedControl] = []
    let torch = content.torch
    if torch.isPresent {
      let value: ScreenText = !torch.isEnabled ? .torchUnavailable : torch.isOn ? .torchOn : .torchOff
      controls.append(
        PlacedControl(
          control: .torch, rect: layout.torchControl, name: words[torch.name], value: words[value],
          isEnabled: torch.isEnabled))
    }
    if content.hasTouch, let list = listOpener { controls.append(list) }
    if content.hasTouch {
      controls.append(PlacedControl(control: .close, rect: layout.closeControl, name: words[.close], value: ""))
    }
    return controls
  }

  /// The control at a point as the reader sees it; nil if no enabled control is there.
  public func control(at point: ScreenPoint, isScannerRevealed: Bool) -> ScreenControl? {
    let pressed = controls(isScannerRevealed: isScannerRevealed).last { $0.rect.contains(point) }
    return pressed?.isEnabled == true ? pressed?.control : nil
  }

  /// The area that opens the list: the codes in view, or the last scan; nil if neither is shown.
  private var listOpener: PlacedControl? {
    let count = content.codes.count { !$0.isUnread }
    if let result = content.result {
      return PlacedControl(
        control: .list, rect: layout.result, name: words[.list], value: "\(result.moreCount + 1)")
    }
    guard count > 0 else { return nil }
    var rect = layout.codeList(holdsHelp: content.codes.contains(where: \.isUnread))
    rect.height = min(rect.height, Double(content.codes.count) * layout.codeRowHeight)
    return PlacedControl(control: .list, rect: rect, name: words[.list], value: "\(count)")
  }

  private var listControls: [PlacedControl] {
    guard let list = content.list, content.hasTouch else { return [] }
    let places = layout.list(hasTouch: true)
    let hasNext = list.count > 1
    let close = PlacedControl(
      control: .listClose, rect: hasNext ? places.close : places.hint, name: words[.close], value: "")
    guard hasNext else { return [close] }
    return [
      close,
      PlacedControl(
        control: .listNext, rect: places.next, name: words[.listNext], value: "\(list.position) / \(list.count)"),
    ]
  }

  private var dialogCancel: PlacedControl {
    PlacedControl(
      control: .cancel, rect: layout.dialog(hasTouch: true).cancel, name: words[.cancel],
      value: content.dialog.map { words[$0.title] } ?? "", hasFocus: true)
  }

  /// The visible range of results: the number that fits, including the one with the focus.
  var reviewRange: Range<Int> {
    guard let review = content.review else { return 0..<0 }
    let count = min(review.rows.count, layout.reviewRowCountMax(hasTouch: content.hasTouch))
    let start = min(max(0, review.focusIndex - count + 1), review.rows.count - count)
    return start..<start + count
  }

  var reviewCard: ScreenRect { layout.reviewCard(rowCount: reviewRange.count, hasTouch: content.hasTouch) }

  private var reviewControls: [PlacedControl] {
    guard let review = content.review else { return [] }
    let unit = layout.unit
    let card = reviewCard
    let left = card.x + 20 * unit
    let width = card.width - 40 * unit
    var controls: [PlacedControl] = []
    var top = card.y + 62 * unit
    let rowHeight = layout.reviewRowHeight(rowCount: reviewRange.count, hasTouch: content.hasTouch)
    for index in reviewRange {
      let row = review.rows[index]
      controls.append(
        PlacedControl(
          control: .result(index),
          rect: ScreenRect(x: left, y: top, width: width, height: rowHeight - 8 * unit), name: row.type,
          value: row.value.shown, hasFocus: index == review.focusIndex))
      top += rowHeight
    }
    guard content.hasTouch else { return controls }
    let half = (width - 12 * unit) / 2
    let bottom = card.bottom - 20 * unit - layout.touch
    let cancel = ScreenRect(x: left, y: bottom, width: half, height: layout.touch)
    let go = ScreenRect(x: left + half + 12 * unit, y: bottom, width: half, height: layout.touch)
    controls.append(PlacedControl(control: .cancel, rect: cancel, name: words[.cancel], value: ""))
    controls.append(PlacedControl(control: .confirm, rect: go, name: words[.go], value: ""))
    return controls
  }
}
