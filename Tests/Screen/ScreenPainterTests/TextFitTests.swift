// Every built-in text fits small and large panels without being cut.

import BarcodeTypes
import ScanScreen
import ScreenPainter
import Testing

@Suite struct TextFitTests {
  private static let panels = [
    (320, 240), (240, 320), (480, 272), (480, 320), (320, 480), (640, 480), (480, 480), (800, 480), (480, 800), (1024, 600),
    (1280, 720), (1920, 1080),
  ]

  private static let titles: [ScreenText] = [
    .permissionDenied, .permissionRestricted, .cameraTaken, .screenTaken, .inBackground, .cameraMissing, .cameraUnopened,
    .cameraSize, .cameraPicture, .cameraFailed, .cameraGone, .cameraSilent,
  ]
  private static let remedies: [ScreenText] = [
    .permissionDeniedRemedy, .permissionRestrictedRemedy, .cameraTakenRemedy, .screenTakenRemedy, .inBackgroundRemedy,
    .cameraMissingRemedy, .cameraUnopenedRemedy, .cameraSizeRemedy, .cameraPictureRemedy, .cameraFailedRemedy,
    .cameraGoneRemedy, .cameraSilentRemedy,
  ]

  /// Every state of the screen that has its own text.
  private static func contents(_ words: ScreenWords) -> [(content: ScreenContent, isScannerRevealed: Bool)] {
    var contents: [(ScreenContent, Bool)] = []
    for (title, hint) in [
      (ScreenText.ready, ScreenText.touchToStart), (.switchedOff, .switchedOffRemedy),
      (.paused, .pausedRemedy), (.next, .touchToStart),
      (.ready, .pressToStart), (.ready, .touchAlone), (.ready, .keyToStart),
    ] {
      var content = ScreenContent()
      (content.idleTitle, content.idleHint) = (title, hint)
      contents.append((content, false))
    }
    for (prompt, torch) in [
      (ScreenText.aim, TorchContent(isOn: false, isEnabled: true)), (.starting, TorchContent()),
      (.scanned, TorchContent(isOn: true, isEnabled: true)), (.scannedAtRisk, TorchContent()),
      (.scanRefused, TorchContent()), (.scanCancelled, TorchContent()), (.scanTimedOut, TorchContent()),
      (.scanDropped, TorchContent()), (.scanMismatched, TorchContent()), (.scanWaiting, TorchContent()),
      (.scanIncomplete, TorchContent()), (.setupChanging, TorchContent()), (.setupChanged, TorchContent()),
      (.setupRefused, TorchContent()),
      (.aimAnywhere, TorchContent(name: .torchKey)),
    ] {
      var content = ScreenContent()
      (content.prompt, content.promptCount, content.torch) = (prompt, 1000, torch)
      content.codes = (0..<40).map { CodeRow(value: "\($0)", type: "QR Code", isLink: true) }
      contents.append((content, true))
    }
    for text in ScreenText.allCases where text.rawValue.hasPrefix("setup_") {
      var content = ScreenContent()
      content.prompt = .setupRefused
      content.result = ResultContent(row: CodeRow(value: words[text], type: "QR Code", isLink: false), moreCount: 0)
      contents.append((content, true))
    }
    for help in [ScreenText.holdCloser, .holdStill, .moreLight] {
      for kind in [words[.barcode], "MicroPDF417"] {
        var content = ScreenContent()
        content.torch = TorchContent(isOn: false, isEnabled: true)
        var row = CodeRow(value: words[help], type: "\(kind)  ·  \(words[.unreadable])", isLink: false)
        row.isUnread = true
        content.codes = [row]
        contents.append((content, true))
      }
    }
    var review = ScreenContent()
    review.review = ReviewContent(rows: [CodeRow(value: "1", type: "QR Code", isLink: true)], focusIndex: 0)
    contents.append((review, true))
    review.hasTouch = false
    for hint in [ScreenText.reviewKeys, .reviewButton] {
      review.review?.hint = hint
      for outcome in [
        ScreenText.scanned, .scannedAtRisk, .scanRefused, .scanCancelled, .scanTimedOut, .scanDropped, .scanMismatched,
        .scanWaiting,
        .scanIncomplete, .setupChanging, .setupRefused,
      ] {
        (review.prompt, review.promptCount) = (outcome, 1000)
        review.review?.decided = "1"
        contents.append((review, true))
      }
    }
    for hasTouch in [true, false] {
      for isLink in [true, false] {
        var list = ScreenContent()
        let value = (isLink ? "https://example.org/" : "") + String(repeating: "Wareneingang 17/", count: 20)
        list.list = ListContent(
          row: CodeRow(value: String(value.prefix(String.shownScalarCountMax)), type: "QR Code", isLink: isLink),
          position: 1,
          count: 12)
        if isLink { list.list?.symbol = ModuleGrid(side: 41, isDark: [Bool](repeating: true, count: 41 * 41)) }
        list.hasTouch = hasTouch
        for hint in hasTouch ? [nil] : [ScreenText.listKeys, .listButton] {
          list.list?.hint = hint
          contents.append((list, true))
        }
      }
    }
    for index in 0..<max(titles.count, remedies.count) {
      for detail in ["", "ov5647: no frame came for 2 s"] {
        var content = ScreenContent()
        content.dialog = DialogContent(
          title: titles[index % titles.count], advice: index == 1 ? .restrictedAdvice : .advice, detail: detail,
          remedy: remedies[index % remedies.count])
        // As many modules as the symbol of a dialog's text needs.
        content.dialog?.symbol = ModuleGrid(side: 37, isDark: [Bool](repeating: true, count: 37 * 37))
        content.hasTouch = detail.isEmpty
        contents.append((content, true))
      }
    }
    return contents
  }

  @Test(arguments: ScreenLanguage.allCases, panels)
  func `none of the built-in texts is truncated`(language: ScreenLanguage, panel: (Int, Int)) throws {
    let panel = ScreenSize(width: panel.0, height: panel.1)
    let painter = try #require(CairoPainter(panel: panel))
    var style = ScreenStyle()
    style.words.language = language
    let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
    var shown: Set<String> = []
    for (content, isScannerRevealed) in Self.contents(style.words) {
      var movements = ScreenMovements()
      movements.isScannerRevealed = isScannerRevealed
      let view = ScreenView(content: content, layout: layout, words: style.words)
      for case .text(let run) in ScreenDrawing(style: style).controls(view: view, movements: movements, at: 0) {
        shown.insert(run.text)
        #expect(!painter.cuts(run), "\(run.text) in \(run.box)")
      }
    }
    // Not checked: the control without words, texts that are part of another text, and texts that replace a code's value.
    let others: [ScreenText] = [.close, .link, .moreCodes, .scannedAtRisk, .scanWaiting, .barcode, .unreadable]
    for text in ScreenText.allCases where !others.contains(text) {
      #expect(shown.contains(style.words[text]), "\(text) is not shown")
    }
  }

  @Test(arguments: panels)
  func `W5: two results that wait for confirmation are whole`(panel: (Int, Int)) throws {
    let panel = ScreenSize(width: panel.0, height: panel.1)
    let painter = try #require(CairoPainter(panel: panel))
    let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
    var content = ScreenContent()
    let values = [
      "(01)04006381333931(17)261231(10)LOT-A3-000417(21)SN0099887766554433", "Wareneingangsprüfung, bitte öffnen",
    ]
    content.review = ReviewContent(
      rows: values.map { CodeRow(value: $0, type: "QR Code", isLink: false, image: ImageReference(number: 1)) },
      focusIndex: 0)
    var movements = ScreenMovements()
    movements.isScannerRevealed = true
    let view = ScreenView(content: content, layout: layout, words: ScreenStyle().words)
    var shown = 0
    for case .text(let run) in ScreenDrawing(style: ScreenStyle()).controls(view: view, movements: movements, at: 0)
    where values.contains(run.text) {
      shown += 1
      #expect(!painter.cuts(run), "\(run.text) in \(run.box)")
    }
    #expect(shown == 2)
  }

  @Test func `text shrinks to its minimum size before it is truncated`() throws {
    let painter = try #require(CairoPainter(panel: ScreenSize(width: 200, height: 100)))
    let colour = Colour(red: 255, green: 255, blue: 255)
    var run = TextRun("Bildschirm berühren", in: ScreenRect(x: 0, y: 0, width: 150, height: 40), size: 20, colour: colour)
    #expect(painter.cuts(run))
    run.sizeMin = 10
    #expect(!painter.cuts(run))
    run.box.width = 60
    #expect(painter.cuts(run))
  }
}
