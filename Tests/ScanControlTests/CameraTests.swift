// SPEC §2, as far as the controller decides it.

import BarcodeTypes
import ScanControl
import Testing

@Suite struct CameraTests {
  @Test(arguments: [
    CameraFault.noCameraMatches, .cannotBeOpened, .streamsCannotBeConfigured, .noLumaStream, .symbologyNotSupported(.aztec),
  ])
  func `C1: loading fails into unavailable, with a dialog that says the cause`(fault: CameraFault) {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.scannerAppeared)
    let failure = CameraFailure(fault, detail: "what the device said")
    talk.expect([.showDialog(.failed(failure))], on: .cameraFailed(failure))
    #expect(talk.controller.camera.state == .unavailable)
  }

  @Test func `C2: the camera is available when loading reports it, and interruptions are listened to only then`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    #expect(talk.controller.camera.state == .notLoaded)
    talk.expect([], on: .cameraInterrupted(.applicationInBackground))
    #expect(talk.controller.camera.state == .notLoaded)
    talk.expect([.readTorchCapability], on: .cameraLoaded)
    #expect(talk.controller.camera.state == .available)
    talk.expect([], on: .cameraLoaded)
  }

  @Test(arguments: [
    (Interruption.applicationInBackground, CameraState.applicationInBackground),
    (.inUseByAnotherApplication, .inUseByAnotherApplication),
    (.multipleForegroundApps, .multipleForegroundApps),
  ])
  func `C3: an interruption has its state and dialog, and its end makes the camera available`(
    interruption: Interruption, state: CameraState
  ) {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([.stopCapture, .showDialog(.interrupted(interruption))], on: .cameraInterrupted(interruption))
    #expect(talk.controller.camera.state == state)
    #expect(talk.controller.nextDeadline == nil)
    talk.expect([.dismissDialog, .startCapture(run: 2)], on: .interruptionEnded)
    #expect(talk.controller.camera.state == .available)
  }

  @Test(arguments: [CameraFault.runtimeError, .disconnected, .silent])
  func `C3, C4: a runtime error, a camera unplugged and a silent camera are unavailable`(fault: CameraFault) {
    var talk = Conversation()
    talk.startScanning()
    talk.expect(
      [.stopCapture, .showDialog(.failed(CameraFailure(fault)))], on: .cameraFailed(CameraFailure(fault)))
    #expect(talk.controller.camera.state == .unavailable)
  }

  @Test func `C3: a camera found in use while it loads is tried again`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.expect(
      [.showDialog(.interrupted(.inUseByAnotherApplication))], on: .cameraInterrupted(.inUseByAnotherApplication))
    #expect(talk.controller.camera.state == .inUseByAnotherApplication)
    talk.expect([.readPermission], on: .timePassed, after: 500)
    talk.expect([.loadCamera], on: .permissionReported(.authorized))
    talk.expect([.readTorchCapability, .dismissDialog], on: .cameraLoaded)
  }

  @Test func `C3: trouble between sessions shows no dialog; the next session finds out`() {
    var talk = Conversation { $0.reopening = .onTrigger }
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.expect([], on: .cameraInterrupted(.applicationInBackground))
    talk.tell(.triggerPressed)
    talk.expect(
      [.presentScanner, .showDialog(.interrupted(.applicationInBackground))], on: .permissionReported(.authorized))
  }

  @Test func `C5: the camera is tried again with longer and longer waits, and its dialog goes away by itself`() {
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
    talk.expect([.readTorchCapability, .dismissDialog, .startCapture(run: 2)], on: .cameraLoaded)
    #expect(talk.controller.nextDeadline == nil)
  }

  @Test func `C5: permission granted while its dialog is up opens the scanner`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.denied))
    talk.expect([.readPermission], on: .timePassed, after: 500)
    talk.expect([], on: .permissionReported(.denied))
    talk.expect([.readPermission], on: .timePassed, after: 1000)
    talk.expect([.loadCamera], on: .permissionReported(.authorized))
    talk.expect([.readTorchCapability, .dismissDialog, .presentScanner], on: .cameraLoaded)
    talk.expect([.startCapture(run: 1)], on: .scannerAppeared)
  }

  @Test func `permission that is taken away while the camera records stops it`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([], on: .permissionReported(.notDetermined))
    talk.expect([.stopCapture, .showDialog(.permissionRestricted)], on: .permissionReported(.restricted))
  }

  @Test func `C6: cancel in any dialog ends the session`() {
    let troubles: [Event] = [
      .permissionReported(.denied), .permissionReported(.restricted), .cameraFailed(CameraFailure(.noCameraMatches)),
    ]
    for trouble in troubles {
      var talk = Conversation()
      talk.tell(.serviceStarted)
      if case .cameraFailed = trouble { talk.tell(.permissionReported(.authorized)) }
      talk.tell(trouble)
      #expect(Array(talk.tell(.cancelPressed).prefix(2)) == [.count(.closedFromError), .dismissDialog])
      #expect(talk.controller.session == .idle)
    }
  }

  @Test func `C7: codes of an earlier capture run are discarded`() {
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

  @Test func `an outcome of a capture run that was given up changes nothing`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.cameraLoaded)
    talk.expect([.startCapture(run: 1)], on: .scannerAppeared)
    talk.expect([.count(.closed), .stopCapture, .dismissScanner], on: .cancelPressed)
    talk.expect([], on: .captureStarted(run: 1))
    #expect(talk.controller.session == .idle)
  }
}
