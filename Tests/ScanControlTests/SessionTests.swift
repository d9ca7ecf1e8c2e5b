// SPEC §1, row by row.

import BarcodeTypes
import ScanControl
import Testing

@Suite struct SessionTests {
  @Test func `S0: a scanner that is switched off opens through no entry point`() {
    var talk = Conversation {
      $0.isEnabled = false
      $0.reopening = .onTrigger
    }
    talk.expect([.setTorch(isOn: false), .showIdleScreen(isSwitchedOff: true)], on: .serviceStarted)
    for entry: Event in [.shortcutPressed, .searchRequested, .triggerPressed, .goPressed, .scannerAppeared] {
      talk.expect([], on: entry)
    }
    #expect(talk.controller.session == .switchedOff)
  }

  @Test func `S0: a host switches the scanner off, which ends the session, and on again`() {
    var talk = Conversation()
    talk.startScanning()
    let ending = talk.tell(.disableRequested)
    #expect(ending.contains(.count(.closed)) && ending.contains(.stopCapture) && ending.contains(.dismissScanner))
    #expect(ending.last == .showIdleScreen(isSwitchedOff: true))
    #expect(talk.controller.session == .switchedOff)
    for event: Event in [.shortcutPressed, .searchRequested, .triggerPressed, .goPressed, .disableRequested] {
      talk.expect([], on: event)
    }
    let opening = talk.tell(.enableRequested)
    #expect(opening.contains(.showIdleScreen(isSwitchedOff: false)) && opening.last == .readPermission)
    talk.expect([], on: .enableRequested)
  }

  @Test func `S0: what the configuration has switched off, no host switches on`() {
    var talk = Conversation { $0.isEnabled = false }
    talk.tell(.serviceStarted)
    talk.expect([], on: .enableRequested)
    #expect(talk.controller.session == .switchedOff)
  }

  @Test func `S0: results under review are given up when a host switches the scanner off`() {
    var talk = Conversation { $0.confirmation = .always }
    talk.startScanning()
    _ = talk.frame(.label)
    let actions = talk.tell(.disableRequested)
    #expect(actions.contains(.dismissReview) && !actions.contains(.count(.closed)))
    #expect(talk.controller.session == .switchedOff)
    talk.expect([], on: .goPressed)
  }

  @Test func `S1: boot opens a session when the service starts, and counts nothing`() {
    var talk = Conversation()
    talk.expect([.setTorch(isOn: false), .showIdleScreen(isSwitchedOff: false), .readPermission], on: .serviceStarted)
  }

  @Test func `S1: a station that is entered by shortcut waits for it, and counts it`() {
    var talk = Conversation { $0.entry = .shortcut }
    talk.expect([.setTorch(isOn: false), .showIdleScreen(isSwitchedOff: false)], on: .serviceStarted)
    talk.expect([.count(.openedByShortcut), .readPermission], on: .shortcutPressed)
  }

  @Test func `S1: search opens a session under its own name`() {
    var talk = Conversation { $0.entry = .search }
    talk.tell(.serviceStarted)
    talk.expect([.count(.openedBySearch), .readPermission], on: .searchRequested)
  }

  @Test func `S1: an entry point pressed while a session is open neither opens nor counts`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([], on: .shortcutPressed)
    talk.expect([], on: .searchRequested)
  }

  @Test func `S2: permission denied shows a dialog and no scanner`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.expect([.showDialog(.permissionDenied)], on: .permissionReported(.denied))
    #expect(talk.controller.camera.state == .permissionDenied)
    #expect(talk.count(.presentScanner) == 0)
    #expect(talk.count(.loadCamera) == 0)
  }

  @Test func `S2: a camera that policy has switched off has its own dialog`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.expect([.showDialog(.permissionRestricted)], on: .permissionReported(.restricted))
  }

  @Test func `S2: permission not determined opens the scanner and shows the error if the check then fails`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.expect([.presentScanner, .requestPermission], on: .permissionReported(.notDetermined))
    talk.expect([], on: .scannerAppeared)
    talk.expect([.showDialog(.permissionDenied)], on: .permissionReported(.denied))
  }

  @Test func `S2: permission not determined opens the scanner and loads the camera once it is granted`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.notDetermined))
    talk.tell(.scannerAppeared)
    talk.expect([.loadCamera], on: .permissionReported(.authorized))
    talk.expect([.readTorchCapability, .startCapture(run: 1)], on: .cameraLoaded)
  }

  @Test func `S2: permission granted opens the scanner while the camera loads`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.expect([.presentScanner, .loadCamera], on: .permissionReported(.authorized))
  }

  @Test func `S3: a camera that has loaded does not record before the scanner is about to be visible`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.expect([.readTorchCapability], on: .cameraLoaded)
    talk.expect([.startCapture(run: 1)], on: .scannerAppeared)
    #expect(talk.controller.session == .opening)
    talk.expect([], on: .captureStarted(run: 1))
    #expect(talk.controller.session == .scanning)
  }

  @Test func `S4: closed without a scan`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([.count(.closed), .stopCapture, .dismissScanner], on: .cancelPressed)
    #expect(talk.controller.session == .idle)
    talk.expect([], on: .cancelPressed)
    talk.expect([], on: .timePassed, after: 60_000)
    #expect(talk.count(.count(.closed)) == 1)
  }

  @Test func `S4: closed from an error dialog`() {
    var talk = Conversation()
    talk.startScanning()
    let dialog = Dialog.failed(CameraFailure(.runtimeError))
    talk.expect([.stopCapture, .showDialog(dialog)], on: .cameraFailed(CameraFailure(.runtimeError)))
    talk.expect([.count(.closedFromError), .dismissDialog, .dismissScanner], on: .cancelPressed)
    #expect(talk.controller.session == .idle)
    #expect(talk.controller.nextDeadline == nil)
    #expect(talk.count(.count(.closed)) == 0)
  }

  @Test func `S4: closed by a scan`() {
    var talk = Conversation { $0.reopening = .after(.milliseconds(1500)) }
    talk.startScanning()
    let actions = talk.frame(.ean)
    #expect(
      actions == [.stopCapture, .count(.scannedCode), .forward(talk.results(.ean)), .flash, .dismissScanner])
    #expect(talk.count(.count(.closed)) == 0)
  }

  @Test func `S5: the idle screen reveals the scanner and covers it again`() {
    var talk = Conversation { $0.entry = .shortcut }
    talk.tell(.serviceStarted)
    #expect(talk.count(.presentScanner) == 0)
    talk.tell(.shortcutPressed)
    talk.expect([.presentScanner, .loadCamera], on: .permissionReported(.authorized))
    talk.reachRecording()
    #expect(talk.tell(.cancelPressed).last == .dismissScanner)
  }

  @Test func `a session reopens after its delay, and nothing is counted`() {
    var talk = Conversation { $0.reopening = .after(.milliseconds(1500)) }
    talk.startScanning()
    _ = talk.frame(.ean)
    #expect(talk.controller.nextDeadline == talk.now.advanced(by: .milliseconds(1500)))
    talk.expect([], on: .timePassed, after: 1499)
    talk.expect([.readPermission], on: .timePassed, after: 1)
    talk.expect([.presentScanner], on: .permissionReported(.authorized))
    talk.expect([.startCapture(run: 2)], on: .scannerAppeared)
  }

  @Test func `a session reopens on the trigger`() {
    var talk = Conversation { $0.reopening = .onTrigger }
    talk.startScanning()
    talk.expect([], on: .triggerPressed)
    _ = talk.frame(.ean)
    talk.expect([], on: .timePassed, after: 3_600_000)
    talk.expect([.readPermission], on: .triggerPressed)
  }

  @Test func `a session reopens on the confirm button where nothing was to be confirmed`() {
    var talk = Conversation { $0.reopening = .onConfirmation }
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.expect([], on: .triggerPressed)
    talk.expect([.readPermission], on: .goPressed)
  }

  @Test func `an entry point need not wait for the reopening policy`() {
    var talk = Conversation { $0.reopening = .onTrigger }
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.expect([.count(.openedByShortcut), .readPermission], on: .shortcutPressed)
  }

  @Test func `cancel while waiting to reopen leaves the station idle`() {
    var talk = Conversation { $0.reopening = .after(.seconds(2)) }
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.expect([], on: .cancelPressed)
    talk.expect([], on: .timePassed, after: 10_000)
    #expect(talk.controller.session == .idle)
  }

  @Test func `the end of the frames ends the service, and no user action is counted`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([.stopCapture, .dismissScanner, .finish], on: .framesEnded(run: 1))
    talk.expect([], on: .framesEnded(run: 1))
    talk.expect([], on: .shortcutPressed)
    for action in UserAction.allCases { #expect(talk.count(.count(action)) == 0) }
  }

  @Test func `a shutdown closes whatever is open, once`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([.stopCapture, .dismissScanner, .finish], on: .shutdownRequested)
    talk.expect([], on: .shutdownRequested)
  }
}
