// The station and its screen: the screen shows what is scanned, and scanning never waits for a screen.

import BarcodeTypes
import Devices
import Foundation
import ScanControl
import ScanScreen
import Synchronization
import TestScenes
import Testing

@testable import StationScreen
@testable import ScanLoop
@testable import Station

/// A painter that records its display lists.
private final class ListPainter: OverlayPainting {
  let panel: ScreenSize
  private let seen: Mutex<[DisplayList]>
  private let pixels: UnsafeMutablePointer<UInt32>
  private var last: DisplayList?
  private let report: @Sendable (DisplayList) -> Void

  init(panel: ScreenSize, report: @escaping @Sendable (DisplayList) -> Void) {
    self.panel = panel
    self.report = report
    seen = Mutex([])
    pixels = .allocate(capacity: panel.width * panel.height)
    pixels.initialize(repeating: 0, count: panel.width * panel.height)
  }

  deinit { pixels.deallocate() }

  func setImage(_ reference: ImageReference, luma: [UInt8], width: Int, height: Int) {}
  func setImage(_ reference: ImageReference, pngFile path: String) -> Bool { false }

  func paint(_ list: DisplayList) -> [PixelRegion] {
    defer { last = list }
    report(list)
    return list.damage(since: last)
  }

  func withPixels(_ body: (UnsafePointer<UInt32>, _ bytesPerRow: Int) -> Void) { body(pixels, panel.width * 4) }
}

/// Everything that was drawn, and every region that was read.
private final class Record: Sendable {
  private let state = Mutex<(lists: [DisplayList], regions: [PixelRegion?])>(([], []))

  func drew(_ list: DisplayList) { state.withLock { if $0.lists.count < 5000 { $0.lists.append(list) } } }
  func read(_ region: PixelRegion?) { state.withLock { $0.regions.append(region) } }

  var lists: [DisplayList] { state.withLock { $0.lists } }
  var regions: [PixelRegion?] { state.withLock { $0.regions } }
  var texts: Set<String> { Set(lists.flatMap(\.texts)) }
}

extension DisplayList {
  fileprivate var texts: [String] { controls.compactMap { if case .text(let run) = $0 { run.text } else { nil } } }

  /// The part of the panel that is not darkened; nil if nothing is.
  fileprivate var hole: ScreenRect? {
    guard case .fill(let figures, _) = overlay.first, figures.count == 2, case .rectangle(let hole) = figures[1] else {
      return nil
    }
    return hole
  }
}

/// A number that closures count up.
private final class Tally: Sendable {
  let count = Mutex(0)
}

/// Reads the top row, and records the region that it was to read.
private struct RecordedReading: SymbolReading {
  let record: Record
  let inner = TopRowReading()

  func read(
    _ frame: LumaView, region: PixelRegion?, at moment: Instant, into sightings: inout [Sighting]
  ) -> FrameReading {
    record.read(region)
    return inner.read(frame, region: region, at: moment, into: &sightings)
  }
}

/// A slow panel.
private final class SlowScreen: Devices.Screen {
  let name = "slow screen"
  let showsMovement = true
  func open() throws(ScreenTrouble) -> ScreenMode { ScreenMode(width: 64, height: 64) }
  func look() throws(ScreenTrouble) {}
  func close() {}
  func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) { usleep(300_000) }
}

/// A panel that opens when the test permits it.
private final class LateScreen: Devices.Screen, Sendable {
  let name = "late screen"
  let showsMovement = true
  let opens = DispatchSemaphore(value: 0)
  private let opening = Mutex(false)

  var isOpening: Bool { opening.withLock { $0 } }

  func open() throws(ScreenTrouble) -> ScreenMode {
    opening.withLock { $0 = true }
    opens.wait()
    return ScreenMode(width: 64, height: 64)
  }
  func look() throws(ScreenTrouble) {}
  func close() {}
  func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) {}
}

/// A panel that another program takes, and that has another mode when it comes back.
private final class StolenScreen: Devices.Screen, Sendable {
  let name = "stolen screen"
  let showsMovement = true
  private let modes: [ScreenMode]
  private let note: @Sendable (String) -> Void
  private let state = Mutex((isStolen: false, openCount: 0))

  init(modes: [ScreenMode], note: @escaping @Sendable (String) -> Void) {
    self.modes = modes
    self.note = note
  }

  func steal() { state.withLock { $0.isStolen = true } }
  func giveBack() { state.withLock { $0.isStolen = false } }

  func open() throws(ScreenTrouble) -> ScreenMode {
    try look()
    return state.withLock { state in
      defer { state.openCount += 1 }
      return modes[min(state.openCount, modes.count - 1)]
    }
  }

  func look() throws(ScreenTrouble) {
    if state.withLock({ $0.isStolen }) { throw ScreenTrouble(.heldByAnotherProgram, "stolen") }
  }

  func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) {
    try look()
    switch preview {
    case .hidden: note("nothing is shown")
    case .frame: note("a frame is shown")
    case .unchanged: break
    }
  }

  func close() {}
}

@Suite(.timeLimit(.minutes(2))) struct ScreenTests {
  private func parts(_ texts: [String], _ record: Record, period: Duration = .milliseconds(20)) -> (StationParts, Basket) {
    let basket = Basket()
    let script = texts.map { SimulatedCamera.Step.frame(picture(of: $0)) }
    let camera = SimulatedCamera(script: script, period: period, time: BootTime())
    return (StationParts(source: camera, reading: RecordedReading(record: record), forwarding: basket), basket)
  }

  private func screen(_ screen: any Devices.Screen, _ record: Record, _ settings: ScreenSettings = ScreenSettings())
    -> ScreenParts
  {
    ScreenParts(screen: screen, settings: settings, stationName: "till-3") { panel in
      ListPainter(panel: panel) { record.drew($0) }
    }
  }

  private func run(_ parts: StationParts, _ notebook: Notebook, _ settings: ScanSettings = ScanSettings()) async throws {
    try await Station(settings: settings, parts: parts, logger: notebook.logger, signals: []).run()
  }

  private let panel = ScreenMode(width: 128, height: 64)

  @Test func `V1, V3: once the screen is known, the region that is read is the drawn viewport`() async throws {
    let record = Record()
    var (parts, basket) = parts((0..<40).map { "code \($0)" }, record)
    // Upright, so that less of a frame is visible than on a panel with the frame's aspect ratio.
    parts.screen = screen(SimulatedScreen(mode: ScreenMode(width: 64, height: 128)), record)
    try await run(parts, Notebook())
    #expect(basket.texts.count == 40)
    let frame = ScreenSize(width: 64, height: 8)
    let geometry = PreviewGeometry(
      frame: frame, panel: ScreenSize(width: 64, height: 128), orientation: FrameOrientation())
    let unknown = PreviewGeometry(frame: frame, panel: frame, orientation: FrameOrientation())
    #expect(
      ViewportPlace(.square(ScreenLayout.viewportPart), in: unknown).region
        != ViewportPlace(.square(ScreenLayout.viewportPart), in: geometry).region)
    let place = ViewportPlace(.square(ScreenLayout.viewportPart), in: geometry)
    #expect(record.regions.last == place.region)
    let holes = record.lists.compactMap(\.hole)
    #expect(!holes.isEmpty && holes.allSatisfy { $0 == place.rect })
  }

  @Test func `V1: before the panel is open, the region that it will show is read, not the whole frame`() async throws {
    let record = Record()
    var (parts, basket) = parts((0..<10).map { "code \($0)" }, record)
    let missing = SimulatedScreen(mode: panel)
    missing.trouble(ScreenTrouble(.missing, "no panel"))
    parts.screen = screen(missing, record)
    try await run(parts, Notebook())
    #expect(basket.texts.count == 10)
    let frame = ScreenSize(width: 64, height: 8)
    let geometry = PreviewGeometry(frame: frame, panel: frame, orientation: FrameOrientation())
    let region = ViewportPlace(.square(ScreenLayout.viewportPart), in: geometry).region
    #expect(record.regions.allSatisfy { $0 == region })
  }

  @Test func `the screen shows its hint, the codes in view and the scan`() async throws {
    let record = Record()
    // A second without a code, so that the prompt is drawn even on a busy machine.
    var (parts, _) = parts((0..<80).map { $0 < 50 ? "" : "A1" }, record)
    parts.screen = screen(SimulatedScreen(mode: panel), record)
    try await run(parts, Notebook())
    #expect(record.texts.isSuperset(of: ["Hold the code inside the frame", "A1", "Code 128", "Saved"]))
  }

  @Test(arguments: [false, true])
  func `N6, W3: an announced result is framed on the screen without a flash, and all others are flashed`(isSpoken: Bool)
    async throws
  {
    let record = Record()
    var (parts, _) = parts(["A"], record)
    parts.screen = screen(SimulatedScreen(mode: panel), record)
    parts.scan.speaker = SimulatedSpeaker(duration: .milliseconds(200))
    var settings = ScanSettings()
    settings.confirmation = .always
    settings.isSpoken = isSpoken
    let station = Station(settings: settings, parts: parts, logger: Notebook().logger, signals: [])
    async let running: Void = station.run()
    // Over the viewport, and nothing next to it: no other white area is filled like this.
    func isFlash(_ item: DisplayItem) -> Bool {
      guard case .fill(let figures, let colour) = item else { return false }
      return figures.count == 1 && colour.red == 255 && colour.alpha < 255
    }
    // The brackets of the focus frame, a dark stroke under a bright one, in addition to those of the viewport.
    func isFramed(_ list: DisplayList) -> Bool { list.overlay.count { if case .stroke = $0 { true } else { false } } == 4 }
    try await eventually { record.texts.contains("Is this right?") && record.lists.contains(where: isFramed) }
    await station.shutDown()
    try await running
    #expect(record.lists.contains { isFramed($0) && $0.overlay.contains(where: isFlash) } == !isSpoken)
    #expect(record.lists.contains { $0.overlay.contains(where: isFlash) } == !isSpoken)
  }

  /// All texts on the screen while a result is decided, from the scan to the end of the outcome.
  private func texts(_ forwarding: (Basket) -> Void = { _ in }, decidingBy commands: [HostCommand]) async throws -> [String]
  {
    let record = Record()
    var (parts, basket) = parts([String](repeating: "A", count: 20_000), record, period: .milliseconds(2))
    forwarding(basket)
    var settings = ScreenSettings()
    settings.style.focusDuration = 0
    parts.screen = screen(SimulatedScreen(mode: ScreenMode(width: 800, height: 480)), record, settings)
    var scan = ScanSettings()
    scan.confirmation = .always
    let station = Station(settings: scan, parts: parts, logger: Notebook().logger, signals: [])
    async let running: Void = station.run()
    try await eventually { record.texts.contains("Is this right?") }
    for command in commands { station.pass(command) }
    try await eventually { !record.texts.isDisjoint(with: outcomes) }
    await station.shutDown()
    try await running
    return outcomes.filter { record.texts.contains($0) }
  }

  private let outcomes = [
    "Saved", "Not saved, scan it again", "At risk: 1 not saved yet", "Cancelled, not sent", "Not confirmed, not sent",
  ]

  @Test func `W6: the screen shows the outcome of each decision, as the outbox or the user gave it, and no other`()
    async throws
  {
    #expect(try await texts(decidingBy: [.cancel]) == ["Cancelled, not sent"])
    #expect(try await texts(decidingBy: [.confirm]) == ["Saved"])
    #expect(try await texts({ $0.fill() }, decidingBy: [.confirm]) == ["Not saved, scan it again"])
    #expect(try await texts({ $0.endanger() }, decidingBy: [.confirm]) == ["At risk: 1 not saved yet"])
  }

  @Test func `scanning does not wait for a slow screen`() async throws {
    let record = Record()
    var (parts, basket) = parts((0..<100).map { "code \($0)" }, record, period: .milliseconds(2))
    parts.screen = screen(SlowScreen(), record)
    let start = ContinuousClock.now
    try await run(parts, Notebook())
    #expect(basket.texts.count == 100)
    // A hundred pictures of 300 ms would be 30 s.
    #expect(ContinuousClock.now - start < .seconds(15))
  }

  @Test(arguments: ScreenTrouble.Cause.allCases)
  func `C3: scanning continues without a screen; its loss is reported, and it is reopened`(cause: ScreenTrouble.Cause)
    async throws
  {
    let record = Record()
    var (parts, basket) = parts((0..<3000).map { "code \($0)" }, record, period: .milliseconds(2))
    let simulated = SimulatedScreen(mode: panel)
    simulated.trouble(ScreenTrouble(cause, "taken away"))
    var shown = screen(simulated, record)
    shown.retryInterval = .milliseconds(5)
    parts.screen = shown
    let notebook = Notebook()
    let station = Station(settings: ScanSettings(), parts: parts, logger: notebook.logger, signals: [])
    async let running: Void = station.run()
    func scanned(_ count: Int) async throws { try await eventually { basket.texts.count >= count } }
    try await eventually { notebook.text.contains("there is no screen; scanning goes on") }
    try await scanned(basket.texts.count + 3)
    #expect(notebook.text.contains(cause.rawValue) && simulated.openCount == 0)
    simulated.trouble(nil)
    try await eventually { notebook.text.contains("the screen is back") }
    #expect(simulated.openCount == 1)
    try await scanned(basket.texts.count + 3)
    await station.shutDown()
    try await running
    #expect(basket.texts == (0..<basket.texts.count).map { "code \($0)" })
    #expect(!simulated.isOpen)
  }

  /// The documented order: the preview is removed, the viewport is set, the camera is ready, the preview is shown.
  @Test func `V3: a screen that comes back in another mode has its viewport before a frame is read or shown`() async throws {
    let record = Record()
    var (parts, _) = parts([String](repeating: "", count: 20_000), record, period: .milliseconds(2))
    let story = Mutex<[String]>([])
    @Sendable func note(_ word: String) { story.withLock { if $0.last != word { $0.append(word) } } }
    let stolen = StolenScreen(modes: [panel, ScreenMode(width: 64, height: 128)]) { note($0) }
    var shown = screen(stolen, record)
    shown.retryInterval = .milliseconds(20)
    parts.screen = shown
    parts.scan.observer = { action in
      switch action {
      case .stopCapture: note("recording ends")
      case .startCapture: note("recording begins")
      case .reportScreen(let state): note("the screen is \(state)")
      default: break
      }
    }
    var settings = ScanSettings()
    settings.pausesWithoutScreen = true
    let station = Station(settings: settings, parts: parts, logger: Notebook().logger, signals: [])
    async let running: Void = station.run()
    try await eventually { story.withLock { $0.last == "a frame is shown" } && record.regions.count > 5 }
    let (before, readCount) = (record.regions.last ?? nil, record.regions.count)
    story.withLock { $0 = [] }
    stolen.steal()
    try await eventually { story.withLock { $0.contains("recording ends") } }
    stolen.giveBack()
    try await eventually { story.withLock { $0.last == "a frame is shown" } && record.regions.count > readCount + 20 }
    await station.shutDown()
    try await running
    // The panel is black from its opening; whether that shows before the controller is informed is undefined.
    let told = story.withLock { $0.filter { $0 != "nothing is shown" } }
    #expect(
      Array(told.prefix(5)) == [
        "the screen is multipleForegroundApps", "recording ends", "the screen is available",
        "recording begins", "a frame is shown",
      ])
    // First frames of the first viewport, then frames of the second.
    let regions = record.regions
    let change = try #require(regions.firstIndex { $0 != before && $0 != regions[0] })
    #expect(
      regions[..<change].dropFirst(5).allSatisfy { $0 == before } && regions[change...].allSatisfy { $0 == regions[change] })
    let frame = ScreenSize(width: 64, height: 8)
    let place = ViewportPlace(
      .square(ScreenLayout.viewportPart),
      in: PreviewGeometry(frame: frame, panel: ScreenSize(width: 64, height: 128), orientation: FrameOrientation()))
    #expect(regions[change] == place.region)
    let holes = record.lists.filter { $0.panel == ScreenSize(width: 64, height: 128) }.compactMap(\.hole)
    #expect(!holes.isEmpty && holes.allSatisfy { $0 == place.rect })
  }

  @Test func `N5: a button on a line opens the list of codes, and another closes it without ending the session`()
    async throws
  {
    let record = Record()
    var (parts, basket) = parts([String](repeating: "LABEL", count: 20_000), record, period: .milliseconds(2))
    let buttons = SimulatedButtons()
    parts.scan.buttons = buttons
    parts.screen = screen(SimulatedScreen(mode: panel), record)
    let closings = Tally()
    parts.scan.observer = { if $0 == .count(.closed) { closings.count.withLock { $0 += 1 } } }
    let station = Station(settings: ScanSettings(), parts: parts, logger: Notebook().logger, signals: [])
    async let running: Void = station.run()
    try await eventually { basket.texts == ["LABEL"] }
    @Sendable func isListOpen() -> Bool { record.lists.last?.texts.contains(ScreenWords()[.list]) ?? false }
    #expect(!isListOpen())
    buttons.press(.next)
    try await eventually { isListOpen() }
    buttons.press(.cancel)
    try await eventually { !isListOpen() }
    await station.shutDown()
    try await running
    #expect(closings.count.withLock { $0 } == 0)
  }

  @Test func `S3: nothing is recorded before the panel is open`() async throws {
    let record = Record()
    var (parts, basket) = parts((0..<10).map { "code \($0)" }, record, period: .milliseconds(2))
    let late = LateScreen()
    parts.screen = screen(late, record)
    let station = Station(settings: ScanSettings(), parts: parts, logger: Notebook().logger, signals: [])
    async let running: Void = station.run()
    try await eventually { late.isOpening }
    // Longer than ten frames take.
    try await Task.sleep(for: .milliseconds(100))
    #expect(record.regions.isEmpty)
    late.opens.signal()
    try await running
    #expect(basket.texts.count == 10)
  }

  /// Waits for an action of the station.
  private func eventually(_ isSo: () -> Bool) async throws {
    for _ in 0..<4000 {
      if isSo() { return }
      try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("it did not come about")
  }

  @Test func `a touch presses the control drawn there, and a key turns the controls but not the preview`() async throws {
    let record = Record()
    var (parts, _) = parts((0..<120).map { _ in "" }, record)
    let torch = SimulatedTorch()
    parts.scan.torch = torch
    // Neither square nor upright: a preview that rotated with the controls would show another part of the frame.
    let mode = ScreenMode(width: 800, height: 480)
    var shown = screen(SimulatedScreen(mode: mode), record)
    let input = SimulatedScreenInput()
    shown.input = input
    parts.screen = shown
    let user = Task {
      for _ in 0..<10 {
        try await Task.sleep(for: .milliseconds(100))
        if torch.history.contains(true) { break }
        input.act(.touch(x: 0.5, y: 436.0 / 480))
      }
      input.act(.turn(.clockwise))
    }
    try await run(parts, Notebook())
    try await user.value
    #expect(torch.history.contains(true))
    let turned = record.lists.filter { $0.turn == .clockwise }
    #expect(!turned.isEmpty)
    #expect(Set(record.regions.dropFirst(60).map { "\(String(describing: $0))" }).count == 1)
  }

  @Test func `a code is rectified for the focus frame`() throws {
    // A square of four quarters, rotated by 30° in a frame.
    let (width, height, side, angle) = (300, 300, 100.0, 30.0 * Double.pi / 180)
    var luma = [UInt8](repeating: 128, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let (dx, dy) = (Double(x) - 150, Double(y) - 150)
        let u = dx * cos(angle) + dy * sin(angle) + side / 2
        let v = -dx * sin(angle) + dy * cos(angle) + side / 2
        guard u >= 0, v >= 0, u < side, v < side else { continue }
        luma[y * width + x] = u < side / 2 ? (v < side / 2 ? 0 : 85) : (v < side / 2 ? 170 : 255)
      }
    }
    func corner(_ u: Double, _ v: Double) -> PixelPoint {
      let x = 150 + (u - side / 2) * cos(angle) - (v - side / 2) * sin(angle)
      let y = 150 + (u - side / 2) * sin(angle) + (v - side / 2) * cos(angle)
      return PixelPoint(x: Fixed16(bits: Int32(x * 65536)), y: Fixed16(bits: Int32(y * 65536)))
    }
    let quad = Quad(
      topLeft: corner(0, 0), topRight: corner(side, 0), bottomRight: corner(side, side), bottomLeft: corner(0, side))
    try luma.withUnsafeBufferPointer { luma in
      let base = try #require(luma.baseAddress)
      let view = LumaView(base: base, width: width, height: height, bytesPerRow: width)
      let picture = try #require(RectifiedPicture(of: view, corners: quad))
      #expect(picture.width == picture.height && picture.width <= RectifiedPicture.sidePixelsMax)
      func at(_ x: Double, _ y: Double) -> UInt8 {
        picture.luma[Int(y * Double(picture.height)) * picture.width + Int(x * Double(picture.width))]
      }
      #expect(at(0.3, 0.3) == 0 && at(0.7, 0.3) == 170 && at(0.3, 0.7) == 85 && at(0.7, 0.7) == 255)
      let nothing = Quad(
        topLeft: corner(0, 0), topRight: corner(0, 0), bottomRight: corner(0, 0), bottomLeft: corner(0, 0))
      #expect(RectifiedPicture(of: view, corners: nothing) == nil)
    }
  }

  @Test func `the gallery keeps the last frames within its memory limit`() throws {
    let gallery = FrameGallery()
    let luma = (0..<UInt8(200)).map { $0 }
    try luma.withUnsafeBufferPointer { luma in
      let base = try #require(luma.baseAddress)
      let view = LumaView(base: base, width: 10, height: 10, bytesPerRow: 20)
      #expect(!gallery.put(view, sequence: 0, shared: nil))
      gallery.want(true)
      for number in 1...UInt64(9) { #expect(gallery.put(view, sequence: number, shared: nil)) }
      let newest = try #require(gallery.takeNewest(after: nil)?.frame)
      #expect(newest.sequence == 9 && newest.luma?[3, 2] == 43)
      #expect(gallery.takeNewest(after: newest) == nil)
      #expect(gallery.withCodes(ofFrame: 5) { _, _ in true } == nil)
      let other = LumaView(base: base + 1, width: 10, height: 10, bytesPerRow: 20)
      let pixel = gallery.withCodes(ofFrame: 6) { luma, _ in
        // Held frames are not overwritten.
        for number in UInt64(40)...60 { #expect(gallery.put(other, sequence: number, shared: nil)) }
        return luma[3, 2]
      }
      #expect(pixel == 43 && newest.sequence == 9 && newest.luma?[3, 2] == 43)
      // A restarted camera may count from the beginning: the newest frame with a number counts.
      #expect(gallery.put(view, sequence: 60, shared: nil))
      #expect(gallery.withCodes(ofFrame: 60) { luma, _ in luma[3, 2] } == 43)
      gallery.release(newest)
      gallery.want(false)
      #expect(gallery.takeNewest(after: nil) == nil)
    }
  }

  @Test(arguments: [1, 2])
  func `the gallery holds one camera buffer, and keeps the codes of others while they may be requested`(
    scale: Int
  ) throws {
    let gallery = FrameGallery()
    gallery.want(true)
    let freed = Tally()
    let (width, height) = (128, 96)
    let luma = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 % width + $0 / width) }
    // The picture in the camera's buffer may be smaller than the frame that is read.
    func shared() -> SharedFrame {
      let (width, height) = (width / scale, height / scale)
      let memory = SharedMemory.plain(byteCount: width * height * 3 / 2) { freed.count.withLock { $0 += 1 } }
      if scale == 1 { memory.base.update(from: luma, count: width * height) }
      return SharedFrame(
        memory: memory, format: .nv12, width: width, height: height,
        planes: [.init(byteOffset: 0, bytesPerRow: width), .init(byteOffset: width * height, bytesPerRow: width)])
    }
    func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
    let quad = Quad(topLeft: point(60, 20), topRight: point(76, 24), bottomRight: point(72, 40), bottomLeft: point(56, 36))
    let sighting = Sighting(code: ScannedCode(symbology: .qr, payload: [65], text: "A", mark: .search), corners: quad)
    try luma.withUnsafeBufferPointer { luma in
      let view = LumaView(base: try #require(luma.baseAddress), width: width, height: height, bytesPerRow: width)
      func areCodesThere(_ sequence: UInt64) -> Bool {
        gallery.withCodes(ofFrame: sequence) { codes, origin in
          let (left, top) = (Int(origin.x.bits >> 16), Int(origin.y.bits >> 16))
          #expect(left < 56 - 2 && top < 20 - 2 && left + codes.width > 76 + 2 && top + codes.height > 40 + 2)
          #expect(codes.width < 40 && codes.height < 40)
          for y in 0..<codes.height { for x in 0..<codes.width { #expect(codes[x, y] == view[left + x, top + y]) } }
          return true
        } ?? false
      }
      for number in UInt64(1)...3 { #expect(gallery.put(view, sequence: number, shared: shared())) }
      #expect(freed.count.withLock { $0 } == 2)
      do {
        let (frame, onPanel) = try #require(gallery.takeNewest(after: nil))
        #expect(frame.luma == nil && frame.size == ScreenSizePair(width: width, height: height))
        #expect(onPanel?.width == width / scale && frame.sequence == 3)
        gallery.release(frame)
      }
      #expect(!areCodesThere(3))
      gallery.noteCodes(of: view, sequence: 3, [sighting])
      #expect(areCodesThere(3))
      // Long after the camera's buffer is gone, the codes and their surroundings are still available.
      for number in UInt64(4)...6 { #expect(gallery.put(view, sequence: number, shared: nil)) }
      #expect(freed.count.withLock { $0 } == 3 && areCodesThere(3))
      // Codes that will not be requested are not copied when the buffer goes away.
      #expect(gallery.put(view, sequence: 7, shared: shared()))
      gallery.noteCodes(of: view, sequence: 7, [sighting])
      gallery.forgoCodes(ofFrame: 7)
      #expect(gallery.put(view, sequence: 8, shared: nil))
      #expect(areCodesThere(7) == (scale == 2))
      // A frame with a copy needs no other, and a frame that has passed gets none.
      gallery.noteCodes(of: view, sequence: 8, [sighting])
      #expect(gallery.withCodes(ofFrame: 8) { codes, _ in codes.width } == width)
      gallery.noteCodes(of: view, sequence: 1, [sighting])
      #expect(!areCodesThere(1))
      let beside = Sighting(code: sighting.code, corners: quad.moved(by: point(500, 0)))
      #expect(FrameGallery.part(of: view, with: [beside]) == nil && FrameGallery.part(of: view, with: []) == nil)
    }
    gallery.want(false)
  }

  @Test func `a frame in shared memory is not overwritten while the panel has it, and its memory is reused`() throws {
    let (made, freed) = (Tally(), Tally())
    do {
      let gallery = FrameGallery { byteCount in
        made.count.withLock { $0 += 1 }
        return SharedMemory.plain(byteCount: byteCount) { freed.count.withLock { $0 += 1 } }
      }
      gallery.want(true)
      let luma = [UInt8](repeating: 90, count: 12 * 10)
      try luma.withUnsafeBufferPointer { luma in
        let base = try #require(luma.baseAddress)
        let view = LumaView(base: base, width: 12, height: 10, bytesPerRow: 12)
        #expect(gallery.put(view, sequence: 1, shared: nil))
        let (frame, shared) = try #require(gallery.takeNewest(after: nil))
        let onPanel = try #require(shared)
        #expect(onPanel.format == .nv12 && onPanel.width == 12 && onPanel.height == 10)
        #expect(onPanel.planes.map(\.byteOffset) == [0, 120] && onPanel.planes.map(\.bytesPerRow) == [12, 12])
        let pixels = try #require(frame.luma)
        #expect(pixels[11, 9] == 90)
        // A grey frame is neutral grey on a colour panel.
        #expect((0..<60).allSatisfy { pixels.row(10)[$0] == 128 })
        gallery.release(frame)
        for number in 2...UInt64(40) { #expect(gallery.put(view, sequence: number, shared: nil)) }
        #expect(frame.sequence == 1 && made.count.withLock { $0 } <= FrameGallery.frameCountMax)
        // A frame with an odd size has no such memory.
        let odd = LumaView(base: base, width: 11, height: 9, bytesPerRow: 12)
        #expect(gallery.put(odd, sequence: 50, shared: nil))
        #expect(gallery.takeNewest(after: nil)?.shared == nil)
        withExtendedLifetime(onPanel) {}
      }
    }
    #expect(freed.count.withLock { $0 } == made.count.withLock { $0 })
  }
}
