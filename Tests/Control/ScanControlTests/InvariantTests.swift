// Invariants of every conversation, with reproducible random events.

import BarcodeTypes
import ScanControl
import Testing

@Suite struct InvariantTests {
  /// xorshift64*, seeded.
  private struct Dice {
    var state: UInt64
    mutating func roll(_ sides: Int) -> Int {
      state ^= state >> 12
      state ^= state << 25
      state ^= state >> 27
      return Int((state &* 2_685_821_657_736_338_717) >> 33) % sides
    }
  }

  @Test(arguments: 1...40)
  func `after any events, captures pair up, a session ends once, and no session means no torch`(seed: Int) {
    var dice = Dice(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
    var talk = Conversation {
      $0.reopening = [.after(.zero), .after(.seconds(1)), .onConfirmation, .onTrigger][dice.roll(4)]
      $0.confirmation = [.never, .alphanumeric, .always][dice.roll(3)]
      $0.isSpoken = dice.roll(2) == 0
      $0.pausesWithoutScreen = dice.roll(3) == 0
      $0.trigger =
        [
          .continuous, .continuous, .presentation, .level(limit: .seconds(1)), .edge(limit: .seconds(1)),
          .timed(.seconds(1)),
        ][dice.roll(6)]
      $0.torch = [.manual, .on, .automatic][dice.roll(3)]
      if dice.roll(2) == 0 { $0.retail = RetailSettings(mode: RetailSettings.Mode.allCases[dice.roll(3)]) }
    }
    talk.tell(.serviceStarted)
    var captures = 0
    for _ in 0..<2_000 {
      let before = talk.controller
      let actions = talk.tell(randomEvent(&dice, &talk), after: dice.roll(400))
      for action in actions {
        if case .startCapture = action { captures += 1 }
        if action == .stopCapture { captures -= 1 }
        #expect(captures == 0 || captures == 1)
      }
      let endings = actions.count {
        $0 == .count(.closed) || $0 == .count(.closedFromError) || $0 == .count(.scannedCode)
      }
      #expect(endings <= 1)
      if endings == 1 { #expect(isOpen(before.session)) }
      #expect((captures == 1) == (talk.controller.camera.capture != .stopped))
      if !isOpen(talk.controller.session) { #expect(talk.controller.torch.wanted != true) }
      if talk.controller.session == .switchedOff { #expect(captures == 0) }
      if talk.controller.session.isScanning { #expect(talk.controller.camera.state == .available) }
    }
  }

  @Test func `equal conversations produce equal controllers`() {
    var first = Conversation()
    var second = Conversation()
    first.startScanning()
    second.startScanning()
    #expect(first.frame(.ean, .label) == second.frame(.ean, .label))
    #expect(first.controller == second.controller)
  }

  private func isOpen(_ session: SessionState) -> Bool {
    switch session {
    case .checkingPermission, .opening, .scanning, .failed: true
    case .switchedOff, .idle, .announcing, .reviewing, .waiting, .finished: false
    }
  }

  private func randomEvent(_ dice: inout Dice, _ talk: inout Conversation) -> Event {
    let codes: [ScannedCode] = [
      .ean, .otherEAN, .label, .link, ScannedCode(.itf, "0123"), ScannedCode(.qr, ""), .package, .matrix,
    ]
    switch dice.roll(38) {
    case 0: return .shortcutPressed
    case 1: return .searchRequested
    case 2: return .triggerPressed
    case 3: return .goPressed
    case 4: return .resultChosen(dice.roll(4) - 1)
    case 5: return .cancelPressed
    case 6: return .torchPressed
    case 7, 8, 9: return .scannerAppeared
    case 10: return .announcementFinished
    case 11, 12: return .permissionReported([.authorized, .authorized, .denied, .notDetermined, .restricted][dice.roll(5)])
    case 13, 14: return .cameraLoaded
    case 15: return .cameraFailed(CameraFailure([.disconnected, .silent][dice.roll(2)]))
    case 16: return .cameraInUse
    case 17: return .cameraArrived
    case 18, 19: return .captureStarted(run: talk.controller.camera.run)
    case 20: return .torchCapabilityReported([.full, .none][dice.roll(2)])
    case 21: return [.torchObserved(isOn: false), .torchObserved(isOn: true), .torchRefused(isOn: false)][dice.roll(3)]
    case 22: return .timePassed
    case 23: return .triggerReleased
    case 24: return .sceneMeasured(brightness: UInt8([0, 30, 120, 250][dice.roll(4)]))
    case 25: return .lightWished(isOn: dice.roll(2) == 0)
    case 26: return .disableRequested
    case 27, 28: return .enableRequested
    case 29: return .triggerPulsed
    case 31, 32: return .torchRequested(isOn: dice.roll(2) == 0)
    case 30: return .screenReported(ScreenState.allCases[dice.roll(ScreenState.allCases.count)])
    default: return .frameDecoded(talk.report((0..<dice.roll(3)).map { _ in codes[dice.roll(codes.count)] }))
    }
  }
}
