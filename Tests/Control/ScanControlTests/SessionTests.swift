// Behaviour §1, row by row.

import BarcodeTypes
import ScanControl
import Testing

@Suite struct SessionTests {
  @Test func `S0: no entry point opens a scanner that is switched off`() {
    var talk = Conversation {
      $0.isEnabled = false
      $0.reopening = .onTrigger
    }
    talk.expect([.setTorch(isOn: false), .reportSwitchedOff], on: .serviceStarted)
    for entry: Event in [.shortcutPressed, .searchRequested, .triggerPressed, .goPressed, .scannerAppeared] {
      talk.expect([], on: entry)
    }
    #expect(talk.controller.session == .switchedOff)
  }

  @Test func `S0: a host can switch the scanner off, which ends the session, and on again`() {
    var talk = Conversation()
    talk.startScanning()
    let ending = talk.tell(.disableRequested)
    #expect(ending.contains(.stopCapture) && talk.controller.visibility == .hidden)
    for action in UserAction.allCases { #expect(!ending.contains(.count(action)), "no user closed the session") }
    #expect(ending.last == .reportSwitchedOff)
    #expect(talk.controller.session == .switchedOff)
    for event: Event in [.shortcutPressed, .searchRequested, .triggerPressed, .goPressed, .disableRequested] {
      talk.expect([], on: event)
    }
    let opening = talk.tell(.enableRequested)
    #expect(opening.last == .readPermission)
    talk.expect([], on: .enableRequested)
  }

  @Test func `S0, C3: a paused station is in the background until it resumes`() {
    var talk = Conversation()
    talk.startScanning()
    talk.tell(.disableRequested)
    #expect(talk.controller.isPaused && talk.controller.camera.state == .applicationInBackground)
    // Events of the camera and the screen in the meantime do not end it.
    for event: Event in [
      .screenReported(.multipleForegroundApps), .screenReported(.available), .cameraArrived,
    ] {
      #expect(!talk.tell(event).contains(.startCapture(run: 2)))
      #expect(talk.controller.session == .switchedOff && talk.controller.camera.state != .available)
    }
    let opening = talk.tell(.enableRequested)
    #expect(!talk.controller.isPaused && talk.controller.camera.state == .available)
    #expect(opening.last == .readPermission)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
  }

  @Test func `S0, C3: a station that pauses while its camera loads stays paused when it has loaded`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.disableRequested)
    talk.tell(.cameraLoaded)
    #expect(talk.controller.camera.state == .applicationInBackground)
    talk.tell(.enableRequested)
    #expect(talk.controller.camera.state == .available)
  }

  @Test func `S0: a paused station stays paused when its configuration is read again`() {
    var talk = Conversation()
    talk.startScanning()
    talk.tell(.disableRequested)
    talk.reload()
    talk.expect([.setTorch(isOn: false), .reportSwitchedOff], on: .serviceStarted)
    #expect(talk.tell(.enableRequested).last == .readPermission)
  }

  @Test func `S0: a host cannot switch on a scanner that the configuration switches off`() {
    var talk = Conversation { $0.isEnabled = false }
    talk.tell(.serviceStarted)
    talk.expect([], on: .enableRequested)
    #expect(talk.controller.session == .switchedOff)
  }

  @Test func `S0: switching the scanner off discards results under review`() {
    var talk = Conversation { $0.confirmation = .always }
    talk.startScanning()
    _ = talk.frame(.label)
    let actions = talk.tell(.disableRequested)
    #expect(!actions.contains(.count(.closed)))
    #expect(actions.contains(.discard(talk.results(.label), .stopped)))
    #expect(talk.controller.session == .switchedOff)
    talk.expect([], on: .goPressed)
  }

  @Test(arguments: [(EntryPoint.shortcut, Event.shortcutPressed), (.search, .searchRequested)])
  func `S1: each entry point can be switched off separately, and then opens nothing and counts nothing`(
    entry: EntryPoint, event: Event
  ) {
    for entries in [EntryPoints.all, EntryPoints(EntryPoint.allCases.filter { $0 != entry })] {
      var talk = Conversation {
        $0.entry = entry == .search ? .shortcut : .search
        $0.entries = entries
      }
      talk.tell(.serviceStarted)
      #expect(talk.tell(event).isEmpty != entries.contains(entry))
      talk.tell(.triggerPulsed)
      #expect(talk.controller.session == .checkingPermission)
    }
  }

  @Test func `S1: with entry at boot, the service start opens a session and counts nothing`() {
    var talk = Conversation()
    talk.expect([.setTorch(isOn: false), .readPermission], on: .serviceStarted)
  }

  @Test func `S1: with entry by shortcut, the station waits for the shortcut and counts it`() {
    var talk = Conversation { $0.entry = .shortcut }
    talk.expect([.setTorch(isOn: false)], on: .serviceStarted)
    talk.expect([.count(.openedByShortcut), .readPermission], on: .shortcutPressed)
  }

  @Test func `S1: a session opened by search is counted as search`() {
    var talk = Conversation { $0.entry = .search }
    talk.tell(.serviceStarted)
    talk.expect([.count(.openedBySearch), .readPermission], on: .searchRequested)
  }

  @Test func `S1: an entry point used during a session neither opens nor counts anything`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([], on: .shortcutPressed)
    talk.expect([], on: .searchRequested)
  }

  @Test func `S2: denied permission shows a dialog and no scanner`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.expect([.showDialog(.permissionDenied)], on: .permissionReported(.denied))
    #expect(talk.controller.camera.state == .permissionDenied)
    #expect(talk.count(.presentScanner) == 0)
    #expect(talk.count(.loadCamera) == 0)
  }

  @Test func `S2: a camera disabled by policy has its own dialog`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.expect([.showDialog(.permissionRestricted)], on: .permissionReported(.restricted))
  }

  @Test func `S2: undetermined permission opens the scanner and shows an error if the check then fails`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.expect([.presentScanner, .requestPermission], on: .permissionReported(.notDetermined))
    talk.expect([], on: .scannerAppeared)
    talk.expect([.showDialog(.permissionDenied)], on: .permissionReported(.denied))
  }

  @Test func `S2: undetermined permission opens the scanner and loads the camera once it is granted`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.notDetermined))
    talk.tell(.scannerAppeared)
    talk.expect([.loadCamera], on: .permissionReported(.authorized))
    talk.expect([.readTorchCapability, .startCapture(run: 1)], on: .cameraLoaded)
  }

  @Test func `S2: granted permission opens the scanner while the camera loads`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.expect([.presentScanner, .loadCamera], on: .permissionReported(.authorized))
  }

  @Test func `S3: a loaded camera does not record before the scanner is about to be visible`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.expect([.readTorchCapability], on: .cameraLoaded)
    talk.expect([.startCapture(run: 1)], on: .scannerAppeared)
    #expect(talk.controller.session == .opening)
    talk.expect([], on: .captureStarted(run: 1))
    #expect(talk.controller.session.isScanning)
  }

  @Test func `S3, S6: the wait for the screen to report that the scanner appears has a limit`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.cameraLoaded)
    talk.expect([], on: .timePassed, after: 2_999)
    talk.expect([.startCapture(run: 1)], on: .timePassed, after: 1)
    talk.expect([], on: .scannerAppeared)
  }

  @Test func `S4: Cancel closes the session without a scan, and counts that once`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([.count(.closed), .stopCapture], on: .cancelPressed)
    talk.expect([], on: .cancelPressed)
    talk.expect([], on: .timePassed, after: 5_000)
    #expect(talk.count(.count(.closed)) == 1)
  }

  @Test func `S4: Cancel in an error dialog closes the session, and counts as closed from an error`() {
    var talk = Conversation()
    talk.startScanning()
    let dialog = Dialog.failed(CameraFailure(.runtimeError))
    talk.expect([.stopCapture, .showDialog(dialog)], on: .cameraFailed(CameraFailure(.runtimeError)))
    talk.expect([.count(.closedFromError), .dismissDialog], on: .cancelPressed)
    #expect(talk.controller.camera.retryAt == nil)
    #expect(talk.count(.count(.closed)) == 0)
  }

  @Test func `S4: a scan closes the session, and does not count as closed`() {
    var talk = Conversation { $0.reopening = .after(.milliseconds(1500)) }
    talk.startScanning()
    let actions = talk.frame(.ean)
    #expect(
      actions == [
        .stopCapture, .count(.scannedCode), .forward(talk.results(.ean)), .showScan(talk.results(.ean), flashes: true),
      ])
    #expect(talk.count(.count(.closed)) == 0)
  }

  @Test func `S5: the idle screen reveals the scanner and covers it again`() {
    var talk = Conversation { $0.entry = .shortcut }
    talk.tell(.serviceStarted)
    #expect(talk.count(.presentScanner) == 0)
    talk.tell(.shortcutPressed)
    talk.expect([.presentScanner, .loadCamera], on: .permissionReported(.authorized))
    talk.reachRecording()
    talk.tell(.cancelPressed)
    #expect(talk.controller.visibility == .hidden)
  }

  @Test func `a session reopens after its delay without being counted`() {
    var talk = Conversation { $0.reopening = .after(.milliseconds(1500)) }
    talk.startScanning()
    _ = talk.frame(.ean)
    #expect(talk.controller.nextDeadline == talk.now.advanced(by: .milliseconds(1500)))
    talk.expect([], on: .timePassed, after: 1499)
    talk.expect([.readPermission], on: .timePassed, after: 1)
    talk.expect([.presentScanner], on: .permissionReported(.authorized))
    talk.expect([.startCapture(run: 2)], on: .scannerAppeared)
  }

  @Test func `with reopening on trigger, only the trigger reopens a session`() {
    var talk = Conversation { $0.reopening = .onTrigger }
    talk.startScanning()
    talk.expect([], on: .triggerPressed)
    _ = talk.frame(.ean)
    talk.expect([], on: .timePassed, after: 3_600_000)
    talk.expect([.readPermission], on: .triggerPressed)
  }

  @Test func `the confirm button reopens a session when there is nothing to confirm`() {
    var talk = Conversation { $0.reopening = .onConfirmation }
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.expect([], on: .timePassed, after: 3_600_000)
    talk.expect([.readPermission], on: .goPressed)
  }

  @Test func `an entry point opens a session without waiting for the reopening policy`() {
    var talk = Conversation { $0.reopening = .onTrigger }
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.expect([.count(.openedByShortcut), .readPermission], on: .shortcutPressed)
  }

  @Test
  func `S6: a session that the user closed is followed by the next one after a pause, or at once on request`() {
    var talk = Conversation { $0.reopening = .after(.seconds(2)) }
    talk.startScanning()
    talk.tell(.cancelPressed)
    talk.expect([], on: .timePassed, after: 9_999)
    talk.expect([.readPermission], on: .timePassed, after: 1)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    _ = talk.frame(.ean)
    talk.expect([], on: .cancelPressed, after: 1_000)
    talk.expect([], on: .timePassed, after: 9_999)
    talk.expect([.readPermission], on: .goPressed)
  }

  @Test func `S6: unconfirmed results make room for the next session, and are counted`() {
    var talk = Conversation { $0.confirmation = .always }
    talk.startScanning()
    _ = talk.frame(.ean, .label)
    let results = talk.results(.ean, .label)
    #expect(talk.tell(.resultChosen(1), after: 59_000).count == 1)
    talk.expect([], on: .timePassed, after: 59_999)
    talk.expect(
      [.discard(results, .timedOut), .readPermission], on: .timePassed, after: 1)
  }

  @Test func `the end of the frames ends the service and counts no user action`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([.stopCapture, .finish], on: .framesEnded(run: 1))
    talk.expect([], on: .framesEnded(run: 1))
    talk.expect([], on: .shortcutPressed)
    for action in UserAction.allCases { #expect(talk.count(.count(action)) == 0) }
  }

  @Test func `a shutdown closes an open session or dialog, once`() {
    var talk = Conversation()
    talk.startScanning()
    talk.expect([.stopCapture, .finish], on: .shutdownRequested)
    talk.expect([], on: .shutdownRequested)
  }
}
