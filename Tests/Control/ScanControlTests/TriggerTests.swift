// Trigger modes (behaviour §9), and the report of a trigger without a result.

import BarcodeTypes
import ScanControl
import Testing

@Suite struct TriggerTests {
  /// A station that waits for its trigger with a loaded camera.
  private func waiting(_ mode: TriggerMode, _ change: (inout ScanSettings) -> Void = { _ in }) -> Conversation {
    var talk = Conversation {
      $0.trigger = mode
      change(&$0)
    }
    talk.expect([.setTorch(isOn: false)], on: .serviceStarted)
    talk.tell(.torchObserved(isOn: false))
    return talk
  }

  private func pull(_ talk: inout Conversation) {
    #expect(talk.tell(.triggerPressed).contains(.readPermission))
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
  }

  @Test func `level: the session lasts while the trigger is held; a release without a scan is a no-read`() {
    var talk = waiting(.level(limit: .seconds(2)))
    pull(&talk)
    #expect(talk.controller.nextDeadline == nil)
    talk.expect([.count(.closed), .reportNoRead(.noSymbol), .stopCapture], on: .triggerReleased)
    #expect(talk.controller.session == .idle)
    talk.expect([], on: .triggerReleased)
    pull(&talk)
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))))
    #expect(talk.controller.session == .waiting(.forTrigger))
    talk.expect([], on: .triggerReleased)
    #expect(talk.count(.reportNoRead(.noSymbol)) == 1)
  }

  @Test func `level: releasing the trigger while the camera loads is a no-read too`() {
    var talk = waiting(.level(limit: .seconds(2)))
    talk.tell(.triggerPressed)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.scannerAppeared)
    talk.expect([.count(.closed), .reportNoRead(.noSymbol)], on: .triggerReleased)
    talk.expect([.readTorchCapability], on: .cameraLoaded)
    #expect(talk.controller.session == .idle)
  }

  @Test func `level: releasing the trigger during a dialog opens nothing when the camera recovers`() {
    var talk = waiting(.level(limit: .seconds(2)))
    talk.tell(.triggerPressed)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.scannerAppeared)
    talk.tell(.cameraFailed(CameraFailure(.noCameraMatches)))
    talk.expect([], on: .triggerReleased)
    talk.tell(.timePassed, after: 500)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.cameraLoaded)
    #expect(!talk.tell(.captureStarted(run: 1)).contains(.reportNoRead(.noSymbol)))
    // The camera has recovered once a frame has arrived.
    #expect(talk.frame().contains(.reportNoRead(.noSymbol)))
    #expect(talk.controller.session == .idle)
  }

  @Test func `level: a press without a release lasts until a scan or its time limit, and a release does not end it`() {
    var talk = waiting(.level(limit: .seconds(2)))
    for opening: Event in [.triggerPulsed, .searchRequested, .shortcutPressed, .goPressed] {
      #expect(talk.tell(opening).contains(.readPermission))
      talk.tell(.permissionReported(.authorized))
      talk.reachRecording()
      talk.expect([], on: .triggerPressed)
      talk.expect([], on: .triggerReleased)
      talk.expect([], on: .timePassed, after: 1999)
      talk.expect([.count(.closed), .reportNoRead(.noSymbol), .stopCapture], on: .timePassed, after: 1)
    }
    talk.tell(.triggerPulsed)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))))
  }

  @Test func `edge: a press opens a session that ends with a scan or its time limit, counted from the first frame`() {
    var talk = waiting(.edge(limit: .seconds(2)))
    pull(&talk)
    talk.expect([], on: .triggerReleased)
    talk.expect([], on: .timePassed, after: 1999)
    talk.expect([.count(.closed), .reportNoRead(.noSymbol), .stopCapture], on: .timePassed, after: 1)
    pull(&talk)
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))))
    #expect(talk.controller.nextDeadline == nil)
    talk.expect([], on: .timePassed, after: 5000)
    pull(&talk)
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))), "what is in view when the trigger is pulled is meant")
    #expect(talk.count(.reportNoRead(.noSymbol)) == 1)
    #expect(talk.count(.count(.scannedCode)) == 2)
  }

  @Test(arguments: [(true, NoRead.unreadable), (false, .noSymbol)])
  func `a no-read distinguishes an unreadable symbol from none at all, session by session`(
    isSeen: Bool, cause: NoRead
  ) {
    var talk = Conversation { $0.trigger = .edge(limit: .seconds(1)) }
    talk.tell(.serviceStarted)
    for (isSeen, cause) in [(isSeen, cause), (false, NoRead.noSymbol)] {
      talk.tell(.triggerPulsed)
      talk.tell(.permissionReported(.authorized))
      talk.reachRecording()
      var report = talk.report([])
      if isSeen { report.unread = [UnreadSymbol(symbology: nil, corners: .anywhere, help: .closer)] }
      talk.tell(.frameDecoded(report))
      #expect(talk.tell(.timePassed, after: 1000).contains(.reportNoRead(cause)))
    }
  }

  @Test func `edge: a press during a session changes nothing, and Cancel is not a no-read`() {
    var talk = waiting(.edge(limit: .seconds(2)))
    pull(&talk)
    talk.expect([], on: .triggerPressed)
    talk.expect([.count(.closed), .stopCapture], on: .cancelPressed)
    #expect(talk.controller.nextDeadline == nil)
  }

  @Test func `timed: every code presented before the time limit is scanned, as one session`() {
    var talk = waiting(.timed(.seconds(1)))
    pull(&talk)
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))))
    #expect(talk.frame(.ean, .label).contains(.forward(talk.results(.label))))
    #expect(talk.controller.session.isScanning)
    talk.expect([.stopCapture], on: .timePassed, after: 1000)
    #expect(talk.controller.session == .waiting(.forTrigger))
    #expect(talk.count(.count(.scannedCode)) == 1)
    pull(&talk)
    #expect(talk.tell(.timePassed, after: 1000).contains(.reportNoRead(.noSymbol)))
  }

  @Test func `timed: a result that needs confirmation ends the session`() {
    var talk = waiting(.timed(.seconds(1))) { $0.confirmation = .alphanumeric }
    pull(&talk)
    #expect(talk.frame(.label).contains(.stopCapture))
    let results = talk.results(.label)
    talk.expect([], on: .timePassed, after: 1000)
    #expect(talk.tell(.goPressed).contains(.forward(results)))
  }

  @Test func `presentation: codes presented together are one scan, until the view has been empty`() {
    var talk = Conversation { $0.trigger = .presentation }
    talk.startScanning()
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))))
    #expect(talk.frame(.ean, .label) == [.countSuppressed(.presented, 1)])
    #expect(talk.frame() == [])
    #expect(talk.frame(.otherEAN) == [.countSuppressed(.presented, 1)], "the view was empty for 100 ms only")
    #expect(talk.frame() == [])
    #expect(talk.frame(.label, after: 500).contains(.forward(talk.results(.label))))
  }

  @Test(arguments: [TriggerMode.continuous, .presentation])
  func `a station that starts automatically needs no trigger, and obeys one after its user has closed the session`(
    mode: TriggerMode
  ) {
    var talk = Conversation { $0.trigger = mode }
    talk.startScanning()
    talk.expect([], on: .triggerPressed)
    talk.tell(.cancelPressed)
    talk.expect([.readPermission], on: .triggerPressed)
  }

  @Test func `S0: a trigger opens nothing while the scanner is switched off`() {
    var talk = Conversation {
      $0.isEnabled = false
      $0.trigger = .edge(limit: .seconds(1))
    }
    talk.tell(.serviceStarted)
    talk.expect([], on: .triggerPressed)
  }
}
