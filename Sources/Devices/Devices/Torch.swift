// The light at the camera.

/// A board's description of its torch.
public struct TorchFacts: Equatable, Sendable {
  public var isPresent: Bool
  /// Whether it can be driven now.
  public var isAvailable: Bool
  public var supportsOn: Bool
  public var supportsOff: Bool
  /// Why it cannot be driven, with the remedy; nil if it can.
  public var trouble: String?

  public init(isPresent: Bool, isAvailable: Bool, supportsOn: Bool, supportsOff: Bool) {
    self.isPresent = isPresent
    self.isAvailable = isAvailable
    self.supportsOn = supportsOn
    self.supportsOff = supportsOff
  }
}

/// The outcome of a request to a torch.
public struct TorchOutcome: Equatable, Sendable {
  /// The torch's state as read back.
  public var isOn: Bool
  /// The failure and its remedy; nil if the request was carried out.
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
  /// Reads the torch's state without changing it; nil if unknown.
  func readState() async -> Bool?
}

/// A torch that is lit only while frames are exposed (behaviour T6). While it strobes, it counts as on.
public protocol StrobingTorch: Torch {
  /// Reports an exposed frame. Called for every examined frame, on the capturing thread; returns at once.
  func frameExposed(_ frame: FrameMetadata)
  /// Reports that no more frames come: the torch stays dark until the next one.
  func framesEnded()
  /// Calls `report` on the torch's own thread for changes without a request: that it went dark, and why, or that it is lit
  /// permanently.
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
