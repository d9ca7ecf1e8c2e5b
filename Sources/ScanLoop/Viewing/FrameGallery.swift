// The last few frames, kept for the screen. The capture thread puts them in and waits for nobody; the screen's thread takes
// out the newest, or the one that a scan was read from. A frame in a camera's buffer that can be shared is kept as it is until
// the next one comes; then only the codes that were read from it are copied, if they may still be asked for. Of another frame
// there is a copy, in memory that display hardware reads if it can be had. Memory is taken for the first frames and then used
// again.

package import BarcodeTypes
package import Devices
import ScanControl
import Synchronization

/// A frame, or what is kept of it.
package final class KeptFrame: @unchecked Sendable {
  fileprivate(set) var sequence: UInt64 = 0
  package fileprivate(set) var width = 0
  package fileprivate(set) var height = 0
  /// The camera's own buffer of the frame, if it can be shared; behind the gallery's lock. Only the newest frame has it: a
  /// camera has few buffers.
  fileprivate var shared: SharedFrame?
  /// This copy as display hardware reads it, if it can; behind the gallery's lock. Whoever has it holds the frame.
  fileprivate var picture: SharedFrame?
  /// Written by the capture thread while nobody else holds the frame, read by whoever holds it.
  private var base: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var isColoured = false
  /// The part of the frame that has codes on it, of which a scan may still be shown, and which is not copied yet; behind the
  /// gallery's lock.
  fileprivate var awaited: PixelRegion?
  /// Which part of the frame is copied: all of it, or what has codes on it; nil if nothing is. Behind the gallery's lock.
  fileprivate var copied: PixelRegion?
  /// Whether the copy is one of the whole frame, with its colour.
  private var isWhole = false
  /// Where `base` is, if hardware can read it; else it is this object's own.
  private var memory: SharedMemory?
  /// Who holds the frame; behind the gallery's lock.
  fileprivate var holdCount = 0

  deinit { if memory == nil { base?.deallocate() } }

  /// Whether nobody has it.
  fileprivate var isFree: Bool { holdCount == 0 && (picture == nil || isKnownUniquelyReferenced(&picture)) }

  /// Takes in a frame that stays where it is.
  fileprivate func note(_ shared: SharedFrame, width: Int, height: Int, sequence: UInt64) {
    self.sequence = sequence
    self.shared = shared
    self.width = width
    self.height = height
    isWhole = false
    isColoured = false
    (awaited, copied) = (nil, nil)
  }

  /// Takes in a copy of a frame.
  fileprivate func fill(
    _ frame: LumaView, chroma: ChromaView?, sequence: UInt64, makeMemory: FrameGallery.MemoryMaker?
  ) {
    let count = frame.width * frame.height
    let chromaCount = 2 * ((frame.width + 1) / 2) * ((frame.height + 1) / 2)
    let wasColoured = isColoured
    isColoured = chroma?.width == (frame.width + 1) / 2 && chroma?.height == (frame.height + 1) / 2
    let isResized = !isWhole || frame.width != width || frame.height != height
    if isResized || count + (isColoured ? chromaCount : 0) > capacity {
      makeRoom(width: frame.width, height: frame.height, byteCount: count + chromaCount, makeMemory)
    }
    guard let base else { return }
    memory?.begin(.writing)
    defer { memory?.end(.writing) }
    // Hardware reads colour, whether there is any or not.
    if picture != nil, !isColoured, isResized || wasColoured {
      (base + count).update(repeating: 128, count: chromaCount)
    }
    if frame.bytesPerRow == frame.width {
      base.update(from: frame.row(0), count: count)
    } else {
      for y in 0..<frame.height { (base + y * frame.width).update(from: frame.row(y), count: frame.width) }
    }
    if isColoured { chroma?.copyPairs(to: base + count) }
    self.sequence = sequence
    shared = nil
    width = frame.width
    height = frame.height
    (awaited, copied) = (nil, PixelRegion(x: 0, y: 0, width: width, height: height))
    isWhole = true
  }

  /// Copies a part of a shared frame. What is copied is told behind the gallery's lock.
  fileprivate func fill(_ part: PixelRegion, of frame: LumaView) {
    // Room for any part: which codes are seen changes from frame to frame.
    if picture != nil || capacity < frame.width * frame.height {
      makeRoom(width: frame.width, height: frame.height, byteCount: frame.width * frame.height, nil)
    }
    guard let base else { return }
    for y in 0..<part.height {
      (base + y * part.width).update(from: frame.row(part.y + y) + part.x, count: part.width)
    }
  }

  /// Takes memory for a frame of this size.
  private func makeRoom(width: Int, height: Int, byteCount: Int, _ makeMemory: FrameGallery.MemoryMaker?) {
    if memory == nil { base?.deallocate() }
    picture = nil
    // Two rows share one of colour, and two columns.
    memory = width % 2 == 0 && height % 2 == 0 ? makeMemory?(byteCount) : nil
    capacity = byteCount
    guard let memory else {
      base = .allocate(capacity: byteCount)
      return
    }
    base = memory.base
    picture = SharedFrame(
      memory: memory, format: .nv12, width: width, height: height,
      planes: [.init(byteOffset: 0, bytesPerRow: width), .init(byteOffset: width * height, bytesPerRow: width)])
  }

  /// The copy's pixels, good as long as the frame is held; nil if there is no copy of the whole frame.
  package var luma: LumaView? {
    guard isWhole, let base else { return nil }
    return LumaView(base: base, width: width, height: height, bytesPerRow: width)
  }

  /// The copy's colours, as pairs; nil for a grey frame. Good as long as the frame is held.
  package var chroma: ChromaView? {
    guard isColoured, isWhole, let base else { return nil }
    return ChromaView(pairs: base + width * height, width: (width + 1) / 2, height: (height + 1) / 2)
  }

  /// A part of the frame as it was copied; good as long as the frame is held.
  fileprivate func copy(of part: PixelRegion) -> LumaView? {
    base.map { LumaView(base: $0, width: part.width, height: part.height, bytesPerRow: part.width) }
  }

  /// The memory of the frame that display hardware reads; nil if there is none.
  fileprivate var shown: SharedFrame? { shared ?? (isWhole ? picture : nil) }

  package var size: ScreenSizePair { ScreenSizePair(width: width, height: height) }
}

/// Width and height of a frame.
package struct ScreenSizePair: Equatable {
  var width: Int
  var height: Int
}

/// The last few frames, for the screen.
package final class FrameGallery: Sendable {
  /// Makes memory that display hardware reads; nil if there is none.
  package typealias MemoryMaker = @Sendable (_ byteCount: Int) -> SharedMemory?

  /// Frames that can be looked up: at 60 frames a second, what passes while the controller deals with a result.
  static let recentCountMax = 4
  /// Frames in all: those, one being filled, and two in the screen's hands.
  static let frameCountMax = recentCountMax + 3

  /// Plain loops and places instead of the standard library's searches: those allocate where they are not specialised, and
  /// this runs for every frame.
  private struct State {
    var frames: [KeptFrame] = []
    /// The newest last.
    var recent: [KeptFrame] = []
    var isWanted = false

    var newest: KeptFrame? { recent.isEmpty ? nil : recent[recent.count - 1] }

    /// A frame that nobody holds.
    var free: KeptFrame? {
      for index in 0..<frames.count where frames[index].isFree { return frames[index] }
      return nil
    }

    /// Adds the newest frame; the oldest gives way when there are enough.
    mutating func add(_ frame: KeptFrame) {
      newest?.shared = nil
      guard recent.count == FrameGallery.recentCountMax else { return recent.append(frame) }
      recent[0].holdCount -= 1
      for index in 1..<recent.count { recent[index - 1] = recent[index] }
      recent[recent.count - 1] = frame
    }
  }

  private let state = Mutex(State())
  private let makeMemory: MemoryMaker?

  /// - Parameter makeMemory: nil where no hardware reads the frames.
  init(makeMemory: MemoryMaker? = nil) { self.makeMemory = makeMemory }

  /// Whether anybody looks; else frames are not copied.
  package func want(_ isWanted: Bool) {
    state.withLock { state in
      state.isWanted = isWanted
      guard !isWanted else { return }
      state.newest?.shared = nil
      for frame in state.recent { frame.holdCount -= 1 }
      state.recent.removeAll(keepingCapacity: true)
    }
  }

  /// Keeps a frame, if anybody looks and there is a place for it: as it is where it can be shared, else a copy.
  ///
  /// - Returns: whether it was kept.
  func put(_ frame: LumaView, chroma: ChromaView? = nil, sequence: UInt64, shared: SharedFrame?) -> Bool {
    let free: KeptFrame? = state.withLock { state in
      guard state.isWanted else { return nil }
      if let free = state.free {
        free.holdCount = 1
        return free
      }
      guard state.frames.count < Self.frameCountMax else { return nil }
      let frame = KeptFrame()
      frame.holdCount = 1
      state.frames.append(frame)
      return frame
    }
    guard let free else { return false }
    keepAwaitedCodes()
    if let shared {
      free.note(shared, width: frame.width, height: frame.height, sequence: sequence)
    } else {
      free.fill(frame, chroma: chroma, sequence: sequence, makeMemory: makeMemory)
    }
    state.withLock { state in
      guard state.isWanted else {
        free.holdCount = 0
        free.shared = nil
        return
      }
      state.add(free)
    }
    return true
  }

  /// Notes what was read from the newest frame: a scan of it is shown with a picture of the code, so it is to be had until
  /// `forgoCodes`, or until the frame has passed.
  ///
  /// - Parameter frame: the frame as it was put in, whose pixels may lie elsewhere than in memory that is shared.
  func noteCodes(of frame: LumaView, sequence: UInt64, _ sightings: [Sighting]) {
    guard let part = Self.part(of: frame, with: sightings) else { return }
    let unshared: KeptFrame? = state.withLock { state in
      guard let newest = state.newest, newest.sequence == sequence, newest.copied == nil, let shared = newest.shared else {
        return nil
      }
      if shared.width == frame.width, shared.height == frame.height {
        newest.awaited = part
        return nil
      }
      newest.holdCount += 1
      return newest
    }
    guard let unshared else { return }
    unshared.fill(part, of: frame)
    noteCopy(of: part, unshared)
  }

  /// Copies what is awaited of the newest frame, before another takes its place and its buffer goes back to the camera.
  private func keepAwaitedCodes() {
    let kept: (frame: KeptFrame, shared: SharedFrame, part: PixelRegion)? = state.withLock { state in
      guard let newest = state.newest, let shared = newest.shared, let part = newest.awaited else { return nil }
      newest.holdCount += 1
      return (newest, shared, part)
    }
    guard let kept else { return }
    kept.shared.beginReading()
    kept.frame.fill(kept.part, of: kept.shared.luma)
    kept.shared.endReading()
    noteCopy(of: kept.part, kept.frame)
  }

  /// A part of a frame that was held for it is copied.
  private func noteCopy(of part: PixelRegion, _ frame: KeptFrame) {
    state.withLock { _ in
      frame.copied = part
      frame.awaited = nil
      frame.holdCount -= 1
    }
  }

  /// Nobody will ask for the codes of a frame any more.
  func forgoCodes(ofFrame sequence: UInt64) {
    // What is awaited of another than the newest is copied already.
    state.withLock { if let newest = $0.newest, newest.sequence == sequence { newest.awaited = nil } }
  }

  /// The pixels of a part of a frame in which all codes are that were read from it, and the part's first pixel, for as long as
  /// `body` runs.
  ///
  /// - Returns: nil if the frame has passed, or no code was read from it.
  package func withCodes<Made>(ofFrame sequence: UInt64, _ body: (LumaView, PixelPoint) -> Made?) -> Made? {
    guard let frame = take(sequence: sequence) else { return nil }
    defer { release(frame) }
    let (shared, awaited, copied) = state.withLock { _ in (frame.shared, frame.awaited, frame.copied) }
    if let copied, let luma = frame.copy(of: copied) { return body(luma, Self.first(of: copied)) }
    guard let shared, let awaited else { return nil }
    shared.beginReading()
    defer { shared.endReading() }
    let luma = shared.luma
    let part = LumaView(
      base: luma.row(awaited.y) + awaited.x, width: awaited.width, height: awaited.height, bytesPerRow: luma.bytesPerRow)
    return body(part, Self.first(of: awaited))
  }

  private static func first(of part: PixelRegion) -> PixelPoint { PixelPoint(x: Fixed16(part.x), y: Fixed16(part.y)) }

  /// The part of a frame in which sightings lie with what is shown around them; nil if there is none.
  static func part(of frame: LumaView, with sightings: [Sighting]) -> PixelRegion? {
    var (left, top, right, bottom) = (frame.width, frame.height, 0, 0)
    for index in 0..<sightings.count {
      let corners = sightings[index].corners
      let (a, b, c, d) = (corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft)
      let (x, width) = Self.span(a.x, b.x, c.x, d.x)
      let (y, height) = Self.span(a.y, b.y, c.y, d.y)
      // More than the margin of the picture, and the pixels between which it is sampled.
      let around = max(width, height) / 8 + 2
      (left, right) = (min(left, x - around), max(right, x + width + around))
      (top, bottom) = (min(top, y - around), max(bottom, y + height + around))
    }
    (left, top, right, bottom) = (max(left, 0), max(top, 0), min(right, frame.width), min(bottom, frame.height))
    guard left < right, top < bottom else { return nil }
    return PixelRegion(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The least of four places in whole pixels, and how far the others reach from it.
  private static func span(_ a: Fixed16, _ b: Fixed16, _ c: Fixed16, _ d: Fixed16) -> (first: Int, length: Int) {
    let least = min(min(a.bits, b.bits), min(c.bits, d.bits))
    let most = max(max(a.bits, b.bits), max(c.bits, d.bits))
    return (Int(least) >> 16, Int(most >> 16) - Int(least >> 16) + 1)
  }

  /// Takes hold of the newest frame if it is newer than one already held, and of the memory in which hardware reads it: the
  /// camera's buffer, or the copy.
  package func takeNewest(after held: KeptFrame?) -> (frame: KeptFrame, shared: SharedFrame?)? {
    state.withLock { state in
      guard let newest = state.newest, newest !== held else { return nil }
      newest.holdCount += 1
      return (newest, newest.shown)
    }
  }

  /// Takes hold of the newest frame with this number; nil if it has passed. A camera that starts again may count anew.
  private func take(sequence: UInt64) -> KeptFrame? {
    state.withLock { state in
      let frame = state.recent.last { $0.sequence == sequence }
      frame?.holdCount += 1
      return frame
    }
  }

  /// Lets a frame go.
  package func release(_ frame: KeptFrame) {
    state.withLock { _ in frame.holdCount -= 1 }
  }
}
