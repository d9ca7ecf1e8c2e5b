// Behaviour §2, the controller's part.

import BarcodeTypes
import ScanControl
import Testing

@Suite struct CameraTests {
  @Test(arguments: [CameraFault.noCameraMatches, .cannotBeOpened, .streamsCannotBeConfigured, .noLumaStream])
  func `C1: a camera that fails to load is unavailable, and a dialog names the cause`(fault: CameraFault) {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.scannerAppeared)
    let failure = CameraFailure(fault, detail: "what the device said")
    talk.expect([.showDialog(.failed(failure))], on: .cameraFailed(failure))
    #expect(talk.controller.camera.state == .unavailable)
  }

  @Test func `C2: the camera is available once loading reports it; earlier interruptions are ignored`() {
    var talk = Conversation { $0.pausesWithoutScreen = true }
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    #expect(talk.controller.camera.state == .notLoaded)
    talk.expect([.reportScreen(.multipleForegroundApps)], on: .screenReported(.multipleForegroundApps))
    #expect(talk.controller.camera.state == .notLoaded)
    talk.expect([.reportScreen(.available)], on: .screenReported(.available))
    talk.expect([.readTorchCapability], on: .cameraLoaded)
    #expect(talk.controller.camera.state == .available)
    talk.expect([], on: .cameraLoaded)
  }

  @Test(arguments: [
    (ScreenState.applicationInBackground, Interruption.applicationInBackground, CameraState.applicationInBackground),
    (.multipleForegroundApps, .multipleForegroundApps, .multipleForegroundApps),
  ])
  func `C3: each interruption has its own state and dialog; when it ends, the camera is available again`(
    screen: ScreenState, interruption: Interruption, state: CameraState
  ) {
    var talk = Conversation { $0.pausesWithoutScreen = true }
    talk.startScanning()
    talk.expect(
      [.reportScreen(screen), .stopCapture, .showDialog(.interrupted(interruption))], on: .screenReported(screen))
    #expect(talk.controller.camera.state == state)
    #expect(talk.controller.nextDeadline == nil)
    talk.expect(
      [.reportScreen(.available), .dismissDialog, .startCapture(run: 2)], on: .screenReported(.available))
    #expect(talk.controller.camera.state == .available)
  }

  @Test(arguments: [CameraFault.runtimeError, .disconnected, .silent])
  func `C3, C4: a runtime error, an unplugged camera and a silent one mean unavailable`(fault: CameraFault) {
    var talk = Conversation()
    talk.startScanning()
    talk.expect(
      [.stopCapture, .showDialog(.failed(CameraFailure(fault)))], on: .cameraFailed(CameraFailure(fault)))
    #expect(talk.controller.camera.state == .unavailable)
  }

  @Test func `C3: a camera that is in use while it loads is retried`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.expect([.showDialog(.interrupted(.inUseByAnotherApplication))], on: .cameraInUse)
    #expect(talk.controller.camera.state == .inUseByAnotherApplication)
    talk.expect([.readPermission], on: .timePassed, after: 500)
    talk.expect([.loadCamera], on: .permissionReported(.authorized))
    talk.expect([.readTorchCapability, .startCapture(run: 1)], on: .cameraLoaded)
  }

  @Test func `C3: a camera that another program holds when it is to start is loaded again after a wait`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.scannerAppeared)
    talk.tell(.cameraLoaded)
    talk.expect([.stopCapture, .showDialog(.interrupted(.inUseByAnotherApplication))], on: .cameraInUse)
    talk.expect([.readPermission], on: .timePassed, after: 500)
    talk.expect([.loadCamera], on: .permissionReported(.authorized))
  }

  @Test func `C3: a fault between sessions shows no dialog until the next session opens`() {
    var talk = Conversation {
      $0.reopening = .onTrigger
      $0.pausesWithoutScreen = true
    }
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.expect([.reportScreen(.applicationInBackground)], on: .screenReported(.applicationInBackground))
    talk.tell(.triggerPressed)
    talk.expect(
      [.presentScanner, .showDialog(.interrupted(.applicationInBackground))], on: .permissionReported(.authorized))
  }

  @Test func `C5: a camera that is plugged in during a wait is tried at once, and the waits are short again`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([], on: .cameraArrived)
    talk.tell(.cameraFailed(CameraFailure(.disconnected)))
    for wait in [500, 1000, 2000, 4000, 8000, 16_000] {
      talk.tell(.timePassed, after: wait)
      talk.tell(.permissionReported(.authorized))
      talk.tell(.cameraFailed(CameraFailure(.noCameraMatches)))
    }
    talk.expect([.readPermission], on: .cameraArrived)
    talk.tell(.permissionReported(.authorized))
    // Only one of its devices is there yet.
    talk.tell(.cameraFailed(CameraFailure(.noCameraMatches)))
    #expect(talk.controller.camera.retryAt == talk.now.advanced(by: .milliseconds(500)))
    talk.tell(.cancelPressed)
    talk.expect([], on: .cameraArrived)
  }

  @Test func `C5: camera retries back off up to 30 s, and success closes the dialog`() {
    var talk = Conversation()
    talk.startScanning()
    let failure = CameraFailure(.disconnected)
    talk.expect([.stopCapture, .showDialog(.failed(failure))], on: .cameraFailed(failure))
    for wait in [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000] {
      #expect(talk.controller.nextDeadline == talk.now.advanced(by: .milliseconds(wait)))
      talk.expect([], on: .timePassed, after: wait - 1)
      talk.expect([.readPermission], on: .timePassed, after: 1)
      talk.expect([.loadCamera], on: .permissionReported(.authorized))
      talk.expect([], on: .cameraFailed(failure))
    }
    talk.tell(.timePassed, after: 30_000)
    talk.tell(.permissionReported(.authorized))
    talk.expect([.readTorchCapability, .startCapture(run: 2)], on: .cameraLoaded)
    talk.expect([], on: .captureStarted(run: 2))
    #expect(talk.controller.nextDeadline == nil)
    #expect(talk.frame() == [.dismissDialog])
    #expect(talk.controller.session.isScanning && talk.controller.camera.state == .available)
    // From here on, the wait is short again.
    talk.tell(.cameraFailed(failure))
    #expect(talk.controller.nextDeadline == talk.now.advanced(by: .milliseconds(500)))
  }

  @Test(arguments: [false, true])
  func `C5: a camera that loads and then fails keeps its dialog, and is tried less and less often`(isStarting: Bool) {
    var talk = Conversation()
    talk.startScanning()
    let failure = CameraFailure(.runtimeError)
    talk.tell(.cameraFailed(failure))
    for wait in [500, 1000, 2000, 4000] {
      talk.expect([.readPermission], on: .timePassed, after: wait)
      talk.expect([.loadCamera], on: .permissionReported(.authorized))
      let run = talk.controller.camera.run + 1
      talk.expect([.readTorchCapability, .startCapture(run: run)], on: .cameraLoaded)
      if !isStarting { talk.expect([], on: .captureStarted(run: run)) }
      talk.expect([.stopCapture], on: .cameraFailed(failure))
      #expect(talk.controller.session == .failed(.failed(failure)))
    }
    // A frame that was on its way at the time of the failure proves nothing.
    #expect(talk.frame() == [])
  }

  @Test func `C5: permission granted while the dialog is shown opens the scanner`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.denied))
    talk.expect([.readPermission], on: .timePassed, after: 500)
    talk.expect([], on: .permissionReported(.denied))
    talk.expect([.readPermission], on: .timePassed, after: 1000)
    talk.expect([.loadCamera], on: .permissionReported(.authorized))
    talk.expect([.readTorchCapability, .startCapture(run: 1)], on: .cameraLoaded)
    talk.expect([], on: .captureStarted(run: 1))
    #expect(talk.frame() == [.dismissDialog, .presentScanner])
    talk.expect([], on: .scannerAppeared)
  }

  @Test func `withdrawing permission while the camera records stops capture`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([], on: .permissionReported(.notDetermined))
    talk.expect([.stopCapture, .showDialog(.permissionRestricted)], on: .permissionReported(.restricted))
  }

  @Test func `C6: Cancel in any dialog ends the session`() {
    let troubles: [Event] = [
      .permissionReported(.denied), .permissionReported(.restricted), .cameraFailed(CameraFailure(.noCameraMatches)),
    ]
    for trouble in troubles {
      var talk = Conversation()
      talk.tell(.serviceStarted)
      if case .cameraFailed = trouble { talk.tell(.permissionReported(.authorized)) }
      talk.tell(trouble)
      #expect(Array(talk.tell(.cancelPressed).prefix(2)) == [.count(.closedFromError), .dismissDialog])
      #expect(talk.controller.session == .waiting(.closed(until: talk.now.advanced(by: ScanController.closedPause))))
    }
  }

  @Test func `C7: codes from an earlier capture run are discarded`() {
    var talk = Conversation { $0.reopening = .after(.milliseconds(100)) }
    talk.startScanning()
    _ = talk.frame(.ean)
    let late = talk.report([.label])
    talk.expect([.countSuppressed(.late, 1)], on: .frameDecoded(late))
    talk.tell(.timePassed, after: 100)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    talk.expect([.countSuppressed(.late, 1)], on: .frameDecoded(talk.report([.label], run: 1)))
    #expect(talk.frame(.label).contains(.forward(talk.results(.label))))
  }

  @Test func `the late outcome of an abandoned capture run changes nothing`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.cameraLoaded)
    talk.expect([.startCapture(run: 1)], on: .scannerAppeared)
    talk.expect([.count(.closed), .stopCapture], on: .cancelPressed)
    let closed = talk.controller.session
    talk.expect([], on: .captureStarted(run: 1))
    #expect(talk.controller.session == closed)
  }
}
