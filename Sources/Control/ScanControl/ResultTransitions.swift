// From the codes of a frame to results and their handling (behaviour §5).

import BarcodeTypes

extension ScanController {
  mutating func frameDecoded(_ frame: FrameReport, _ now: Instant, _ actions: inout [Action]) {
    let hasRecovered = frame.run == camera.run && frameCame(now, &actions)
    defer { if hasRecovered { lightScene(&actions) } }
    guard frame.run == camera.run, session.isScanning else {
      // The last frame of a session that has ended: codes that it does not show are out of view.
      if frame.run == camera.run, frame.sightings.isEmpty { repeats.watchedNothing(at: frame.capturedAt) }
      if !frame.sightings.isEmpty { actions.append(.countSuppressed(.late, frame.sightings.count)) }
      return
    }
    if !frame.unread.isEmpty { trigger.hasSeenUnread = true }
    let results = newResults(of: frame, now, &actions)
    if !results.isEmpty { scanned(results, now, &actions) }
  }

  /// The codes of a frame to report: newly presented, agreed on, not empty and not refused.
  private mutating func newResults(of frame: FrameReport, _ now: Instant, _ actions: inout [Action]) -> [ScanResult] {
    var results: [ScanResult] = []
    var returnedCount = 0
    var emptyCount = 0
    var invalidCount = 0
    var leftOutCount = 0
    if settings.isEachFrameNew { repeats.forgetAll() }
    let outvotedCount = votes.frameBegan(at: frame.capturedAt)
    repeats.frameBegan(at: frame.capturedAt)
    if settings.trigger == .presentation {
      let isPresented = presentation.isPresented(
        frame.sightings.isEmpty, at: frame.capturedAt, absence: settings.repeatAbsence)
      if isPresented {
        presentedAlready(frame, &actions)
        return []
      }
    }
    for sighting in frame.sightings {
      switch repeats.judge(sighting.code) {
      case .present: break
      case .returned: returnedCount += 1
      case .new:
        var package: Int64?
        if sighting.code.text.isEmpty {
          emptyCount += 1
        } else if settings.refusesWrong, sighting.code.isWrong {
          invalidCount += 1
        } else if let frameCount = votes.elect(sighting.code, at: frame.capturedAt) {
          let result = ScanResult(sighting, in: frame, frameCount: frameCount)
          if let retail = settings.retail {
            package = admit(result, by: retail, at: now, into: &results, leftOutCount: &leftOutCount)
          } else {
            results.append(result)
          }
        } else {
          continue
        }
        repeats.remember(sighting.code, of: package)
      }
    }
    repeats.frameEnded()
    results.insert(contentsOf: dueResults(at: now, leftOutCount: &leftOutCount), at: 0)
    if returnedCount > 0 { actions.append(.countSuppressed(.repeated, returnedCount)) }
    if emptyCount > 0 { actions.append(.countSuppressed(.empty, emptyCount)) }
    if invalidCount > 0 { actions.append(.countSuppressed(.invalid, invalidCount)) }
    if outvotedCount > 0 { actions.append(.countSuppressed(.outvoted, outvotedCount)) }
    if leftOutCount > 0 { actions.append(.countSuppressed(.package, leftOutCount)) }
    return results
  }

  /// Notes the codes of a presentation that was scanned already.
  private mutating func presentedAlready(_ frame: FrameReport, _ actions: inout [Action]) {
    var newCount = 0
    for sighting in frame.sightings where repeats.judge(sighting.code) == .new {
      newCount += 1
      repeats.remember(sighting.code)
    }
    repeats.frameEnded()
    if newCount > 0 { actions.append(.countSuppressed(.presented, newCount)) }
  }

  /// Ends the session with a valid scan (behaviour N4). If the next session is due at once, it takes over the running
  /// capture session: rebuilding it would only lose frames.
  mutating func scanned(_ results: [ScanResult], _ now: Instant, _ actions: inout [Action]) {
    let reviewed = results.filter { needsConfirmation($0) }
    let immediate = results.filter { !needsConfirmation($0) }
    presentation.scanned()
    let isTimed = reviewed.isEmpty && session.scanningEnd != nil && settings.trigger.reportsAll
    let isHandedOver =
      isTimed || (reviewed.isEmpty && settings.reopening == .after(.zero) && !settings.trigger.opensSessions)
    if !isHandedOver { stopCapture(&actions) }
    // Light that the user did not request stays on for the session that takes over.
    if !isHandedOver || settings.torch == .manual && !isTimed { turnTorchOff(&actions) }
    if !isTimed || !trigger.hasScanned { actions.append(.count(.scannedCode)) }
    trigger.hasScanned = true
    if !immediate.isEmpty { actions.append(.forward(immediate)) }
    // Announced results are not flashed (behaviour N6).
    actions.append(.showScan(immediate + reviewed, flashes: reviewed.isEmpty || !settings.isSpoken))
    if reviewed.isEmpty {
      if !isHandedOver { closeAfterScan(now, isSettled: false, &actions) }
    } else if settings.isSpoken {
      actions.append(.announce(reviewed))
      session = .announcing(
        Review(reviewed), deadline: now.advanced(by: ScanController.announcementDurationMax))
    } else {
      showReview(Review(reviewed), now, &actions)
    }
  }

  /// Whether a result is put before the user (behaviour N1, N2). Without touch or keys the user could not answer, so results
  /// are forwarded unless the operator requires confirmation anyway.
  func needsConfirmation(_ result: ScanResult) -> Bool {
    guard !settings.confirmsOnlyWithInput || input.canConfirm ?? false else { return false }
    return settings.confirmation.isNeeded(for: result.code.symbology)
  }

  mutating func announcementFinished(_ now: Instant, _ actions: inout [Action]) {
    guard case .announcing(let review, _) = session else { return }
    showReview(review, now, &actions)
  }

  private mutating func showReview(_ review: Review, _ now: Instant, _ actions: inout [Action]) {
    session = .reviewing(review, deadline: now.advanced(by: ScanController.reviewDurationMax))
    actions.append(.showReview(review))
  }

  /// Confirms the result with the focus; where no session is open, opens the next one.
  mutating func goPressed(_ now: Instant, _ actions: inout [Action]) {
    switch session {
    case .reviewing(var review, _):
      actions.append(.forward([review.takeFocused()]))
      if review.results.isEmpty {
        closeAfterScan(now, isSettled: true, &actions)
      } else {
        showReview(review, now, &actions)
      }
    case .waiting(.forConfirmation): beginOpening(&actions)
    case .idle, .waiting: openAnew(&actions)
    case .switchedOff, .checkingPermission, .opening, .scanning, .announcing, .failed, .finished: break
    }
  }

  /// Ends a review without the user's confirmation.
  mutating func settle(_ discard: Discard, _ now: Instant, _ actions: inout [Action]) {
    discardReview(discard, &actions)
    closeAfterScan(now, isSettled: true, &actions)
  }

  /// Gives up results that are being announced or reviewed. If the station stopped before the user could answer, a label
  /// that is still in view is scanned again when scanning resumes.
  mutating func discardReview(_ discard: Discard, _ actions: inout [Action]) {
    guard let review = session.review else { return }
    actions.append(.discard(review.results, discard))
    if discard == .stopped { for result in review.results { repeats.forget(result.code) } }
  }

  mutating func resultChosen(_ index: Int, _ now: Instant, _ actions: inout [Action]) {
    guard case .reviewing(var review, _) = session, review.results.indices.contains(index), index != review.focusIndex
    else { return }
    review.focusIndex = index
    showReview(review, now, &actions)
  }

  mutating func nextResultRequested(_ now: Instant, _ actions: inout [Action]) {
    guard case .reviewing(let review, _) = session else { return }
    resultChosen((review.focusIndex + 1) % review.results.count, now, &actions)
  }
}
