// A switch with which people at the station close its camera. Closed, the camera is restricted (behaviour S2).

import Synchronization

/// Says whether the camera may be used now. Belongs to the capture thread, which asks it before each frame: it must not block.
public protocol PrivacySwitch: AnyObject {
  /// Whether the camera may not be used. A switch that cannot be read is closed.
  var isClosed: Bool { get }
}

/// A switch that a program turns, from any thread: a peer of the real one.
public final class SimulatedPrivacySwitch: PrivacySwitch, Sendable {
  private let state: Atomic<Bool>

  public init(isClosed: Bool = false) { state = Atomic(isClosed) }

  public var isClosed: Bool { state.load(ordering: .relaxed) }

  public func turn(isClosed: Bool) { state.store(isClosed, ordering: .relaxed) }
}
