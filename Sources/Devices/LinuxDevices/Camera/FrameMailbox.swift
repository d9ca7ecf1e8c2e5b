// A slot for one frame between libcamera's thread and the capture thread. A newer frame replaces an older one, which goes
// straight back to the camera to be filled again: old pictures never queue up.

#if Camera

  import CLibcamera
  import Devices
  import Dispatch
  import Glibc
  import Synchronization

  /// The mailbox of a capture session. libcamera's thread puts frames in; the capture thread takes them out.
  final class FrameMailbox: Sendable {
    /// Consecutive damaged frames, or failures to return one, after which the camera counts as broken.
    static let damagedCountMax = 30

    /// The state of the session.
    struct State {
      var newest: clibcamera_frame?
      var counts = FrameCounts()
      var isDisconnected = false
      /// Damaged frames since the last good one.
      var damagedCount = 0
      /// Whether the session is over: later frames are ignored.
      var isClosed = false
    }

    private let state = Mutex(UncheckedBox(State()))
    private let filled = DispatchSemaphore(value: 0)
    private let camera: OpenCamera

    init(camera: OpenCamera) { self.camera = camera }

    /// Accepts a completed frame. Called on libcamera's thread; allocates nothing.
    func put(_ frame: UnsafePointer<clibcamera_frame>) {
      let returned: UInt32? = state.withLock { box in
        guard !box.value.isClosed else { return nil }
        switch -frame.pointee.status {
        case 0:
          box.value.damagedCount = 0
          box.value.counts.captured += 1
          let older = box.value.newest?.buffer
          if older != nil { box.value.counts.dropped += 1 }
          box.value.newest = frame.pointee
          return older
        case ECANCELED: return nil  // The camera is stopping, or has lost its sensor: do not queue the request again.
        case EAGAIN: return frame.pointee.buffer
        default:
          box.value.counts.skipped += 1
          box.value.damagedCount += 1
          return frame.pointee.buffer
        }
      }
      if let returned { clibcamera_queue(camera.pointer, returned) }
      if frame.pointee.status != -EAGAIN { filled.signal() }
    }

    /// The camera was unplugged. Called on libcamera's thread.
    func disconnect() {
      state.withLock { $0.value.isDisconnected = true }
      filled.signal()
    }

    /// Waits for a frame or a change of the session's state.
    ///
    /// - Returns: the newest frame, which the caller now owns; nil if none came in time or the camera has trouble, which
    ///   `state` shows.
    func take(until deadline: DispatchTime) -> clibcamera_frame? {
      while true {
        let (frame, isOver): (clibcamera_frame?, Bool) = state.withLock { box in
          defer { box.value.newest = nil }
          let isOver = box.value.isDisconnected || box.value.damagedCount > Self.damagedCountMax
          return (box.value.newest, isOver)
        }
        if frame != nil || isOver { return frame }
        if filled.wait(timeout: deadline) == .timedOut { return nil }
      }
    }

    /// Returns a frame's buffer to the camera.
    func giveBack(_ buffer: UInt32) { clibcamera_queue(camera.pointer, buffer) }

    func close() { state.withLock { $0.value.isClosed = true } }

    var counts: FrameCounts { state.withLock { $0.value.counts } }
    var isDisconnected: Bool { state.withLock { $0.value.isDisconnected } }
    /// Whether the last frame was damaged.
    var hasDamage: Bool { state.withLock { $0.value.damagedCount > 0 } }
    /// Whether enough consecutive frames were damaged that the camera counts as broken.
    var isDamaged: Bool { state.withLock { $0.value.damagedCount > Self.damagedCountMax } }
  }

  /// Lets a lock guard a value with C pointers: the memory behind them belongs to the frame, which has one owner.
  private struct UncheckedBox<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

#endif
