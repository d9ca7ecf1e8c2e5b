// Cameras that are plugged in, as udev announces them. Without udev nothing is announced.

#if Camera

  import CLibcamera
  public import Devices
  import Glibc
  import Synchronization

  /// Devices of cameras that come.
  public final class UdevArrivals: CameraArrivals {
    /// How often the thread looks whether it is still wanted.
    static let lookMilliseconds: Int32 = 1000

    public init() {}

    public func arrivals() -> AsyncStream<Void> {
      // A camera has several devices: what waits already stands for those that come after it.
      let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      var opened: OpaquePointer?
      guard clibcamera_arrivals_open(&opened) >= 0, let opened else {
        continuation.finish()
        return stream
      }
      let reader = ArrivalReader(monitor: opened, continuation: continuation)
      continuation.onTermination = { _ in reader.isWanted.store(false, ordering: .relaxed) }
      startThread(named: "arrivals") { reader.read() }
      return stream
    }
  }

  /// The thread's own world; only `isWanted` is for others.
  private final class ArrivalReader: @unchecked Sendable {
    let isWanted = Atomic(true)
    private let monitor: OpaquePointer
    private let continuation: AsyncStream<Void>.Continuation

    init(monitor: OpaquePointer, continuation: AsyncStream<Void>.Continuation) {
      self.monitor = monitor
      self.continuation = continuation
    }

    func read() {
      while isWanted.load(ordering: .relaxed) {
        let came = clibcamera_arrivals_next(monitor, UdevArrivals.lookMilliseconds)
        if came < 0 { break }
        if came > 0 { continuation.yield() }
      }
      clibcamera_arrivals_close(monitor)
      continuation.finish()
    }
  }

#endif
