// The screen as the controller knows it (behaviour C3): told, and never a reason to stop.

import ScanControl
import Testing

@Suite struct ScreenStateTests {
  @Test(arguments: [ScreenState.unavailable, .applicationInBackground, .multipleForegroundApps])
  func `C3: a lost screen is reported once, and so is its return; the session goes on`(state: ScreenState) {
    var talk = Conversation { $0.confirmation = .never }
    talk.tell(.serviceStarted)
    talk.expect([.reportScreen(.available)], on: .screenReported(.available))
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    talk.expect([.reportScreen(state)], on: .screenReported(state))
    talk.expect([], on: .screenReported(state))
    #expect(talk.controller.screen == state && talk.controller.session == .scanning)
    let actions = talk.frame(.ean)
    #expect(actions.contains(.count(.scannedCode)))
    talk.expect([.reportScreen(.available)], on: .screenReported(.available))
  }

  @Test func `a station without a screen reports it as absent`() {
    var talk = Conversation()
    talk.startScanning()
    #expect(talk.controller.screen == .absent)
  }
}
