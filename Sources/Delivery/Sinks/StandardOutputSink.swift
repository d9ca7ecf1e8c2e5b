// Scans as JSON lines on standard output, for pipes and for looking. It writes to the descriptor itself: a line counts as
// delivered only when the system has taken all of it, which buffered printing cannot say.

public import DeliveryModel
import Devices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Settings of JSON lines on standard output, one line per scan.
public struct StandardOutputSettings: SinkSettings {
  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "stdout"
  public var retry = RetrySettings.serial

  public init() {}
}

extension StandardOutputSettings {
  public var target: String { "stdout" }
  public var printsScans: Bool { true }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    StandardOutputSink(settings: self)
  }
}

/// A sink that writes each scan's JSON form and a line feed to a file descriptor.
///
/// A slow reader delays only this sink, which writes on its own thread.
public actor StandardOutputSink: ScanSink {
  public nonisolated let name: String
  private nonisolated let executor = BlockingExecutor(label: "standard-output")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let descriptor: Int32
  /// Whether the last delivery ended in the middle of a line.
  private var hasBrokenLine = false

  /// How long one wait for the reader lasts before cancellation is looked at, in milliseconds.
  static let waitMilliseconds: Int32 = 100

  /// - Parameter descriptor: stays the caller's; 1 is standard output.
  public init(settings: StandardOutputSettings = StandardOutputSettings(), descriptor: Int32 = 1) {
    name = settings.name
    self.descriptor = descriptor
    // A reader that goes away is an error to be returned, not the end of the station.
    signal(SIGPIPE, SIG_IGN)
  }

  public func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    for record in records {
      let outcome = write(record)
      guard outcome == .delivered else { return outcome }
    }
    return .delivered
  }

  private func write(_ record: ScanRecord) -> DeliveryOutcome {
    let line = (hasBrokenLine ? [0x0A] : []) + record.sent(at: .now()).json() + [0x0A]
    var offset = 0
    defer { hasBrokenLine = offset > 0 && offset < line.count || offset == 0 && hasBrokenLine }
    while offset < line.count {
      var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&waited, 1, Self.waitMilliseconds) > 0 else {
        if Task.isCancelled { return .retry(after: nil, Self.problem("no program reads it")) }
        continue
      }
      let part = min(line.count - offset, Int(PIPE_BUF))
      let written = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, part) }
      if written > 0 {
        offset += written
      } else if written < 0, errno != EINTR, errno != EAGAIN {
        return .retry(after: nil, Self.problem(errno == EPIPE ? "the reader has gone away" : "errno \(errno)"))
      }
    }
    return .delivered
  }

  private static func problem(_ what: String) -> DeliveryProblem {
    DeliveryProblem("standard output: \(what)", remedy: "start the station with its output going somewhere")
  }
}
