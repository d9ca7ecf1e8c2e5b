// A camera for tests of what a whole station costs: it shows one picture all the time, in colour.

public import BarcodeTypes
public import Devices
import Glibc

/// A camera that shows one picture a number of times and then ends.
public final class StillCamera: ColourFrameSource {
  public let name = "still camera"
  public let keepsEveryFrame: Bool
  public private(set) var counts = FrameCounts()
  public private(set) var chroma: ChromaView?
  public let sharedFrame: SharedFrame? = nil
  private let luma: [UInt8]
  private let pairs: [UInt8]
  private let size: (width: Int, height: Int)
  private let frameCount: Int
  private let pauseMicroseconds: UInt32
  private let willWait: () -> Void
  private let willLend: () -> Void

  /// - Parameters:
  ///   - luma: the pixels, `width` times `height` of them, both even.
  ///   - keepsEveryFrame: whether a frame is dealt with before the next one comes, however busy the machine is.
  ///   - pauseMicroseconds: the time from one frame to the next.
  ///   - willWait: called on the capture thread when it asks for a frame.
  ///   - willLend: called on the capture thread right before it gets one.
  public init(
    _ luma: [UInt8], width: Int, height: Int, frameCount: Int, keepsEveryFrame: Bool, pauseMicroseconds: UInt32,
    willWait: @escaping () -> Void = {}, willLend: @escaping () -> Void = {}
  ) {
    self.luma = luma
    pairs = (0..<width * height / 2).map { UInt8(truncatingIfNeeded: 96 + $0 % 64) }
    size = (width, height)
    self.frameCount = frameCount
    self.keepsEveryFrame = keepsEveryFrame
    self.pauseMicroseconds = pauseMicroseconds
    self.willWait = willWait
    self.willLend = willLend
  }

  public func readPermission() -> DevicePermission { .authorized }
  public func load() {}
  public func start() {}
  public func stop() {}
  public func readInterruption() -> SourceInterruption? { nil }

  public func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame {
    willWait()
    guard counts.captured < frameCount else { return .ended }
    usleep(pauseMicroseconds)
    counts.captured += 1
    let metadata = FrameMetadata(
      sequence: UInt64(counts.captured), captureBootTimeNanoseconds: Int64(counts.captured) * 33_333_000)
    luma.withUnsafeBufferPointer { luma in
      pairs.withUnsafeBufferPointer { pairs in
        guard let base = luma.baseAddress, let colour = pairs.baseAddress else { return }
        chroma = ChromaView(pairs: colour, width: size.width / 2, height: size.height / 2)
        willLend()
        body(LumaView(base: base, width: size.width, height: size.height, bytesPerRow: size.width), metadata)
        chroma = nil
      }
    }
    return .lent
  }
}
