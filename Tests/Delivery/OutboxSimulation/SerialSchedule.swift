// A serial line and its host, for one seed, in simulated time: answers are late, get lost or are negative, frames are
// missed, and the line echoes what it receives, less some characters.

import Devices
import Logging
import Synchronization
@testable import DeliveryModel
@testable import Sinks

/// A schedule of a serial line.
public struct SerialSchedule: Sendable {
  /// Delay of an answer, in seconds.
  var delay: ClosedRange<Double>
  /// The host misses one frame in this number; 0 for none.
  var missedPart = 0
  /// The host answers one frame in this number with NAK and does not accept it; 0 for none.
  var refusedPart = 0
  /// One answer in this number gets lost; 0 for none.
  var lostPart = 0
  var acknowledgement = AcknowledgementSettings()
  /// If not 0, the line echoes what it receives, less one character in this number.
  var echoLossPart = 0
  var scanCount = 60

  /// Attempts per scan: a host that misses frame after frame is abandoned in the end.
  static let attemptCountMax = 300

  init(delay: ClosedRange<Double>) { self.delay = delay }

  /// A schedule drawn from a seed.
  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    acknowledgement.limit = .milliseconds(Int.random(in: 50...2000, using: &random))
    acknowledgement.lateLimit = .milliseconds(Int.random(in: 500...5000, using: &random))
    acknowledgement.isNumbered = random.happens(30)
    let late = max(acknowledgement.lateLimit, acknowledgement.limit * 2)
    // Without numbers, an answer must not be later than the settings permit.
    let latest = Double(late.milliseconds) / 1000 * (acknowledgement.isNumbered ? 4 : 0.99)
    delay = 0...Double.random(in: 0...latest, using: &random)
    missedPart = random.happens(70) ? Int.random(in: 2...20, using: &random) : 0
    refusedPart = random.happens(30) ? Int.random(in: 2...20, using: &random) : 0
    lostPart = random.happens(50) ? Int.random(in: 2...20, using: &random) : 0
    echoLossPart = random.happens(50) ? Int.random(in: 2...20, using: &random) : 0
    scanCount = Int.random(in: 10...60, using: &random)
  }

  /// The result of a schedule.
  struct Outcome: Sendable {
    /// Scans that the sink reports as delivered although the host does not have them.
    var lost: [String] = []
    /// Commands that were received although the host sent none.
    var commands: [HostCommand] = []
    var deliveredCount = 0
    /// Duration in simulated time.
    var time = Duration.zero

    var isRight: Bool { lost.isEmpty && commands.isEmpty }
  }

  /// Delivers scans like a delivery loop.
  func run(seed: UInt64) async -> Outcome {
    var random = SeededRandom(seed: seed)
    let clock = LineClock()
    let host = SlowHost(self, clock, SeededRandom(seed: random.next()))
    var settings = SerialSettings(device: host.name)
    settings.acknowledgement = acknowledgement
    settings.acceptsCommands = true
    let commands = Mutex<[HostCommand]>([])
    let sink = LineSink(
      settings: settings, port: host, logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() },
      clock: clock
    ) { request in
      commands.withLock { $0.append(request.command) }
      return true
    }
    var outcome = Outcome()
    var ids = ScanIDGenerator()
    let captured = CaptureTime(unixMilliseconds: 1_800_000_000_000, bootNanoseconds: 0, bootID: "boot")
    let words = HostCommand.allCases.map(\.rawValue)
    for number in 1...scanCount {
      // Labels that an echo may turn into a command.
      var text = "\(number)"
      if random.happens(30), var word = words.randomElement(using: &random) {
        let place = word.index(word.startIndex, offsetBy: Int.random(in: 0...word.count, using: &random))
        if random.happens(70) { word.insert(contentsOf: ["_", "\u{7}", "\u{1D}", "\u{16}"][number % 4], at: place) }
        text = "\(number)\r\(word)"
      }
      let scan = ScanRecord(
        id: ids.next(unixMilliseconds: captured.unixMilliseconds, using: &random), station: "simulated",
        symbology: "code128", aimIdentifier: "]C0", text: text, bytes: Array(text.utf8), captured: captured)
      for _ in 0..<Self.attemptCountMax {
        if await sink.deliver(scan) == .delivered {
          outcome.deliveredCount += 1
          let frame = LineFrame.bytes(scan, settings.framing)
          if !host.hasTaken(frame) { outcome.lost.append(text) }
          break
        }
        clock.advance(by: .milliseconds(Int.random(in: 100...2000, using: &random)))
      }
    }
    outcome.commands = commands.withLock { $0 }
    outcome.time = clock.now.offset
    return outcome
  }

  /// Runs schedules with ascending seeds until one fails or the time is over.
  public static func run(from first: UInt64, limit: Duration) async -> (count: Int, scanCount: Int, wrong: String?) {
    let start = ContinuousClock.now
    var (count, scanCount) = (0, 0)
    while ContinuousClock.now - start < limit {
      let seed = first &+ UInt64(count)
      let outcome = await SerialSchedule(seed: seed).run(seed: seed)
      count += 1
      scanCount += outcome.deliveredCount
      if !outcome.isRight { return (count, scanCount, "seed \(seed): lost \(outcome.lost), commands \(outcome.commands)") }
    }
    return (count, scanCount, nil)
  }
}

/// The simulated time of a line.
final class LineClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let time = Mutex(Duration.zero)
  var now: Instant { Instant(offset: time.withLock { $0 }) }
  var minimumResolution: Duration { .nanoseconds(1) }
  func advance(by duration: Duration) { time.withLock { $0 += duration } }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    time.withLock { $0 = max($0, deadline.offset) }
  }
}

/// The host at the other end: time passes only while the station waits for it.
private final class SlowHost: SerialPort {
  let name = "slow"
  private let schedule: SerialSchedule
  private let clock: LineClock

  private struct State {
    var random: SeededRandom
    /// A separate generator for lost characters of the echo, as the station answers commands at any time.
    var echoRandom: SeededRandom
    /// Bytes on their way to the station, in order.
    var coming: [(time: Duration, bytes: [UInt8])] = []
    var taken: Set<[UInt8]> = []
  }
  private let state: Mutex<State>

  init(_ schedule: SerialSchedule, _ clock: LineClock, _ random: SeededRandom) {
    (self.schedule, self.clock) = (schedule, clock)
    var other = random
    state = Mutex(State(random: random, echoRandom: SeededRandom(seed: other.next())))
  }

  func hasTaken(_ frame: [UInt8]) -> Bool { state.withLock { $0.taken.contains(frame) } }

  func open() async {}
  func close() async {}

  func write(_ bytes: [UInt8], within limit: Duration) async {
    state.withLock { state in
      func happens(_ part: Int) -> Bool { part > 0 && Int.random(in: 0..<part, using: &state.random) == 0 }
      func send(_ bytes: [UInt8], after seconds: Double) {
        let time = clock.now.offset + .milliseconds(Int(seconds * 1000))
        state.coming.append((max(time, state.coming.last?.time ?? .zero), bytes))
      }
      if schedule.echoLossPart > 0 {
        let echo = bytes.filter { _ in Int.random(in: 0..<schedule.echoLossPart, using: &state.echoRandom) > 0 }
        send(echo, after: 0)
      }
      let isNumbered = schedule.acknowledgement.isNumbered
      // An answer from the station is not a frame.
      guard bytes.first != HostAnswer.mark, !happens(schedule.missedPart) else { return }
      let isRefused = happens(schedule.refusedPart)
      if !isRefused { state.taken.insert(Array(bytes.dropFirst(isNumbered ? 1 : 0))) }
      guard !happens(schedule.lostPart) else { return }
      send(
        [isRefused ? 0x15 : 0x06] + (isNumbered ? [bytes[0]] : []),
        after: Double.random(in: schedule.delay, using: &state.random))
    }
  }

  func read(within limit: Duration) async -> [UInt8] {
    let next = state.withLock { $0.coming.first?.time } ?? .seconds(1 << 40)
    clock.advance(by: max(.zero, min(limit, next - clock.now.offset)))
    return state.withLock { state in
      var bytes: [UInt8] = []
      while let first = state.coming.first, first.time <= clock.now.offset {
        bytes += first.bytes
        state.coming.removeFirst()
      }
      return bytes
    }
  }
}
