// Newly plugged-in cameras, as udev announces them. Without udev nothing is announced.

#if Camera

  import CLibcamera
  public import Devices
  import Glibc
  import Synchronization

  /// Devices of newly plugged-in cameras.
  public final class UdevArrivals: CameraArrivals {
    /// How often the thread checks whether it is still needed.
    static let lookMilliseconds: Int32 = 1000

    public init() {}

    public func arrivals() -> AsyncStream<Void> {
      // A camera has several devices: one waiting element covers those that follow.
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

  /// State of the thread; other threads use only `isWanted`.
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
