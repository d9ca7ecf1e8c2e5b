// The torch: asked for asynchronously, shown as observed, off whenever nobody needs it (SPEC §3).

extension ScanController {
  /// Asks for darkness unless it is certain already (SPEC T1).
  mutating func turnTorchOff(_ actions: inout [Action]) {
    torch.isUserWaitingForLight = false
    guard !torch.isSurelyOff, torch.wanted != false else { return }
    torch.wanted = false
    actions.append(.setTorch(isOn: false))
  }

  /// The user pressed the torch control; without effect while it is disabled (SPEC T5) or no session is open.
  mutating func torchPressed(_ actions: inout [Action]) {
    guard isTorchEnabled, session == .opening || session == .scanning else { return }
    let isOn = !(torch.wanted ?? torch.isOn)
    torch.wanted = isOn
    torch.isUserWaitingForLight = isOn
    actions.append(.setTorch(isOn: isOn))
  }

  /// A read-back, after a request or of the board's own accord. Outcomes come in the order of the requests, so one that
  /// does not match the last request belongs to an earlier one.
  mutating func torchObserved(_ isOn: Bool, _ actions: inout [Action]) {
    torch.observed = isOn
    guard torch.wanted == isOn else { return }
    torch.wanted = nil
    if isOn && torch.isUserWaitingForLight {
      actions.append(.count(.torchOn))
      torch.isUserWaitingForLight = false
    }
  }

  mutating func torchRefused(_ isOn: Bool) {
    torch.observed = isOn
    torch.wanted = nil
    torch.isUserWaitingForLight = false
  }
}
