// The screen's contents at each time, given the controller's reports. Time is an argument here, so the tests need not wait.

import BarcodeTypes
import Devices
import ScanControl
import ScanScreen
import Testing

@testable import StationScreen
@testable import ScanLoop

@Suite struct ScreenModelTests {
  private static let second: Int64 = 1_000_000_000
  private let style = ScreenStyle()
  private let panel = ScreenSize(width: 800, height: 480)

  private let corners: Quad = {
    let corner = PixelPoint(x: Fixed16(10), y: Fixed16(20))
    return Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)
  }()

  private func model() -> ScreenModel { ScreenModel(stationName: "till-3", style: style, showsMovement: true) }

  private func snapshot(_ session: SessionState, isPresented: Bool = true) -> ScreenSnapshot {
    ScreenSnapshot(session: session, isScannerPresented: isPresented, isTorchOn: false, isTorchEnabled: false)
  }

  /// A controller's state after a scan of one code, and the scan.
  private func scanned(_ change: (inout ScanSettings) -> Void) -> (session: SessionState, results: [ScanResult]) {
    var settings = ScanSettings()
    change(&settings)
    var controller = ScanController(settings: settings)
    let now = Instant(nanoseconds: Self.second)
    for event in [.serviceStarted, .permissionReported(.authorized), .scannerAppeared, .cameraLoaded] as [Event] {
      _ = controller.handle(event, at: now)
    }
    _ = controller.handle(.captureStarted(run: controller.camera.run), at: now)
    let corner = PixelPoint(x: Fixed16(10), y: Fixed16(20))
    let sighting = Sighting(
      code: ScannedCode(symbology: .qr, payload: [65], text: "A", mark: .search),
      corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner))
    let report = FrameReport(run: controller.camera.run, sequence: 1, capturedAt: now, sightings: [sighting])
    _ = controller.handle(.frameDecoded(report), at: now)
    return (controller.session, [ScanResult(sighting, in: report)])
  }

  /// The upper edge of the idle screen, taken from the display list; nil if it is not visible.
  private func idleTop(_ model: ScreenModel, at now: Int64) -> Double? {
    let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
    let view = ScreenView(content: model.content, layout: layout, words: style.words)
    for case .fill(let figures, style.colours.background) in ScreenDrawing(style: style).controls(
      view: view, movements: model.movements, at: now)
    {
      if case .rectangle(let rect) = figures[0], rect.width == 800, rect.height == 480 { return rect.y }
    }
    return nil
  }

  @Test func `S5: a session slides the idle screen up, and its end brings it down again`() {
    var model = model()
    model.show(snapshot(.idle, isPresented: false), at: 0)
    #expect(idleTop(model, at: 0) == 0)
    model.show(snapshot(.opening), at: Self.second)
    let tops = stride(from: Self.second, through: Self.second * 3 / 2, by: 50_000_000).map { idleTop(model, at: $0) ?? -480 }
    #expect(tops.first == 0 && tops.last == -480 && tops == tops.sorted(by: >) && Set(tops).count > 5)
    model.timePassed(2 * Self.second)
    model.show(snapshot(.idle, isPresented: false), at: 3 * Self.second)
    let back = stride(from: 3 * Self.second, through: Self.second * 7 / 2, by: 50_000_000).map {
      idleTop(model, at: $0) ?? -480
    }
    #expect(back.first == -480 && back.last == 0 && back == back.sorted() && Set(back).count > 5)
  }

  @Test func `N10: an unreadable symbol is outlined as such, and listed with what would help, while the scanner scans`() {
    var model = model()
    model.show(snapshot(.scanning(until: nil)), at: 0)
    let (_, results) = scanned { _ in }
    let corners = results[0].corners
    let unread = [
      UnreadSymbol(symbology: .qr, corners: corners, help: .closer),
      UnreadSymbol(symbology: nil, corners: corners, help: .stiller),
      UnreadSymbol(symbology: .aztec, corners: corners, help: .moreLight),
    ]
    model.show(codes: [], unread: unread, at: Self.second)
    #expect(model.content.codes.map(\.value) == ["Hold it closer", "Hold it still", "It needs more light"])
    #expect(
      model.content.codes.map(\.type) == [
        "QR Code  ·  not readable", "Barcode  ·  not readable", "Aztec Code  ·  not readable",
      ])
    #expect(model.content.codes.allSatisfy { $0.isUnread })
    #expect(model.movements.unreadOutlines == unread.map(\.corners) && model.movements.outlines.isEmpty)
    model.show(codes: [], unread: [], at: 2 * Self.second)
    #expect(model.content.codes.isEmpty && model.movements.unreadOutlines.isEmpty)
    model.show(codes: [], unread: unread, at: 2 * Self.second)
    model.show(snapshot(.idle, isPresented: false), at: 3 * Self.second)
    #expect(model.content.codes.isEmpty)
  }

  @Test func `W5: an unavailable control is not drawn, and a hint names the buttons that can be pressed`() {
    let reviewing = scanned { $0.confirmation = .always }.session
    let (none, keys) = (InputEquipment.none, InputEquipment(canTouch: false, hasKeys: true))
    let touch = InputEquipment(canTouch: true, hasKeys: false)
    for (equipment, buttons, idle, review) in [
      (none, [], nil, nil), (none, [.confirm], .pressToStart, .reviewButton), (none, [.torch], nil, nil),
      (keys, [], .keyToStart, .reviewKeys), (keys, [.trigger], .pressToStart, .reviewKeys), (touch, [], .touchAlone, nil),
      (touch, [.shortcut], .touchToStart, nil),
    ] as [(InputEquipment, Set<Button>, ScreenText?, ScreenText?)] {
      var model = ScreenModel(
        stationName: "", style: style, showsMovement: false, equipment: .none, buttons: buttons)
      model.show(snapshot(.idle, isPresented: false), at: 0)
      // The device is plugged in later.
      model.show(equipment, at: 0)
      #expect(model.content.idleHint == idle && model.content.hasTouch == equipment.canTouch)
      model.show(snapshot(reviewing), at: Self.second)
      #expect(model.content.review?.hint == review)
      let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
      let controls = ScreenView(content: model.content, layout: layout, words: style.words).controls(isScannerRevealed: true)
      #expect(controls.contains { $0.control == .confirm } == equipment.canTouch)
    }
  }

  @Test func `N5: the list of codes opens by touch or key, shows each value whole and a link as a QR Code, and closes`()
    throws
  {
    var made: [String] = []
    let symbol = ModuleGrid(side: 1, isDark: [true])
    var model = ScreenModel(stationName: "", style: style, showsMovement: false) { text in
      made.append(text)
      return symbol
    }
    model.show(snapshot(.scanning(until: nil)), at: 0)
    model.showNextOfList(at: 0)
    #expect(model.content.list == nil, "there is nothing to list")
    let long = String(repeating: "0123456789", count: 40)
    let link = "https://example.org/a"
    model.show(
      codes: [(Symbology.qr, link, ResultMark.link), (.pdf417, long, .search)].map { symbology, text, mark in
        Sighting(code: ScannedCode(symbology: symbology, payload: [], text: text, mark: mark), corners: corners)
      }, at: 0)
    let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
    func controls() -> [ScreenControl] {
      ScreenView(content: model.content, layout: layout, words: style.words).controls(isScannerRevealed: true).map(\.control)
    }
    #expect(controls().contains(.list))
    model.showNextOfList(at: 0)
    #expect(controls() == [.listClose, .listNext])
    #expect(model.content.list?.symbol == symbol && made == [link])
    var values: [String] = []
    // The codes in view change; the list does not.
    model.show(codes: [], at: Self.second)
    for position in 1...4 {
      let page = try #require(model.content.list)
      #expect(page.position == position && page.count == 4 && page.row.value.shown == page.row.value)
      #expect((page.symbol != nil) == (position == 1))
      values.append(page.row.value)
      model.showNextOfList(at: Self.second)
    }
    #expect(values[0] == link && values[1...].joined() == long)
    #expect(model.content.list?.position == 1 && made == [link])
    model.closeList(at: Self.second)
    #expect(model.content.list == nil && model.listEnd == nil)
  }

  @Test func `N5: the list closes automatically, and for an outcome, a review and a dialog`() {
    let code = ScannedCode(symbology: .qr, payload: [], text: "A", mark: .search)
    func opened() -> ScreenModel {
      var opened = self.model()
      opened.show(snapshot(.scanning(until: nil)), at: 0)
      opened.show(codes: [Sighting(code: code, corners: corners)], at: 0)
      opened.showNextOfList(at: 0)
      #expect(opened.content.list != nil)
      return opened
    }
    var model = opened()
    #expect(model.nextChange(after: 0) != nil)
    model.timePassed(ScreenModel.listNanoseconds - 1)
    #expect(model.content.list != nil)
    model.timePassed(ScreenModel.listNanoseconds)
    #expect(model.content.list == nil)
    model = opened()
    model.show(snapshot(.failed(.permissionDenied)), at: 1)
    #expect(model.content.list == nil && model.content.dialog != nil)
    model = opened()
    model.show(snapshot(scanned { $0.confirmation = .always }.session), at: 1)
    #expect(model.content.list == nil)
    let scan = scanned { _ in }
    model = opened()
    var decided = snapshot(.scanning(until: nil))
    decided.decision = Decision(number: 1, outcome: .stored, results: scan.results)
    model.show(decided, at: 1)
    #expect(model.content.list == nil && model.content.prompt == .scanned)
    // With nothing in view, the list shows the decided results.
    model.show(codes: [], at: 1)
    model.timePassed(10 * Self.second)
    model.showNextOfList(at: 10 * Self.second)
    #expect(model.content.list?.row.value == scan.results[0].code.text)
  }

  @Test func `S1: the idle screen does not ask for a touch that opens nothing`() {
    for (entries, buttons, hint) in [
      ([.boot, .shortcut], [.shortcut], .pressToStart), ([.boot, .search], [.shortcut], .touchAlone),
      ([.boot], [.shortcut], nil), ([.boot], [.trigger], .pressToStart),
    ] as [(EntryPoints, Set<Button>, ScreenText?)] {
      let touch = InputEquipment(canTouch: true, hasKeys: false)
      var model = ScreenModel(stationName: "", style: style, showsMovement: false, equipment: touch, buttons: buttons)
      var idle = snapshot(.idle, isPresented: false)
      idle.entries = entries
      model.show(idle, at: 0)
      #expect(model.content.idleHint == hint)
    }
  }

  @Test func `a session that the user has closed is not called ready for the next code`() {
    var model = model()
    let end = Instant(nanoseconds: 9 * Self.second)
    model.show(snapshot(.waiting(.until(end)), isPresented: false), at: 0)
    #expect(model.content.idleTitle == .next && model.content.idleHint == nil)
    model.show(snapshot(.waiting(.closed(until: end)), isPresented: false), at: 0)
    #expect(model.content.idleTitle == .ready && model.content.idleHint == .touchAlone)
  }

  @Test func `a session that follows another shows neither the camera's start nor the codes of the previous session`() {
    var model = ScreenModel(stationName: "", style: style, showsMovement: true, hasFrame: false)
    model.show(snapshot(.opening), at: 0)
    #expect(model.content.prompt == .starting)
    model.show(snapshot(.scanning(until: nil)), at: Self.second)
    // If no frame is drawn, the prompt does not mention one.
    #expect(model.content.prompt == .aimAnywhere)
    model.show(codes: scanned { _ in }.results.map { Sighting(code: $0.code, corners: $0.corners) }, at: Self.second)
    #expect(!model.movements.outlines.isEmpty)
    let moment = 2 * Self.second
    model.show(snapshot(.opening), at: moment)
    #expect(model.content.prompt == .aimAnywhere && model.movements.outlines.isEmpty && model.content.codes.isEmpty)
    #expect(model.nextChange(after: moment) == moment + ScreenModel.startingNanoseconds)
    model.timePassed(moment + ScreenModel.startingNanoseconds)
    #expect(model.content.prompt == .starting)
  }

  @Test func `V3: an error dialog hides the preview until it closes`() {
    var model = model()
    let (session, _) = scanned { _ in }
    model.show(snapshot(session), at: 0)
    model.timePassed(Self.second)
    #expect(model.isPreviewWanted)
    model.show(snapshot(.failed(.permissionRestricted)), at: Self.second)
    #expect(!model.isPreviewWanted && model.content.dialog != nil)
    model.show(snapshot(.scanning(until: nil)), at: 2 * Self.second)
    #expect(model.isPreviewWanted)
  }

  @Test func `S0: a paused station says so, and not that its configuration has switched it off`() {
    var model = model()
    var paused = snapshot(.switchedOff, isPresented: false)
    paused.isPaused = true
    model.show(paused, at: 0)
    #expect(model.content.idleTitle == .paused && model.content.idleHint == .pausedRemedy)
    model.show(snapshot(.switchedOff, isPresented: false), at: 0)
    #expect(model.content.idleTitle == .switchedOff)
  }

  @Test(arguments: [false, true])
  func `W3, N7: the card of a review covers the focus frame only when it has reached its code`(isSpoken: Bool) {
    var model = model()
    let (session, results) = scanned {
      $0.confirmation = .always
      $0.isSpoken = isSpoken
    }
    if isSpoken { guard case .announcing = session else { return #expect(Bool(false), "\(session)") } }
    let reviewing = scanned { $0.confirmation = .always }.session
    model.show(snapshot(.scanning(until: nil)), at: 0)
    model.show(snapshot(session), at: Self.second)
    model.show(scan: results, pictures: [nil], at: Self.second)
    if isSpoken { model.show(snapshot(reviewing), at: Self.second + 1_000_000) }
    var now = Self.second
    var seenFor: Int64 = 0
    while model.content.review == nil, now < 10 * Self.second {
      #expect(model.movements.focus != nil)
      seenFor = now - Self.second
      guard let next = model.nextChange(after: now) else { break }
      now = max(next, now + 1_000_000)
      model.timePassed(now)
    }
    #expect(model.content.review?.rows.map(\.value) == ["A"])
    let end = Int64(style.focusDuration * 1e9)
    #expect(seenFor >= end && seenFor <= end + ScreenModel.arrivalNanoseconds)
  }

  @Test func `W3, N7: the focus frame and the card appear whether the scan or the state comes first`() {
    let (session, results) = scanned { $0.confirmation = .always }
    for isScanFirst in [false, true] {
      var model = model()
      model.show(snapshot(.scanning(until: nil)), at: 0)
      if !isScanFirst { model.show(snapshot(session), at: Self.second) }
      model.show(scan: results, pictures: [nil], at: Self.second)
      if isScanFirst { model.show(snapshot(session), at: Self.second) }
      #expect(model.movements.focus != nil && model.content.review == nil)
      guard let next = model.nextChange(after: 2 * Self.second - 250_000_001) else { return #expect(Bool(false)) }
      model.timePassed(next)
      #expect(model.content.review != nil)
    }
  }

  @Test func `W5: the scanned text is shown large when the focus frame has reached its code, and long enough to be read`() {
    var model = model()
    let (session, results) = scanned { _ in }
    var shown = snapshot(session)
    model.show(shown, at: 0)
    model.show(scan: results + results, pictures: [nil, nil], at: Self.second)
    shown.decision = Decision(number: 1, outcome: .stored, results: results + results)
    model.show(shown, at: Self.second)
    let arrival = Self.second * 3 / 2 + ScreenModel.arrivalNanoseconds
    for (moment, isShown) in [
      (Self.second, false), (arrival - 1, false), (arrival, true),
      (Self.second * 3 / 2 + ScreenModel.resultNanoseconds - 1, true),
      (Self.second * 3 / 2 + ScreenModel.resultNanoseconds, false),
    ] {
      model.timePassed(moment)
      #expect((model.content.result != nil) == isShown, "\(moment)")
      if isShown { #expect(model.content.result?.row.value == "A" && model.content.result?.moreCount == 1) }
    }
    #expect(ScreenModel.resultNanoseconds - ScreenModel.arrivalNanoseconds >= 1_000_000_000)
  }

  private static let outcomes: [(Decision.Outcome, ScreenText, PromptTone)] = [
    (.stored, .scanned, .good), (.atRisk(count: 1), .scannedAtRisk, .warning),
    (.atRisk(count: 58), .scannedAtRisk, .warning),
    (.refused, .scanRefused, .warning), (.cancelled, .scanCancelled, .plain), (.timedOut, .scanTimedOut, .warning),
    (.dropped, .scanDropped, .warning), (.mismatched, .scanMismatched, .warning), (.waiting(count: 2), .scanWaiting, .plain),
    (.incomplete, .scanIncomplete, .warning),
  ]

  @Test(arguments: ScreenLanguage.allCases)
  func `W6, B2: a set-up code shows what changed, or why nothing did, long enough to read it, and never its text`(
    language: ScreenLanguage
  ) {
    let words = ScreenWords(language: language)
    let (_, results) = scanned { _ in }
    var outcomes: [(SetupOutcome, ScreenText, PromptTone, String)] = [
      (.changed(["vote.frames=3", "repeat.absence=2 s"]), .setupChanged, .good, "vote.frames=3\nrepeat.absence=2 s")
    ]
    var seen: Set<String> = []
    for reason in SetupRefusal.allCases {
      let text = ScreenText(rawValue: "setup_\(reason.rawValue)")
      #expect(text != nil)
      seen.insert(text.map { words[$0] } ?? "")
      outcomes.append(
        (.refused(reason, detail: "vote.frames"), .setupRefused, .warning, (text.map { words[$0] } ?? "") + "\nvote.frames"))
    }
    #expect(seen.count == SetupRefusal.allCases.count)
    for (outcome, prompt, tone, value) in outcomes {
      var style = ScreenStyle()
      style.words = words
      var model = ScreenModel(stationName: "", style: style, showsMovement: true)
      // A new station first shows the outcome of the code that made it start.
      var shown = snapshot(.scanning(until: nil))
      shown.decision = Decision(number: 1, outcome: .setup(outcome), results: results)
      model.show(shown, at: 0)
      #expect(model.content.prompt == prompt && model.content.promptTone == tone, "\(outcome)")
      #expect(model.content.result?.row.value == value)
      model.timePassed(ScreenModel.setupNanoseconds - 1)
      #expect(model.content.result?.row.value == value)
      model.timePassed(ScreenModel.setupNanoseconds)
      #expect(model.content.prompt == .aim && model.content.result == nil)
    }
    var model = model()
    var shown = snapshot(.scanning(until: nil))
    shown.decision = Decision(number: 1, outcome: .setup(.accepted), results: results)
    model.show(shown, at: 0)
    #expect(model.content.prompt == .setupChanging && model.content.promptTone == .plain, "nothing is changed yet")
  }

  @Test func `W6: each decision shows its own outcome and value, however long after its scan it is made`() {
    let (_, results) = scanned { _ in }
    let reviewing = scanned { $0.confirmation = .always }.session
    for (outcome, prompt, tone) in Self.outcomes {
      for delay in [0, 1, 10] as [Int64] {
        var model = model()
        model.show(snapshot(.scanning(until: nil)), at: 0)
        // An earlier decision does not concern this scan.
        var shown = snapshot(reviewing)
        shown.decision = Decision(number: 1, outcome: .stored, results: results)
        model.show(shown, at: 0)
        model.timePassed(5 * Self.second)
        model.show(scan: results, pictures: [nil], at: 6 * Self.second)
        model.show(shown, at: 6 * Self.second)
        #expect(model.content.prompt == .review && model.content.promptTone == .plain && model.content.result == nil)
        let moment = (7 + delay) * Self.second
        model.timePassed(moment)
        shown.session = .opening
        shown.decision = Decision(number: 2, outcome: outcome, results: results)
        model.show(shown, at: moment)
        #expect(model.content.prompt == prompt && model.content.promptTone == tone, "\(outcome)")
        #expect(model.content.result?.row.value == "A")
        if case .atRisk(let count) = outcome { #expect(model.content.promptCount == count) }
        // The next session has begun, and the outcome is still visible.
        shown.session = .scanning(until: nil)
        model.show(shown, at: moment + Self.second)
        #expect(model.content.prompt == prompt, "\(outcome)")
        model.timePassed(moment + ScreenModel.resultNanoseconds)
        #expect(model.content.prompt == .aim && model.content.promptTone == .plain && model.content.result == nil)
      }
    }
  }

  @Test
  func `W6: a result that waits for confirmation is nowhere green, and after Go its outcome is on the next one's card`() {
    let (_, results) = scanned { _ in }
    for isSpoken in [false, true] {
      var model = model()
      let session = scanned {
        $0.confirmation = .always
        $0.isSpoken = isSpoken
      }.session
      model.show(snapshot(session), at: 0)
      model.show(scan: results, pictures: [nil], at: 0)
      for moment in stride(from: 0, through: 3 * Self.second, by: 100_000_000) {
        model.timePassed(moment)
        #expect(model.content.promptTone == .plain && model.content.prompt == .review && model.content.result == nil)
      }
    }
    for (outcome, prompt, tone) in Self.outcomes {
      var model = model()
      var shown = snapshot(scanned { $0.confirmation = .always }.session)
      model.show(scan: results, pictures: [nil], at: 0)
      model.show(shown, at: 0)
      model.timePassed(2 * Self.second)
      shown.decision = Decision(number: 1, outcome: outcome, results: results)
      model.show(shown, at: 3 * Self.second)
      #expect(model.content.review?.decided == "A" && model.content.prompt == prompt && model.content.promptTone == tone)
      let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
      let view = ScreenView(content: model.content, layout: layout, words: style.words)
      let texts = ScreenDrawing(style: style).controls(view: view, movements: model.movements, at: 4 * Self.second)
        .compactMap {
          if case .text(let run) = $0 { run.text } else { nil }
        }
      let said = style.words[prompt].replacing("%d", with: "\(model.content.promptCount)")
      #expect(texts.contains(said), "\(texts)")
      model.timePassed(3 * Self.second + ScreenModel.resultNanoseconds)
      #expect(model.content.review != nil && model.content.review?.decided == nil)
    }
  }

  @Test func `W6: an error dialog waits until an outcome has been seen`() {
    var model = model()
    let (_, results) = scanned { _ in }
    var shown = snapshot(.failed(.permissionDenied))
    shown.decision = Decision(number: 1, outcome: .refused, results: results)
    model.show(shown, at: 0)
    #expect(model.content.dialog == nil && model.content.prompt == .scanRefused && !model.isPreviewWanted)
    model.timePassed(ScreenModel.resultNanoseconds)
    #expect(model.content.dialog != nil)
    // Users who hear the controls hear those of the dialog.
    #expect(ScreenWords().controls(of: shown).map(\.control) == [.cancel])
  }

  @Test func `C9: a dialog's symbol holds the station, the cause and the remedy, and is made once`() {
    var texts: [String] = []
    let symbol = ModuleGrid(side: 1, isDark: [true])
    var model = ScreenModel(stationName: "till-3", style: style, showsMovement: true) { text in
      texts.append(text)
      return symbol
    }
    let failed = SessionState.failed(
      .failed(CameraFailure(.silent, detail: "csi0: " + String(repeating: "long ", count: 99))))
    model.show(snapshot(failed), at: 0)
    for moment in 1...5 { model.timePassed(Int64(moment) * Self.second) }
    model.show(snapshot(failed), at: 6 * Self.second)
    #expect(model.content.dialog?.symbol == symbol)
    #expect(texts.count == 1 && texts[0].utf8.count == ScreenModel.symbolByteCountMax)
    let lines = texts[0].split(separator: "\n")
    #expect(
      lines.prefix(3) == ["till-3", "The camera sends no picture", "Check the camera's cable and power."]
        && lines[3].hasPrefix("csi0"))
    model.show(snapshot(.failed(.permissionDenied)), at: 7 * Self.second)
    #expect(texts.count == 2)
  }

  @Test(arguments: ScreenLanguage.allCases)
  func `C9: a dialog's symbol holds the whole remedy, however long the text is`(language: ScreenLanguage) {
    var style = style
    style.words.language = language
    let faults: [CameraFault] = [
      .noCameraMatches, .disconnected, .cannotBeOpened, .runtimeError, .streamsCannotBeConfigured, .noLumaStream, .silent,
    ]
    var dialogs: [Dialog] = [
      .permissionDenied, .permissionRestricted, .interrupted(.inUseByAnotherApplication),
      .interrupted(.multipleForegroundApps), .interrupted(.applicationInBackground),
    ]
    dialogs += faults.map { .failed(CameraFailure($0, detail: "csi0: ünsagbar " + String(repeating: "lang ", count: 99))) }
    for name in ["a", String(repeating: "ä", count: 32)] {
      for dialog in dialogs {
        var told = ""
        var model = ScreenModel(stationName: name, style: style, showsMovement: true) { text in
          told = text
          return nil
        }
        model.show(snapshot(.failed(dialog)), at: 0)
        let remedy = style.words[DialogContent(dialog).remedy]
        #expect(told.split(separator: "\n").contains { $0 == remedy }, "\(told)")
        #expect(told.utf8.count <= ScreenModel.symbolByteCountMax)
      }
    }
  }

  @Test func `W3, N6: an announced result has the focus frame and no flash`() {
    var model = model()
    let (session, results) = scanned {
      $0.confirmation = .always
      $0.isSpoken = true
    }
    model.show(snapshot(.scanning(until: nil)), at: 0)
    model.show(snapshot(session), at: Self.second)
    model.show(scan: results, pictures: [nil], flashes: false, at: Self.second)
    #expect(model.movements.flash == nil && model.movements.focus != nil && model.content.promptTone == .plain)
    // For the duration of the announcement.
    model.timePassed(5 * Self.second)
    #expect(model.movements.focus != nil && model.content.review == nil)
  }
}
