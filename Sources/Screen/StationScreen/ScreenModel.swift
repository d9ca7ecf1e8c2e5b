// From the controller's state to the screen's content, with the timing that concerns only the screen: how long a success is
// visible, and that the idle screen comes down only after it. Time is an argument.

import BarcodeTypes
import Devices
import ScanControl
package import ScanLoop
package import ScanScreen

struct ScreenModel {
  /// How long a result is visible after the focus frame has reached it: long enough to be read at a glance.
  static let resultNanoseconds: Int64 = 1_600_000_000
  /// How long the focus frame rests at its code before the value, or the card of a review, covers both: the time in which an
  /// eye finds it.
  static let arrivalNanoseconds: Int64 = 250_000_000

  /// How long the outcome of a set-up code is visible: its reason and remedy are two sentences.
  static let setupNanoseconds: Int64 = 8_000_000_000

  /// How long a code stays visible after it was last read. Not every frame is searched completely: codes that lie still are
  /// read in every other frame, and moving ones are blurred in a frame or two.
  static let heldNanoseconds: Int64 = 250_000_000

  /// How long a session opens before the screen says that the camera is starting: following sessions take less, and the text
  /// would only flicker.
  static let startingNanoseconds: Int64 = 500_000_000

  /// How long the list of codes stays open after the last touch or key.
  static let listNanoseconds: Int64 = 30_000_000_000

  private(set) var content = ScreenContent()
  private(set) var movements = ScreenMovements()
  /// Whether the screen shows a preview: a session is open, or its result is still visible.
  private(set) var isPreviewWanted = false

  private let style: ScreenStyle
  private let showsMovement: Bool
  private var equipment: InputEquipment
  private let buttons: Set<Button>
  /// The scanner's prompt while it scans.
  private let aim: ScreenText
  /// Encodes a text as a QR Code; nil if that fails.
  private let makeSymbol: (String) -> ModuleGrid?
  /// The dialog with the last symbol, which is encoded once.
  private var remedy: (dialog: DialogContent, symbol: ModuleGrid?)?
  private var snapshot: ScreenSnapshot?
  /// When the screen starts to say that the camera is starting; nil while no session is opening.
  private var startingMoment: Int64?
  /// The codes shown with the scanner, how long those no longer read stay visible, their rows in the list, and where they
  /// were last seen. Separate arrays, because most frames change only the last one.
  private var codes: [ScannedCode] = []
  private var ends: [Int64?] = []
  private var rows: [CodeRow] = []
  private var outlines: [Quad] = []
  /// The unreadable symbols in view.
  private var unread: [UnreadSymbol] = []
  /// The images of results, by their codes.
  private var images: [(code: ScannedCode, image: ImageReference)] = []
  /// Whether time alone changes nothing.
  private var isSettled = false
  /// The decision shown now or last, and when it disappears.
  private var decision: Decision?
  private var decisionEnd: Int64?
  /// The pages of the open list of codes, the links' QR Codes as they are made, and the current page.
  private var list: (pages: [ListContent], links: [String?], index: Int)?
  /// When the list closes; nil while it is closed.
  private(set) var listEnd: Int64?
  /// When the value may cover the focus frame.
  private var arrival: Int64 = .min

  /// - Parameters:
  ///   - equipment: the input devices at the screen.
  ///   - buttons: the buttons wired to the station.
  ///   - hasFrame: whether the drawn viewport is smaller than the whole picture.
  ///   - makeSymbol: encodes a text as a QR Code; nil if that fails.
  init(
    stationName: String, style: ScreenStyle, showsMovement: Bool,
    equipment: InputEquipment = InputEquipment(canTouch: true, hasKeys: true), buttons: Set<Button> = [],
    hasFrame: Bool = true,
    makeSymbol: @escaping (String) -> ModuleGrid? = { _ in nil }
  ) {
    self.style = style
    self.showsMovement = showsMovement
    aim = hasFrame ? .aim : .aimAnywhere
    self.makeSymbol = makeSymbol
    content.stationName = stationName
    self.equipment = equipment
    self.buttons = buttons
  }

  private func span(_ seconds: Double, at now: Int64) -> AnimationSpan {
    AnimationSpan(start: now, seconds: showsMovement ? seconds : 0)
  }

  /// Shows a new state of the controller.
  mutating func show(_ snapshot: ScreenSnapshot, at now: Int64) {
    noteOpening(from: self.snapshot?.session, to: snapshot.session, at: now)
    self.snapshot = snapshot
    if let made = snapshot.decision, made.number != decision?.number {
      decision = made
      // An outcome takes precedence over everything else (behaviour W6).
      (list, listEnd) = (nil, nil)
      // A focus frame that is moving to its code arrives first.
      decisionEnd = max(now, movements.focus?.end ?? now) + made.outcome.shownNanoseconds
    }
    refresh(at: now)
  }

  /// Adapts to a change of input devices at the screen.
  mutating func show(_ equipment: InputEquipment, at now: Int64) {
    self.equipment = equipment
    refresh(at: now)
  }

  // MARK: The list

  /// Opens the list of the codes in view, or of those decided on last, or shows its next page.
  mutating func showNextOfList(at now: Int64) {
    if let open = list {
      list?.index = (open.index + 1) % open.pages.count
    } else {
      guard mayOpenList else { return }
      let shown = codes.isEmpty ? decision?.results.map(\.code) ?? [] : codes
      openList(shown.map { ($0, CodeRow($0, image: nil)) })
    }
    guard let open = list else { return }
    if open.pages[open.index].symbol == nil, let link = open.links[open.index] {
      list?.pages[open.index].symbol = makeSymbol(link)
    }
    listEnd = now + Self.listNanoseconds
    refresh(at: now)
  }

  mutating func closeList(at now: Int64) {
    (list, listEnd) = (nil, nil)
    refresh(at: now)
  }

  /// Whether nothing else needs the user's attention.
  private var mayOpenList: Bool {
    switch snapshot?.session {
    case .idle, .checkingPermission, .opening, .scanning, .waiting: true
    case .switchedOff, .announcing, .reviewing, .failed, .finished, nil: false
    }
  }

  /// Creates the pages: one per code, more for a long value.
  private mutating func openList(_ codes: [(code: ScannedCode, row: CodeRow)]) {
    var pages: [ListContent] = []
    var links: [String?] = []
    for (code, row) in codes {
      var rest = row.value.unicodeScalars[...]
      repeat {
        var part = row
        part.value = String(String.UnicodeScalarView(rest.prefix(String.shownScalarCountMax)))
        rest = rest.dropFirst(String.shownScalarCountMax)
        pages.append(ListContent(row: part, position: pages.count + 1, count: 0))
        links.append(row.isLink ? code.text : nil)
      } while !rest.isEmpty
    }
    guard !pages.isEmpty else { return }
    for index in pages.indices { pages[index].count = pages.count }
    list = (pages, links, 0)
  }

  /// The hint how to open a session from the idle screen; nil if nothing at the screen opens one.
  private var startHint: ScreenText? {
    let entries = snapshot?.entries ?? .all
    let hasButton = !buttons.isDisjoint(
      with: entries.contains(.shortcut) ? [.shortcut, .trigger, .confirm] : [.trigger, .confirm])
    if equipment.canTouch, entries.contains(.search) { return hasButton ? .touchToStart : .touchAlone }
    return hasButton ? .pressToStart : equipment.hasKeys ? .keyToStart : nil
  }

  /// The hint how to answer a review that cannot be touched; nil if it is answered elsewhere.
  private var reviewHint: ScreenText? {
    if equipment.canTouch { return nil }
    return equipment.hasKeys ? .reviewKeys : buttons.contains(.confirm) ? .reviewButton : nil
  }

  /// The hint how to use a list that cannot be touched.
  private var listHint: ScreenText? {
    equipment.canTouch ? nil : equipment.hasKeys ? .listKeys : .listButton
  }

  /// Whether a user at the screen can switch the torch.
  private var canSwitchTorch: Bool { equipment.canTouch || equipment.hasKeys || buttons.contains(.torch) }

  private mutating func noteOpening(from before: SessionState?, to session: SessionState, at now: Int64) {
    func isOpening(_ session: SessionState?) -> Bool { session == .checkingPermission || session == .opening }
    guard isOpening(session) != isOpening(before) else { return }
    // Codes that an earlier session saw are out of view.
    if decisionEnd == nil { dropAllCodes() }
    // The very first session, and the first after an error, wait for the camera.
    let isFirst = before == nil || before.map { if case .failed = $0 { true } else { false } } ?? false
    startingMoment = isOpening(session) ? (isFirst ? now : now + Self.startingNanoseconds) : nil
  }

  /// Shows the codes in view.
  mutating func show(codes sightings: [Sighting], unread: [UnreadSymbol] = [], at now: Int64) {
    if unread != self.unread {
      self.unread = unread
      refresh(at: now)
    }
    guard isInView(sightings) else { return change(codes: sightings, at: now) }
    for index in outlines.indices { outlines[index] = sightings[index].corners }
    if isPreviewWanted { movements.outlines = outlines }
  }

  /// Whether these codes are exactly the ones shown.
  private func isInView(_ sightings: [Sighting]) -> Bool {
    guard sightings.count == codes.count else { return false }
    for index in 0..<codes.count where ends[index] != nil || codes[index] != sightings[index].code { return false }
    return true
  }

  private mutating func change(codes sightings: [Sighting], at now: Int64) {
    var isSeen = [Bool](repeating: false, count: codes.count)
    for sighting in sightings {
      // The same code may occur twice.
      if let index = isSeen.indices.first(where: { !isSeen[$0] && codes[$0] == sighting.code }) {
        isSeen[index] = true
        outlines[index] = sighting.corners
        ends[index] = nil
      } else {
        add(sighting.code, sighting.corners)
      }
    }
    for index in isSeen.indices where !isSeen[index] && ends[index] == nil {
      ends[index] = now + Self.heldNanoseconds
    }
    dropCodes(at: now)
    refresh(at: now)
  }

  private mutating func add(_ code: ScannedCode, _ corners: Quad, image: ImageReference? = nil) {
    codes.append(code)
    ends.append(nil)
    rows.append(CodeRow(code, image: image))
    outlines.append(corners)
  }

  private mutating func dropCodes(at now: Int64) {
    for index in codes.indices.reversed() {
      guard let end = ends[index], end <= now else { continue }
      codes.remove(at: index)
      ends.remove(at: index)
      rows.remove(at: index)
      outlines.remove(at: index)
    }
  }

  private mutating func dropAllCodes() {
    codes = []
    ends = []
    rows = []
    outlines = []
  }

  /// Shows a scan.
  ///
  /// - Parameter pictures: the rectified pictures, where available; the first result's is shown in the focus frame.
  mutating func show(scan: [ScanResult], pictures: [ImageReference?], flashes: Bool = true, at now: Int64) {
    guard let first = scan.first else { return }
    images = zip(scan, pictures).compactMap { result, picture in picture.map { (result.code, $0) } }
    dropAllCodes()
    unread = []
    for (result, picture) in zip(scan, pictures) { add(result.code, result.corners, image: picture) }
    movements.flash = flashes ? span(ScreenMovements.flashSeconds, at: now) : nil
    let focus = span(style.focusDuration, at: now)
    movements.focus = focus
    movements.focusCorners = first.corners
    movements.focusImage = pictures.first ?? nil
    arrival = focus.end + Self.arrivalNanoseconds
    refresh(at: now)
  }

  /// When the picture next changes with time alone; nil if it does not.
  func nextChange(after now: Int64) -> Int64? {
    if movements.isMoving(at: now) { return now }
    let covered = arrival > now && movements.focus != nil ? arrival : nil
    let starting = startingMoment.flatMap { $0 > now ? $0 : nil }
    let first = [covered, decisionEnd, starting, listEnd].compactMap { $0 }.min()
    return ends.reduce(first) { first, end in end.map { min($0, first ?? $0) } ?? first }
  }

  /// Advances to a new time.
  mutating func timePassed(_ now: Int64) {
    guard !isSettled else { return }
    if let end = decisionEnd, end <= now { decisionEnd = nil }
    if let end = listEnd, end <= now { (list, listEnd) = (nil, nil) }
    dropCodes(at: now)
    refresh(at: now)
  }

  /// Whether the scanned results wait for confirmation, or are being announced before it.
  private var isReviewed: Bool {
    switch snapshot?.session {
    case .announcing, .reviewing: true
    default: false
    }
  }

  private mutating func refresh(at now: Int64) {
    guard let snapshot else { return }
    isSettled = nextChange(after: now) == nil
    let isDecisionSeen = decisionEnd.map { $0 > now } ?? false
    // A scan arrives slightly before its outcome.
    if !isDecisionSeen && !isReviewed && arrival <= now { endResult(snapshot, now) }
    slide(to: snapshot.isScannerPresented || isDecisionSeen, at: now)
    isPreviewWanted = movements.isScannerRevealed || (movements.slide?.end ?? now) > now
    // No earlier picture stays behind a dialog: a camera that recovers becomes visible when its viewport is set
    // (behaviour V3).
    if case .failed = snapshot.session { isPreviewWanted = false }
    if !snapshot.session.isScanning { unread = [] }
    content.codes = isPreviewWanted ? rows + unread.map { CodeRow($0, words: style.words) } : []
    movements.outlines = isPreviewWanted ? outlines : []
    movements.unreadOutlines = isPreviewWanted ? unread.map(\.corners) : []
    content.torch = TorchContent(
      isOn: snapshot.isTorchOn, isEnabled: snapshot.isTorchEnabled, isPresent: snapshot.hasTorch && canSwitchTorch,
      name: equipment.canTouch || buttons.contains(.torch) ? .torch : .torchKey)
    content.promptTone = .plain
    content.review = nil
    content.dialog = nil
    content.result = nil
    if !mayOpenList { (list, listEnd) = (nil, nil) }
    var page = list.map { $0.pages[$0.index] }
    page?.hint = listHint
    content.list = page
    content.idleTitle = .ready
    content.hasTouch = equipment.canTouch
    content.idleHint = startHint
    switch snapshot.session {
    case .switchedOff:
      content.idleTitle = snapshot.isPaused ? .paused : .switchedOff
      content.idleHint = snapshot.isPaused ? .pausedRemedy : .switchedOffRemedy
    case .idle, .finished: break
    case .waiting(.until): (content.idleTitle, content.idleHint) = (.next, nil)
    case .waiting(.forConfirmation), .waiting(.forTrigger): content.idleTitle = .next
    // A user who closed the session needs to read how to open it, not that it scans.
    case .waiting(.closed): break
    case .checkingPermission, .opening:
      content.prompt = startingMoment.map { $0 <= now } ?? true ? .starting : aim
    case .scanning: content.prompt = aim
    case .announcing: content.prompt = .review
    case .failed(let dialog):
      // An outcome comes first: no dialog hides whether a scan is safe.
      if !isDecisionSeen { content.dialog = withSymbol(DialogContent(dialog)) }
    case .reviewing(let review, _):
      content.prompt = .review
      guard arrival <= now else { break }
      let rows = review.results.map { result in
        CodeRow(result.code, image: images.first { $0.code == result.code }?.image)
      }
      content.review = ReviewContent(rows: rows, focusIndex: review.focusIndex, hint: reviewHint)
    }
    if isDecisionSeen, let decision { show(decision, at: now) }
  }

  /// Shows the outcome of a decision, and the value concerned.
  private mutating func show(_ decision: Decision, at now: Int64) {
    switch decision.outcome {
    case .stored: (content.prompt, content.promptTone) = (.scanned, .good)
    case .atRisk(let count): (content.prompt, content.promptCount, content.promptTone) = (.scannedAtRisk, count, .warning)
    case .refused: (content.prompt, content.promptTone) = (.scanRefused, .warning)
    case .cancelled: content.prompt = .scanCancelled
    case .timedOut: (content.prompt, content.promptTone) = (.scanTimedOut, .warning)
    case .waiting(let count): (content.prompt, content.promptCount) = (.scanWaiting, count)
    case .incomplete: (content.prompt, content.promptTone) = (.scanIncomplete, .warning)
    case .mismatched: (content.prompt, content.promptTone) = (.scanMismatched, .warning)
    case .dropped: (content.prompt, content.promptTone) = (.scanDropped, .warning)
    case .setup(.accepted): content.prompt = .setupChanging
    case .setup(.changed): (content.prompt, content.promptTone) = (.setupChanged, .good)
    case .setup(.refused): (content.prompt, content.promptTone) = (.setupRefused, .warning)
    }
    guard let first = decision.results.first else { return }
    if isReviewed {
      content.review?.decided = first.code.text
    } else if arrival <= now {
      var row = CodeRow(first.code, image: images.first { $0.code == first.code }?.image)
      if case .setup(let outcome) = decision.outcome { row.value = outcome.explained(in: style.words) ?? row.value }
      content.result = ResultContent(row: row, moreCount: decision.results.count - 1)
    }
  }

  /// The most bytes of a dialog's text in its symbol. They fit into version 5 of a QR Code, with 37 modules per side
  /// (ISO/IEC 18004: 106 bytes at level L, less two for the character set); its modules are two pixels wide on a panel of
  /// 320x240.
  static let symbolByteCountMax = 104

  /// Adds the technician's information as a QR Code (behaviour C9).
  private mutating func withSymbol(_ dialog: DialogContent) -> DialogContent {
    if remedy?.dialog != dialog { remedy = (dialog, makeSymbol(symbolText(dialog))) }
    var shown = dialog
    shown.symbol = remedy?.symbol
    return shown
  }

  /// The station, the fault and the remedy, then the beginning of the device's message. If the symbol is too small, the fault
  /// and then the station are omitted.
  private func symbolText(_ dialog: DialogContent) -> String {
    let remedy = style.words[dialog.remedy]
    var lines = [content.stationName, style.words[dialog.title]].filter { !$0.isEmpty }
    func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }
    while !lines.isEmpty, text(lines + [remedy]).utf8.count > Self.symbolByteCountMax { lines.removeLast() }
    var whole = text(lines + [remedy, dialog.detail].filter { !$0.isEmpty })
    while whole.utf8.count > Self.symbolByteCountMax { whole.removeLast() }
    return whole
  }

  /// Removes the last scan from view.
  private mutating func endResult(_ snapshot: ScreenSnapshot, _ now: Int64) {
    guard movements.focus != nil else { return }
    // A result that leaves with the whole scanner stays as it is.
    guard snapshot.isScannerPresented || (movements.slide?.end ?? now) <= now && !movements.isScannerRevealed else { return }
    movements.focus = nil
    movements.focusCorners = nil
    movements.focusImage = nil
    movements.flash = nil
  }

  private mutating func slide(to isRevealed: Bool, at now: Int64) {
    if isRevealed != movements.isScannerRevealed {
      movements.isScannerRevealed = isRevealed
      movements.slide = span(ScreenMovements.slideSeconds, at: now)
      guard isRevealed, decisionEnd == nil else { return }
      dropAllCodes()
    }
  }
}

extension ScreenWords {
  /// The controls of a screen in this state, for clients that read or speak them (behaviour W4). Their places are those of
  /// an imaginary panel.
  package func controls(of snapshot: ScreenSnapshot) -> [PlacedControl] {
    var model = ScreenModel(stationName: "", style: ScreenStyle(), showsMovement: false)
    var snapshot = snapshot
    // A visible decision passes, and removes no control.
    snapshot.decision = nil
    model.show(snapshot, at: 0)
    let layout = ScreenLayout(panel: ScreenSize(width: 1280, height: 720), turn: .none, pixelsPerMillimetre: nil)
    return ScreenView(content: model.content, layout: layout, words: self)
      .controls(isScannerRevealed: snapshot.isScannerPresented)
  }
}

extension Decision.Outcome {
  /// How long it is visible.
  fileprivate var shownNanoseconds: Int64 {
    if case .setup = self { ScreenModel.setupNanoseconds } else { ScreenModel.resultNanoseconds }
  }
}

extension SetupOutcome {
  /// The changes, or the reason why nothing changed; nil while that is not decided.
  fileprivate func explained(in words: ScreenWords) -> String? {
    switch self {
    case .accepted: nil
    case .changed(let changes): changes.joined(separator: "\n")
    case .refused(let reason, let detail): words[reason.text] + (detail.isEmpty ? "" : "\n" + detail)
    }
  }
}

extension SetupRefusal {
  /// The reason and the remedy.
  fileprivate var text: ScreenText {
    switch self {
    case .malformed: .setupMalformed
    case .signature: .setupSignature
    case .station: .setupStation
    case .clock: .setupClock
    case .expired: .setupExpired
    case .future: .setupFuture
    case .used: .setupUsed
    case .key: .setupKey
    case .value: .setupValue
    case .storage: .setupStorage
    case .start: .setupStart
    case .busy: .setupBusy
    }
  }
}

extension CodeRow {
  init(_ code: ScannedCode, image: ImageReference?) {
    self.init(
      value: code.humanReadable ?? code.text, type: "\(code.symbology.title)", isLink: code.mark == .link, image: image)
  }
}

extension CodeRow {
  /// A row with advice for an unreadable symbol, above its appearance.
  init(_ unread: UnreadSymbol, words: ScreenWords) {
    let help: ScreenText =
      switch unread.help {
      case .closer: .holdCloser
      case .stiller: .holdStill
      case .moreLight: .moreLight
      }
    let kind = unread.symbology.map { "\($0.title)" } ?? words[.barcode]
    self.init(value: words[help], type: "\(kind)  ·  \(words[.unreadable])", isLink: false)
    isUnread = true
  }
}

extension DialogContent {
  init(_ dialog: Dialog) {
    self.init(title: dialog.title, advice: dialog.advice, detail: dialog.detail, remedy: dialog.remedy)
  }
}
