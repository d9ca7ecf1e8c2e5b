// The controller's view of the screen (behaviour C3): losing it is reported, and stops scanning only if the operator has
// configured that.

import ScanControl
import Testing

@Suite struct ScreenStateTests {
  @Test(arguments: [
    (ScreenState.multipleForegroundApps, Interruption.multipleForegroundApps, CameraState.multipleForegroundApps),
    (.applicationInBackground, .applicationInBackground, .applicationInBackground),
  ])
  func `C3: with without_screen: pause, a lost screen interrupts the session until it is back`(
    state: ScreenState, interruption: Interruption, cameraState: CameraState
  ) {
    var talk = Conversation { $0.pausesWithoutScreen = true }
    talk.startScanning()
    talk.tell(.screenReported(.available))
    talk.expect(
      [.reportScreen(state), .stopCapture, .showDialog(.interrupted(interruption))], on: .screenReported(state))
    #expect(talk.controller.camera.state == cameraState)
    // A temporary camera fault does not end it.
    talk.tell(.cameraFailed(CameraFailure(.disconnected)))
    talk.tell(.timePassed, after: 500)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.cameraLoaded)
    #expect(talk.controller.camera.state == cameraState && talk.controller.camera.capture == .stopped)
    #expect(talk.tell(.screenReported(.available)).contains(.dismissDialog))
    #expect(talk.controller.camera.state == .available && talk.controller.camera.capture == .starting)
  }

  @Test func `C3: with without_screen: pause, the station waits for a screen that another program holds from the start`() {
    var talk = Conversation { $0.pausesWithoutScreen = true }
    talk.tell(.serviceStarted)
    talk.expect([.reportScreen(.multipleForegroundApps)], on: .screenReported(.multipleForegroundApps))
    talk.tell(.permissionReported(.authorized))
    talk.tell(.scannerAppeared)
    talk.expect([.readTorchCapability, .showDialog(.interrupted(.multipleForegroundApps))], on: .cameraLoaded)
    talk.expect(
      [.reportScreen(.available), .dismissDialog, .startCapture(run: 1)], on: .screenReported(.available))
  }

  @Test(arguments: [ScreenState.multipleForegroundApps, .applicationInBackground])
  func `C3, V3: recording ends when another program takes the screen, and starts again only when the screen is open`(
    state: ScreenState
  ) {
    var talk = Conversation { $0.pausesWithoutScreen = true }
    talk.startScanning()
    talk.tell(.screenReported(.available))
    let begun = talk.allActions.count
    talk.tell(.screenReported(state))
    talk.tell(.screenReported(.available))
    talk.tell(.captureStarted(run: 2))
    #expect(
      Array(talk.allActions[begun...]) == [
        .reportScreen(state), .stopCapture,
        .showDialog(.interrupted(state == .multipleForegroundApps ? .multipleForegroundApps : .applicationInBackground)),
        .reportScreen(.available), .dismissDialog, .startCapture(run: 2),
      ])
  }

  @Test(arguments: [ScreenState.unavailable, .applicationInBackground, .multipleForegroundApps])
  func `C3: a lost screen is reported once, and so is its return; the session goes on`(state: ScreenState) {
    var talk = Conversation { $0.confirmation = .never }
    talk.tell(.serviceStarted)
    talk.expect([.reportScreen(.available)], on: .screenReported(.available))
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    talk.expect([.reportScreen(state)], on: .screenReported(state))
    talk.expect([], on: .screenReported(state))
    #expect(talk.controller.screen == state && talk.controller.session.isScanning)
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
