// A torch without a lamp, instead of the real one.

import Synchronization

/// A torch whose lamp is a Bool. It can be made to refuse requests, or be removed.
public final class SimulatedTorch: Torch {
  private struct State {
    var isOn: Bool
    var facts: TorchFacts
    var trouble: String?
    var history: [Bool] = []
  }

  /// Requests kept in `history`; older ones are discarded.
  public static let historyCountMax = 1000

  private let state: Mutex<State>

  /// - Parameter isOn: the lamp's state before the first request.
  public init(isOn: Bool = false) {
    let facts = TorchFacts(isPresent: true, isAvailable: true, supportsOn: true, supportsOff: true)
    state = Mutex(State(isOn: isOn, facts: facts))
  }

  public var isOn: Bool { state.withLock { $0.isOn } }

  /// Requests in order.
  public var history: [Bool] { state.withLock { $0.history } }

  /// Refuses requests from now on with this trouble; nil obeys again.
  public func refuse(with trouble: String?) { state.withLock { $0.trouble = trouble } }

  /// Changes the torch's description of itself.
  public func change(facts: TorchFacts) { state.withLock { $0.facts = facts } }

  /// Switches the lamp, as another program would.
  public func interfere(isOn: Bool) { state.withLock { $0.isOn = isOn } }

  public func readFacts() async -> TorchFacts { state.withLock { $0.facts } }

  public func readState() async -> Bool? { state.withLock { $0.isOn } }

  public func set(isOn: Bool) async -> TorchOutcome {
    state.withLock { state in
      if state.history.count == Self.historyCountMax { state.history.removeFirst() }
      state.history.append(isOn)
      if state.trouble == nil { state.isOn = isOn }
      return TorchOutcome(isOn: state.isOn, trouble: state.trouble)
    }
  }
}
