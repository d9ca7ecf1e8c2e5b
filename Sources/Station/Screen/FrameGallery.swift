// The last few frames, kept for the screen. The capture thread puts copies in and waits for nobody; the screen's thread takes
// out the newest, or the one that a scan was read from. Memory is taken for the first frames and then used again; where display
// hardware can read it, the copy is what is shown.

import BarcodeTypes
import Devices
import Synchronization

/// A copy of a frame.
final class KeptFrame: @unchecked Sendable {
  fileprivate(set) var sequence: UInt64 = 0
  fileprivate(set) var width = 0
  fileprivate(set) var height = 0
  /// The camera's own buffer of the same frame, if it can be shared; behind the gallery's lock. Only the newest frame has it:
  /// a camera has few buffers.
  fileprivate var shared: SharedFrame?
  /// This copy as display hardware reads it, if it can; behind the gallery's lock. Whoever has it holds the frame.
  fileprivate var picture: SharedFrame?
  /// Written by the capture thread while nobody else holds the frame, read by whoever holds it.
  private var base: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var isColoured = false
  /// Where `base` is, if hardware can read it; else it is this object's own.
  private var memory: SharedMemory?
  /// Who holds the frame; behind the gallery's lock.
  fileprivate var holdCount = 0

  deinit { if memory == nil { base?.deallocate() } }

  /// Whether nobody has it.
  fileprivate var isFree: Bool { holdCount == 0 && (picture == nil || isKnownUniquelyReferenced(&picture)) }

  fileprivate func fill(
    _ frame: LumaView, chroma: ChromaView?, sequence: UInt64, shared: SharedFrame?,
    makeMemory: FrameGallery.MemoryMaker?
  ) {
    let count = frame.width * frame.height
    let chromaCount = 2 * ((frame.width + 1) / 2) * ((frame.height + 1) / 2)
    let wasColoured = isColoured
    isColoured = chroma?.width == (frame.width + 1) / 2 && chroma?.height == (frame.height + 1) / 2
    let isResized = frame.width != width || frame.height != height
    if isResized || count + (isColoured ? chromaCount : 0) > capacity {
      makeRoom(frame, count + chromaCount, shared == nil ? makeMemory : nil)
    }
    guard let base else { return }
    memory?.beginWriting()
    defer { memory?.endWriting() }
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
    self.shared = shared
    width = frame.width
    height = frame.height
  }

  /// Takes memory for a frame of this size.
  private func makeRoom(_ frame: LumaView, _ byteCount: Int, _ makeMemory: FrameGallery.MemoryMaker?) {
    if memory == nil { base?.deallocate() }
    picture = nil
    // Two rows share one of colour, and two columns.
    memory = frame.width % 2 == 0 && frame.height % 2 == 0 ? makeMemory?(byteCount) : nil
    capacity = byteCount
    guard let memory else {
      base = .allocate(capacity: byteCount)
      return
    }
    base = memory.base
    picture = SharedFrame(
      descriptor: memory.descriptor, format: .nv12, width: frame.width, height: frame.height,
      planes: [
        .init(byteOffset: 0, bytesPerRow: frame.width),
        .init(byteOffset: frame.width * frame.height, bytesPerRow: frame.width),
      ]
    ) { withExtendedLifetime(memory) {} }
  }

  /// The pixels; good as long as the frame is held.
  var luma: LumaView? {
    base.map { LumaView(base: $0, width: width, height: height, bytesPerRow: width) }
  }

  /// The colours, as pairs; nil for a grey frame. Good as long as the frame is held.
  var chroma: ChromaView? {
    guard isColoured, let base else { return nil }
    return ChromaView(pairs: base + width * height, width: (width + 1) / 2, height: (height + 1) / 2)
  }

  var size: ScreenSizePair { ScreenSizePair(width: width, height: height) }
}

/// Width and height of a frame.
struct ScreenSizePair: Equatable {
  var width: Int
  var height: Int
}

final class FrameGallery: Sendable {
  /// Makes memory that display hardware reads; nil if there is none.
  typealias MemoryMaker = @Sendable (_ byteCount: Int) -> SharedMemory?

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
  func want(_ isWanted: Bool) {
    state.withLock { state in
      state.isWanted = isWanted
      guard !isWanted else { return }
      state.newest?.shared = nil
      for frame in state.recent { frame.holdCount -= 1 }
      state.recent.removeAll(keepingCapacity: true)
    }
  }

  /// Keeps a copy of a frame, if anybody looks and there is a place for it.
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
    free.fill(frame, chroma: chroma, sequence: sequence, shared: shared, makeMemory: makeMemory)
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

  /// Takes hold of the newest frame if it is newer than one already held, and of the memory in which hardware reads it: the
  /// camera's buffer, or the copy.
  func takeNewest(after held: KeptFrame?) -> (frame: KeptFrame, shared: SharedFrame?)? {
    state.withLock { state in
      guard let newest = state.newest, newest !== held else { return nil }
      newest.holdCount += 1
      return (newest, newest.shared.take() ?? newest.picture)
    }
  }

  /// Takes hold of the frame with this number; nil if it has passed.
  func take(sequence: UInt64) -> KeptFrame? {
    state.withLock { state in
      guard let frame = state.recent.last(where: { $0.sequence == sequence }) else { return nil }
      frame.holdCount += 1
      return frame
    }
  }

  /// Lets a frame go.
  func release(_ frame: KeptFrame) {
    state.withLock { _ in frame.holdCount -= 1 }
  }
}
