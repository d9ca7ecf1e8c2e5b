// Scans as reports of a USB scanner. The host answers nothing: a scan counts as delivered when the host's system has fetched its last
// report.

import BarcodeMessage
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

/// Puts a scan into reports.
///
/// | bytes | meaning |
/// |---|---|
/// | 0 | the report's number, 2 |
/// | 1 | data bytes in this report, 0 to 56 |
/// | 2–4 | the AIM symbology identifier, such as `]E0`; zeros for a no-read |
/// | 5–60 | the data, then zeros |
/// | 61, 62 | the lower 16 bits of the scan's sequence number, lower byte first |
/// | 63 | 1: the next report continues the data; 0: this is the last |
enum ScannerReport {
  static let byteCount = 64
  static let dataByteCountMax = 56
  private static let number: UInt8 = 2

  /// The report that ends a scan that was broken off: no data, no AIM identifier, no sequence number.
  static let abandonment: [UInt8] = [number] + [UInt8](repeating: 0, count: byteCount - 1)

  /// The reports of a scan, at least one.
  static func reports(of record: ScanRecord) -> [[UInt8]] {
    let data = data(of: record)
    let identifier = record.noRead == nil ? Array(record.aimIdentifier.utf8.prefix(3)) : []
    let starts = data.isEmpty ? [0] : Array(stride(from: 0, to: data.count, by: dataByteCountMax))
    return starts.map { start in
      let part = data[start..<min(start + dataByteCountMax, data.count)]
      var report = abandonment
      report[1] = UInt8(part.count)
      report.replaceSubrange(2..<2 + identifier.count, with: identifier)
      report.replaceSubrange(5..<5 + part.count, with: part)
      report[61] = UInt8(truncatingIfNeeded: record.sequence)
      report[62] = UInt8(truncatingIfNeeded: record.sequence >> 8)
      report[63] = part.endIndex < data.count ? 1 : 0
      return report
    }
  }

  /// The symbol's own bytes, unless choices or rules made a text for hosts. The data of EAN and UPC are as long as their AIM
  /// identifier says.
  private static func data(of record: ScanRecord) -> [UInt8] {
    if let text = record.hostText { return Array(text.utf8) }
    guard record.noRead == nil else { return Array(record.text.utf8) }
    guard record.aimIdentifier.hasPrefix("]E") else { return record.bytes }
    return Array(
      dataBehindAIMIdentifier(
        record.aimIdentifier, text: record.text, isZeroSuppressed: record.symbology == "upce"
      ).utf8)
  }
}

/// A USB scanner at a host (HID-POS): scans are sent as input reports, without a keyboard layout.
public struct HIDPOSSettings: SinkSettings {
  /// The treatment of a scan that was broken off.
  public enum Interruption: String, Sendable, CaseIterable {
    /// The scan from its beginning, once the host listens again.
    case `repeat`
    /// The sink is parked: someone looks what the host has, and resumes it.
    case park
  }

  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "hid_pos"
  /// The device file, `/dev/hidg0` to `/dev/hidg9`.
  public var device = "/dev/hidg1"
  public var interruption = Interruption.repeat
  public var retry = RetrySettings.serial

  public init() {}
}

extension HIDPOSSettings {
  public var target: String { "hid_pos \(device)" }

  public var textFraming: FramingSettings? {
    var framing = FramingSettings()
    framing.controlCharacters = .send
    framing.sendsAIMIdentifier = true
    return framing
  }

  public var inputDevice: String? { device }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    HIDPOSSink(settings: self, scanner: surroundings.scanner(self))
  }
}
