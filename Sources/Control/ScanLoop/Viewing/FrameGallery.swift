// The last few frames, kept for the screen. The capture thread adds them without waiting; the screen's thread takes the
// newest, or the one that a scan was read from. A frame in a shareable camera buffer stays there until the next frame comes;
// then only the codes read from it are copied, if the screen may still need them. Other frames are copied, into memory that
// display hardware can read if possible. Memory is allocated for the first frames and then reused.

package import BarcodeTypes
package import Devices
import ScanControl
import Synchronization

/// A kept frame, or what remains of it.
package final class KeptFrame: @unchecked Sendable {
  fileprivate(set) var sequence: UInt64 = 0
  package fileprivate(set) var width = 0
  package fileprivate(set) var height = 0
  /// The camera's buffer with the frame, if it can be shared; guarded by the gallery's lock. Only the newest frame has one:
  /// a camera has few buffers.
  fileprivate var shared: SharedFrame?
  /// This copy in a form that display hardware reads, if it can; guarded by the gallery's lock. A reference to it holds the
  /// frame.
  fileprivate var picture: SharedFrame?
  /// Written by the capture thread while the frame is free, read by its holders.
  private var base: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var isColoured = false
  /// The part of the frame with codes that a scan may still need and that is not copied yet; guarded by the gallery's lock.
  fileprivate var awaited: PixelRegion?
  /// The copied part of the frame: all of it, or the part with codes; nil if nothing is copied. Guarded by the gallery's
  /// lock.
  fileprivate var copied: PixelRegion?
  /// Whether the copy is of the whole frame, with its colour.
  private var isWhole = false
  /// Owner of `base`, if hardware can read it; otherwise this object owns it.
  private var memory: SharedMemory?
  /// The number of holders; guarded by the gallery's lock.
  fileprivate var holdCount = 0

  deinit { if memory == nil { base?.deallocate() } }

  /// Whether the frame has no holder.
  fileprivate var isFree: Bool { holdCount == 0 && (picture == nil || isKnownUniquelyReferenced(&picture)) }

  /// Refers to a frame that stays in the camera's buffer.
  fileprivate func note(_ shared: SharedFrame, width: Int, height: Int, sequence: UInt64) {
    self.sequence = sequence
    self.shared = shared
    self.width = width
    self.height = height
    isWhole = false
    isColoured = false
    (awaited, copied) = (nil, nil)
  }

  /// Copies a frame.
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
    // Hardware always reads colour, so a grey frame needs neutral colour.
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

  /// Copies a part of a shared frame. The copied part is recorded under the gallery's lock.
  fileprivate func fill(_ part: PixelRegion, of frame: LumaView) {
    // Room for any part: the codes in view change from frame to frame.
    if picture != nil || capacity < frame.width * frame.height {
      makeRoom(width: frame.width, height: frame.height, byteCount: frame.width * frame.height, nil)
    }
    guard let base else { return }
    for y in 0..<part.height {
      (base + y * part.width).update(from: frame.row(part.y + y) + part.x, count: part.width)
    }
  }

  /// Allocates memory for a frame of this size.
  private func makeRoom(width: Int, height: Int, byteCount: Int, _ makeMemory: FrameGallery.MemoryMaker?) {
    if memory == nil { base?.deallocate() }
    picture = nil
    // Two rows share one row of colour, as do two columns.
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

  /// The copy's pixels, valid while the frame is held; nil if the whole frame is not copied.
  package var luma: LumaView? {
    guard isWhole, let base else { return nil }
    return LumaView(base: base, width: width, height: height, bytesPerRow: width)
  }

  /// The copy's colours, as pairs; nil for a grey frame. Valid while the frame is held.
  package var chroma: ChromaView? {
    guard isColoured, isWhole, let base else { return nil }
    return ChromaView(pairs: base + width * height, width: (width + 1) / 2, height: (height + 1) / 2)
  }

  /// A copied part of the frame; valid while the frame is held.
  fileprivate func copy(of part: PixelRegion) -> LumaView? {
    base.map { LumaView(base: $0, width: part.width, height: part.height, bytesPerRow: part.width) }
  }

  /// The frame's memory for display hardware, if any.
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
  /// Allocates memory that display hardware reads; nil if that is not possible.
  package typealias MemoryMaker = @Sendable (_ byteCount: Int) -> SharedMemory?

  /// Frames that can be looked up: those that pass at 60 frames per second while the controller handles a result.
  static let recentCountMax = 4
  /// Frames in all: those, one being filled, and two held by the screen.
  static let frameCountMax = recentCountMax + 3

  /// Plain loops and indices instead of the standard library's searches, which allocate if they are not specialised; this
  /// runs for every frame.
  private struct State {
    var frames: [KeptFrame] = []
    /// The newest last.
    var recent: [KeptFrame] = []
    var isWanted = false

    var newest: KeptFrame? { recent.isEmpty ? nil : recent[recent.count - 1] }

    /// A frame without holders.
    var free: KeptFrame? {
      for index in 0..<frames.count where frames[index].isFree { return frames[index] }
      return nil
    }

    /// Adds the newest frame; the oldest is removed when there are enough.
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

  /// - Parameter makeMemory: nil if no hardware reads the frames.
  init(makeMemory: MemoryMaker? = nil) { self.makeMemory = makeMemory }

  /// Sets whether a screen needs frames; otherwise they are not copied.
  package func want(_ isWanted: Bool) {
    state.withLock { state in
      state.isWanted = isWanted
      guard !isWanted else { return }
      state.newest?.shared = nil
      for frame in state.recent { frame.holdCount -= 1 }
      state.recent.removeAll(keepingCapacity: true)
    }
  }

  /// Keeps a frame if a screen needs it and there is room: in its own buffer if that can be shared, else as a copy.
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

  /// Notes the codes read from the newest frame. A scan is shown with a picture of its code, so the codes stay available
  /// until `forgoCodes`, or until the frame has passed.
  ///
  /// - Parameter frame: the frame as it was put in, whose pixels may lie outside the shared memory.
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

  /// Copies the awaited part of the newest frame, before the next frame replaces it and its buffer returns to the camera.
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

  /// Records that a part of a frame held for copying is now copied.
  private func noteCopy(of part: PixelRegion, _ frame: KeptFrame) {
    state.withLock { _ in
      frame.copied = part
      frame.awaited = nil
      frame.holdCount -= 1
    }
  }

  /// Ends the wait for the codes of a frame: no scan will show them.
  func forgoCodes(ofFrame sequence: UInt64) {
    // The awaited parts of older frames are copied already.
    state.withLock { if let newest = $0.newest, newest.sequence == sequence { newest.awaited = nil } }
  }

  /// Calls `body` with the pixels of the part of a frame that contains every code read from it, and with the part's first
  /// pixel. The pixels are valid only during the call.
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

  /// The part of a frame that contains the sightings with the margin that is shown around them; nil if there are no
  /// sightings.
  static func part(of frame: LumaView, with sightings: [Sighting]) -> PixelRegion? {
    var (left, top, right, bottom) = (frame.width, frame.height, 0, 0)
    for index in 0..<sightings.count {
      let corners = sightings[index].corners
      let (a, b, c, d) = (corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft)
      let (x, width) = Self.span(a.x, b.x, c.x, d.x)
      let (y, height) = Self.span(a.y, b.y, c.y, d.y)
      // More than the picture's margin plus the pixels between which it is sampled.
      let around = max(width, height) / 8 + 2
      (left, right) = (min(left, x - around), max(right, x + width + around))
      (top, bottom) = (min(top, y - around), max(bottom, y + height + around))
    }
    (left, top, right, bottom) = (max(left, 0), max(top, 0), min(right, frame.width), min(bottom, frame.height))
    guard left < right, top < bottom else { return nil }
    return PixelRegion(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The smallest of four coordinates in whole pixels, and the extent of the others from it.
  private static func span(_ a: Fixed16, _ b: Fixed16, _ c: Fixed16, _ d: Fixed16) -> (first: Int, length: Int) {
    let least = min(min(a.bits, b.bits), min(c.bits, d.bits))
    let most = max(max(a.bits, b.bits), max(c.bits, d.bits))
    return (Int(least) >> 16, Int(most >> 16) - Int(least >> 16) + 1)
  }

  /// Holds the newest frame if it is newer than the one already held, with the memory in which hardware reads it: the
  /// camera's buffer, or the copy.
  package func takeNewest(after held: KeptFrame?) -> (frame: KeptFrame, shared: SharedFrame?)? {
    state.withLock { state in
      guard let newest = state.newest, newest !== held else { return nil }
      newest.holdCount += 1
      return (newest, newest.shown)
    }
  }

  /// Holds the newest frame with this number; nil if it has passed. Numbers may repeat after a camera restarts.
  private func take(sequence: UInt64) -> KeptFrame? {
    state.withLock { state in
      let frame = state.recent.last { $0.sequence == sequence }
      frame?.holdCount += 1
      return frame
    }
  }

  /// Releases a frame.
  package func release(_ frame: KeptFrame) {
    state.withLock { _ in frame.holdCount -= 1 }
  }
}
