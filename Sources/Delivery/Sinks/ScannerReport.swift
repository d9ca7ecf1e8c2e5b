// The form of a scan for a USB host: input reports of the bar code scanner page. Pure, so every rule is a line in a test.

import BarcodeMessage
import DeliveryModel

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
