// The screen's thread, from news to pictures: news change the model, the model and the newest frame make a picture, the
// picture is shown. Trouble closes the screen and is reported; the thread retries until it has the screen.

import BarcodeTypes
import Devices
import Dispatch
import Logging
import ScanControl
import ScanLoop
import ScanScreen

/// State of the screen's thread. No other thread touches it after `serve` has begun.
final class ScreenThread: @unchecked Sendable {
  /// Time between pictures while something moves: the usual refresh rate of panels.
  static let movementNanoseconds: Int64 = 16_000_000
  /// Time between drawings while only outlines move: at 30 frames per second, every third frame draws them. In a whole
  /// station that also decodes (`screen-lab cost 150 moving`), drawing two outlines takes 60 to 80 µs, most of it for memory
  /// that decoding has evicted from the caches, and the rest of a frame 80 µs.
  static let outlineNanoseconds: Int64 = 90_000_000
  /// How often the thread checks that it still has an unchanged screen.
  static let lookNanoseconds: Int64 = 250_000_000

  private let equipment: ScreenEquipment
  private let mailbox: ScreenMailbox
  private let gallery: FrameGallery
  private let viewport: ViewportOwner
  private let events: EventQueue
  private let metrics: StationMetrics
  private let logger: Logger

  private var model: ScreenModel
  private var style: ScreenStyle
  private var turn: QuarterTurn
  private var camera: FrameOrientation
  private var mode: ScreenMode?
  private var painter: (any OverlayPainting)?
  private var trouble: ScreenTrouble.Cause?
  private var retryAt: Int64 = 0
  /// The frame on the screen.
  private var shown: KeptFrame?
  private var scene: OverlayScene?
  /// The number of the next image of a scan.
  private var imageNumber: UInt32 = 1
  private var isFirstPicture = true
  private var drawn: DrawnPicture?
  /// The codes of the last frame, if the model does not know yet that they have moved.
  private var movedCodes: [Sighting]?
  private var movedUnread: [UnreadSymbol] = []
  /// The scanner's presentation answered last, and the one reported last.
  private var appeared = 0
  private var presented = 0

  /// The inputs of the overlay, and the list made from them. While they stay the same and nothing moves, nothing is drawn.
  private struct DrawnPicture {
    var content: ScreenContent
    var movements: ScreenMovements
    var scene: OverlayScene?
    var mounting: ViewportOwner.Mounting
    var turn: QuarterTurn
    var isMoving: Bool
    var isSliding: Bool
    var time: Int64
    var list: DisplayList
  }

  init(
    equipment: ScreenEquipment, mailbox: ScreenMailbox, gallery: FrameGallery, viewport: ViewportOwner,
    events: EventQueue, metrics: StationMetrics, logger: Logger
  ) {
    self.equipment = equipment
    self.mailbox = mailbox
    self.gallery = gallery
    self.viewport = viewport
    self.events = events
    self.metrics = metrics
    self.logger = logger
    style = equipment.settings.style
    turn = equipment.settings.turn
    camera = equipment.settings.camera
    model = ScreenModel(
      stationName: equipment.stationName, style: equipment.settings.style, showsMovement: equipment.screen.showsMovement,
      equipment: .none, buttons: equipment.buttons, hasFrame: equipment.settings.viewport != .whole,
      makeSymbol: equipment.makeSymbol)
  }

  func serve() {
    while true {
      let news = mailbox.take(until: deadline)
      if news.isQuitting { break }
      let now = equipment.time.now()
      take(news, now)
      if mode == nil, now >= retryAt { open(now) }
      tellAppearance()
      if mode != nil { show(now) }
    }
    equipment.screen.close()
    dropFrame()
    gallery.want(false)
  }

  private var deadline: DispatchTime {
    let now = equipment.time.now()
    var wait = mode == nil ? max(0, retryAt - now) : Self.lookNanoseconds
    if mode != nil, let change = model.nextChange(after: now) {
      wait = min(wait, change <= now ? Self.movementNanoseconds : change - now)
    }
    return .now() + .nanoseconds(Int(wait))
  }

  // MARK: News

  private func take(_ news: ScreenNews, _ now: Int64) {
    model.timePassed(now)
    take(codes: news, now)
    if let equipment = news.equipment { model.show(equipment, at: now) }
    if let scan = news.scan { take(scan: scan, now) }
    if let snapshot = news.snapshot {
      model.show(snapshot, at: now)
      if snapshot.isScannerPresented { presented = snapshot.presentationCount }
    }
    for turn in news.turns { take(turn: turn) }
    for place in news.touches { take(touch: place, now) }
    for button in news.presses { take(press: button, now) }
    mailbox.noteList(until: model.listEnd ?? .min)
  }

  /// Reports that the scanner is about to be visible (behaviour S3): the panel is open, and its next picture begins to
  /// reveal it. An unavailable panel is not waited for.
  private func tellAppearance() {
    guard presented != appeared, mode != nil || trouble != nil else { return }
    appeared = presented
    events.post(.scannerAppeared)
  }

  /// Codes that have only moved wait for the next drawing of outlines, or for later news.
  private func take(codes news: ScreenNews, _ now: Int64) {
    if let sightings = news.sightings { (movedCodes, movedUnread) = (sightings, news.unread) }
    guard let codes = movedCodes else { return }
    if let drawn, !drawn.isMoving, now - drawn.time < Self.outlineNanoseconds, !news.areCodesNew, news.scan == nil,
      news.snapshot == nil
    {
      return
    }
    movedCodes = nil
    model.show(codes: codes, unread: movedUnread, at: now)
  }

  /// Creates the pictures of a scan from the frame that it was read from.
  private func take(scan: Scan, _ now: Int64) {
    let pictures = scan.results.prefix(CodePicture.countMax).map { result -> ImageReference? in
      let picture = gallery.withCodes(ofFrame: result.frameSequence) { luma, origin in
        RectifiedPicture(of: luma, corners: result.corners.moved(by: PixelPoint(x: Fixed16(0), y: Fixed16(0)) - origin))
      }
      guard let painter, let picture else { return nil }
      let reference = ImageReference(number: imageNumber)
      imageNumber = imageNumber == UInt32.max ? 1 : imageNumber + 1
      painter.setImage(reference, luma: picture.luma, width: picture.width, height: picture.height)
      return reference
    }
    model.show(
      scan: scan.results, pictures: pictures + [ImageReference?](repeating: nil, count: scan.results.count - pictures.count),
      flashes: scan.flashes, at: now)
  }

  private enum CodePicture {
    /// Results of a scan that get a picture.
    static let countMax = 8
  }

  /// The screen turns, and the camera in its housing turns with it: the controls turn, and the preview stays on the panel.
  private func take(turn step: QuarterTurn) {
    turn = turn + step
    camera.turn = camera.turn + step.inverse
  }

  /// Handles a key for the list of codes.
  private func take(press button: Button, _ now: Int64) {
    switch button {
    case .next: model.showNextOfList(at: now)
    default: model.closeList(at: now)
    }
  }

  private func take(touch place: TouchedPlace, _ now: Int64) {
    guard let layout, let mode else { return }
    let panel = ScreenSize(width: mode.width, height: mode.height)
    let point = ScreenPoint(x: place.x * Double(panel.width), y: place.y * Double(panel.height))
    let view = ScreenView(content: model.content, layout: layout, words: style.words)
    let upright = DisplayList.uprightPoint(point, turn: turn, panel: panel)
    guard let control = view.control(at: upright, isScannerRevealed: model.movements.isScannerRevealed) else { return }
    switch control {
    case .list, .listNext: model.showNextOfList(at: now)
    case .listClose: model.closeList(at: now)
    default: if let event = Event(control) { events.offer(event) }
    }
  }

  // MARK: The screen

  /// How frames lie on the open panel.
  private var mounting: ViewportOwner.Mounting? {
    mode.map {
      ViewportOwner.Mounting(
        panel: ScreenSize(width: $0.width, height: $0.height),
        orientation: FrameOrientation(turn: camera.turn + turn, isMirrored: camera.isMirrored))
    }
  }

  private var layout: ScreenLayout? {
    mode.map {
      ScreenLayout(
        panel: ScreenSize(width: $0.width, height: $0.height), turn: turn, pixelsPerMillimetre: $0.pixelsPerMillimetre,
        viewportPart: viewportPart)
    }
  }

  private var viewportPart: Double {
    if case .square(let part) = equipment.settings.viewport { part } else { ScreenLayout.viewportPart }
  }

  private func open(_ now: Int64) {
    do throws(ScreenTrouble) {
      let mode = try equipment.screen.open()
      let panel = ScreenSize(width: mode.width, height: mode.height)
      guard let painter = equipment.makePainter(panel) else {
        equipment.screen.close()
        throw ScreenTrouble(.failed, "there is no memory for a picture of \(mode.width)×\(mode.height) pixels; free some")
      }
      self.mode = mode
      self.painter = painter
      isFirstPicture = true
      takeFocusFramePicture(painter)
      if let mounting { viewport.set(mounting) }
      if trouble != nil { logger.notice("the screen is back", metadata: ["screen": "\(equipment.screen.name)"]) }
      trouble = nil
      metrics.screenIs(nil)
      events.post(.screenReported(.available))
    } catch {
      fail(error, now)
    }
  }

  private func takeFocusFramePicture(_ painter: any OverlayPainting) {
    guard let path = equipment.settings.focusFramePicture else { return }
    style.hasFocusFramePicture = painter.setImage(.focusFrame, pngFile: path)
    if !style.hasFocusFramePicture {
      logger.error(
        "the picture of the focus frame cannot be read", metadata: ["path": "\(path)", "remedy": "name a PNG file"])
    }
  }

  /// Scanning continues; the thread retries the screen.
  private func fail(_ failure: ScreenTrouble, _ now: Int64) {
    if failure.cause != trouble {
      logger.warning(
        "there is no screen; scanning goes on",
        metadata: ["state": "\(failure.cause.rawValue)", "reason": "\(failure.description)"])
    }
    if failure.cause != trouble { events.post(.screenReported(ScreenState(failure.cause))) }
    trouble = failure.cause
    metrics.screenIs(failure.cause)
    mode = nil
    painter = nil
    dropFrame()
    gallery.want(false)
    retryAt = Instant(nanoseconds: now).advanced(by: equipment.retryInterval).nanoseconds
  }

  // MARK: Pictures

  private func dropFrame() {
    if let shown { gallery.release(shown) }
    shown = nil
    scene = nil
  }

  private func show(_ now: Int64) {
    guard let mounting, let layout, let painter else { return }
    // The first picture may take long: a frame should be ready when it is done.
    gallery.want(model.isPreviewWanted || isFirstPicture)
    var preview = PreviewChange.unchanged
    if !model.isPreviewWanted {
      if shown != nil || isFirstPicture { preview = .hidden }
      dropFrame()
    } else if let (frame, shared) = gallery.takeNewest(after: shown) {
      if let shown { gallery.release(shown) }
      if scene == nil || shown?.size != frame.size {
        scene = viewport.place(frame: ScreenSize(width: frame.width, height: frame.height), on: mounting)
      }
      shown = frame
      if let scene { preview = Self.preview(frame, shared, scene, mounting.orientation) }
    } else if shown == nil, scene == nil {
      preview = isFirstPicture ? .hidden : .unchanged
    }
    var changes: [PixelRegion] = []
    if let list = changedList(mounting, layout, now) { changes = painter.paint(list) }
    present(preview, changes, painter, now)
  }

  /// The overlay's list, if it differs from the last one drawn.
  private func changedList(_ mounting: ViewportOwner.Mounting, _ layout: ScreenLayout, _ now: Int64) -> DisplayList? {
    let isMoving = model.movements.isMoving(at: now)
    let isSliding = model.movements.isSliding(at: now)
    let before = isFirstPicture ? nil : drawn
    // Controls stay while codes move.
    let keepsControls =
      before.map {
        !isSliding && !$0.isSliding && $0.turn == turn && $0.mounting == mounting && $0.content == model.content
          && $0.movements.isScannerRevealed == model.movements.isScannerRevealed
      } ?? false
    if let before, keepsControls, !isMoving, !before.isMoving, before.scene == scene {
      if model.movements == before.movements { return nil }
    }
    let drawing = ScreenDrawing(style: style)
    var list = DisplayList(panel: mounting.panel, turn: turn)
    list.overlay = drawing.overlay(
      panel: mounting.panel, unit: layout.unit, scene: scene, movements: model.movements, at: now)
    if let before, keepsControls {
      list.controls = before.list.controls
    } else {
      let view = ScreenView(content: model.content, layout: layout, words: style.words)
      list.controls = drawing.controls(view: view, movements: model.movements, at: now)
    }
    drawn = DrawnPicture(
      content: model.content, movements: model.movements, scene: scene, mounting: mounting, turn: turn,
      isMoving: isMoving, isSliding: isSliding, time: now, list: list)
    return list
  }

  private static func preview(
    _ frame: KeptFrame, _ shared: SharedFrame?, _ scene: OverlayScene, _ orientation: FrameOrientation
  ) -> PreviewChange {
    let visible = scene.geometry.visible
    if let luma = frame.luma {
      return .frame(
        PreviewFrame(luma: luma, visible: visible, orientation: orientation, chroma: frame.chroma, shared: shared))
    }
    guard let shared else { return .unchanged }
    return .frame(
      PreviewFrame(shared, visible: visible, width: frame.width, height: frame.height, orientation: orientation))
  }

  private func present(
    _ preview: PreviewChange, _ changes: [PixelRegion], _ painter: any OverlayPainting, _ now: Int64
  ) {
    var outcome: ScreenTrouble?
    let screen = equipment.screen
    do throws(ScreenTrouble) {
      if case .unchanged = preview, changes.isEmpty {
        try screen.look()
        return
      }
    } catch {
      fail(error, now)
      return
    }
    painter.withPixels { base, bytesPerRow in
      do throws(ScreenTrouble) {
        try screen.present(
          preview,
          OverlayPicture(
            base: base, width: painter.panel.width, height: painter.panel.height, bytesPerRow: bytesPerRow,
            changes: changes))
      } catch {
        outcome = error
      }
    }
    isFirstPicture = false
    if let outcome { fail(outcome, now) }
  }
}

extension Event {
  /// The controller's event for a control; nil for controls of the screen itself.
  init?(_ control: ScreenControl) {
    switch control {
    case .open: self = .searchRequested
    case .close, .cancel: self = .cancelPressed
    case .torch: self = .torchPressed
    case .confirm: self = .goPressed
    case .result(let index): self = .resultChosen(index)
    case .list, .listNext, .listClose: return nil
    }
  }
}
