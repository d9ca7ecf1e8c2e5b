// Every state of the screen, as the model derives it from the controller, on small and large panels and in each language.
// With RETICLE_SCREENS=FOLDER the pictures are also drawn, for review by a person.

import BarcodeTypes
import Devices
import Foundation
import ScanControl
import ScanScreen
import ScreenPainter
import SymbolPrinter
import TestScenes
import Testing

@testable import ScanLoop
@testable import StationScreen

/// The devices of a station.
private struct Fittings {
  var equipment = InputEquipment(canTouch: true, hasKeys: true)
  var buttons: Set<Button> = []
  var hasTorch = true
  var hasFrame = true

  static let touch = Fittings()
  static let keys = Fittings(equipment: InputEquipment(canTouch: false, hasKeys: true), hasTorch: false)
  static let button = Fittings(equipment: .none, buttons: [.confirm, .next], hasTorch: false)
  static let nothing = Fittings(equipment: .none, hasTorch: false)
}

/// A state of the screen: the steps that lead to it, and the time at which it is examined.
private struct ShownState: CustomTestStringConvertible, Sendable {
  var name: String
  var fittings: Fittings = .touch
  var moment: Int64 = second
  /// Whether a value has no place where a line may break.
  var holdsEndlessWord = false
  var lead: @Sendable (inout Stage) -> Void

  var testDescription: String { name }
  static let second: Int64 = 1_000_000_000
}

/// The most frames in which a code is seen before it counts.
private enum VoteFrames {
  static let countMax = 10
}

/// The model, and the events that it receives.
private struct Stage {
  var model: ScreenModel
  let image: ImageReference?
  let places: [Quad]
  private let hasTorch: Bool
  /// The controller's session after a scan.
  private var session = SessionState.idle

  init(_ fittings: Fittings, _ style: ScreenStyle, _ image: ImageReference?, places: [Quad]) {
    self.image = image
    self.places = places
    hasTorch = fittings.hasTorch
    model = ScreenModel(
      stationName: "till-3", style: style, showsMovement: true, equipment: fittings.equipment, buttons: fittings.buttons,
      hasFrame: fittings.hasFrame
    ) { text in
      guard let symbol = try? SymbolPrinter.print(SymbolRequest(text, correction: .low)) else { return nil }
      return ModuleGrid(side: symbol.rows.count, isDark: symbol.rows.flatMap(\.modules))
    }
  }

  mutating func show(
    _ session: SessionState, isPaused: Bool = false, isTorchOn: Bool = false, decision: Decision? = nil
  ) {
    let isPresented =
      switch session {
      case .switchedOff, .idle, .checkingPermission, .waiting, .finished: false
      case .opening, .scanning, .announcing, .reviewing, .failed: true
      }
    var snapshot = ScreenSnapshot(
      session: session, isScannerPresented: isPresented, isTorchOn: isTorchOn, isTorchEnabled: session != .opening,
      hasTorch: hasTorch)
    snapshot.isPaused = isPaused
    snapshot.decision = decision
    model.show(snapshot, at: 0)
  }

  /// Continues a session that has been open for a while.
  private mutating func scanOn() {
    model.show(
      ScreenSnapshot(
        session: .scanning(until: nil), isScannerPresented: true, isTorchOn: false, isTorchEnabled: true, hasTorch: hasTorch),
      at: -10 * ShownState.second)
  }

  mutating func see(_ codes: [ScannedCode], unread: [UnreadSymbol.Help] = []) {
    scanOn()
    let kinds: [Symbology?] = [nil, .micropdf417, .qr]
    model.show(
      codes: sightings(codes),
      unread: unread.enumerated().map { index, help in
        UnreadSymbol(symbology: kinds[index % kinds.count], corners: places[index % places.count], help: help)
      }, at: 0)
  }

  private func sightings(_ codes: [ScannedCode]) -> [Sighting] {
    codes.enumerated().map { Sighting(code: $1, corners: places[$0 % places.count]) }
  }

  /// Performs a scan; the controller's session continues.
  @discardableResult
  mutating func scan(_ codes: [ScannedCode], confirmation: ScanControl.Confirmation, isSpoken: Bool = false, focus: Int = 0)
    -> [ScanResult]
  {
    var settings = ScanSettings()
    settings.confirmation = confirmation
    settings.isSpoken = isSpoken
    var controller = ScanController(settings: settings)
    let now = Instant(nanoseconds: 0)
    for event in [.serviceStarted, .permissionReported(.authorized), .scannerAppeared, .cameraLoaded] as [Event] {
      _ = controller.handle(event, at: now)
    }
    _ = controller.handle(.captureStarted(run: controller.camera.run), at: now)
    scanOn()
    let report = FrameReport(run: controller.camera.run, sequence: 1, capturedAt: now, sightings: sightings(codes))
    // Weakly protected symbologies count only after several frames.
    for number in 1...UInt64(VoteFrames.countMax) where controller.session.isScanning {
      let moment = now.advanced(by: .milliseconds(33 * number))
      _ = controller.handle(
        .frameDecoded(
          FrameReport(run: controller.camera.run, sequence: number, capturedAt: moment, sightings: report.sightings)),
        at: moment)
    }
    if focus > 0 { _ = controller.handle(.resultChosen(focus), at: now) }
    let results = report.sightings.map { ScanResult($0, in: report) }
    let pictures = results.enumerated().map { $0.offset == 0 ? image : nil }
    model.show(scan: results, pictures: pictures, flashes: !isSpoken, at: 0)
    show(controller.session)
    session = controller.session
    return results
  }

  /// Performs a scan and its decision.
  mutating func decide(_ outcome: Decision.Outcome, _ codes: [ScannedCode]) {
    let results = scan(codes, confirmation: .never)
    show(.scanning(until: nil), decision: Decision(number: 1, outcome: outcome, results: results))
  }

  /// Decides one of several results while the others wait.
  mutating func decideOne(_ outcome: Decision.Outcome, then codes: [ScannedCode]) {
    let results = scan([ScannedCode.label] + codes, confirmation: .always)
    scan(codes, confirmation: .always)
    show(session, decision: Decision(number: 1, outcome: outcome, results: [results[0]]))
  }

  mutating func openList(_ codes: [ScannedCode], page: Int = 0) {
    see(codes)
    for _ in 0...page { model.showNextOfList(at: 0) }
  }
}

extension ScannedCode {
  fileprivate init(_ symbology: Symbology, _ text: String, human: String? = nil, mark: ResultMark = .search) {
    self.init(symbology: symbology, payload: Array(text.utf8), text: text, humanReadable: human, mark: mark)
  }

  fileprivate static let ean = ScannedCode(.ean13, "4006381333931")
  fileprivate static let parcel = ScannedCode(.itf14, "00340434161094021501")
  fileprivate static let label = ScannedCode(.code128, "RET-2026/00041/7")
  fileprivate static let link = ScannedCode(.qr, "https://shop.example.org/angebote/fruehling?plakat=17", mark: .link)
  fileprivate static let longHost = ScannedCode(
    .qr, "https://www.versandverfolgung.paketdienst.example.com/sendung/00340434161094021501?sprache=de", mark: .link)
  fileprivate static let gs1 = ScannedCode(
    .datamatrix, "01040063813339311726123110LOT-A3-000417\u{1D}21SN0099887766554433",
    human: "(01)04006381333931(17)261231(10)LOT-A3-000417(21)SN0099887766554433")
  fileprivate static let words = ScannedCode(.aztec, "Wareneingangsprüfung am Ladetor 4, bitte öffnen")
  fileprivate static let address = ScannedCode(
    .qr,
    "BEGIN:VCARD\nVERSION:3.0\nFN:Erika Mustermann\nORG:Musterwerke\nTEL:+49 30 1234567\nEMAIL:erika@example.org\nEND:VCARD")
  fileprivate static let network = ScannedCode(.qr, "WIFI:T:WPA;S:Gastnetz Erdgeschoss;P:sehr-geheim-2026;;")
  fileprivate static let endless = ScannedCode(.pdf417, String(repeating: "QmFyY29kZXNhcmVmdW4x", count: 8))
  fileprivate static let short = ScannedCode(.code39, "7")
  fileprivate static let many = (1...40).map { ScannedCode(.qr, "https://example.org/artikel/\($0)", mark: .link) }
  fileprivate static let values = [ean, parcel, label, link, longHost, gs1, words, address, network, short]
}

@Suite struct ScreenStateTests {
  private static let panels = [(320, 240), (800, 480), (1280, 720), (720, 1280)].map {
    ScreenSize(width: $0.0, height: $0.1)
  }
  private static let detail = "ov5647 /base/soc/i2c0mux/i2c@1/ov5647@36: no frame came for 2 s"

  private static let outcomes: [(name: String, outcome: Decision.Outcome)] = [
    ("stored", .stored), ("at-risk", .atRisk(count: 1000)), ("refused", .refused), ("cancelled", .cancelled),
    ("timed-out", .timedOut), ("dropped", .dropped), ("mismatched", .mismatched), ("waiting", .waiting(count: 3)),
    ("incomplete", .incomplete),
  ]

  private static let dialogs: [(name: String, dialog: Dialog)] = [
    ("denied", .permissionDenied), ("restricted", .permissionRestricted),
    ("in-use", .interrupted(.inUseByAnotherApplication)), ("screen-taken", .interrupted(.multipleForegroundApps)),
    ("background", .interrupted(.applicationInBackground)),
    ("missing", .failed(CameraFailure(.noCameraMatches, detail: "no camera matches ov5647; there are none"))),
    ("unopened", .failed(CameraFailure(.cannotBeOpened, detail: detail))),
    ("size", .failed(CameraFailure(.streamsCannotBeConfigured, detail: "ov5647: 4096x2160 became 1920x1080"))),
    ("picture", .failed(CameraFailure(.noLumaStream, detail: "MJPEG is not YUV420, NV12, YUYV, R8 or R10"))),
    ("failed", .failed(CameraFailure(.runtimeError, detail: detail))),
    ("gone", .failed(CameraFailure(.disconnected))), ("silent", .failed(CameraFailure(.silent, detail: detail))),
  ]

  private static let states: [ShownState] = {
    let later = Instant(nanoseconds: 9 * ShownState.second)
    var states = [
      ShownState(name: "idle-touch") { $0.show(.idle) },
      ShownState(name: "idle-touch-button", fittings: Fittings(buttons: [.shortcut])) { $0.show(.idle) },
      ShownState(name: "idle-keys", fittings: .keys) { $0.show(.idle) },
      ShownState(name: "idle-button", fittings: .button) { $0.show(.idle) },
      ShownState(name: "idle-nothing", fittings: .nothing) { $0.show(.idle) },
      ShownState(name: "idle-next") { $0.show(.waiting(.until(later))) },
      ShownState(name: "idle-closed") { $0.show(.waiting(.closed(until: later))) },
      ShownState(name: "switched-off") { $0.show(.switchedOff) },
      ShownState(name: "paused") { $0.show(.switchedOff, isPaused: true) },
      ShownState(name: "starting") { $0.show(.opening) },
      ShownState(name: "starting-nothing", fittings: .nothing) { $0.show(.opening) },
      ShownState(name: "aim") { $0.show(.scanning(until: nil)) },
      ShownState(name: "aim-torch") { $0.show(.scanning(until: nil), isTorchOn: true) },
      ShownState(name: "aim-anywhere", fittings: Fittings(hasTorch: false, hasFrame: false)) {
        $0.show(.scanning(until: nil))
      },
      ShownState(name: "aim-torch-key", fittings: Fittings(equipment: Fittings.keys.equipment)) {
        $0.show(.scanning(until: nil))
      },
      ShownState(name: "aim-torch-button", fittings: Fittings(equipment: .none, buttons: [.torch])) {
        $0.show(.scanning(until: nil))
      },
      ShownState(name: "aim-torch-nothing", fittings: Fittings(equipment: .none)) { $0.show(.scanning(until: nil)) },
      ShownState(name: "aim-nothing", fittings: .nothing) { $0.show(.scanning(until: nil)) },
      ShownState(name: "codes") { $0.see([.link, .ean]) },
      ShownState(name: "codes-keys", fittings: .keys) { $0.see([.longHost, .gs1]) },
      ShownState(name: "codes-many") { $0.see(ScannedCode.many) },
      ShownState(name: "unread") { $0.see([], unread: [.closer, .stiller, .moreLight]) },
      ShownState(name: "unread-beside") { $0.see([.ean], unread: [.moreLight]) },
      ShownState(name: "focus", moment: 250_000_000) { $0.scan([.link], confirmation: .never) },
      ShownState(name: "arrived", moment: 600_000_000) { $0.scan([.link], confirmation: .never) },
      ShownState(name: "announcing") { $0.scan([.words], confirmation: .always, isSpoken: true) },
      ShownState(name: "stored-several") { $0.decide(.stored, [.ean, .label, .link]) },
      ShownState(name: "stored-endless", holdsEndlessWord: true) { $0.decide(.stored, [.endless]) },
      ShownState(name: "review-several") { $0.scan([.link, .gs1], confirmation: .always) },
      ShownState(name: "review-six") {
        $0.scan([.ean, .parcel, .label, .link, .gs1, .words], confirmation: .always, focus: 4)
      },
      ShownState(name: "review-endless", holdsEndlessWord: true) { $0.scan([.endless], confirmation: .always) },
      ShownState(name: "review-keys", fittings: .keys) { $0.scan([.link], confirmation: .always) },
      ShownState(name: "review-button", fittings: .button) { $0.scan([.gs1], confirmation: .always) },
      ShownState(name: "review-nothing", fittings: .nothing) { $0.scan([.words], confirmation: .always) },
      ShownState(name: "list-link") { $0.openList([.longHost, .ean]) },
      ShownState(name: "list-second") { $0.openList([.link, .gs1], page: 1) },
      ShownState(name: "list-single") { $0.openList([.ean]) },
      ShownState(name: "list-address") { $0.openList([.address]) },
      ShownState(name: "list-endless", holdsEndlessWord: true) { $0.openList([.endless]) },
      ShownState(name: "list-keys", fittings: .keys) { $0.openList([.link, .ean]) },
      ShownState(name: "list-button", fittings: .button) { $0.openList([.link, .ean]) },
    ]
    for (index, value) in ScannedCode.values.enumerated() {
      states.append(ShownState(name: "value-\(index)") { $0.decide(.stored, [value]) })
      states.append(ShownState(name: "review-\(index)") { $0.scan([value], confirmation: .always) })
    }
    for (name, outcome) in outcomes {
      states.append(ShownState(name: "\(name)") { $0.decide(outcome, [.label]) })
      states.append(ShownState(name: "\(name)-nothing", fittings: .nothing) { $0.decide(outcome, [.link]) })
      states.append(ShownState(name: "\(name)-one") { $0.decideOne(outcome, then: [.words, .ean]) })
    }
    for (name, dialog) in dialogs {
      states.append(ShownState(name: "dialog-\(name)") { $0.show(.failed(dialog)) })
      states.append(ShownState(name: "dialog-\(name)-nothing", fittings: .nothing) { $0.show(.failed(dialog)) })
    }
    return states
  }()

  @Test(arguments: ScreenLanguage.allCases, panels)
  func `W5: in no state is a text cut, too small or too faint, a word broken, or one item over another`(
    language: ScreenLanguage, panel: ScreenSize
  ) throws {
    var style = ScreenStyle()
    style.words.language = language
    let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: nil)
    let painter = try #require(CairoPainter(panel: panel))
    let scene = try Self.folder.map { _ in try ParcelScene() }
    for state in Self.states {
      let places = scene.map { [$0.matrix, $0.linear] } ?? [Quad(x: 10, y: 10, side: 40)]
      let image = ImageReference(number: 1)
      var stage = Stage(state.fittings, style, image, places: places)
      state.lead(&stage)
      stage.model.timePassed(state.moment)
      let view = ScreenView(content: stage.model.content, layout: layout, words: style.words)
      let movements = stage.model.movements
      let picture = StatePicture(
        view: view, items: ScreenDrawing(style: style).controls(view: view, movements: movements, at: state.moment),
        isRevealed: movements.isScannerRevealed, painter: painter, holdsEndlessWord: state.holdsEndlessWord)
      for problem in picture.problems {
        Issue.record("\(state.name) on \(panel.width)x\(panel.height), \(language): \(problem)")
      }
      if let scene, let folder = Self.folder {
        let shot = try Shot.compose(
          scene, stage.model.content, movements, image, panel: panel, language: language, at: state.moment,
          viewport: state.fittings.hasFrame ? .square(ScreenLayout.viewportPart) : .whole,
          showsPreview: stage.model.isPreviewWanted)
        try PictureTests.write(
          shot.pixels, panel, to: "\(folder)/\(panel.width)x\(panel.height)-\(language.rawValue)-\(state.name).jpg")
      }
    }
  }

  private static let folder = ProcessInfo.processInfo.environment["RETICLE_SCREENS"].flatMap { $0.isEmpty ? nil : $0 }
}

/// The picture of a state, and its problems.
private struct StatePicture {
  let view: ScreenView
  let items: [DisplayItem]
  let isRevealed: Bool
  let painter: CairoPainter
  let holdsEndlessWord: Bool

  /// Least height of a font's em, in pixels; smaller letters are illegible.
  private static let textSizeMin = 8.7
  /// Least contrast of a text with its background (WCAG 2.2, 1.4.3).
  private static let contrastMin = 4.5
  /// Least opacity of the background of a text over the preview.
  private static let groundOpacityMin = 0.85
  /// Pixels by which letters may extend out of their box, or touch others: their places are whole pixels, rounded outwards.
  private static let tolerance = 1.0

  private var panel: ScreenRect {
    ScreenRect(x: 0, y: 0, width: Double(view.layout.size.width), height: Double(view.layout.size.height))
  }

  var problems: [String] { textProblems + overlapProblems + controlProblems }

  private var texts: [(index: Int, run: TextRun, placed: PlacedText)] {
    items.enumerated().compactMap { index, item in
      if case .text(let run) = item, !run.text.isEmpty { (index, run, painter.place(run)) } else { nil }
    }
  }

  private var textProblems: [String] {
    var problems: [String] = []
    for (index, run, placed) in texts {
      if run.cut != .middle, placed.isCut { problems.append("\"\(run.text)\" is cut to \(placed.lines)") }
      if !run.extent.inset(by: -Self.tolerance).holds(placed.rect) {
        problems.append("\"\(run.text)\" is not in its box: \(placed.rect), \(run.box)")
      }
      if !panel.holds(placed.rect) { problems.append("\"\(run.text)\" is not on the panel") }
      if placed.size < Self.textSizeMin { problems.append("\"\(run.text)\" is \(placed.size) pixels high") }
      for (line, next) in zip(placed.lines, placed.lines.dropFirst()) where !holdsEndlessWord && breaksWord(line, next) {
        problems.append("a word is broken: \"\(line)\", \"\(next)\"")
      }
      let contrast = contrast(of: run, placed.rect, before: index)
      if contrast < Self.contrastMin { problems.append("\"\(run.text)\" has a contrast of \(contrast)") }
      if view.words.language != .english, ScreenText.allCases.contains(where: { isEnglish($0, run.text) }) {
        problems.append("\"\(run.text)\" is English")
      }
    }
    return problems
  }

  private func isEnglish(_ text: ScreenText, _ shown: String) -> Bool {
    text.words.english != text.words.german && text.words.english == shown
  }

  private func breaksWord(_ line: String, _ next: String) -> Bool {
    guard let last = line.last, let first = next.first else { return false }
    // A number must not be broken at its decimal point.
    let end = line.filter { $0 != "\u{200B}" }.suffix(2)
    if first.isNumber, let point = end.last, ".,".contains(point), end.first?.isNumber ?? false { return true }
    // A zero-width space marks a place where a text may be broken.
    return !last.isWhitespace && !first.isWhitespace && last != "\u{200B}" && !"-/?".contains(last)
  }

  private var overlapProblems: [String] {
    var problems: [String] = []
    let texts = texts
    for (index, run, placed) in texts {
      for other in texts where other.index > index {
        if placed.rect.inset(by: Self.tolerance / 2).touches(other.placed.rect) {
          problems.append("\"\(run.text)\" and \"\(other.run.text)\" lie over each other")
        }
      }
      for item in items[(index + 1)...] {
        if case .text = item { continue }
        if item.extent.touches(placed.rect) { problems.append("\"\(run.text)\" lies under something") }
      }
    }
    return problems
  }

  private var controlProblems: [String] {
    var problems: [String] = []
    let controls = view.controls(isScannerRevealed: isRevealed)
    for (index, placed) in controls.enumerated() {
      if !panel.holds(placed.rect) { problems.append("\(placed.control) is not on the panel") }
      if min(placed.rect.width, placed.rect.height) < 36 { problems.append("\(placed.control) is too small for a finger") }
      if placed.isEnabled, view.control(at: placed.rect.center, isScannerRevealed: isRevealed) != placed.control {
        problems.append("\(placed.control) cannot be pressed in its middle")
      }
      for other in controls[(index + 1)...] where placed.rect.touches(other.rect) {
        problems.append("\(placed.control) and \(other.control) lie over each other")
      }
    }
    return problems
  }

  /// The contrast of a text over a white or a black preview: the lower of the two.
  private func contrast(of run: TextRun, _ rect: ScreenRect, before index: Int) -> Double {
    let shades = [0.0, 255.0].map { level -> Double in
      var ground = Shade(red: level, green: level, blue: level)
      for item in items[..<index] {
        guard case .fill(let figures, let colour) = item, figures.contains(where: { $0.rect?.holds(rect) ?? false }) else {
          continue
        }
        ground = ground.under(colour)
      }
      let text = ground.under(run.colour)
      let (light, dark) = (max(text.luminance, ground.luminance), min(text.luminance, ground.luminance))
      return (light + 0.05) / (dark + 0.05)
    }
    return shades.min() ?? 0
  }
}

/// An opaque colour.
private struct Shade {
  var red: Double
  var green: Double
  var blue: Double

  func under(_ colour: Colour) -> Shade {
    let part = Double(colour.alpha) / 255
    return Shade(
      red: red + (Double(colour.red) - red) * part, green: green + (Double(colour.green) - green) * part,
      blue: blue + (Double(colour.blue) - blue) * part)
  }

  /// The relative luminance (WCAG 2.2).
  var luminance: Double {
    func linear(_ level: Double) -> Double {
      let part = level / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}

extension Figure {
  /// The rectangle that the figure fills, apart from its corners.
  fileprivate var rect: ScreenRect? {
    switch self {
    case .rectangle(let rect), .rounded(let rect, _): rect
    case .circle, .polygon, .line: nil
    }
  }
}

extension DisplayItem {
  /// The rectangle that the item covers; exact for a picture that is not rotated.
  fileprivate var extent: ScreenRect {
    guard case .image(_, let center, let width, let height, 0) = self else { return bounds }
    return ScreenRect(center: center, width: width, height: height)
  }
}

extension ScreenRect {
  fileprivate func holds(_ other: ScreenRect) -> Bool {
    other.x >= x && other.y >= y && other.right <= right && other.bottom <= bottom
  }
}

extension Quad {
  fileprivate init(x: Int, y: Int, side: Int) {
    func corner(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
    self.init(
      topLeft: corner(x, y), topRight: corner(x + side, y), bottomRight: corner(x + side, y + side),
      bottomLeft: corner(x, y + side))
  }
}
