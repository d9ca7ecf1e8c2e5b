// The light beside the camera.

/// What a board says about its torch.
public struct TorchFacts: Equatable, Sendable {
  public var isPresent: Bool
  /// Whether it can be driven now.
  public var isAvailable: Bool
  public var supportsOn: Bool
  public var supportsOff: Bool
  /// Why it cannot be driven, and what to do; nil if it can.
  public var trouble: String?

  public init(isPresent: Bool, isAvailable: Bool, supportsOn: Bool, supportsOff: Bool) {
    self.isPresent = isPresent
    self.isAvailable = isAvailable
    self.supportsOn = supportsOn
    self.supportsOff = supportsOff
  }
}

/// What became of a request to a torch.
public struct TorchOutcome: Equatable, Sendable {
  /// What the torch does now, as read back.
  public var isOn: Bool
  /// What went wrong and what to do; nil if the request was carried out.
  public var trouble: String?

  public init(isOn: Bool, trouble: String? = nil) {
    self.isOn = isOn
    self.trouble = trouble
  }
}

/// A torch. Requests are carried out in order.
public protocol Torch: Sendable {
  func readFacts() async -> TorchFacts
  /// Switches the torch and reads it back.
  func set(isOn: Bool) async -> TorchOutcome
  /// Reads what the torch does, without changing it; nil if that cannot be said.
  func readState() async -> Bool?
}

/// A torch that is lit only while frames are exposed (behaviour T6). It is on, for whoever asks, as long as it goes on like that.
public protocol StrobingTorch: Torch {
  /// A frame was exposed. Called for every frame that is looked at, on the thread that captures; returns at once.
  func frameExposed(_ frame: FrameMetadata)
  /// No frame comes any more: it is dark until the next one.
  func framesEnded()
  /// Hears of what nobody asked for, on the torch's own thread: that it went dark, and why, or that it is lit all the time.
  func watch(_ report: @escaping @Sendable (TorchOutcome) -> Void)
}

/// The torch of a board without one.
public struct AbsentTorch: Torch {
  public init() {}

  public func readFacts() async -> TorchFacts {
    TorchFacts(isPresent: false, isAvailable: false, supportsOn: false, supportsOff: false)
  }

  public func set(isOn: Bool) async -> TorchOutcome {
    TorchOutcome(isOn: false, trouble: isOn ? "this station has no torch" : nil)
  }

  public func readState() async -> Bool? { nil }
}
