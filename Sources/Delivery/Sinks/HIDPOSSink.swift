// Scans as reports of a USB scanner. The host answers nothing: a scan counts as delivered when the host's system has fetched its last
// report.

public import DeliveryModel
public import Devices

/// A sink that sends each scan's reports to a USB host.
public actor HIDPOSSink: ScanSink {
  /// Whether the host may have the beginning of a scan without its end.
  private enum Rest { case none, unknown, some }

  public nonisolated let name: String
  private let settings: HIDPOSSettings
  private let scanner: any ScannerPort
  /// An earlier station may have been killed in the middle of the scan that comes first now.
  private var rest = Rest.unknown

  /// - Parameter scanner: the sink is its only user.
  public init(settings: HIDPOSSettings, scanner: any ScannerPort) {
    self.settings = settings
    self.scanner = scanner
    name = settings.name
  }

  public func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    for record in records {
      let outcome = await send(ScannerReport.reports(of: record))
      guard outcome == .delivered else { return outcome }
    }
    return .delivered
  }

  public func close() async { await scanner.close() }

  private func send(_ reports: [[UInt8]]) async -> DeliveryOutcome {
    let endsOther = rest == .some || rest == .unknown && reports.count > 1
    do throws(InputFailure) {
      try await scanner.open()
      try await scanner.send((endsOther ? [ScannerReport.abandonment] : []) + reports)
      rest = .none
      return .delivered
    } catch {
      await scanner.close()
      guard error.mayHaveArrived else { return .retry(after: nil, DeliveryProblem(error.summary, remedy: error.remedy)) }
      if reports.count > 1 { rest = .some }
      let summary = error.summary + "; the host may have the scan, or a part of it"
      guard settings.interruption == .park else {
        return .retry(after: nil, DeliveryProblem(summary, remedy: error.remedy))
      }
      return .parked(
        DeliveryProblem(summary, remedy: "look what the host has, then run reticle outbox retry"), isFinal: true)
    }
  }
}
