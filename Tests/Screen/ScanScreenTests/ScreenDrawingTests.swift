// The user's view in each state, taken from the display list.

import BarcodeTypes
@testable import ScanScreen
import Testing

/// A screen with its current state.
struct Stage {
  var panel = ScreenSize(width: 1024, height: 768)
  var turn = QuarterTurn.none
  var orientation = FrameOrientation()
  var frame = ScreenSize(width: 1024, height: 768)
  var content = ScreenContent()
  var movements = ScreenMovements()
  var style = ScreenStyle()

  init() { movements.isScannerRevealed = true }

  var layout: ScreenLayout { ScreenLayout(panel: panel, turn: turn, pixelsPerMillimetre: nil) }
  var view: ScreenView { ScreenView(content: content, layout: layout, words: style.words) }
  var geometry: PreviewGeometry { PreviewGeometry(frame: frame, panel: panel, orientation: orientation) }
  var scene: OverlayScene {
    OverlayScene(geometry: geometry, viewport: ViewportPlace(.square(ScreenLayout.viewportPart), in: geometry))
  }

  func list(at seconds: Double = 100) -> DisplayList {
    ScreenDrawing(style: style).list(
      view: view, panel: panel, turn: turn, scene: scene, movements: movements, at: Int64(seconds * 1e9))
  }

  var controls: [PlacedControl] { view.controls(isScannerRevealed: movements.isScannerRevealed) }

  static func texts(_ list: DisplayList) -> [String] {
    list.controls.compactMap { item in
      if case .text(let run) = item { run.text } else { nil }
    }
  }

  static func code(_ value: String, type: String = "QR Code", isLink: Bool = false) -> CodeRow {
    CodeRow(value: value, type: type, isLink: isLink)
  }

  static func quad(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Quad {
    func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
    return Quad(
      topLeft: point(x, y), topRight: point(x + width, y), bottomRight: point(x + width, y + height),
      bottomLeft: point(x, y + height))
  }
}

@Suite struct ScreenDrawingTests {
  @Test func `V4: outside the viewport, an even-odd fill darkens the preview by half, and the viewport has a border`() {
    let stage = Stage()
    let list = stage.list()
    let hole = stage.scene.viewport.rect
    guard case .fill(let figures, let colour) = list.overlay.first else {
      Issue.record("the overlay does not begin with the darkening")
      return
    }
    #expect(colour == Colour(red: 0, green: 0, blue: 0, alpha: 128))
    #expect(figures.count == 2 && figures[1] == .rectangle(hole))
    let strokes = list.overlay.filter { if case .stroke = $0 { true } else { false } }
    #expect(strokes.count == 2)
  }

  @Test func `W1: the overlay and the controls are separate layers above the preview`() {
    let list = Stage().list()
    #expect(!list.overlay.isEmpty && !list.controls.isEmpty)
    for item in list.overlay { if case .text = item { Issue.record("text belongs to the controls") } }
  }

  @Test func `W2: turning the screen with its camera turns the controls and leaves preview and viewport alone`() {
    var stage = Stage()
    let upright = stage.list()
    for turn in [QuarterTurn.clockwise, .half, .anticlockwise] {
      stage.turn = turn
      let turned = stage.list()
      #expect(turned.overlay == upright.overlay)
      #expect(turned.turn == turn)
      // Only the areas of the controls are redrawn, not the middle of the viewport.
      let middle = (x: stage.panel.width / 2, y: stage.panel.height / 2)
      for region in turned.damage(since: upright) {
        let isHit =
          region.x <= middle.x && middle.x < region.x + region.width && region.y <= middle.y
          && middle.y < region.y + region.height
        #expect(!isHit, "\(turn) redraws \(region)")
      }
      #expect(stage.layout.size == stage.panel.turned(turn.isSideways))
    }
  }

  @Test func `W2: the overlay is a square that covers the panel at any turn`() {
    for panel in [ScreenSize(width: 1024, height: 768), ScreenSize(width: 480, height: 800)] {
      var stage = Stage()
      stage.panel = panel
      guard case .fill(let figures, _) = stage.list().overlay.first, case .rectangle(let square) = figures[0] else {
        Issue.record("no darkening")
        return
      }
      #expect(square.width == square.height)
      #expect(square.width >= Double(panel.longerSide) * 1.41421 && square.width < Double(panel.longerSide) * 1.42)
      #expect(square.center == ScreenPoint(x: Double(panel.width) / 2, y: Double(panel.height) / 2))
    }
  }

  @Test func `W3: the focus frame moves from the viewport to the code in half a second and shows its picture`() {
    var stage = Stage()
    stage.movements.focus = AnimationSpan(start: 1_000_000_000, seconds: stage.style.focusDuration)
    stage.movements.focusCorners = Stage.quad(400, 300, 120, 60)
    stage.movements.focusImage = ImageReference(number: 7)
    func frame(_ seconds: Double) -> ScreenRect? {
      let pictures = stage.list(at: seconds).overlay.compactMap { item -> (ScreenPoint, Double)? in
        if case .image(ImageReference(number: 7), let center, let width, _, _) = item { (center, width) } else { nil }
      }
      #expect(pictures.count == 1)
      return pictures.first.map { ScreenRect(center: $0.0, width: $0.1, height: $0.1) }
    }
    let viewport = stage.scene.viewport.rect
    let start = frame(1)
    let end = frame(1.5)
    #expect(start?.center == viewport.center)
    // The code's longest side is 120 of the frame's pixels, which here are also the panel's; the picture fills it.
    #expect(end?.center == ScreenPoint(x: 460.5, y: 330.5))
    #expect(abs((end?.width ?? 0) - 120) < 1e-6)
    #expect(frame(1.5) == frame(9))
    #expect(!stage.movements.isMoving(at: 1_500_000_000) && stage.movements.isMoving(at: 1_499_999_999))
  }

  @Test func `W3: the focus frame has the code's shape and padding around it, and turns the shorter way`() {
    let viewport = ScreenRect(x: 100, y: 100, width: 200, height: 200)
    func movement(_ degrees: Double) -> FocusMovement {
      let pose = FocusPose(center: ScreenPoint(x: 50, y: 60), width: 80, height: 40, angle: degrees * .pi / 180)
      return FocusMovement(viewport: viewport, corners: pose.corners, padding: 8)
    }
    for degrees in stride(from: -179.0, through: 179, by: 1) {
      let movement = movement(degrees)
      #expect(abs(movement.to.angle - degrees * .pi / 180) < 1e-9)
      #expect(abs(movement.to.width - 96) < 1e-9 && abs(movement.to.height - 56) < 1e-9)
      #expect(abs(movement.to.center.x - 50) < 1e-9 && abs(movement.to.center.y - 60) < 1e-9)
      #expect(abs(movement.pose(0.5).angle) <= .pi / 2)
    }
    #expect(movement(30).pose(0) == movement(30).from && movement(30).pose(1) == movement(30).to)
  }

  @Test func `W3: on a mirrored preview the focus frame stays upright, and turns as the code appears turned`() {
    let viewport = ScreenRect(x: 100, y: 100, width: 200, height: 200)
    for degrees in stride(from: -179.0, through: 179, by: 1) {
      let pose = FocusPose(center: ScreenPoint(x: 50, y: 60), width: 80, height: 40, angle: degrees * .pi / 180)
      let seen = pose.corners.map { ScreenPoint(x: 300 - $0.x, y: $0.y) }
      let movement = FocusMovement(viewport: viewport, corners: seen, padding: 8)
      #expect(abs(movement.to.angle + degrees * .pi / 180) < 1e-9)
      #expect(abs(movement.to.center.x - 250) < 1e-9)
    }
  }

  @Test func `W3: the padding, duration and picture of the focus frame can be set`() {
    var stage = Stage()
    stage.style.focusPadding = 20
    stage.style.focusDuration = 2
    stage.style.hasFocusFramePicture = true
    stage.movements.focus = AnimationSpan(start: 0, seconds: stage.style.focusDuration)
    stage.movements.focusCorners = Stage.quad(400, 300, 100, 100)
    #expect(stage.movements.isMoving(at: 1_900_000_000))
    let widths = stage.list(at: 3).overlay.compactMap { item -> Double? in
      if case .image(.focusFrame, _, let width, _, _) = item { width } else { nil }
    }
    #expect(widths == [100 + 40 * stage.layout.unit])
  }

  @Test func `W4: every control has a name, and the torch control a value`() {
    var stage = Stage()
    func torch() -> PlacedControl? { stage.controls.first { $0.control == .torch } }
    #expect(stage.controls.allSatisfy { !$0.name.isEmpty })
    #expect(torch()?.name == "Light" && torch()?.value == "Unavailable" && torch()?.isEnabled == false)
    stage.content.torch = TorchContent(isOn: false, isEnabled: true)
    #expect(torch()?.value == "Off")
    stage.content.torch.isOn = true
    #expect(torch()?.value == "On" && torch()?.isEnabled == true)
    #expect(Stage.texts(stage.list()).contains("On"))
    stage.style.words.language = .german
    #expect(torch()?.name == "Licht" && torch()?.value == "An")
  }

  @Test func `N10: an unreadable symbol has an outline of another colour, and its row says so`() {
    var stage = Stage()
    var row = Stage.code("Hold it still", type: "QR Code  ·  not readable")
    row.isUnread = true
    stage.content.codes = [row]
    stage.movements.unreadOutlines = [Stage.quad(300, 300, 50, 100)]
    let list = stage.list()
    let outlines = list.overlay.compactMap { item in
      if case .outline(_, let colour, _, _, _) = item { colour } else { nil }
    }
    #expect(outlines == [stage.style.colours.warning])
    let types = list.controls.compactMap { item -> Colour? in
      if case .text(let run) = item, run.text.contains("not readable") { run.colour } else { nil }
    }
    #expect(types == [stage.style.colours.warning] && Stage.texts(list).contains("Hold it still"))
  }

  @Test func `N5: all codes of a frame are outlined, and listed with value, type and link mark`() {
    var stage = Stage()
    stage.content.codes = [
      Stage.code("https://example.org", isLink: true), Stage.code("4006381333931", type: "EAN-13"), Stage.code("A"),
      Stage.code("B"), Stage.code("C"),
    ]
    stage.movements.outlines = (0..<5).map { Stage.quad(300 + 60 * $0, 300, 50, 100) }
    let list = stage.list()
    let outlines = list.overlay.filter { item in
      if case .outline(_, stage.style.colours.accent, _, _, _) = item { true } else { false }
    }
    #expect(outlines.count == 5)
    let texts = Stage.texts(list)
    #expect(texts.contains("example.org") && texts.contains("QR Code  ·  Link") && texts.contains("EAN-13"))
    #expect(texts.contains("C"))
    stage.content.codes = []
    #expect(!Stage.texts(stage.list()).contains("A"))
  }

  @Test(arguments: [ScreenSize(width: 1280, height: 720), ScreenSize(width: 1024, height: 768)])
  func `N5: a list that is too long says how many codes are left out`(panel: ScreenSize) {
    var stage = Stage()
    stage.panel = panel
    stage.content.codes = (0..<40).map { Stage.code("\($0)") }
    let texts = Stage.texts(stage.list())
    let listed = texts.filter { Int($0) != nil }.count
    #expect(listed > 2 && texts.contains("and \(40 - listed) more"))
  }

  @Test func `N6: a flash lights the viewport and fades out`() {
    var stage = Stage()
    stage.movements.flash = AnimationSpan(start: 0, seconds: ScreenMovements.flashSeconds)
    func light(_ seconds: Double) -> UInt8? {
      for case .fill(let figures, let colour) in stage.list(at: seconds).overlay
      where figures == [.rectangle(stage.scene.viewport.rect)] { return colour.alpha }
      return nil
    }
    #expect((light(0) ?? 0) > (light(0.1) ?? 0) && (light(0.1) ?? 0) > 0 && light(0.3) == nil)
  }

  @Test func `N7: a review focuses the chosen result and offers Go and Cancel`() {
    var stage = Stage()
    stage.content.review = ReviewContent(rows: (0..<9).map { Stage.code("value \($0)") }, focusIndex: 6)
    let focused = stage.controls.filter(\.hasFocus)
    #expect(focused.map(\.control) == [.result(6)])
    #expect(focused.first?.value == "value 6")
    #expect(stage.controls.contains { $0.control == .confirm && $0.name == "Go" })
    #expect(stage.controls.contains { $0.control == .cancel && $0.name == "Cancel" })
    #expect(Stage.texts(stage.list()).contains("7 / 9"))
    let card = stage.controls.map(\.rect)
    #expect(card.allSatisfy { $0.y >= 0 && $0.bottom <= 768 && $0.x >= 0 && $0.right <= 1024 })
  }

  @Test func `C6: an error dialog states the cause and the remedy, and offers only Cancel`() {
    var stage = Stage()
    stage.content.dialog = DialogContent(
      title: .cameraSilent, detail: "ov5647: no frame for 2 s", remedy: .cameraSilentRemedy)
    #expect(stage.controls.map(\.control) == [.cancel])
    let texts = Stage.texts(stage.list())
    for text in [
      "The camera sends no picture", "ov5647: no frame for 2 s", "Check the camera's cable and power.", "Cancel",
      stage.style.words[.advice],
    ] {
      #expect(texts.contains(text))
    }
  }

  @Test func `W5: links to the same host are distinguishable in the list`() {
    var stage = Stage()
    stage.content.codes = ["https://ex.org/a", "https://me@ex.org/b?c", "https://ex.org/", "https://ex.org"].map {
      CodeRow(value: $0, type: "QR Code", isLink: true)
    }
    let texts = Stage.texts(stage.list())
    for place in ["ex.org/a", "ex.org/b?c", "ex.org"] { #expect(texts.contains(place), "\(texts)") }
  }

  /// The text drawn for a state, joined.
  private func words(_ content: ScreenContent) -> String {
    var stage = Stage()
    stage.content = content
    return Stage.texts(stage.list()).joined(separator: "\n")
  }

  @Test func `W5: without a torch its control is not drawn, and without a touchscreen no buttons are`() {
    var stage = Stage()
    stage.content.torch.isPresent = false
    #expect(stage.controls.map(\.control) == [.close])
    stage.content.hasTouch = false
    #expect(stage.controls.isEmpty)
    stage.content.torch.isPresent = true
    #expect(stage.controls.map(\.control) == [.torch])
    stage.content.review = ReviewContent(rows: [Stage.code("A")], focusIndex: 0)
    #expect(stage.controls.map(\.control) == [.result(0)] && !words(stage.content).contains("Go"))
    stage.content.dialog = DialogContent(title: .cameraSilent, detail: "", remedy: .cameraSilentRemedy)
    #expect(stage.controls.isEmpty && !words(stage.content).contains("Cancel"))
  }

  @Test func `W5: a scan that is not saved has a border in the warning colour`() {
    var stage = Stage()
    stage.content.result = ResultContent(row: Stage.code("A"))
    for (tone, colour) in [(PromptTone.good, stage.style.colours.accent), (.warning, stage.style.colours.warning)] {
      stage.content.promptTone = tone
      let borders = stage.list().controls.compactMap { item in
        if case .stroke(_, let colour, _) = item { colour } else { nil }
      }
      #expect(borders.contains(colour))
    }
  }

  @Test func `W5: the scanned text is the largest, in the middle, and replaces the list`() {
    var stage = Stage()
    stage.content.codes = [Stage.code("LISTED")]
    stage.content.result = ResultContent(row: Stage.code("4006381333931", type: "EAN-13"), moreCount: 2)
    let runs = stage.list().controls.compactMap { item in if case .text(let run) = item { run } else { nil } }
    let value = runs.first { $0.text == "4006381333931" }
    #expect(value?.isBold == true && value?.fillsBox == true)
    #expect(runs.allSatisfy { $0.size <= value?.size ?? 0 })
    #expect(abs((value?.box.center.x ?? 0) - 512) < 1)
    #expect(!runs.contains { $0.text == "LISTED" } && runs.contains { $0.text == "EAN-13  ·  and 2 more" })
  }

  @Test(arguments: [
    ("https://example.org/a/b?c=d", "example.org"), ("http://shop.example:8080", "shop.example:8080"),
    ("https://bank.example@evil.test/login", "evil.test"), ("https://evil.test\\@bank.example/", "evil.test"),
    ("https://a@b@c.test?x", "c.test"),
  ])
  func `W5: a link shows the host that it leads to, whole and bold, and its full text below`(link: String, host: String) {
    var stage = Stage()
    stage.content.result = ResultContent(row: Stage.code(link, isLink: true))
    let runs = stage.list().controls.compactMap { item in if case .text(let run) = item { run } else { nil } }
    #expect(runs.contains { $0.text == host && $0.isBold })
    #expect(runs.contains { $0.text == link && !$0.isBold })
  }

  @Test func `C9: an error dialog has its QR Code, with a quiet zone, in whole pixels`() {
    var stage = Stage()
    stage.content.dialog = DialogContent(title: .cameraSilent, detail: "", remedy: .cameraSilentRemedy)
    let before = stage.list().controls.count
    let side = 29
    stage.content.dialog?.symbol = ModuleGrid(
      side: side, isDark: (0..<side * side).map { $0 % 3 == 0 })
    let fills = stage.list().controls.compactMap { item -> ([Figure], Colour)? in
      if case .fill(let figures, let colour) = item { (figures, colour) } else { nil }
    }
    #expect(stage.list().controls.count == before + 2)
    guard case .rectangle(let ground)? = fills.first(where: { $0.1 == Colour(red: 255, green: 255, blue: 255) })?.0.first,
      let modules = fills.first(where: { $0.1 == Colour(red: 0, green: 0, blue: 0) && $0.0.count > 9 })?.0
    else { return #expect(Bool(false), "no symbol") }
    let module = ground.width / Double(side + 8)
    #expect(module == module.rounded() && module >= 2)
    let inner = ground.inset(by: 4 * module)
    #expect(modules.allSatisfy { $0.bounds.x >= inner.x && $0.bounds.right <= inner.right && $0.bounds.y >= inner.y })
    #expect(modules.reduce(0) { $0 + $1.bounds.width * $1.bounds.height } == module * module * Double((side * side + 2) / 3))
  }

  @Test func `S5: the idle screen slides up to reveal the scanner, and down to cover it`() {
    var stage = Stage()
    func top(_ seconds: Double) -> Double? {
      for case .fill(let figures, stage.style.colours.background) in stage.list(at: seconds).controls {
        return figures[0].bounds.y
      }
      return nil
    }
    stage.movements.slide = AnimationSpan(start: 0, seconds: ScreenMovements.slideSeconds)
    #expect(top(0) == 0)
    #expect((top(0.1) ?? 0) < 0 && (top(0.1) ?? 0) > -768)
    #expect(top(0.35) == nil)
    stage.movements.isScannerRevealed = false
    #expect((top(0.1) ?? 1) < 0 && top(0.35) == 0)
  }

  @Test func `S0: the idle screen says that the scanner is switched off, and ignores touches`() {
    var stage = Stage()
    stage.movements.isScannerRevealed = false
    #expect(stage.controls.map(\.control) == [.open])
    stage.content.idleTitle = .switchedOff
    stage.content.idleHint = .switchedOffRemedy
    #expect(stage.controls.isEmpty)
    #expect(Stage.texts(stage.list()).contains("The scanner is switched off"))
  }

  @Test func `a touch presses the control drawn there unless it is disabled`() {
    var stage = Stage()
    for control in stage.controls {
      let pressed = stage.view.control(at: control.rect.center, isScannerRevealed: true)
      #expect(pressed == (control.isEnabled ? control.control : nil))
    }
    #expect(stage.view.control(at: ScreenPoint(x: 512, y: 384), isScannerRevealed: true) == nil)
    stage.content.torch = TorchContent(isOn: false, isEnabled: true)
    #expect(stage.view.control(at: stage.layout.torchControlCenter, isScannerRevealed: true) == .torch)
  }

  @Test(arguments: [(800, 480), (480, 800), (1024, 768), (1920, 1080), (720, 720), (320, 240)])
  func `controls lie within the panel, do not overlap and are large enough for a finger`(width: Int, height: Int) {
    for turn in [QuarterTurn.none, .clockwise] {
      var stage = Stage()
      stage.panel = ScreenSize(width: width, height: height)
      stage.turn = turn
      stage.content.torch = TorchContent(isOn: true, isEnabled: true)
      let rects = stage.controls.map(\.rect)
      let size = stage.layout.size
      for (index, rect) in rects.enumerated() {
        #expect(rect.x >= 0 && rect.y >= 0 && rect.right <= Double(size.width) && rect.bottom <= Double(size.height))
        #expect(min(rect.width, rect.height) >= Double(min(width, height)) * 0.1)
        for other in rects[(index + 1)...] {
          #expect(rect.right <= other.x || other.right <= rect.x || rect.bottom <= other.y || other.bottom <= rect.y)
        }
      }
    }
  }

  @Test func `sizes follow the panel's pixel density`() {
    let panel = ScreenSize(width: 1920, height: 1080)
    let small = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: 17)
    let large = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: 8)
    #expect(small.unit > large.unit)
    #expect(ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: 900).unit == 1080.0 / 340)
  }
}

extension ScreenLayout {
  fileprivate var torchControlCenter: ScreenPoint {
    ScreenPoint(x: Double(size.width) / 2, y: Double(size.height) - 44 * unit)
  }
}
