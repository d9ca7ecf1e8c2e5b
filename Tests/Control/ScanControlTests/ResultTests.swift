// Behaviour §5, row by row, and the repeat and vote rules of §9.

import BarcodeTypes
import ScanControl
import Testing

@Suite struct ResultTests {
  @Test(arguments: [Symbology.upce, .ean8, .ean13, .upca, .itf, .itf14])
  func `N1: results of digits alone are forwarded immediately`(symbology: Symbology) {
    var talk = Conversation {
      $0.confirmation = .alphanumeric
      $0.votes.frameCount = 1
    }
    talk.startScanning()
    let code = ScannedCode(symbology, "12345670")
    #expect(
      talk.frame(code) == [.count(.scannedCode), .forward(talk.results(code)), .showScan(talk.results(code), flashes: true)])
  }

  @Test(arguments: [Symbology.code39, .code93, .code128, .pdf417, .aztec, .datamatrix, .qr])
  func `N2: alphanumeric results are shown for review, and Go forwards them`(symbology: Symbology) {
    var talk = Conversation {
      $0.confirmation = .alphanumeric
      $0.votes.frameCount = 1
      $0.reopening = .onConfirmation
    }
    talk.startScanning()
    let code = ScannedCode(symbology, "A1")
    let actions = talk.frame(code)
    let results = talk.results(code)
    guard case .reviewing(let review, _) = talk.controller.session else { Issue.record("no review"); return }
    #expect(review.results == results)
    #expect(actions == [.stopCapture, .count(.scannedCode), .showScan(results, flashes: true), .showReview(review)])
    talk.expect([.forward(results), .readPermission], on: .goPressed)
  }

  @Test func `N2: with confirmation set to never, everything is forwarded at once`() {
    var talk = Conversation()
    talk.startScanning()
    #expect(
      talk.frame(.link, .ean) == [
        .count(.scannedCode), .forward(talk.results(.link, .ean)), .showScan(talk.results(.link, .ean), flashes: true),
      ])
  }

  @Test func `N2: with confirmation set to always, digits are reviewed too`() {
    var talk = Conversation { $0.confirmation = .always }
    talk.startScanning()
    #expect(!talk.frame(.ean).contains(.forward(talk.results(.ean))))
    talk.tell(.goPressed)
    #expect(talk.count(.forward(talk.results(.ean))) == 1)
  }

  @Test func `N2: without a setting by the operator, confirmation depends on the connected devices`() {
    var talk = Conversation {
      $0.confirmation = .always
      $0.confirmsOnlyWithInput = true
    }
    talk.tell(.serviceStarted)
    talk.tell(.inputReported(canConfirm: false))
    talk.startScanning()
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))))
    talk.expect([.reportConfirmation(isPossible: true)], on: .inputReported(canConfirm: true))
    talk.expect([], on: .inputReported(canConfirm: true))
    guard case .showReview(let review)? = talk.frame(.label).last else { Issue.record("no review"); return }
    #expect(review.results == talk.results(.label))
    talk.tell(.goPressed)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    talk.expect([.reportConfirmation(isPossible: false)], on: .inputReported(canConfirm: false))
    #expect(talk.frame(.link).contains(.forward(talk.results(.link))))
  }

  @Test(arguments: [true, false])
  func `N2: nothing is recorded until the connected devices are known, so no text goes unconfirmed`(canConfirm: Bool) {
    var talk = Conversation {
      $0.confirmation = .alphanumeric
      $0.confirmsOnlyWithInput = true
    }
    for event in [Event.serviceStarted, .permissionReported(.authorized), .scannerAppeared] { talk.tell(event) }
    talk.expect([.readTorchCapability], on: .cameraLoaded, after: 900)
    talk.expect(
      [.reportConfirmation(isPossible: canConfirm), .startCapture(run: 1)], on: .inputReported(canConfirm: canConfirm))
    talk.tell(.captureStarted(run: 1))
    #expect(talk.frame(.label).contains(.forward(talk.results(.label))) != canConfirm)
    #expect(talk.controller.nextDeadline == nil || canConfirm)
  }

  @Test func `N2: the wait for the connected devices has a limit, and also applies to a camera that comes back`() {
    var talk = Conversation {
      $0.confirmation = .alphanumeric
      $0.confirmsOnlyWithInput = true
    }
    for event in [Event.serviceStarted, .permissionReported(.authorized), .cameraFailed(CameraFailure(.disconnected))] {
      talk.tell(event)
    }
    talk.tell(.timePassed, after: 500)
    talk.tell(.permissionReported(.authorized))
    talk.expect([.readTorchCapability], on: .cameraLoaded)
    talk.expect([.count(.closedFromError), .dismissDialog], on: .cancelPressed)
    talk.tell(.shortcutPressed)
    talk.tell(.permissionReported(.authorized))
    for event in [Event.scannerAppeared, .cameraLoaded] { talk.tell(event) }
    let rest = ScanController.inputDurationMax - .milliseconds(500)
    talk.expect([], on: .timePassed, after: Int(rest.components.seconds) * 1000)
    talk.expect([.reportConfirmation(isPossible: false), .startCapture(run: 2)], on: .timePassed, after: 500)
  }

  @Test func `N2: where the operator asks for confirmation, no device changes that`() {
    var talk = Conversation { $0.confirmation = .always }
    talk.startScanning()
    talk.expect([], on: .inputReported(canConfirm: false))
    #expect(!talk.frame(.ean).contains(.forward(talk.results(.ean))))
  }

  @Test func `N2: dismissed results are not forwarded`() {
    var talk = Conversation { $0.confirmation = .alphanumeric }
    talk.startScanning()
    _ = talk.frame(.label)
    let results = talk.results(.label)
    talk.expect(
      [.discard(results, .cancelled), .readPermission], on: .cancelPressed)
    #expect(talk.count(.count(.closed)) == 0)
    #expect(talk.count(.count(.scannedCode)) == 1)
  }

  @Test func `a label that stays in view while the configuration is read again is one scan`() {
    var talk = Conversation()
    for _ in 0..<6 {
      talk.startScanning()
      for _ in 0..<3 { _ = talk.frame(.ean) }
      talk.reload()
    }
    #expect(talk.allActions.count { if case .forward = $0 { true } else { false } } == 1)
  }

  @Test func `a label that stays in view while the station is restarted is one scan, and another label a second`() {
    var talk = Conversation()
    talk.startScanning()
    for _ in 0..<3 { _ = talk.frame(.ean) }
    for _ in 0..<3 {
      talk.restart()
      talk.startScanning()
      for _ in 0..<10 { #expect(talk.frame(.ean).isEmpty) }
    }
    #expect(talk.frame(.ean, .label).contains(.forward(talk.results(.label))))
  }

  @Test func `a label that is taken away during a restart and brought back is two scans`() {
    var talk = Conversation()
    talk.startScanning()
    _ = talk.frame(.ean, .label)
    talk.restart()
    talk.startScanning()
    // Out of view for 0.5 s from the first frame.
    for _ in 0..<6 { _ = talk.frame(.label) }
    #expect(talk.frame(.ean, .label).contains(.forward(talk.results(.ean))))
  }

  @Test func `a user's new session scans what the station before the restart had in view`() {
    var talk = Conversation()
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.restart()
    talk.startScanning()
    talk.tell(.cancelPressed)
    talk.tell(.shortcutPressed)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))))
  }

  @Test func `a label that stays in view is scanned again after its first scan is forgotten, as it had no sink`() {
    var talk = Conversation()
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.reload(forgetsScans: true)
    talk.startScanning()
    for _ in 0..<3 { _ = talk.frame(.ean) }
    #expect(talk.allActions.count { if case .forward = $0 { true } else { false } } == 2)
  }

  @Test(arguments: [false, true])
  func `a reload while results wait for confirmation counts them, and scans what is still in view again`(isSpoken: Bool) {
    var talk = Conversation {
      $0.confirmation = .always
      $0.isSpoken = isSpoken
    }
    talk.startScanning()
    _ = talk.frame(.ean, .label)
    let results = talk.results(.ean, .label)
    #expect(talk.tell(.shutdownRequested).contains(.discard(results, .stopped)))
    talk.reload { $0.confirmation = .never }
    talk.startScanning()
    #expect(talk.frame(.ean, .label).contains(.forward(talk.results(.ean, .label))))
  }

  @Test func `N3: a code without text is not a result, and is counted once while in view`() {
    var talk = Conversation()
    talk.startScanning()
    #expect(talk.frame(ScannedCode(.qr, "")) == [.countSuppressed(.empty, 1)])
    #expect(talk.frame(ScannedCode(.qr, "")) == [])
    #expect(talk.controller.session.isScanning)
  }

  @Test func `N11: a code with wrong GS1 data is a result unless these are refused, and then counted once while in view`() {
    var wrong = ScannedCode(.datamatrix, "0109501101530004")
    wrong.isWrong = true
    var taking = Conversation()
    taking.startScanning()
    #expect(taking.frame(wrong).contains(.forward(taking.results(wrong))))
    var refusing = Conversation { $0.refusesWrong = true }
    refusing.startScanning()
    #expect(refusing.frame(wrong) == [.countSuppressed(.invalid, 1)])
    #expect(refusing.frame(wrong) == [])
    #expect(refusing.controller.session.isScanning)
    #expect(refusing.frame(.ean).contains(.forward(refusing.results(.ean))))
  }

  @Test func `N3: a result carries its link or search mark`() {
    var talk = Conversation()
    talk.startScanning()
    let actions = talk.frame(.link, .label)
    guard case .forward(let results) = actions[1] else { Issue.record("nothing forwarded"); return }
    #expect(results.map(\.code.mark) == [.link, .search])
  }

  @Test func `N4: a valid scan stops the capture session and is reported once`() {
    var talk = Conversation { $0.reopening = .onTrigger }
    talk.startScanning()
    #expect(talk.frame(.ean).first == .stopCapture)
    #expect(talk.frame(.ean) == [.countSuppressed(.late, 1)])
    #expect(talk.count(.stopCapture) == 1)
    #expect(talk.allActions.count { if case .forward = $0 { true } else { false } } == 1)
  }

  @Test func `N4: with reopening after 0 s, capture goes on and each scan is still reported once`() {
    var talk = Conversation { $0.reopening = .after(.zero) }
    talk.startScanning()
    #expect(
      talk.frame(.ean) == [.count(.scannedCode), .forward(talk.results(.ean)), .showScan(talk.results(.ean), flashes: true)])
    for _ in 0..<100 { #expect(talk.frame(.ean) == []) }
    #expect(
      talk.frame(.ean, .label) == [
        .count(.scannedCode), .forward(talk.results(.label)), .showScan(talk.results(.label), flashes: true),
      ])
    #expect(talk.count(.stopCapture) == 0)
    #expect(talk.count(.startCapture(run: 1)) == 1)
  }

  @Test func `N5: all codes of a frame are reported, in order`() {
    var talk = Conversation()
    talk.startScanning()
    let codes = (0..<256).map { ScannedCode(.code128, "C\($0)") }
    let report = talk.report(codes)
    let actions = talk.tell(.frameDecoded(report))
    guard case .forward(let results) = actions[1] else { Issue.record("nothing forwarded"); return }
    #expect(results.map(\.code) == codes)
    #expect(talk.count(.count(.scannedCode)) == 1)
    #expect(talk.tell(.frameDecoded(talk.report(codes))) == [])
  }

  @Test func `N5: digits are forwarded and the rest is reviewed one by one, the chosen result first`() {
    var talk = Conversation { $0.confirmation = .alphanumeric }
    talk.startScanning()
    let other = ScannedCode(.code128, "PALLET-18")
    let actions = talk.frame(.label, .ean, other)
    #expect(actions[2] == .forward(talk.results(.ean)))
    let results = talk.results(.label, other)
    talk.tell(.resultChosen(1))
    talk.expect([], on: .resultChosen(1))
    talk.expect([], on: .resultChosen(2))
    let confirmed = talk.tell(.goPressed)
    #expect(confirmed.first == .forward([results[1]]))
    guard case .reviewing(let review, _) = talk.controller.session else { Issue.record("review ended early"); return }
    #expect(confirmed.last == .showReview(review))
    #expect(review.focusIndex == 0)
    #expect(talk.tell(.goPressed).first == .forward([results[0]]))
  }

  @Test func `N6: with spoken feedback, the review follows the announcement`() {
    var talk = Conversation {
      $0.confirmation = .alphanumeric
      $0.isSpoken = true
    }
    talk.startScanning()
    let actions = talk.frame(.label)
    let results = talk.results(.label)
    #expect(actions == [.stopCapture, .count(.scannedCode), .showScan(results, flashes: false), .announce(results)])
    talk.expect([], on: .goPressed)
    #expect(talk.tell(.announcementFinished).count == 1)
    #expect(talk.tell(.goPressed).first == .forward(talk.results(.label)))
  }

  @Test func `N6: a result that is forwarded immediately is not announced`() {
    var talk = Conversation {
      $0.confirmation = .alphanumeric
      $0.isSpoken = true
    }
    talk.startScanning()
    #expect(
      talk.frame(.ean) == [.count(.scannedCode), .forward(talk.results(.ean)), .showScan(talk.results(.ean), flashes: true)])
  }

  @Test func `N6: the station waits for an announcement no longer than its limit`() {
    var talk = Conversation {
      $0.confirmation = .alphanumeric
      $0.isSpoken = true
    }
    talk.startScanning()
    _ = talk.frame(.label)
    talk.expect([], on: .timePassed, after: 9_999)
    talk.tell(.timePassed, after: 1)
    guard case .reviewing = talk.controller.session else { Issue.record("still waiting"); return }
  }

  @Test func `N7: the review focuses its first result`() {
    var talk = Conversation { $0.confirmation = .alphanumeric }
    talk.startScanning()
    guard case .showReview(let review)? = talk.frame(.label, .link).last else { Issue.record("no review"); return }
    #expect(review.focusIndex == 0)
  }

  @Test func `N7: the next button moves the focus from result to result, and around`() {
    var talk = Conversation { $0.confirmation = .alphanumeric }
    talk.startScanning()
    talk.expect([], on: .nextResultRequested)
    _ = talk.frame(.label, .link)
    for focus in [1, 0, 1] {
      guard case .showReview(let review)? = talk.tell(.nextResultRequested).last else { Issue.record("no review"); return }
      #expect(review.focusIndex == focus)
    }
    #expect(talk.tell(.goPressed).contains(.forward(talk.results(.link))))
    // The remaining one already has the focus.
    talk.expect([], on: .nextResultRequested)
  }

  @Test func `N7: after Go the next result has the focus, and after the last one, the first`() {
    var talk = Conversation { $0.confirmation = .alphanumeric }
    talk.startScanning()
    let codes = ["A", "B", "C"].map { ScannedCode(.qr, $0) }
    _ = talk.frame(codes[0], codes[1], codes[2])
    talk.tell(.resultChosen(1))
    for (decided, next) in [("B", "C"), ("C", "A")] {
      let actions = talk.tell(.goPressed)
      guard case .forward(let results)? = actions.first, case .showReview(let review)? = actions.last else {
        Issue.record("no review")
        return
      }
      #expect(results.map(\.code.text) == [decided] && review.results[review.focusIndex].code.text == next)
    }
  }

  @Test func `when the frames end, the service waits for the user to settle an open review`() {
    var talk = Conversation { $0.confirmation = .alphanumeric }
    talk.startScanning()
    _ = talk.frame(.label)
    talk.expect([], on: .framesEnded(run: 1))
    #expect(talk.tell(.goPressed).last == .finish)
  }

  // Repeats

  @Test func `a code is reported again only after it has been out of view for the set time`() {
    var talk = Conversation()
    talk.startScanning()
    _ = talk.frame(.ean)
    _ = talk.frame(after: 10)
    #expect(talk.frame(.ean, after: 499) == [.countSuppressed(.repeated, 1)])
    _ = talk.frame(after: 10)
    #expect(talk.frame(.ean, after: 500).contains(.forward(talk.results(.ean))))
  }

  @Test func `the last frame of a session that the user closes shows that a code has left the view`() {
    for isTold in [false, true] {
      var talk = Conversation()
      talk.startScanning()
      _ = talk.frame(.ean)
      _ = talk.frame(after: 10)
      talk.tell(.cancelPressed, after: 600)
      if isTold { talk.expect([], on: .frameDecoded(talk.report([])), after: 0) }
      talk.tell(.timePassed, after: 10_000)
      talk.tell(.permissionReported(.authorized))
      talk.reachRecording()
      #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))) == isTold)
    }
  }

  @Test func `a code that stays in view is one scan, however slow the frames are`() {
    var talk = Conversation()
    talk.startScanning()
    _ = talk.frame(.ean)
    for _ in 0..<10 { #expect(talk.frame(.ean, after: 5_000) == []) }
  }

  @Test func `a different code is reported at once`() {
    var talk = Conversation()
    talk.startScanning()
    _ = talk.frame(.ean)
    #expect(talk.frame(.otherEAN, after: 1).contains(.forward(talk.results(.otherEAN))))
    #expect(talk.frame(.ean, after: 1) == [.countSuppressed(.repeated, 1)])
  }

  @Test func `the same bytes in another symbology are a different code`() {
    var talk = Conversation()
    talk.startScanning()
    _ = talk.frame(.ean)
    let same = ScannedCode(.code128, ScannedCode.ean.text)
    #expect(talk.frame(.ean, same).contains(.forward(talk.results(same))))
  }

  @Test func `a session that reopens automatically does not report a label that is still in view`() {
    var talk = Conversation { $0.reopening = .after(.seconds(3)) }
    talk.startScanning()
    _ = talk.frame(.ean)
    talk.tell(.timePassed, after: 3_000)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    #expect(talk.frame(.ean) == [])
    _ = talk.frame()
    #expect(talk.frame(.ean, after: 500).contains(.forward(talk.results(.ean))))
  }

  @Test func `a session that the user opens reports what is in view`() {
    var talk = Conversation { $0.reopening = .onTrigger }
    talk.startScanning()
    _ = talk.frame(.ean)
    for press: Event in [.triggerPressed, .shortcutPressed, .searchRequested] {
      talk.tell(press)
      talk.tell(.permissionReported(.authorized))
      talk.reachRecording()
      #expect(talk.frame(.ean).contains(.forward(talk.results(.ean))))
    }
  }

  @Test func `the repeat memory is bounded: the code longest out of view is forgotten first`() {
    var talk = Conversation { $0.repeatAbsence = .seconds(3600) }
    talk.startScanning()
    let codes = (0...256).map { ScannedCode(.code128, "C\($0)") }
    for code in codes { #expect(talk.frame(code).contains(.forward(talk.results(code)))) }
    #expect(talk.frame(codes[256]) == [])
    #expect(talk.frame(codes[1]) == [.countSuppressed(.repeated, 1)])
    #expect(talk.frame(codes[0]).contains(.forward(talk.results(codes[0]))))
  }

  // Votes

  @Test(arguments: [Symbology.itf, .itf14, .code39, .codabar, .upce])
  func `a weakly protected symbology needs two matching frames`(symbology: Symbology) {
    var talk = Conversation()
    talk.startScanning()
    let code = ScannedCode(symbology, "01234565")
    #expect(talk.frame(code) == [])
    #expect(talk.frame(code).contains(.forward(talk.results(code, frameCount: 2))))
    #expect(talk.frame(code) == [])
  }

  @Test func `votes too far apart do not add up, and the lost vote is counted`() {
    var talk = Conversation()
    talk.startScanning()
    let code = ScannedCode(.itf, "0123")
    #expect(talk.frame(code) == [])
    #expect(talk.frame(code, after: 501) == [.countSuppressed(.outvoted, 1)])
    #expect(talk.frame(code, after: 500).contains(.forward(talk.results(code, frameCount: 2))))
  }

  @Test func `two equal symbols in one frame are one vote`() {
    var talk = Conversation()
    talk.startScanning()
    let code = ScannedCode(.itf, "0123")
    #expect(talk.frame(code, code) == [])
  }

  @Test func `voting can be set for any symbology and number of frames`() {
    var talk = Conversation {
      $0.votes.symbologies = SymbologySet().with(.ean13)
      $0.votes.frameCount = 3
    }
    talk.startScanning()
    #expect(talk.frame(.ean) == [])
    #expect(talk.frame(.ean) == [])
    #expect(talk.frame(.ean).contains(.forward(talk.results(.ean, frameCount: 3))))
    let itf = ScannedCode(.itf, "0123")
    #expect(talk.frame(itf).contains(.forward(talk.results(itf))))
  }
}
