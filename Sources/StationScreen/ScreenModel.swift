// From what the controller says to what the screen shows, with the few moments that belong to the screen alone: how long a
// success is seen, and that the idle screen comes down only after it. Time is an argument.

import BarcodeTypes
import ScanControl
package import ScanLoop
package import ScanScreen

struct ScreenModel {
  /// How long a result is seen after the focus frame has reached it: long enough to be read at a glance.
  static let resultNanoseconds: Int64 = 1_600_000_000
  /// How long the focus frame is seen at its code before what was read, or the card of a review, covers both: as long as an eye takes to land there.
  static let arrivalNanoseconds: Int64 = 250_000_000

  /// How long a code is shown that is not read any more. A frame is not looked at all over: codes that lie still are read in
  /// every other frame, and of moving ones a frame or two are blurred.
  static let heldNanoseconds: Int64 = 250_000_000

  private(set) var content = ScreenContent()
  private(set) var movements = ScreenMovements()
  /// Whether a preview belongs on the screen: a session is open, or its result is still seen.
  private(set) var isPreviewWanted = false

  private let style: ScreenStyle
  private let showsMovement: Bool
  /// Makes a QR Code of a text; nil if it cannot.
  private let makeSymbol: (String) -> ModuleGrid?
  /// The dialog whose symbol was made last, for one is made once.
  private var remedy: (dialog: DialogContent, symbol: ModuleGrid?)?
  private var snapshot: ScreenSnapshot?
  /// The codes that are shown while the scanner is seen, until when those are that are not read any more, the rows of the list
  /// that they are, and where they were last. One array each, for with most frames the last one alone changes.
  private var codes: [ScannedCode] = []
  private var ends: [Int64?] = []
  private var rows: [CodeRow] = []
  private var outlines: [Quad] = []
  /// What is in view and cannot be read.
  private var unread: [UnreadSymbol] = []
  /// The images of results, by what they show.
  private var images: [(code: ScannedCode, image: ImageReference)] = []
  /// Whether time alone changes nothing.
  private var isSettled = false
  /// Until when the last result is seen.
  private var resultEnd: Int64?
  /// From when on the focus frame may be covered by what was read.
  private var arrival: Int64 = .min
  /// What was scanned last.
  private var scanned: [CodeRow] = []

  /// - Parameters:
  ///   - hasTouch: whether something on the screen can be pressed.
  ///   - makeSymbol: makes a QR Code of a text; nil if it cannot.
  init(
    stationName: String, style: ScreenStyle, showsMovement: Bool, hasTouch: Bool = true,
    makeSymbol: @escaping (String) -> ModuleGrid? = { _ in nil }
  ) {
    self.style = style
    self.showsMovement = showsMovement
    self.makeSymbol = makeSymbol
    content.stationName = stationName
    content.hasTouch = hasTouch
  }

  private func span(_ seconds: Double, at now: Int64) -> AnimationSpan {
    AnimationSpan(start: now, seconds: showsMovement ? seconds : 0)
  }

  /// The controller's state has changed.
  mutating func show(_ snapshot: ScreenSnapshot, at now: Int64) {
    self.snapshot = snapshot
    refresh(at: now)
  }

  /// These codes are in view.
  mutating func show(codes sightings: [Sighting], unread: [UnreadSymbol] = [], at now: Int64) {
    if unread != self.unread {
      self.unread = unread
      refresh(at: now)
    }
    guard isInView(sightings) else { return change(codes: sightings, at: now) }
    for index in outlines.indices { outlines[index] = sightings[index].corners }
    if isPreviewWanted { movements.outlines = outlines }
  }

  /// Whether these codes are the ones that are shown, each of them.
  private func isInView(_ sightings: [Sighting]) -> Bool {
    guard sightings.count == codes.count else { return false }
    for index in 0..<codes.count where ends[index] != nil || codes[index] != sightings[index].code { return false }
    return true
  }

  private mutating func change(codes sightings: [Sighting], at now: Int64) {
    var isSeen = [Bool](repeating: false, count: codes.count)
    for sighting in sightings {
      // The same code may be there twice.
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

  /// These were scanned.
  ///
  /// - Parameter pictures: their rectified pictures, where there are any; the first result's is shown in the focus frame.
  mutating func show(scan: [ScanResult], pictures: [ImageReference?], at now: Int64) {
    guard let first = scan.first else { return }
    images = zip(scan, pictures).compactMap { result, picture in picture.map { (result.code, $0) } }
    dropAllCodes()
    unread = []
    for (result, picture) in zip(scan, pictures) { add(result.code, result.corners, image: picture) }
    movements.flash = span(ScreenMovements.flashSeconds, at: now)
    let focus = span(style.focusDuration, at: now)
    movements.focus = focus
    movements.focusCorners = first.corners
    movements.focusImage = pictures.first ?? nil
    resultEnd = focus.end + Self.resultNanoseconds
    arrival = focus.end + Self.arrivalNanoseconds
    scanned = rows
    refresh(at: now)
  }

  /// When the picture changes by itself the next time; nil if it does not.
  func nextChange(after now: Int64) -> Int64? {
    if movements.isMoving(at: now) { return now }
    let first = arrival > now && resultEnd != nil ? arrival : resultEnd
    return ends.reduce(first) { first, end in end.map { min($0, first ?? $0) } ?? first }
  }

  /// Lets time pass.
  mutating func timePassed(_ now: Int64) {
    guard !isSettled else { return }
    if let end = resultEnd, end <= now { resultEnd = nil }
    dropCodes(at: now)
    refresh(at: now)
  }

  /// Whether what was scanned waits for the user's word, or is being announced before.
  private var isReviewed: Bool {
    switch snapshot?.session {
    case .announcing, .reviewing: true
    default: false
    }
  }

  private mutating func refresh(at now: Int64) {
    guard let snapshot else { return }
    isSettled = nextChange(after: now) == nil
    let isResultSeen = resultEnd.map { $0 > now } ?? false
    if !isResultSeen && !isReviewed { endResult(snapshot, now) }
    slide(to: snapshot.isScannerPresented || isResultSeen, at: now)
    isPreviewWanted = movements.isScannerRevealed || (movements.slide?.end ?? now) > now
    // No picture of before stays behind a dialog: a camera that comes back is seen when its viewport is set (behaviour V3).
    if case .failed = snapshot.session { isPreviewWanted = false }
    if snapshot.session != .scanning { unread = [] }
    content.codes = isPreviewWanted ? rows + unread.map { CodeRow($0, words: style.words) } : []
    movements.outlines = isPreviewWanted ? outlines : []
    movements.unreadOutlines = isPreviewWanted ? unread.map(\.corners) : []
    content.torch = TorchContent(
      isOn: snapshot.isTorchOn, isEnabled: snapshot.isTorchEnabled, isPresent: snapshot.hasTorch)
    content.promptTone = .plain
    content.review = nil
    content.dialog = nil
    content.result = nil
    content.idleTitle = .ready
    content.idleHint = content.hasTouch ? .touchToStart : .pressToStart
    switch snapshot.session {
    case .switchedOff:
      content.idleTitle = snapshot.isPaused ? .paused : .switchedOff
      content.idleHint = snapshot.isPaused ? .pausedRemedy : .switchedOffRemedy
    case .idle, .finished: break
    case .waiting(let wait):
      content.idleTitle = .next
      if case .until = wait { content.idleHint = nil }
    case .checkingPermission, .opening: content.prompt = .starting
    case .scanning, .announcing: content.prompt = .aim
    case .failed(let dialog): content.dialog = withSymbol(DialogContent(dialog))
    case .reviewing(let review, _):
      guard arrival <= now else { break }
      let rows = review.results.map { result in
        CodeRow(result.code, image: images.first { $0.code == result.code }?.image)
      }
      content.review = ReviewContent(rows: rows, focusIndex: review.focusIndex)
    }
    guard isResultSeen else { return }
    showFate(snapshot)
    if arrival <= now, !isReviewed, let first = scanned.first {
      content.result = ResultContent(row: first, moreCount: scanned.count - 1)
    }
  }

  /// The most bytes of a dialog's words that go into its symbol. So many fit into version 5 of a QR Code, of 37 modules a side
  /// (ISO/IEC 18004: 106 bytes at level L, less two for the character set), whose modules are two pixels wide on a panel of
  /// 320x240.
  static let symbolByteCountMax = 104

  /// Adds what a technician needs as a QR Code (behaviour C9).
  private mutating func withSymbol(_ dialog: DialogContent) -> DialogContent {
    if remedy?.dialog != dialog { remedy = (dialog, makeSymbol(symbolText(dialog))) }
    var shown = dialog
    shown.symbol = remedy?.symbol
    return shown
  }

  /// Where, what is wrong and what to do, as far as there is room for it beside what to do; then the beginning of what the device
  /// said.
  private func symbolText(_ dialog: DialogContent) -> String {
    let remedy = style.words[dialog.remedy]
    var lines = [content.stationName, style.words[dialog.title]].filter { !$0.isEmpty }
    func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }
    while !lines.isEmpty, text(lines + [remedy]).utf8.count > Self.symbolByteCountMax { lines.removeLast() }
    var whole = text(lines + [remedy, dialog.detail].filter { !$0.isEmpty })
    while whole.utf8.count > Self.symbolByteCountMax { whole.removeLast() }
    return whole
  }

  /// Says of a result whether it is safe. One that is under review is nowhere yet.
  private mutating func showFate(_ snapshot: ScreenSnapshot) {
    if isReviewed { return (content.prompt, content.promptTone) = (.scanned, .good) }
    switch snapshot.fate {
    case .stored: (content.prompt, content.promptTone) = (.scanned, .good)
    case .atRisk(let count): (content.prompt, content.promptCount, content.promptTone) = (.scannedAtRisk, count, .warning)
    case .refused: (content.prompt, content.promptTone) = (.scanRefused, .warning)
    }
  }

  /// What was scanned is seen no longer.
  private mutating func endResult(_ snapshot: ScreenSnapshot, _ now: Int64) {
    guard movements.focus != nil else { return }
    // A result that is going with the whole scanner goes as it is.
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
      guard isRevealed, resultEnd == nil else { return }
      dropAllCodes()
    }
  }
}

extension ScreenWords {
  /// The controls that a screen has in a state, for whoever hears or reads them instead (behaviour W4). Their places are those
  /// of a panel that nobody sees.
  package func controls(of snapshot: ScreenSnapshot) -> [PlacedControl] {
    var model = ScreenModel(stationName: "", style: ScreenStyle(), showsMovement: false)
    model.show(snapshot, at: 0)
    let layout = ScreenLayout(panel: ScreenSize(width: 1280, height: 720), turn: .none, pixelsPerMillimetre: nil)
    return ScreenView(content: model.content, layout: layout, words: self)
      .controls(isScannerRevealed: snapshot.isScannerPresented)
  }
}

extension CodeRow {
  init(_ code: ScannedCode, image: ImageReference?) {
    self.init(
      value: code.humanReadable ?? code.text, type: code.symbology.title, isLink: code.mark == .link, image: image)
  }
}

extension CodeRow {
  /// What would help to read a symbol, above what it looks like.
  init(_ unread: UnreadSymbol, words: ScreenWords) {
    let help: ScreenText =
      switch unread.help {
      case .closer: .holdCloser
      case .stiller: .holdStill
      case .moreLight: .moreLight
      }
    let kind =
      switch unread.kind {
      case .bars: words[.barcode]
      case .qr: Symbology.qr.title
      case .aztec: Symbology.aztec.title
      case .dataMatrix: Symbology.datamatrix.title
      case .pdf417: Symbology.pdf417.title
      case .micropdf417: Symbology.micropdf417.title
      case .maxicode: Symbology.maxicode.title
      case .rmqr: Symbology.rmqr.title
      }
    self.init(value: words[help], type: "\(kind)  ·  \(words[.unreadable])", isLink: false)
    isUnread = true
  }
}

extension DialogContent {
  init(_ dialog: Dialog) {
    switch dialog {
    case .permissionDenied: self.init(title: .permissionDenied, detail: "", remedy: .permissionDeniedRemedy)
    case .permissionRestricted: self.init(title: .permissionRestricted, detail: "", remedy: .permissionRestrictedRemedy)
    case .interrupted(.inUseByAnotherApplication): self.init(title: .cameraTaken, detail: "", remedy: .cameraTakenRemedy)
    case .interrupted(.multipleForegroundApps): self.init(title: .screenTaken, detail: "", remedy: .screenTakenRemedy)
    case .interrupted(.applicationInBackground):
      self.init(title: .inBackground, detail: "", remedy: .inBackgroundRemedy)
    case .failed(let failure):
      self.init(title: .cameraFailed, detail: failure.detail, remedy: Self.remedy(for: failure.fault))
    }
  }

  private static func remedy(for fault: CameraFault) -> ScreenText {
    switch fault {
    case .noCameraMatches, .disconnected: .noCameraRemedy
    case .cannotBeOpened, .runtimeError: .cameraRetryRemedy
    case .streamsCannotBeConfigured, .noLumaStream: .cameraModeRemedy
    case .silent: .cameraCableRemedy
    }
  }
}

extension Symbology {
  /// The symbology's name for people.
  fileprivate var title: String {
    switch self {
    case .ean13: "EAN-13"
    case .ean8: "EAN-8"
    case .upca: "UPC-A"
    case .upce: "UPC-E"
    case .itf: "Interleaved 2 of 5"
    case .itf14: "ITF-14"
    case .code39: "Code 39"
    case .code93: "Code 93"
    case .code128: "Code 128"
    case .codabar: "Codabar"
    case .msi: "MSI"
    case .databar: "GS1 DataBar"
    case .databarLimited: "GS1 DataBar Limited"
    case .databarExpanded: "GS1 DataBar Expanded"
    case .pdf417: "PDF417"
    case .micropdf417: "MicroPDF417"
    case .datamatrix: "Data Matrix"
    case .aztec: "Aztec Code"
    case .qr: "QR Code"
    case .microqr: "Micro QR Code"
    case .rmqr: "rMQR Code"
    case .maxicode: "MaxiCode"
    }
  }
}
