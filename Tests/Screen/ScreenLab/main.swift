// A program with a screen, for the tests in the device lab. It shows states of the real display list on the real screen and
// reports where things are, so that a test can read the planes back.
//
//     screen-lab states WIDTHxHEIGHT TURN MIRROR STATE...   for each state: writes NAME.ready and NAME.expected, the picture
//                                                           that a panel in memory shows (PPM), reports the checksum of the
//                                                           composed picture, and waits for NAME.done
//     screen-lab stream WIDTHxHEIGHT COUNT [dma]            shows COUNT frames; reports their rate and their allocations
//     screen-lab hold SECONDS                               shows frames through all troubles of the screen, and reports them
//     screen-lab input COUNT [NAME...]                      reports the user's touches and keys, of the named keyboards or of
//                                                           all; writes input.ready when it starts to wait
//     screen-lab cost COUNT [empty] [moving] [copied] [alone]
//                                                           compares the cost of showing frames with that of decoding them;
//                                                           needs no screen
//
// SCREEN_LAB_MODE=WIDTHxHEIGHT chooses a mode of the panel, SCREEN_LAB_CARD=DEVICE a card. SCREEN_LAB_TERMINAL=FILE simulates
// a virtual terminal, which is left while the file exists. SCREEN_LAB_COLOUR=1 gives the frames colour.

import BarcodeTypes
import CAllocationCounter
import Devices
import Glibc
import LinuxDevices
import LinuxScreen
import ScanScreen
import ScreenPainter

/// Writes a line to standard output, unbuffered.
func say(_ line: String) {
  var line = line + "\n"
  line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
}

/// A frame in which every pixel encodes its place.
func pattern(_ width: Int, _ height: Int, shift: Int = 0) -> [UInt8] {
  (0..<width * height).map { UInt8(truncatingIfNeeded: 16 + ($0 % width / 4 + $0 / width / 3 + shift) % 224) }
}

/// A frame with bright lines, 4 pixels wide, along each sixteenth column and row.
func grid(_ width: Int, _ height: Int) -> [UInt8] {
  (0..<width * height).map { $0 % width % 16 < 4 || $0 / width % 16 < 4 ? 230 : 20 }
}

/// Colour that also encodes the place: Cb rises from left to right, Cr falls from top to bottom.
func colours(_ width: Int, _ height: Int) -> [UInt8] {
  let (columns, rows) = (width / 2, height / 2)
  var pairs: [UInt8] = []
  for y in 0..<rows {
    for x in 0..<columns {
      pairs.append(UInt8(64 + x * 128 / columns))
      pairs.append(UInt8(192 - y * 128 / rows))
    }
  }
  return pairs
}

func now() -> Int64 { BootTime().now() }

func size(_ text: String) -> ScreenSize {
  let parts = text.split(separator: "x").compactMap { Int($0) }
  return ScreenSize(width: parts[0], height: parts[1])
}

func fail(_ message: String) -> Never {
  say("failed=\(message)")
  exit(1)
}

/// A terminal that a test switches: it is visible while a file does not exist.
final class FileTerminal: ConsoleTerminal {
  let name: String
  private var wasSeen = true
  private var isTaken = false

  init(_ path: String) { name = path }

  var isSeen: Bool { access(name, F_OK) != 0 }

  func take() throws(ScreenTrouble) {
    if !isTaken { say("terminal=graphics") }
    isTaken = true
  }

  func takeQuestion() -> TerminalQuestion? {
    guard isSeen != wasSeen else { return nil }
    wasSeen = isSeen
    return isSeen ? .entered : .leaving
  }

  func answer(_ question: TerminalQuestion) { say("answer=\(question)") }

  func giveBack() {
    if isTaken { say("terminal=text") }
    isTaken = false
  }
}

/// The screen and everything that it shows.
final class Show {
  let frame: ScreenSize
  let orientation: FrameOrientation
  let screen: KMSScreen
  var mode: ScreenMode?
  var painter: CairoPainter?
  var luma: [UInt8]
  /// Pairs of Cb and Cr; empty for grey frames.
  let pairs: [UInt8]
  /// A panel in memory that receives the same pictures.
  var reference: SimulatedScreen?
  private var drawn: (content: ScreenContent, movements: ScreenMovements, hasPreview: Bool)?
  /// Allocations of the presentations, not counting drawing.
  var allocationCount: UInt64 = 0
  var content = ScreenContent()
  var movements = ScreenMovements()

  init(frame: ScreenSize, orientation: FrameOrientation) {
    self.frame = frame
    self.orientation = orientation
    var settings = KMSSettings()
    if let mode = getenv("SCREEN_LAB_MODE") {
      settings.size = size(String(cString: mode))
    }
    settings.card = getenv("SCREEN_LAB_CARD").map { String(cString: $0) }
    screen = KMSScreen(
      settings: settings, terminal: getenv("SCREEN_LAB_TERMINAL").map { FileTerminal(String(cString: $0)) })
    luma = pattern(frame.width, frame.height)
    pairs = getenv("SCREEN_LAB_COLOUR") == nil ? [] : colours(frame.width, frame.height)
    content.torch = TorchContent(isOn: false, isEnabled: true)
  }

  func open() throws(ScreenTrouble) {
    drawn = nil
    let mode = try screen.open()
    self.mode = mode
    painter = CairoPainter(panel: ScreenSize(width: mode.width, height: mode.height))
  }

  var scene: OverlayScene? {
    mode.map { mode in
      let geometry = PreviewGeometry(
        frame: frame, panel: ScreenSize(width: mode.width, height: mode.height), orientation: orientation)
      return OverlayScene(geometry: geometry, viewport: ViewportPlace(.square(0.62), in: geometry))
    }
  }

  func present(hasPreview: Bool, shared: SharedFrame? = nil) throws(ScreenTrouble) {
    guard let mode, let painter, let scene else { return }
    let panel = painter.panel
    var changes: [PixelRegion] = []
    // As in the station, only changes are drawn.
    if drawn == nil || drawn! != (content, movements, hasPreview) {
      let layout = ScreenLayout(panel: panel, turn: .none, pixelsPerMillimetre: mode.pixelsPerMillimetre)
      let style = ScreenStyle()
      let list = ScreenDrawing(style: style).list(
        view: ScreenView(content: content, layout: layout, words: style.words), panel: panel, turn: .none,
        scene: hasPreview ? scene : nil, movements: movements, at: Int64.max / 2)
      changes = painter.paint(list)
      drawn = (content, movements, hasPreview)
    }
    var trouble: ScreenTrouble?
    let orientation = orientation
    luma.withUnsafeBufferPointer { luma in
      pairs.withUnsafeBufferPointer { pairs in
        guard let base = luma.baseAddress else { return }
        var preview = PreviewFrame(
          luma: LumaView(base: base, width: frame.width, height: frame.height, bytesPerRow: frame.width),
          visible: scene.geometry.visible, orientation: orientation, shared: shared)
        if let colour = pairs.baseAddress, !pairs.isEmpty {
          preview.chroma = ChromaView(pairs: colour, width: frame.width / 2, height: frame.height / 2)
        }
        painter.withPixels { pixels, bytesPerRow in
          let overlay = OverlayPicture(
            base: pixels, width: panel.width, height: panel.height, bytesPerRow: bytesPerRow, changes: changes)
          let before = callocationcounter_count()
          do throws(ScreenTrouble) {
            try screen.present(hasPreview ? .frame(preview) : .hidden, overlay)
            allocationCount += callocationcounter_count() - before
            try reference?.present(hasPreview ? .frame(preview) : .hidden, overlay)
          } catch {
            trouble = error
          }
        }
      }
    }
    if let trouble { throw trouble }
  }

  /// The checksum of the expected picture, for frames without colour or scaling.
  func checksum(hasPreview: Bool) -> UInt32 {
    guard let painter, let geometry = scene?.geometry else { return 0 }
    var value: UInt32 = 0
    painter.withPixels { pixels, bytesPerRow in
      let luma = { (x: Int, y: Int) -> UInt8 in
        let place = geometry.framePoint(ScreenPoint(x: Double(x) + 0.5, y: Double(y) + 0.5))
        return self.luma[Int(place.y) * self.frame.width + Int(place.x)]
      }
      value = screen_lab.checksum(
        of: pixels, bytesPerRow: bytesPerRow, panel: painter.panel, over: hasPreview ? luma : nil)
    }
    return value
  }
}

/// Writes a panel's contents to a file.
func writePicture(_ screen: SimulatedScreen, to path: String) {
  var file = Array("P6 \(screen.mode.width) \(screen.mode.height) 255\n".utf8)
  for pixel in screen.pixels {
    for shift in [16, 8, 0] { file.append(UInt8(truncatingIfNeeded: pixel >> UInt32(shift))) }
  }
  guard let output = fopen(path, "w") else { fail("\(path) cannot be written") }
  defer { fclose(output) }
  if fwrite(file, 1, file.count, output) != file.count { fail("\(path) cannot be written") }
}

func states(_ arguments: [String]) throws(ScreenTrouble) {
  let turn = QuarterTurn(quarters: UInt8(arguments[1]) ?? 0)
  let show = Show(
    frame: size(arguments[0]), orientation: FrameOrientation(turn: turn, isMirrored: arguments[2] == "1"))
  try show.open()
  guard let scene = show.scene, let mode = show.mode else { fail("no scene") }
  let viewport = scene.viewport.rect
  say("mode=\(mode.width) \(mode.height)")
  say("viewport=\(viewport.x) \(viewport.y) \(viewport.width) \(viewport.height)")
  let region = scene.viewport.region
  say("region=\(region.x) \(region.y) \(region.width) \(region.height)")
  let (x, y, side) = (region.x + region.width / 3, region.y + region.height / 3, region.width / 4)
  func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
  let quad = Quad(
    topLeft: point(x, y), topRight: point(x + side, y), bottomRight: point(x + side, y + side),
    bottomLeft: point(x, y + side))
  say("corners=" + scene.geometry.panelCorners(of: quad).map { "\($0.x) \($0.y)" }.joined(separator: " "))
  let reference = SimulatedScreen(mode: mode)
  _ = try reference.open()
  show.reference = reference
  let linear = CodeRow(value: "4006381333931", type: "EAN-13", isLink: false)
  let link = CodeRow(value: "https://example.org/reticle", type: "QR Code", isLink: true)
  for state in arguments.dropFirst(3) {
    if state == "grid" { show.luma = grid(show.frame.width, show.frame.height) }
    show.movements.isScannerRevealed = state != "idle"
    switch state {
    case "recognised": show.content.codes = [linear]
    case "list": show.content.codes = [linear, link]
    default: show.content.codes = []
    }
    show.movements.outlines = show.content.codes.map { _ in quad }
    show.content.review = state == "review" ? ReviewContent(rows: [link, linear], focusIndex: 0) : nil
    show.content.dialog =
      state == "error"
      ? DialogContent(title: .cameraSilent, detail: "ov5647: no frame came for 2 s", remedy: .cameraSilentRemedy) : nil
    show.movements.focus = state == "focus" ? AnimationSpan(start: 0, seconds: 0.5) : nil
    show.movements.focusCorners = state == "focus" ? quad : nil
    try show.present(hasPreview: state != "idle")
    say("\(state)=\(show.screen.previewPath.map { "\($0)" } ?? "none")")
    writePicture(reference, to: "\(state).expected")
    say("checksum-\(state)=0x" + String(show.checksum(hasPreview: state != "idle"), radix: 16))
    _ = fopen("\(state).ready", "w").map { fclose($0) }
    while access("\(state).done", F_OK) != 0 { usleep(5000) }
  }
  show.screen.close()
}

/// A picture in a DMA buffer, as from a camera.
func sharedFrame(_ size: ScreenSize, _ luma: [UInt8]) -> SharedFrame {
  let byteCount = size.width * size.height * 3 / 2
  guard let dma = DMAMemory.make(byteCount: byteCount) else { fail("no DMA heap") }
  dma.begin(.writing)
  dma.base.update(from: luma, count: luma.count)
  (dma.base + luma.count).update(repeating: 128, count: luma.count / 2)
  dma.end(.writing)
  // The same buffer as a camera would map it.
  guard let read = DMAMemory.reading(dma.descriptor, byteCount: byteCount) else { fail("a DMA buffer cannot be read") }
  let memory = SharedMemory(base: read.base, byteCount: byteCount, descriptor: read.descriptor) { access, isBeginning in
    if isBeginning { read.begin(access) } else { read.end(access) }
  } release: {
    say("released=1")
  }
  return SharedFrame(
    memory: memory, format: .nv12, width: size.width, height: size.height,
    planes: [
      .init(byteOffset: 0, bytesPerRow: size.width), .init(byteOffset: size.width * size.height, bytesPerRow: size.width),
    ])
}

func stream(_ arguments: [String]) throws(ScreenTrouble) {
  let frame = size(arguments[0])
  let count = Int(arguments[1]) ?? 60
  let show = Show(frame: frame, orientation: FrameOrientation())
  try show.open()
  show.movements.isScannerRevealed = true
  var shared: SharedFrame? = arguments.dropFirst(2).first == "dma" ? sharedFrame(frame, show.luma) : nil
  try show.present(hasPreview: true, shared: shared)
  // Both buffers must have been used before the measurement.
  for _ in 0..<3 { try show.present(hasPreview: true, shared: shared) }
  let begin = now()
  show.allocationCount = 0
  for _ in 0..<count { try show.present(hasPreview: true, shared: shared) }
  say("path=\(show.screen.previewPath.map { "\($0)" } ?? "none")")
  say("rate=\(Double(count) * 1e9 / Double(max(1, now() - begin)))")
  say("allocations=\(show.allocationCount)")
  shared = nil
  say("held=1")
  try show.present(hasPreview: true)
  try show.present(hasPreview: true)
  show.screen.close()
}

func hold(_ arguments: [String]) {
  let end = now() + Int64((Double(arguments[0]) ?? 1) * 1e9)
  let show = Show(frame: ScreenSize(width: 640, height: 480), orientation: FrameOrientation())
  show.movements.isScannerRevealed = true
  var isOpen = false
  var lastCause: ScreenTrouble.Cause?
  var takenCount = 0
  while now() < end {
    do throws(ScreenTrouble) {
      if !isOpen {
        try show.open()
        isOpen = true
        takenCount += 1
        lastCause = nil
        say("taken=\(takenCount)")
      }
      try show.present(hasPreview: true)
      usleep(33_000)
    } catch {
      isOpen = false
      if error.cause != lastCause { say("trouble=\(error.cause.rawValue)") }
      lastCause = error.cause
      usleep(20_000)
    }
  }
  show.screen.close()
}

func input(_ arguments: [String]) async {
  let devices = LibinputDevices(keyboards: Array(arguments.dropFirst())) { say("refused=\($0)") }
  let acts = devices.acts()
  _ = fopen("input.ready", "w").map { fclose($0) }
  var left = Int(arguments[0]) ?? 1
  for await act in acts {
    switch act {
    case .touch(let x, let y): say("touch=\(Int(x * 1000)) \(Int(y * 1000))")
    case .button(let button): say("button=\(button.rawValue)")
    case .turn(let turn): say("turn=\(turn)")
    case .equipment(let equipment):
      say("equipment=\(equipment.canTouch ? "touch" : "") \(equipment.hasKeys ? "keys" : "")")
      continue
    }
    left -= 1
    if left == 0 { break }
  }
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  switch arguments.first {
  case "states": try states(Array(arguments.dropFirst()))
  case "stream": try stream(Array(arguments.dropFirst()))
  case "input": await input(Array(arguments.dropFirst()))
  case "cost": try await cost(Array(arguments.dropFirst()))
  case "hold": hold(Array(arguments.dropFirst()))
  default: fail("usage: screen-lab states|stream|hold|input|cost …")
  }
} catch {
  fail("\(error)")
}
