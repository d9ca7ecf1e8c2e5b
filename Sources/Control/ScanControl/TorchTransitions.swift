// The torch: requests are asynchronous, the screen shows the observed state, and it is off whenever no session needs it
// (behaviour §3).

extension ScanController {
  /// Turns the torch off unless it is certainly off already (behaviour T1).
  mutating func turnTorchOff(_ actions: inout [Action]) {
    torch.isUserWaitingForLight = false
    torch.isInUsersHands = false
    torch.changeWantedSince = nil
    guard !torch.isSurelyOff, torch.wanted != false else { return }
    torch.wanted = false
    actions.append(.setTorch(isOn: false))
  }

  /// Switches the torch for the user; no effect while its control is disabled (behaviour T5) or no session is open.
  mutating func torchRequested(isOn: Bool, _ actions: inout [Action]) {
    guard isTorchEnabled, session == .opening || session.isScanning else { return }
    torch.isInUsersHands = true
    guard isOn != (torch.wanted ?? torch.isOn) else { return }
    torch.wanted = isOn
    torch.isUserWaitingForLight = isOn
    actions.append(.setTorch(isOn: isOn))
  }

  mutating func torchCapabilityReported(_ capability: TorchCapability, _ actions: inout [Action]) {
    torch.capability = capability
    lightScene(&actions)
  }

  /// Lights the torch for a recording session in mode `on`, once both session and torch are available.
  mutating func lightScene(_ actions: inout [Action]) {
    guard settings.torch == .on, session.isScanning, isTorchEnabled, !torch.isInUsersHands else { return }
    guard !(torch.wanted ?? torch.isOn) else { return }
    torch.wanted = true
    actions.append(.setTorch(isOn: true))
  }

  /// Lights a scene that has been dark for a while, and turns the torch off when the lit scene has been too bright for a
  /// while (behaviour T6).
  mutating func sceneMeasured(_ brightness: UInt8, _ now: Instant, _ actions: inout [Action]) {
    guard isTorchAutomatic else { return }
    let levels = settings.sceneLevels
    guard torch.isOn ? brightness > levels.brightAbove : brightness < levels.darkBelow else {
      torch.changeWantedSince = nil
      return
    }
    let since = torch.changeWantedSince ?? now
    torch.changeWantedSince = since
    guard since.duration(to: now) >= levels.dwell else { return }
    torch.changeWantedSince = nil
    torch.wanted = !torch.isOn
    actions.append(.setTorch(isOn: !torch.isOn))
  }

  /// Whether the station itself may switch the torch now: a session scans, and neither a user nor a pending request has it.
  private var isTorchAutomatic: Bool {
    settings.torch == .automatic && session.isScanning && isTorchEnabled && !torch.isInUsersHands && torch.wanted == nil
  }

  /// Tries the other light on a symbol that is not read (behaviour T6).
  mutating func lightWished(_ isOn: Bool, _ actions: inout [Action]) {
    guard isTorchAutomatic, isOn != torch.isOn else { return }
    torch.changeWantedSince = nil
    torch.wanted = isOn
    actions.append(.setTorch(isOn: isOn))
  }

  /// Handles a read-back, after a request or because another program changed the light. Outcomes come in the order of the
  /// requests, so one that does not match the last request belongs to an earlier one.
  mutating func torchObserved(_ isOn: Bool, _ actions: inout [Action]) {
    torch.observed = isOn
    guard torch.wanted == isOn else {
      // Another program turned the light on: it stays while a session may use it, and goes off with the session
      // (behaviour T1).
      if session != .opening && !session.isScanning && session != .finished { turnTorchOff(&actions) }
      return
    }
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
