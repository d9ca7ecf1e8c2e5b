// Start reading here: the print of scanned symbols, graded in the frames where they were read. One thread of low priority does
// it; everything else only leaves a frame for it, and never waits. A scan that comes while it works is not graded.

package import BarcodeDecoder
import BarcodeTypes
import Devices
import Dispatch
import Glibc
package import Logging
package import Metrics
import PrintQuality
package import ScanControl
package import ScanLoop
public import ServiceLifecycle
package import StationConfiguration
import Synchronization

/// Grades scans, and keeps the trend of the grades per sink and symbology.
///
/// Each station starts without trends, and so does a changed configuration.
public final class PrintGrading: Service {
  /// How long the last grading may take at the end; after that, it is abandoned.
  static let quitLimit = Duration.seconds(5)

  private struct Job {
    var frame: FrameCopy
    var symbology: Symbology
    var corners: Quad
    var sinks: [String]
  }

  private struct LineKey: Hashable {
    var sink: String
    var symbology: Symbology
  }

  /// A trend with its figures.
  private struct Line {
    var trend: PrintTrend
    let grade: Gauge
    let alarm: Gauge

    init(_ key: LineKey, alarmBelow: Double, _ metrics: any MetricsFactory) {
      trend = PrintTrend(alarmBelow: alarmBelow)
      let dimensions = [("sink", key.sink), ("symbology", "\(key.symbology.name)")]
      grade = Gauge(label: "reticle_print_grade", dimensions: dimensions, factory: metrics)
      alarm = Gauge(label: "reticle_print_alarm", dimensions: dimensions, factory: metrics)
    }
  }

  private struct State {
    var job: Job?
    /// From the moment that a scan is taken until it is graded.
    var isBusy = false
    var isQuitting = false
    /// At most as many as there are sinks times graded symbologies.
    var lines: [LineKey: Line] = [:]
  }

  /// The keeper of the frames that are graded.
  package let frames: FrameKeeper
  private let settings: GradingSettings
  private let decoder: DecoderSettings
  private let metrics: any MetricsFactory
  private let logger: Logger
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let omitted: [Omission: Counter]
  private let graded: [Symbology: Counter]

  /// - Parameters:
  ///   - decoder: how the station reads symbols.
  ///   - frames: a keeper of frames with codes, shared with pictures; nil: one of its own.
  package init(
    _ settings: GradingSettings, decoder: DecoderSettings, frames: FrameKeeper? = nil,
    metrics: any MetricsFactory = MetricsSystem.factory, logger: Logger
  ) {
    (self.settings, self.decoder, self.metrics, self.logger) = (settings, decoder, metrics, logger)
    self.frames = frames ?? FrameKeeper(FrameKeeper.Choice(withCodes: true, withUnread: false, every: false))
    omitted = Dictionary(
      uniqueKeysWithValues: Omission.allCases.map {
        (
          $0,
          Counter(label: "reticle_print_not_graded_total", dimensions: [("reason", $0.rawValue)], factory: metrics)
        )
      })
    graded = Dictionary(
      uniqueKeysWithValues: Symbology.allCases.filter(SymbolGrader.symbologies.contains).map {
        (
          $0, Counter(label: "reticle_print_graded_total", dimensions: [("symbology", "\($0.name)")], factory: metrics)
        )
      })
  }

  // MARK: Taking scans

  /// Grades a scan later, unless another one is being graded. Returns at once.
  ///
  /// - Parameter sinks: the sinks that get it.
  package func take(_ result: ScanResult, sinks: [String]) {
    guard SymbolGrader.symbologies.contains(result.code.symbology) else { return omit(.unsupported) }
    let isTaken = state.withLock { state in
      guard !state.isBusy, !state.isQuitting else { return false }
      state.isBusy = true
      return true
    }
    guard isTaken else { return omit(.busy) }
    guard let frame = frames.take(sequence: result.frameSequence) else {
      state.withLock { $0.isBusy = false }
      return omit(.noFrame)
    }
    let job = Job(frame: frame, symbology: result.code.symbology, corners: result.corners, sinks: sinks)
    state.withLock { $0.job = job }
    wake.signal()
  }

  private func omit(_ omission: Omission) { omitted[omission]?.increment() }

  /// The present trends.
  public var report: PrintReport {
    let lines = state.withLock { $0.lines }
    return PrintReport(
      lines: lines.compactMap { key, line in
        line.trend.mean.map {
          PrintReport.Line(
            sink: key.sink, symbology: "\(key.symbology.name)", mean: $0, gradeCount: line.trend.gradeCount,
            isAlarmed: line.trend.isAlarmed)
        }
      }.sorted { ($0.sink, $0.symbology) < ($1.sink, $1.symbology) })
  }

  // MARK: Grading

  public func run() async {
    let running = AwaitedThread(named: "grading") { [self] in
      // Scanning takes precedence. A refusal changes nothing else.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
      work()
    }
    try? await gracefulShutdown()
    state.withLock { $0.isQuitting = true }
    wake.signal()
    if await !running.ends(within: Self.quitLimit) {
      logger.warning("the last grading was abandoned", metadata: ["limit": "\(Self.quitLimit)"])
    }
    // The next station of this process starts without a trend.
    for line in state.withLock({ Array($0.lines.values) }) {
      line.grade.record(Double.nan)
      line.alarm.record(0)
    }
  }

  /// The priority of the grading thread (setpriority(2)): 0 is that of all others.
  private static let niceness: Int32 = 10

  private func work() {
    var grader = FrameGrader(decoder: decoder, transfer: settings.transfer)
    while true {
      wake.wait()
      let (job, isQuitting) = state.withLock { state in (state.job.take(), state.isQuitting) }
      if let job {
        let outcome = job.frame.withLuma { luma in
          Result { () throws(Omission) in try grader.grade(luma, at: job.corners) }
        }
        switch outcome {
        case .success(let quality): note(quality, job)
        case .failure(let omission): omit(omission)
        }
        state.withLock { $0.isBusy = false }
      }
      if isQuitting { return }
    }
  }

  /// Adds a grade to the trends of the sinks that get the scan.
  private func note(_ quality: SymbolQuality, _ job: Job) {
    graded[job.symbology]?.increment()
    for sink in job.sinks {
      let key = LineKey(sink: sink, symbology: job.symbology)
      let (line, change) = state.withLock { state in
        var line = state.lines[key] ?? Line(key, alarmBelow: settings.alarmBelow, metrics)
        let change = line.trend.add(quality.grade)
        state.lines[key] = line
        return (line, change)
      }
      guard let mean = line.trend.mean else { continue }
      line.grade.record(mean)
      line.alarm.record(line.trend.isAlarmed ? 1 : 0)
      if let change { tell(change, key, mean: mean, last: quality) }
    }
  }

  private func tell(_ change: PrintTrend.Change, _ key: LineKey, mean: Double, last: SymbolQuality) {
    var metadata: Logger.Metadata = [
      "sink": "\(key.sink)", "symbology": "\(key.symbology.name)", "grade": "\((mean * 100).rounded() / 100)",
      "threshold": "\(settings.alarmBelow)",
    ]
    switch change {
    case .cleared: logger.notice("symbols are well printed again", metadata: metadata)
    case .raised:
      metadata["lowest"] = "\(last.limitingParameters.map(\.kind.title).joined(separator: ", "))"
      metadata["remedy"] = "\(PrintReport.remedy)"
      logger.warning("symbols are badly printed", metadata: metadata)
    }
  }
}
