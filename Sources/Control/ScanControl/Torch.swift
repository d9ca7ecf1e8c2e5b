// The controller's view of the torch: the state requested, the state observed, its capabilities.

/// The board's description of its torch (behaviour T2).
public struct TorchCapability: Equatable, Sendable {
  public var hasTorch: Bool
  /// Whether it can be driven now.
  public var isAvailable: Bool
  public var supportsOn: Bool
  public var supportsOff: Bool

  public init(hasTorch: Bool, isAvailable: Bool, supportsOn: Bool, supportsOff: Bool) {
    self.hasTorch = hasTorch
    self.isAvailable = isAvailable
    self.supportsOn = supportsOn
    self.supportsOff = supportsOff
  }

  public static let none = TorchCapability(hasTorch: false, isAvailable: false, supportsOn: false, supportsOff: false)

  var isUsable: Bool { hasTorch && isAvailable && supportsOn && supportsOff }
}

/// The controller's entire knowledge of the torch. The screen shows `isOn`, the observed state (behaviour T3).
public struct TorchStatus: Equatable, Sendable {
  public internal(set) var capability = TorchCapability.none
  /// The state read back last; nil before the first reading.
  public internal(set) var observed: Bool?
  /// The requested state while its outcome is pending (behaviour T4).
  public internal(set) var wanted: Bool?
  /// Whether the user made the pending request for light.
  var isUserWaitingForLight = false
  /// Whether the user has switched the torch in this session; the automatic then leaves it alone.
  var isInUsersHands = false
  /// Since when the scene's brightness has called for a change.
  var changeWantedSince: Instant?

  public var isOn: Bool { observed ?? false }

  /// Whether the torch is off and no pending request turns it on.
  var isSurelyOff: Bool { observed == false && (wanted ?? false) == false }
}
