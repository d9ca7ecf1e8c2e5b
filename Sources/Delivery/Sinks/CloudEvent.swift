// A scan as a CloudEvent, for receivers that handle events of many sources by the same few members.

import DeliveryModel

/// CloudEvents 1.0, JSON format, structured mode: the scan record is `data`.
struct CloudEvent: Encodable {
  let specversion = "1.0"
  let id: String
  let source: String
  /// `reticle.scan`, or `reticle.no-read` for a trigger that ended without a scan.
  let type: String
  let time: String
  let datacontenttype = "application/json"
  /// The extension "sequence": text that sorts in the order of scans.
  let sequence: String
  let data: ScanRecord

  static let contentType = "application/cloudevents+json"
  /// JSON batch format: an array of events.
  static let batchContentType = "application/cloudevents-batch+json"

  init(_ record: ScanRecord) {
    id = record.id.description
    type = record.noRead == nil ? "reticle.scan" : "reticle.no-read"
    source = "/reticle/stations/\(Self.percentEncoded(record.station))"
    time = Timestamp.text(unixMilliseconds: record.captured.unixMilliseconds)
    let digits = String(record.sequence)
    sequence = String(repeating: "0", count: max(0, 19 - digits.utf8.count)) + digits
    data = record
  }

  /// Encodes everything but the unreserved characters of RFC 3986 §2.3 as `%` and two hexadecimal digits.
  private static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { encoded, byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(Character(Unicode.Scalar(byte)))
      default: encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}
