// The controller's view of input at the screen: whether a device can confirm a result.

/// The controller's entire knowledge of input at the screen.
public struct InputStatus: Equatable, Sendable {
  /// Whether a device can confirm a result; nil until known.
  public internal(set) var canConfirm: Bool?
  /// Deadline for the answer; nil while the controller does not wait for one.
  public internal(set) var awaitedUntil: Instant?
  /// Whether recording starts as soon as the wait is over.
  var holdsCapture = false

  /// - Parameter earlier: the input status of the previous controller.
  init(after earlier: InputStatus?) { canConfirm = earlier?.canConfirm }
}

extension ScanController {
  /// Whether confirmation depends on the connected input devices.
  private var dependsOnInput: Bool { settings.confirmsOnlyWithInput && settings.confirmation != .never }

  /// Delays recording at the start until the station knows its input devices, for at most `inputDurationMax`, so that no
  /// result is forwarded that needs confirmation (behaviour N2).
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
