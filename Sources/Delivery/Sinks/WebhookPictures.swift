// Pictures in the requests of a webhook. No scan is lost or held up because of its picture: the waits are short, and a receiver
// that fails with the picture gets the scan without it.

import DeliveryModel
import Logging
import Metrics
import Synchronization

/// A scan as a request carries it.
struct PicturedScan: Sendable {
  /// The picture of a request.
  struct Picture: Sendable {
    let fileName: String
    let mediaType: String
    let bytes: [UInt8]
  }

  /// Says why the picture is missing, where it is.
  private(set) var record: ScanRecord
  private(set) var picture: Picture?

  init(_ record: ScanRecord, _ picture: Picture? = nil) {
    (self.record, self.picture) = (record, picture)
  }

  /// The scan without its picture.
  func without(because reason: ScanRecord.PictureMissing) -> PicturedScan {
    var scan = PicturedScan(record)
    scan.record.pictureMissing = reason
    return scan
  }
}

/// Adds pictures to scans, and rests after requests that fail because of them.
final class WebhookPictures: Sendable {
  /// The age of a scan up to which it waits for its picture, and the time limit for reading the file in an attempt. No attempt
  /// is held back longer.
  static let waitMax = Duration.milliseconds(500)
  /// How often a scan that waits looks for its picture.
  static let lookInterval = Duration.milliseconds(10)
  /// The most bytes of a request with a picture, which receivers with a usual limit of 1 MiB take.
  static let requestByteCountMax = 1 << 20
  /// Bytes of such a request besides record and picture, at most: the heads of its parts, when it is sent, and the members of a
  /// CloudEvent.
  private static let formByteCountMax = 4 << 10
  /// The number of failed requests with pictures in a row after which the scan is sent without its picture in the same attempt.
  static let failureCountMax = 3
  /// How long no pictures are sent after a receiver has refused one and then taken the scan without it.
  static let rest = Duration.seconds(60)

  /// Whether a failed request failed because of its picture.
  enum Suspicion {
    /// The request did not reach the receiver, or the picture is not at fault.
    case none
    case possible
    /// The request was too large, or the time was up.
    case strong
  }

  private struct State {
    var failureCount = 0
    var restEnd: ContinuousClock.Instant?
  }

  /// The picture at a path, read within a time limit.
  typealias Source = @Sendable (_ path: String, _ limit: Duration) async -> PictureAnswer

  private let source: Source
  private let failureCountMax: Int
  private let now: @Sendable () -> ContinuousClock.Instant
  private let logger: Logger
  private let counters: [String: Counter]
  private let state = Mutex(State())

  /// - Parameter rejectionCountMax: how often a scan is rejected before it becomes a dead letter; nil: it never does.
  init(
    sink: String, rejectionCountMax: Int?, logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    source: @escaping Source
  ) {
    self.source = source
    self.now = now
    // Each scan is tried without its picture before it becomes a dead letter.
    failureCountMax = max(1, min(Self.failureCountMax, rejectionCountMax ?? .max))
    self.logger = logger
    counters = (["sent"] + ScanRecord.PictureMissing.allCases.map(\.rawValue)).reduce(into: [:]) { counters, result in
      counters[result] = Counter(
        label: "reticle_delivery_pictures_total", dimensions: [("sink", sink), ("result", result)])
    }
  }

  /// Adds its picture to a scan. A scan younger than `waitMax` waits for a picture that is being written.
  func add(to record: ScanRecord) async -> PicturedScan {
    let scan = PicturedScan(record)
    guard let path = record.picture else { return scan }
    guard !isResting else { return scan.without(because: .failing) }
    let age = max(.zero, record.captured.elapsed(until: .now()))
    let begin = ContinuousClock.now
    while true {
      switch await source(path, Self.waitMax - (ContinuousClock.now - begin)) {
      case .file(let bytes, let mediaType):
        guard bytes.count + record.json().count + Self.formByteCountMax <= Self.requestByteCountMax else {
          return scan.without(because: .large)
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return PicturedScan(record, .init(fileName: name, mediaType: mediaType, bytes: bytes))
      case .none: return scan.without(because: .gone)
      case .pending:
        guard age + (ContinuousClock.now - begin) < Self.waitMax, !Task.isCancelled else {
          return scan.without(because: .late)
        }
        try? await Task.sleep(for: Self.lookInterval)
      }
    }
  }

  /// Notes a request with a picture that failed.
  ///
  /// - Returns: whether the scan is to be sent without the picture at once.
  func failed(_ suspicion: Suspicion) -> Bool {
    state.withLock { state in
      switch suspicion {
      case .none: return false
      case .possible: state.failureCount += 1
      case .strong: state.failureCount = failureCountMax
      }
      guard state.failureCount >= failureCountMax else { return false }
      state.failureCount = 0
      return true
    }
  }

  /// Notes a scan that was delivered.
  ///
  /// - Parameter isProof: whether the same attempt failed with the picture.
  func delivered(_ scan: PicturedScan, isProof: Bool) {
    guard scan.record.picture != nil else { return }
    counters[scan.picture == nil ? scan.record.pictureMissing?.rawValue ?? "" : "sent"]?.increment()
    guard scan.picture != nil || isProof else { return }
    state.withLock { state in
      state.failureCount = 0
      if isProof { state.restEnd = now() + Self.rest }
    }
    guard isProof else { return }
    logger.warning(
      "the receiver fails with pictures; scans go without them for a while",
      metadata: [
        "seconds": "\(Self.rest.components.seconds)",
        "remedy": "let it accept multipart/form-data of up to 1 MiB in the time limit, or lower pictures.quality",
      ])
  }

  private var isResting: Bool {
    state.withLock { $0.restEnd.map { now() < $0 } ?? false }
  }
}
