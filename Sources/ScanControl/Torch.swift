// The controller's only knowledge of the torch: what was asked for, what was seen, what it can do.

/// What the board says about its torch (behaviour T2).
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

/// The one owner of what is known about the torch. What is shown is `isOn`, the state observed (behaviour T3).
public struct TorchStatus: Equatable, Sendable {
  public internal(set) var capability = TorchCapability.none
  /// The state read back last; nil before the first.
  public internal(set) var observed: Bool?
  /// The state asked for, as long as its outcome is open (behaviour T4).
  public internal(set) var wanted: Bool?
  /// Whether the request for light that is open came from the user.
  var isUserWaitingForLight = false
  /// Whether the user has switched it in this session: then the automatic keeps its hands off.
  var isInUsersHands = false
  /// Since when the scene asks for a change.
  var changeWantedSince: Instant?

  public var isOn: Bool { observed ?? false }

  /// Whether the torch is off, and will be when every open request is done.
  var isSurelyOff: Bool { observed == false && (wanted ?? false) == false }
}
