// Unit tests of the capture loop's parts: commands, the event queue, the cache of codes.

import BarcodeMessage
import BarcodeTypes
import Dispatch
import ScanControl
import Testing

@testable import ScanLoop

@Suite struct CaptureCommandsTests {
  private let commands = CaptureCommands()

  private func all() -> [CaptureCommand] {
    var all: [CaptureCommand] = []
    for _ in 0..<10 { if let command = commands.next(until: .now()) { all.append(command) } }
    return all
  }

  @Test func `commands are taken in order`() {
    for command in [CaptureCommand.readPermission, .load, .start(run: 1)] { commands.append(command) }
    #expect(all() == [.readPermission, .load, .start(run: 1)])
  }

  @Test func `repeated commands run once, and a stop cancels an unseen start`() {
    for command in [CaptureCommand.load, .load, .stop, .start(run: 2), .stop, .stop] { commands.append(command) }
    #expect(all() == [.load, .stop])
  }

  @Test func `a thousand unseen restarts collapse into one`() {
    for run in 0..<1000 {
      commands.append(.stop)
      commands.append(.start(run: UInt32(run)))
    }
    #expect(all() == [.stop, .start(run: 999)])
  }

  @Test func `quitting is visible before earlier commands are done`() {
    commands.append(.load)
    #expect(!commands.isQuitting)
    commands.append(.quit)
    #expect(commands.isQuitting)
  }
}

@Suite struct UnreadMemoryTests {
  private func symbol(_ x: Int, help: UnreadSymbol.Help = .stiller) -> UnreadSymbol {
    UnreadSymbol(symbology: .qr, corners: square(x), help: help)
  }

  private func square(_ x: Int) -> Quad {
    func point(_ dx: Int, _ dy: Int) -> PixelPoint { PixelPoint(x: Fixed16(x + dx), y: Fixed16(100 + dy)) }
    return Quad(topLeft: point(0, 0), topRight: point(50, 0), bottomRight: point(50, 50), bottomLeft: point(0, 50))
  }

  private let millisecond: Int64 = 1_000_000

  @Test func `N10: a symbol found for a while without being read is reported, counted once, and forgotten when it is gone`()
  {
    var memory = UnreadMemory()
    var counted: [UnreadSymbol] = []
    // It moves slightly from frame to frame, and every third frame does not try it.
    for frame in 0..<40 {
      let now = Int64(frame) * 50 * millisecond
      memory.see(frame % 3 == 1 ? [] : [symbol(100 + frame)], [], at: now) { counted.append($0) }
      #expect(memory.told.isEmpty == (now < UnreadMemory.delay), "\(frame)")
    }
    #expect(counted.count == 1 && memory.told.count == 1)
    memory.see([], [], at: 39 * 50 * millisecond + UnreadMemory.hold) { _ in }
    #expect(memory.told.count == 1)
    memory.see([], [], at: 39 * 50 * millisecond + UnreadMemory.hold + 1) { _ in }
    #expect(memory.told.isEmpty)
  }

  @Test func `N10: a symbol that is finally read is no longer reported, but the one next to it is`() {
    var memory = UnreadMemory()
    for frame in 0..<20 {
      memory.see([symbol(100), symbol(300, help: .closer)], [], at: Int64(frame) * 50 * millisecond) { _ in }
    }
    #expect(memory.told.map(\.help) == [.stiller, .closer])
    let code = ScannedCode(symbology: .qr, payload: [65], text: "A", mark: .search)
    memory.see([], [Sighting(code: code, corners: square(110))], at: 1050 * millisecond) { _ in }
    #expect(memory.told.map(\.help) == [.closer])
    memory.removeAll()
    #expect(memory.told.isEmpty)
  }

  /// A symbol with half its modules light and half dark, as seen in a frame.
  @Test(arguments: [
    (200, 30, 4, UnreadSymbol.Help.stiller), (90, 60, 4, .moreLight), (200, 30, 1, .closer), (60, 40, 1, .moreLight),
  ])
  func `N10: the advice depends on contrast and size`(light: Int, dark: Int, module: Int, help: UnreadSymbol.Help) {
    var luma = [UInt8](repeating: UInt8(light), count: 320 * 240)
    for y in 100..<150 { for x in 100..<150 where (x / 5 + y / 5) % 2 == 0 { luma[y * 320 + x] = UInt8(dark) } }
    luma.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      let frame = LumaView(base: base, width: 320, height: 240, bytesPerRow: 320)
      let located = LocatedSymbol(symbology: .qr, corners: square(100), module: Fixed16(module))
      #expect(UnreadSymbol(located, in: frame).help == help)
    }
  }
}

@Suite struct EventQueueTests {
  private let frame = Event.frameDecoded(
    FrameReport(run: 1, sequence: 1, capturedAt: Instant(nanoseconds: 0), sightings: []))

  @Test func `the queue refuses frames when too many wait, but never answers`() async {
    let queue = EventQueue()
    for _ in 0..<EventQueue.offeredCountMax { #expect(queue.offer(frame)) }
    #expect(!queue.offer(frame))
    queue.post(.cameraLoaded)
    var batch: [PostedEvent] = []
    #expect(await queue.takeAll(into: &batch))
    #expect(batch.count == EventQueue.offeredCountMax + 1)
    #expect(batch.last?.event == .cameraLoaded)
    #expect(queue.offer(frame))
  }

  @Test func `a consumer waits for events and learns of the end`() async {
    let queue = EventQueue()
    let taking = Task {
      var batch: [PostedEvent] = []
      var events: [Event] = []
      while await queue.takeAll(into: &batch) { events += batch.map(\.event) }
      return events
    }
    for _ in 0..<1000 {
      queue.post(.cameraLoaded)
      await Task.yield()
    }
    queue.close()
    queue.post(.goPressed)
    #expect(await taking.value == [Event](repeating: .cameraLoaded, count: 1000))
  }

  @Test func `abandoning a queue ends every wait for a handover`() {
    let queue = EventQueue()
    let handover = Handover()
    #expect(queue.offer(frame, handover: handover))
    queue.abandon()
    handover.wait { false }
  }

  @Test func `a refused event ends its wait for a handover`() {
    let queue = EventQueue()
    queue.close()
    let handover = Handover()
    #expect(!queue.offer(frame, handover: handover))
    handover.wait { false }
  }
}

@Suite struct CodeCacheTests {
  private final class TextMaker {
    var count = 0
    func make(_ symbol: DecodedSymbol, _ payload: Span<UInt8>, _ segments: Span<PayloadSegment>) -> SymbolContent {
      count += 1
      return SymbolContent(symbol: symbol, payload: payload, segments: segments)
    }
  }

  private let maker = TextMaker()

  private func code(_ cache: inout CodeCache, _ payload: [UInt8], _ symbology: Symbology = .qr) -> ScannedCode {
    let corner = PixelPoint(x: .zero, y: .zero)
    let symbol = DecodedSymbol(
      symbology: symbology, aimModifier: 0x31,
      corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner))
    let segments: [PayloadSegment] = []
    return cache.code(of: symbol, payload: payload.span, segments: segments.span)
  }

  @Test func `the text of a code that stays in view is made once`() {
    let maker = maker
    var cache = CodeCache { maker.make($0, $1, $2) }
    for _ in 0..<100 { #expect(code(&cache, [1, 2, 3]).payload == [1, 2, 3]) }
    #expect(maker.count == 1)
  }

  @Test func `codes that differ in symbology or in one byte are distinct`() {
    let maker = maker
    var cache = CodeCache { maker.make($0, $1, $2) }
    #expect(code(&cache, [1, 2]).symbology == .qr)
    #expect(code(&cache, [1, 2], .aztec).symbology == .aztec)
    #expect(code(&cache, [1, 3]).payload == [1, 3])
    #expect(code(&cache, []).payload == [])
    #expect(maker.count == 4)
  }

  @Test func `the cache is bounded, and the least recently used code is evicted`() {
    let maker = maker
    var cache = CodeCache { maker.make($0, $1, $2) }
    for value in 0..<UInt8(CodeCache.codeCountMax) { _ = code(&cache, [value]) }
    _ = code(&cache, [0])
    _ = code(&cache, [200])
    #expect(maker.count == CodeCache.codeCountMax + 1)
    _ = code(&cache, [0])
    #expect(maker.count == CodeCache.codeCountMax + 1)
    _ = code(&cache, [1])
    #expect(maker.count == CodeCache.codeCountMax + 2)
  }
}

@Suite struct SceneBrightnessTests {
  @Test func `T6: a scene's brightness is the mean of its pixels, even in a tiny frame`() {
    for (width, height) in [(640, 480), (3, 2), (17, 1)] {
      let luma = (0..<width * height).map { UInt8($0 % width < width / 2 ? 40 : 60) }
      luma.withUnsafeBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        let mean = SceneBrightness.mean(of: LumaView(base: base, width: width, height: height, bytesPerRow: width))
        #expect((40...60).contains(mean))
        if width == 640 { #expect(mean == 50) }
      }
    }
  }
}

@Suite struct FrameKeeperTests {
  private let keeper = FrameKeeper(FrameKeeper.Choice(withCodes: true, withUnread: true, every: true))
  private let code = ScannedCode(symbology: .qr, payload: [1], text: "1", mark: .search)

  private func square() -> Quad {
    let point = PixelPoint(x: .zero, y: .zero)
    return Quad(topLeft: point, topRight: point, bottomRight: point, bottomLeft: point)
  }

  /// Keeps a frame whose pixels are its number.
  @discardableResult
  private func keep(_ sequence: UInt64, codes: Bool = true, unread: Bool = false, at moment: Int64 = 0) -> Bool {
    var report = FrameReport(
      run: 1, sequence: sequence, capturedAt: Instant(nanoseconds: moment),
      sightings: codes ? [Sighting(code: code, corners: square())] : [])
    if unread { report.unread = [UnreadSymbol(symbology: .qr, corners: square(), help: .closer)] }
    guard let copy = keeper.promise(of: report) else { return false }
    let luma = [UInt8](repeating: UInt8(sequence), count: 12)
    luma.withUnsafeBufferPointer { copy.fill(from: LumaView(base: $0.baseAddress!, width: 4, height: 3, bytesPerRow: 4)) }
    return true
  }

  private func pixel(_ copy: FrameCopy?) -> UInt8? { copy?.withLuma { $0[3, 2] } }

  @Test func `a taken copy stays as it is, and the others are recycled, oldest first`() {
    keep(1)
    let taken = keeper.take(sequence: 1)
    for sequence in UInt64(2)...50 { #expect(keep(sequence)) }
    #expect(pixel(taken) == 1)
    #expect(pixel(keeper.take(sequence: 50)) == 50)
    #expect(keeper.take(sequence: 50 - UInt64(FrameKeeper.copyCountMax)) == nil)
  }

  @Test func `when all copies are taken a frame is not kept, and one that is given back is used again`() {
    var taken: [FrameCopy?] = []
    for sequence in 1...UInt64(FrameKeeper.copyCountMax) {
      keep(sequence)
      taken.append(keeper.take(sequence: sequence))
    }
    #expect(!keep(100))
    #expect(keeper.take(sequence: 100) == nil)
    taken[5] = nil
    #expect(keep(101))
    #expect(pixel(keeper.take(sequence: 101)) == 101)
    #expect(taken.compactMap(pixel).count == FrameKeeper.copyCountMax - 1)
  }

  @Test func `frames without codes take one copy, so that those with codes stay`() {
    keep(1)
    for sequence in UInt64(2)...50 { keep(sequence, codes: false) }
    #expect(pixel(keeper.take(sequence: 1)) == 1)
  }

  @Test func `frames of waiting results are held, a few of them, until released`() {
    for sequence in UInt64(1)...6 { keep(sequence) }
    keeper.hold([1, 2, 1, 3, 4, 5])
    for sequence in UInt64(7)...50 { keep(sequence) }
    for sequence in UInt64(1)...4 { #expect(pixel(keeper.take(sequence: sequence)) == UInt8(sequence)) }
    #expect(keeper.take(sequence: 5) == nil)
    keeper.releaseHeld()
    for sequence in UInt64(51)...70 { keep(sequence) }
    #expect(keeper.take(sequence: 1) == nil)
  }

  @Test func `a no-read shows a recent frame, one with an unread symbol rather than the newest`() {
    let second: Int64 = 1_000_000_000
    keep(1, codes: false, unread: true, at: 1 * second)
    keep(2, at: 2 * second)
    #expect(pixel(keeper.takeRecent(at: 3 * second)) == 1)
    #expect(pixel(keeper.takeRecent(at: 4 * second)) == 2)
    #expect(keeper.takeRecent(at: 5 * second) == nil)
  }

  @Test func `only frames that may be wanted are kept`() {
    let keeper = FrameKeeper(FrameKeeper.Choice(withCodes: false, withUnread: true, every: false))
    let sighting = Sighting(code: code, corners: square())
    #expect(
      keeper.promise(of: FrameReport(run: 1, sequence: 1, capturedAt: Instant(nanoseconds: 0), sightings: [sighting])) == nil
    )
  }
}
