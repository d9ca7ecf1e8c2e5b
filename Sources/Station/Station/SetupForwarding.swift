// Keeps set-up codes from the outbox: they change the configuration, and are never sent as scans.

import BarcodeTypes
public import ScanControl
public import ScanLoop
import SetupCodes
public import StationConfiguration

/// Passes set-up codes to the desk and everything else to the station's forwarding.
public final class SetupForwarding: ScanForwarding {
  private let forwarding: any ScanForwarding
  private let desk: SetupDesk
  private let settings: SetupSettings
  private let station: String

  /// - Parameter configuration: one with set-up by barcode.
  public init(_ forwarding: any ScanForwarding, desk: SetupDesk, _ configuration: StationConfiguration) {
    self.forwarding = forwarding
    self.desk = desk
    settings = configuration.setup
    station = configuration.stationName
  }

  /// Whether a result is a set-up code, genuine or not.
  static func isSetupCode(_ result: ScanResult) -> Bool {
    result.code.symbology == .qr && SetupCode.isMarked(result.code.payload)
  }

  public func accept(_ results: [ScanResult]) async -> [Result<ScanSafety, any Error>] {
    let scans = results.filter { !Self.isSetupCode($0) }
    // Scans first: a change ends this station.
    var answers = (scans.isEmpty ? [] : await forwarding.accept(scans))[...]
    var outcomes: [Result<ScanSafety, any Error>] = []
    for result in results {
      if Self.isSetupCode(result) {
        outcomes.append(.success(.setup(await desk.take(result, settings, station: station))))
      } else if let answer = answers.popFirst() {
        outcomes.append(answer)
      }
    }
    return outcomes
  }

  public var incomplete: AsyncStream<IncompleteScans> { forwarding.incomplete }
  public func keepSets() { forwarding.keepSets() }
  public func abandonSets() -> [IncompleteScans] { forwarding.abandonSets() }
  public func drain(within limit: Duration) async -> Int { await forwarding.drain(within: limit) }
  public func reportNoRead(_ cause: NoRead) async -> Result<ScanSafety, any Error>? { await forwarding.reportNoRead(cause) }
  public func reportIncomplete(_ scans: IncompleteScans) async -> Result<ScanSafety, any Error>? {
    await forwarding.reportIncomplete(scans)
  }
  public func takeNotice() -> SetupNotice? { desk.takeNotice() }
}
