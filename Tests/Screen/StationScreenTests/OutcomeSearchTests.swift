// Behaviour W6 over long random conversations: regardless of the events at controller, outbox and screen, every outcome
// shown was given by the outbox, or the user, for that very result.

import BarcodeTypes
import Devices
import ScanControl
import ScanScreen
import TestSupport
import Testing

@testable import ScanLoop
@testable import StationScreen

@Suite struct OutcomeSearchTests {
  /// The most stories, in case an outcome is not seen by chance.
  private static let storyCountMax = 1000

  @Test func `W6: no state of the screen shows an outcome that the outbox or the user did not give`() {
    let seed = UInt64.random(in: 1...UInt64.max)
    print("seed \(seed)")
    var random = SeededRandom(seed: seed)
    var shown: Set<String> = []
    let outcomes: Set = ["stored", "atRisk", "refused", "cancelled", "timedOut", "dropped", "waiting", "mismatched"]
    for count in 0..<Self.storyCountMax where count < TestDepth.scaled(40) || !shown.isSuperset(of: outcomes) {
      var story = Story(&random)
      for _ in 0..<400 {
        story.goOn(&random)
        guard story.problem == nil else { break }
      }
      #expect(story.problem == nil, "\(story.problem ?? ""), with seed \(seed)")
      shown.formUnion(story.shown)
    }
    #expect(shown.isSuperset(of: outcomes), "\(shown)")
  }
}

/// xorshift64*.
private struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 2_685_821_657_736_338_717
  }
}

/// A controller, an outbox with random answers, and a screen.
private struct Story {
  private struct Full: Error {}

  private var controller: ScanController
  private var model: ScreenModel
  private var now: Int64 = 1_000_000_000
  private var frameCount: UInt64 = 0
  private var decision: Decision?
  /// The outcome of each value, according to the outbox or the user.
  private var given: [String: String] = [:]
  private var path: [String] = []
  private(set) var shown: Set<String> = []
  private(set) var problem: String?

  init(_ random: inout SeededRandom) {
    var settings = ScanSettings()
    settings.confirmation = Confirmation.allCases.randomElement(using: &random) ?? .always
    settings.reopening = [.after(.zero), .after(.seconds(1)), .onConfirmation].randomElement(using: &random) ?? .onTrigger
    settings.isSpoken = Bool.random(using: &random)
    settings.pausesWithoutScreen = Bool.random(using: &random)
    controller = ScanController(settings: settings)
    model = ScreenModel(stationName: "", style: ScreenStyle(), showsMovement: Bool.random(using: &random))
    handle(.serviceStarted, &random)
  }

  mutating func goOn(_ random: inout SeededRandom) {
    now += [0, 1_000_000, 100_000_000, 700_000_000, 3_000_000_000, 61_000_000_000].randomElement(using: &random) ?? 0
    model.timePassed(now)
    if let deadline = controller.nextDeadline, deadline.nanoseconds <= now { handle(.timePassed, &random) }
    check()
    switch Int.random(in: 0..<24, using: &random) {
    case 0, 1: handle(.permissionReported(.authorized), &random)
    case 2, 3: handle(.cameraLoaded, &random)
    case 4, 5: handle(.scannerAppeared, &random)
    case 6, 7: handle(.captureStarted(run: controller.camera.run), &random)
    case 8: handle(.announcementFinished, &random)
    case 9, 10: handle(.goPressed, &random)
    case 11: handle(.cancelPressed, &random)
    case 12: handle(.nextResultRequested, &random)
    case 13: handle(.cameraFailed(CameraFailure(.silent)), &random)
    case 14: handle(.screenReported(ScreenState.allCases.randomElement(using: &random) ?? .available), &random)
    case 15: handle(Bool.random(using: &random) ? .disableRequested : .enableRequested, &random)
    case 16: model.showNextOfList(at: now)
    case 17: handle(.shortcutPressed, &random)
    case 18: handle(.timePassed, &random)
    default: handle(frame(&random), &random)
    }
    check()
  }

  /// A frame with new codes.
  private mutating func frame(_ random: inout SeededRandom) -> Event {
    frameCount += 1
    let corner = PixelPoint(x: Fixed16(10), y: Fixed16(20))
    let corners = Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)
    let sightings = (0..<Int.random(in: 0...3, using: &random)).map { index in
      let symbology: Symbology = Bool.random(using: &random) ? .qr : .ean13
      return Sighting(
        code: ScannedCode(symbology: symbology, payload: [], text: "\(frameCount) \(index)", mark: .search), corners: corners
      )
    }
    return .frameDecoded(
      FrameReport(
        run: controller.camera.run, sequence: frameCount, capturedAt: Instant(nanoseconds: now), sightings: sightings))
  }

  private mutating func handle(_ event: Event, _ random: inout SeededRandom) {
    path.append("\(event)".prefix { $0 != "(" } + " at \(now / 1_000_000)")
    let actions = controller.handle(event, at: Instant(nanoseconds: now))
    var scan: [ScanResult] = []
    for action in actions {
      switch action {
      case .forward(let results):
        let answers = results.map { _ -> Result<ScanSafety, any Error> in
          switch Int.random(in: 0..<8, using: &random) {
          case 0: .failure(Full())
          case 1: .success(.atRisk(count: 7))
          case 2: .success(.dropped(rule: "a"))
          case 3: .success(.waiting(missing: ["b"]))
          case 4: .success(.mismatched)
          case 5: .success(.setup(.accepted))
          case 6: .success(.setup(.refused(.expired, detail: "")))
          default: .success(.stored)
          }
        }
        for (result, answer) in zip(results, answers) {
          given[result.code.text] =
            switch answer {
            case .success(.stored): "stored"
            case .success(.atRisk): "atRisk"
            case .success(.dropped): "dropped"
            case .success(.mismatched): "mismatched"
            case .success(.waiting): "waiting"
            case .success(.setup(.refused)): "setupRefused"
            case .success(.setup): "setup"
            case .failure: "refused"
            }
        }
        scan += results
        decision = Decision(number: (decision?.number ?? 0) + 1, forwarded: results, answers: answers)
      case .discard(let results, let discard):
        let word = discard == .cancelled ? "cancelled" : discard == .timedOut ? "timedOut" : "stopped"
        for result in results { given[result.code.text] = word }
        decision = Decision(number: (decision?.number ?? 0) + 1, discarded: results, discard) ?? decision
      case .announce(let results): scan += results
      case .showReview(let review): scan += review.results
      default: break
      }
    }
    if case .frameDecoded(let frame) = event {
      model.show(codes: frame.sightings, at: now)
      if !scan.isEmpty { model.show(scan: scan, pictures: scan.map { _ in nil }, at: now) }
    }
    let before = decision
    model.show(
      ScreenSnapshot(
        session: controller.session, isPaused: controller.isPaused, isScannerPresented: controller.visibility != .hidden,
        isTorchOn: false, isTorchEnabled: false, decision: before), at: now)
  }

  /// Compares the outcomes shown with those given.
  private mutating func check() {
    let content = model.content
    let word: String? =
      switch content.prompt {
      case .scanned: "stored"
      case .scannedAtRisk: "atRisk"
      case .scanRefused: "refused"
      case .scanCancelled: "cancelled"
      case .scanTimedOut: "timedOut"
      case .scanDropped: "dropped"
      case .scanMismatched: "mismatched"
      case .scanWaiting: "waiting"
      case .scanIncomplete: "incomplete"
      case .setupRefused: "setupRefused"
      case .setupChanging: "setup"
      default: nil
      }
    if content.promptTone == .good && word != "stored" { note("green without anything that is stored") }
    guard let word else {
      if content.result != nil || content.review?.decided != nil {
        note("a value of a decision is shown without its outcome")
      }
      return
    }
    shown.insert(word)
    // A refused set-up code shows its reason instead of its value.
    let result = word == "setupRefused" ? nil : content.result?.row.value
    if word == "setupRefused", let value = content.result?.row.value, given[value] != nil {
      note("\(value) is shown instead of the reason of a refusal")
    }
    for value in [result, content.review?.decided].compactMap({ $0 }) where given[value] != word {
      note("\(value) is shown as \(word), and \(given[value] ?? "nothing") was given")
    }
    if let review = content.review {
      for row in review.rows where given[row.value] != nil { note("\(row.value) waits for the user and was decided on") }
    }
    if decision?.outcome.word != word { note("\(word) is not the last decision's outcome") }
  }

  private mutating func note(_ text: String) { problem = problem ?? "\(text) after \(path.suffix(8))" }
}

extension Decision.Outcome {
  fileprivate var word: String {
    switch self {
    case .stored: "stored"
    case .atRisk: "atRisk"
    case .refused: "refused"
    case .cancelled: "cancelled"
    case .timedOut: "timedOut"
    case .dropped: "dropped"
    case .mismatched: "mismatched"
    case .waiting: "waiting"
    case .incomplete: "incomplete"
    case .setup(.refused): "setupRefused"
    case .setup: "setup"
    }
  }
}
