// A camera for tests of a whole station's cost: it shows a single picture all the time, in colour.

public import BarcodeTypes
public import Devices
import Glibc

/// A camera that shows a picture for a number of frames and then ends.
public final class StillCamera: ColourFrameSource {
  public let name = "still camera"
  public let keepsEveryFrame: Bool
  public private(set) var counts = FrameCounts()
  public private(set) var chroma: ChromaView?
  public private(set) var sharedFrame: SharedFrame?
  private let picture: SharedFrame
  private let isShared: Bool
  private let isMoving: Bool
  private let frameCount: Int
  private let pauseMicroseconds: UInt32
  private let willWait: () -> Void
  private let isOver: () -> Bool

  /// - Parameters:
  ///   - luma: the pixels, `width` times `height`, both even.
  ///   - keepsEveryFrame: whether the next frame waits until the previous one is processed, no matter how busy the machine
  ///     is.
  ///   - pauseMicroseconds: the time from one frame to the next.
  ///   - isShared: whether frames are in memory that a screen may show without a copy.
  ///   - isMoving: whether the luma is a pixel further to the left in every other frame.
  ///   - willWait: called on the capture thread when it asks for a frame.
  ///   - isOver: whether to end the frames, regardless of their number.
  public init(
    _ luma: [UInt8], width: Int, height: Int, frameCount: Int, keepsEveryFrame: Bool, pauseMicroseconds: UInt32,
    isShared: Bool = false, isMoving: Bool = false, willWait: @escaping () -> Void = {},
    isOver: @escaping () -> Bool = { false }
  ) {
    let memory = SharedMemory.plain(byteCount: width * height * 3 / 2)
    memory.base.update(from: luma, count: width * height)
    for index in 0..<width * height / 2 {
      memory.base[width * height + index] = UInt8(truncatingIfNeeded: 96 + index % 64)
    }
    picture = SharedFrame(
      memory: memory, format: .nv12, width: width, height: height,
      planes: [.init(byteOffset: 0, bytesPerRow: width), .init(byteOffset: width * height, bytesPerRow: width)])
    self.isShared = isShared
    self.isMoving = isMoving
    self.frameCount = frameCount
    self.keepsEveryFrame = keepsEveryFrame
    self.pauseMicroseconds = pauseMicroseconds
    self.willWait = willWait
    self.isOver = isOver
  }

  public func readPermission() -> DevicePermission { .authorized }
  public func load() {}
  public func start() {}
  public func stop() {}

  public func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame {
    willWait()
    guard counts.captured < frameCount, !isOver() else { return .ended }
    usleep(pauseMicroseconds)
    counts.captured += 1
    let metadata = FrameMetadata(
      sequence: UInt64(counts.captured), captureBootTimeNanoseconds: Int64(counts.captured) * 33_333_000)
    chroma = picture.chroma
    sharedFrame = isShared ? picture : nil
    let (luma, shift) = (picture.luma, isMoving ? counts.captured % 2 : 0)
    body(
      LumaView(base: luma.row(0) + shift, width: luma.width, height: luma.height, bytesPerRow: luma.width), metadata)
    chroma = nil
    sharedFrame = nil
    return .lent
  }
}

extension SharedMemory {
  /// Memory that no hardware reads, but otherwise equivalent.
  public static func plain(byteCount: Int, willBeFreed: @escaping @Sendable () -> Void = {}) -> SharedMemory {
    let base = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
    base.initialize(repeating: 0, count: byteCount)
    let address = UInt(bitPattern: base)
    return SharedMemory(base: base, byteCount: byteCount, descriptor: -1) { _, _ in
    } release: {
      UnsafeMutablePointer<UInt8>(bitPattern: address)?.deallocate()
      willBeFreed()
    }
  }
}
