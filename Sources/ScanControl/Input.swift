// The controller's only knowledge of what can be pressed at the screen: whether a result can be confirmed with it.

/// The one owner of what is known about input at the screen.
public struct InputStatus: Equatable, Sendable {
  /// Whether something can confirm a result; nil until that is known.
  public internal(set) var canConfirm: Bool?
  /// Until when the answer is waited for; nil while nobody waits.
  public internal(set) var awaitedUntil: Instant?
  /// Whether recording begins as soon as the wait is over.
  var holdsCapture = false

  /// - Parameter earlier: what the controller before knew.
  init(after earlier: InputStatus?) { canConfirm = earlier?.canConfirm }
}

extension ScanController {
  /// Whether the settings let what is plugged in decide about confirmation.
  private var dependsOnInput: Bool { settings.confirmsOnlyWithInput && settings.confirmation != .never }

  /// At the start nobody knows yet what is plugged in: recording waits for the answer, for no longer than `inputDurationMax`, so
  /// that no result is forwarded that is to be confirmed (behaviour N2).
  mutating func awaitInput(_ now: Instant) {
    guard dependsOnInput, input.canConfirm == nil, input.awaitedUntil == nil else { return }
    input.awaitedUntil = now.advanced(by: ScanController.inputDurationMax)
  }

  mutating func inputReported(_ canConfirm: Bool, _ actions: inout [Action]) {
    input.awaitedUntil = nil
    if canConfirm != input.canConfirm {
      input.canConfirm = canConfirm
      if settings.confirmsOnlyWithInput { actions.append(.reportConfirmation(isPossible: canConfirm)) }
    }
    guard input.holdsCapture else { return }
    input.holdsCapture = false
    actions.append(.startCapture(run: camera.run))
  }
}
