// A camera whose scene a program sets, instead of the real one. It plays a script: frames, trouble, an end.

public import BarcodeTypes

/// A picture in memory.
public struct SimulatedPicture: Equatable, Sendable {
  public var width: Int
  public var height: Int
  /// Rows from the top without gaps, `width * height` bytes.
  public var luma: [UInt8]

  public init(width: Int, height: Int, luma: [UInt8]) {
    precondition(width > 0 && height > 0 && luma.count == width * height)
    self.width = width
    self.height = height
    self.luma = luma
  }

  /// A picture of a single shade.
  public init(width: Int, height: Int, shade: UInt8) {
    self.init(width: width, height: height, luma: [UInt8](repeating: shade, count: width * height))
  }
}

/// A camera that plays a script, one step per requested frame.
public final class SimulatedCamera: FrameSource {
  /// The camera's reaction to the request for a frame.
  public enum Step: Equatable, Sendable {
    case frame(SimulatedPicture)
    case trouble(NextFrame)
    /// No frame comes for this long.
    case silence(Duration)
  }

  public let name = "simulated camera"
  public let keepsEveryFrame: Bool
  public private(set) var counts = FrameCounts()
  /// The outcomes of `load` and `start` calls, in order; nil is success, as is every call after the last outcome.
  public var loadOutcomes: [SourceFailure?] = []
  public var startOutcomes: [SourceFailure?] = []
  public var permission = DevicePermission.authorized
  /// The sensor's settings reported for every frame.
  public var sensor = SensorReading()
  /// Every call that changed the camera's state, in order.
  public private(set) var history: [String] = []

  private var script: [Step]
  private var isRecording = false
  private let time: any DeviceTime
  private let period: Int64

  /// - Parameters:
  ///   - script: after its last step the source has ended.
  ///   - period: time from one step to the next.
  public init(script: [Step], period: Duration = .milliseconds(33), keepsEveryFrame: Bool = true, time: any DeviceTime) {
    self.script = script.reversed()
    self.period = period.components.seconds * 1_000_000_000 + period.components.attoseconds / 1_000_000_000
    self.keepsEveryFrame = keepsEveryFrame
    self.time = time
  }

  public func readPermission() -> DevicePermission { permission }

  public func load() throws(SourceFailure) {
    history.append("load")
    if !loadOutcomes.isEmpty, let failure = loadOutcomes.removeFirst() { throw failure }
  }

  public func start() throws(SourceFailure) {
    history.append("start")
    if !startOutcomes.isEmpty, let failure = startOutcomes.removeFirst() { throw failure }
    isRecording = true
  }

  public func stop() {
    guard isRecording else { return }
    history.append("stop")
    isRecording = false
  }

  public func withNextFrame(within limit: Duration, _ body: (LumaView, FrameMetadata) -> Void) -> NextFrame {
    precondition(isRecording, "a frame was asked for while the camera does not record")
    guard let step = script.popLast() else { return .ended }
    switch step {
    case .frame(let picture):
      time.sleep(until: time.now() + period)
      counts.captured += 1
      var metadata = FrameMetadata(sequence: UInt64(counts.captured), captureBootTimeNanoseconds: time.now())
      metadata.sensor = sensor
      picture.luma.withUnsafeBufferPointer { luma in
        guard let base = luma.baseAddress else { return }
        body(
          LumaView(base: base, width: picture.width, height: picture.height, bytesPerRow: picture.width), metadata)
      }
      return .lent
    case .trouble(let trouble): return trouble
    case .silence(let duration):
      if duration > limit { script.append(.silence(duration - limit)) }
      let (seconds, attoseconds) = min(duration, limit).components
      time.sleep(until: time.now() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
      return .noneYet
    }
  }
}
