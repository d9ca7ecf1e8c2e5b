// A switch with which people at the station close its camera. When it is closed, the camera is restricted (behaviour S2).

import Synchronization

/// Reports whether the camera may be used now. The capture thread asks it before each frame, so it must not block.
public protocol PrivacySwitch: AnyObject {
  /// Whether use of the camera is forbidden. A switch that cannot be read counts as closed.
  var isClosed: Bool { get }
}

/// A switch that a program operates from any thread, instead of the real one.
public final class SimulatedPrivacySwitch: PrivacySwitch, Sendable {
  private let state: Atomic<Bool>

  public init(isClosed: Bool = false) { state = Atomic(isClosed) }

  public var isClosed: Bool { state.load(ordering: .relaxed) }

  public func turn(isClosed: Bool) { state.store(isClosed, ordering: .relaxed) }
}
