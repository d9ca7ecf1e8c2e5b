// The codes of a set wait here until the set is complete. They are only in memory: none of them was acknowledged as safe.

import BarcodeMessage
public import DeliveryModel
public import HostText
import ScanControl
import ScanLoop
import Synchronization

/// A scan on its way to the outbox.
struct PreparedScan: Sendable {
  var result: ScanResult
  var record: ScanRecord
  /// The rule that drops it.
  var dropper: String?
}

/// Collects the codes of sets, and gives up sets whose time has expired.
final class SetDesk: Sendable {
  /// The outcome of offering a scan.
  enum Outcome {
    case none
    case waiting(missing: [String])
    /// All parts; `verdict` if they must match.
    case whole(ScanRecord, verdict: Verdict?)
  }

  /// The sets that were given up.
  let incomplete: AsyncStream<IncompleteScans>
  private let giving: AsyncStream<IncompleteScans>.Continuation
  private let gathering: Mutex<SetGathering<PreparedScan>>
  private let alarm = Mutex<Task<Void, Never>?>(nil)
  /// Whether another desk takes over the open sets.
  private let isKept = Mutex(false)

  /// The most abandoned sets that wait to be taken; further ones are discarded.
  static let incompleteCountMax = 16

  /// - Parameter earlier: the desk whose open sets are kept if their definition is unchanged, and given up otherwise.
  init(_ sets: [ScanSet], after earlier: SetDesk? = nil) {
    var gathering = SetGathering<PreparedScan>(sets)
    let givenUp = earlier.map { earlier in gathering.takeOver(earlier.gathering.withLock { $0 }) } ?? []
    self.gathering = Mutex(gathering)
    (incomplete, giving) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.incompleteCountMax))
    tell(givenUp)
    setAlarm()
  }

  /// Whether a scan with these flags is part of a set.
  func hasPart(_ flags: [String]) -> Bool { gathering.withLock { $0.hasPart(flags) } }

  /// Offers a scan.
  func take(_ scan: PreparedScan) -> Outcome {
    let corner = scan.record.corners.first
    let part = SetPart(
      scan, identity: Array(scan.record.symbology.utf8) + [0] + scan.record.bytes, flags: scan.record.flags,
      x: Int(corner?.x ?? 0), y: Int(corner?.y ?? 0))
    let moment = CaptureTime.now().bootNanoseconds
    let (outcome, givenUp) = gathering.withLock { gathering in
      // Expired sets are given up whether or not the alarm has fired.
      let late = gathering.expire(at: moment)
      let taken = gathering.take(part, at: moment)
      return (taken.outcome, late + (taken.givenUp.map { [$0] } ?? []))
    }
    tell(givenUp)
    setAlarm()
    switch outcome {
    case .none: return .none
    case .waiting(let missing): return .waiting(missing: missing)
    case .whole(let set, let parts):
      let texts = parts.map { $0.item.record.hostText ?? $0.item.record.text }
      return .whole(ScanRecord(set, parts.map { ($0.part, $0.item.record) }), verdict: set.verdict(texts))
    }
  }

  /// Keeps the open sets at the end, for the next desk.
  func keep() {
    isKept.withLock { $0 = true }
    alarm.withLock { $0?.cancel() }
  }

  /// Gives up every set at the end, unless they are kept.
  func giveUpAll() -> [IncompleteScans] {
    guard !isKept.withLock({ $0 }) else { return [] }
    return gathering.withLock { $0.expire(at: .max) }.map(IncompleteScans.init)
  }

  private func tell(_ sets: [IncompleteSet<PreparedScan>]) {
    for set in sets { giving.yield(IncompleteScans(set)) }
  }

  /// Wakes when the next set expires.
  private func setAlarm() {
    let deadline = gathering.withLock { $0.nextDeadline }
    alarm.withLock { alarm in
      alarm?.cancel()
      alarm = deadline.map { deadline in
        Task { [weak self] in
          let wait = Duration.nanoseconds(max(0, deadline - CaptureTime.now().bootNanoseconds))
          try? await Task.sleep(for: wait)
          guard !Task.isCancelled, let self else { return }
          self.tell(self.gathering.withLock { $0.expire(at: CaptureTime.now().bootNanoseconds) })
          self.setAlarm()
        }
      }
    }
  }
}

extension IncompleteScans {
  fileprivate init(_ set: IncompleteSet<PreparedScan>) {
    self.init(set: set.set, missing: set.missing, results: set.parts.map(\.result))
  }
}

extension ScanRecord {
  /// The message of a complete set: the record of its first part with the texts and elements of all parts.
  public init(_ set: ScanSet, _ parts: [(part: String, record: ScanRecord)]) {
    let records = parts.map(\.record)
    self = records[0]
    captured = records.map(\.captured).max { $0.bootNanoseconds < $1.bootNanoseconds } ?? captured
    text = records.map(\.text).joined(separator: set.separator)
    bytes = Array(records.map(\.bytes).joined(separator: Array(set.separator.utf8)))
    (hri, isGS1, isLink, part) = (nil, false, false, nil)
    if records.contains(where: { $0.setID != setID }) { setID = nil }
    elements = Array(records.flatMap(\.elements).prefix(GS1Reading.elementCountMax))
    problems = records.flatMap(\.problems)
    fields = Array(records.flatMap(\.fields).prefix(MessageField.countMax))
    hostText = records.map { $0.hostText ?? $0.text }.joined(separator: set.separator)
    let names = Set(records.flatMap(\.hostTexts).map(\.sink))
    hostTexts = names.sorted().map { name in
      let texts = records.map { $0.addressed(to: name) }.map { $0.hostText ?? $0.text }
      return SinkText(sink: name, text: texts.joined(separator: set.separator))
    }
    // A sink that gets any part gets the whole message: half a message is useless.
    sinks = records.contains { $0.sinks == nil } ? nil : Set(records.flatMap { $0.sinks ?? [] }).sorted()
    flags = records.flatMap(\.flags).reduce(into: []) { flags, flag in if !flags.contains(flag) { flags.append(flag) } }
    self.set = set.name
    self.parts = parts.map {
      SetMember(name: $0.part, symbology: $0.record.symbology, aim: $0.record.aimIdentifier, text: $0.record.text)
    }
  }
}
