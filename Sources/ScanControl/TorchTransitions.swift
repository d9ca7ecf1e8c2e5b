// The torch: asked for asynchronously, shown as observed, off whenever nobody needs it (behaviour §3).

extension ScanController {
  /// Asks for darkness unless it is certain already (behaviour T1).
  mutating func turnTorchOff(_ actions: inout [Action]) {
    torch.isUserWaitingForLight = false
    torch.isInUsersHands = false
    torch.changeWantedSince = nil
    guard !torch.isSurelyOff, torch.wanted != false else { return }
    torch.wanted = false
    actions.append(.setTorch(isOn: false))
  }

  /// The user wants the torch so; without effect while its control is disabled (behaviour T5) or no session is open.
  mutating func torchRequested(isOn: Bool, _ actions: inout [Action]) {
    guard isTorchEnabled, session == .opening || session == .scanning else { return }
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

  /// Where the torch is to be on while a session records, it is lit once both are there: the session and the torch.
  mutating func lightScene(_ actions: inout [Action]) {
    guard settings.torch == .on, session == .scanning, isTorchEnabled, !torch.isInUsersHands else { return }
    guard !(torch.wanted ?? torch.isOn) else { return }
    torch.wanted = true
    actions.append(.setTorch(isOn: true))
  }

  /// Lights a scene that has been dark for a while, and puts the torch out where the lit scene has been too bright
  /// (behaviour T6).
  mutating func sceneMeasured(_ brightness: UInt8, _ now: Instant, _ actions: inout [Action]) {
    guard settings.torch == .automatic, session == .scanning, isTorchEnabled, !torch.isInUsersHands, torch.wanted == nil
    else { return }
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

  /// A read-back, after a request or because somebody else has changed the light. Outcomes come in the order of the requests,
  /// so one that does not match the last request belongs to an earlier one.
  mutating func torchObserved(_ isOn: Bool, _ actions: inout [Action]) {
    torch.observed = isOn
    guard torch.wanted == isOn else {
      // Another program's light: it stays while a session may use it, and goes with the session (behaviour T1).
      if session != .opening && session != .scanning && session != .finished { turnTorchOff(&actions) }
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
