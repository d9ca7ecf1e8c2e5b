// A message of a station as the store keeps it.

import FoundationEssentials

/// A scan or no-read as a row of the table `scans`.
public struct StoredScan: Equatable, Sendable {
  /// The scan's id, a UUID of version 7 in lower case: its first 48 bits are the milliseconds since 1970 at the station's clock.
  public let id: String
  /// The station, by the topic: the broker lets no station publish below another's.
  public let station: String
  public let symbology: String
  /// The text. PostgreSQL stores no U+0000: U+2400 (symbol for null) replaces it here, and the record has the exact bytes.
  public let text: String
  /// Why there is no text: the record's `noRead`.
  public let noRead: String?
  /// The number of the scan in the station's outbox.
  public let sequence: Int
  /// When the frame was captured, as the record says it: RFC 3339.
  public let captured: String
  /// The whole record as it came.
  public let record: String

  /// The members of the record that have columns of their own.
  private struct Record: Decodable {
    var id: String
    var symbology: String
    var text: String
    var noRead: String?
    var sequence: Int
    var captured: String
  }

  /// Reads a message.
  ///
  /// - Parameter topic: `reticle/STATION/scan`, or any whose second level is the station.
  /// - Throws: why the message is no scan.
  public init(topic: String, payload: [UInt8]) throws(StoredScanFault) {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count >= 3, !levels[1].isEmpty else { throw StoredScanFault("the topic names no station") }
    guard let text = String(validating: payload, as: UTF8.self) else { throw StoredScanFault("it is not UTF-8") }
    guard let record = try? JSONDecoder().decode(Record.self, from: Data(payload)) else {
      throw StoredScanFault("it is not a record of a scan")
    }
    guard Self.has(record.id, "xxxxxxxx-xxxx-7xxx-vxxx-xxxxxxxxxxxx") else {
      throw StoredScanFault("its id is not a UUID of version 7")
    }
    let form = "dddd-dd-ddTdd:dd:dd"
    let fraction = record.captured.utf8.dropFirst(form.utf8.count)
    let isFraction =
      fraction.elementsEqual("Z".utf8)
      || fraction.first == UInt8(ascii: ".") && fraction.last == UInt8(ascii: "Z") && fraction.count > 2
        && fraction.dropFirst().dropLast().allSatisfy { (0x30...0x39).contains($0) }
    guard Self.has(String(record.captured.prefix(form.utf8.count)), form), isFraction else {
      throw StoredScanFault("it does not say when it was captured")
    }
    (id, station, symbology) = (record.id, String(levels[1]), record.symbology)
    self.text = record.text.utf8.contains(0) ? record.text.replacing("\0", with: "\u{2400}") : record.text
    (noRead, sequence, captured, self.record) = (record.noRead, record.sequence, record.captured, text)
  }

  /// Whether a text has a form, in which x is a lower-case hexadecimal digit, d a decimal one, and v one of 8, 9, a and b, which mark
  /// the variant of a UUID (RFC 9562 §4.1).
  private static func has(_ text: String, _ form: String) -> Bool {
    text.utf8.count == form.utf8.count
      && zip(text.utf8, form.utf8).allSatisfy { byte, mark in
        switch mark {
        case UInt8(ascii: "x"): (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
        case UInt8(ascii: "d"): (0x30...0x39).contains(byte)
        case UInt8(ascii: "v"): [0x38, 0x39, 0x61, 0x62].contains(byte)
        default: byte == mark
        }
      }
  }

  /// The day of the id, in days since 1970 in UTC.
  var day: Int { (Int(id.prefix(8) + id.dropFirst(9).prefix(4), radix: 16) ?? 0) / StoreDay.milliseconds }

  /// The row in the text format of COPY.
  var row: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * record.utf8.count)
    for field in [id, station, captured, symbology, text, noRead, String(sequence), record] {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "\t")) }
      CopyText.append(field, to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why a message is not stored as a scan.
public struct StoredScanFault: Error, Equatable, Sendable {
  public let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// PostgreSQL's text format of COPY.
enum CopyText {
  /// Appends a field; nil is NULL.
  static func append(_ text: String?, to bytes: inout [UInt8]) {
    guard let text else { return bytes += Array("\\N".utf8) }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): bytes += [byte, byte]
      case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
      case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
      default: bytes.append(byte)
      }
    }
  }
}

/// A day of ids: a partition of the table.
struct StoreDay: Hashable {
  static let milliseconds = 86_400_000

  /// In days since 1970 in UTC.
  let number: Int

  /// The smallest UUID of the day.
  private var least: String {
    let digits = String(number * Self.milliseconds, radix: 16)
    let padded = String(repeating: "0", count: 12 - digits.count) + digits
    return "\(padded.prefix(8))-\(padded.dropFirst(8))-0000-0000-000000000000"
  }

  /// The statement that makes the partition, named by year, month and day.
  var statement: String {
    let name = "scans_" + date.replacing("-", with: "_")
    return "CREATE TABLE IF NOT EXISTS \(name) PARTITION OF scans FOR VALUES FROM ('\(least)') "
      + "TO ('\(StoreDay(number: number + 1).least)');"
  }

  /// The date as `2026-11-29`.
  var date: String {
    let moment = Date(timeIntervalSince1970: Double(number) * 86400)
    return moment.formatted(.iso8601.year().month().day())
  }
}
