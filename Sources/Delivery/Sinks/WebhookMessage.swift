// The content of a request: the id, the signed bytes, and their names. It depends only on the scans, so that a retry has the
// same id, and the same boundary of a form.

package import DeliveryModel

/// The id and body of a request.
package struct WebhookMessage {
  /// The scan's id; for a batch, the ids of its first and last scan. Never contains a full stop, which separates id,
  /// timestamp and body in the signed text (Standard Webhooks 1.0.0, "Signature scheme").
  package let id: String
  package let body: [UInt8]
  package let contentType: String

  /// - Parameters:
  ///   - records: at least one; exactly one unless it is a batch.
  ///   - isBatch: whether the body is a JSON array, even of a single scan: a receiver of batches gets nothing else.
  package init(_ records: [ScanRecord], body form: WebhookSettings.Body, isBatch: Bool) {
    precondition(!records.isEmpty && (isBatch || records.count == 1), "a request has one scan, a batch at least one")
    let parts: [[UInt8]]
    switch (form, isBatch) {
    case (.json, _):
      parts = records.map { $0.json() }
      contentType = "application/json"
    case (.cloudEvents, let isBatch):
      parts = records.map { CloudEvent($0).jsonLine() }
      contentType = isBatch ? CloudEvent.batchContentType : CloudEvent.contentType
    }
    if isBatch {
      body = [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
      id = "batch_\(records[0].id)_\(records[records.count - 1].id)"
    } else {
      body = parts[0]
      id = records[0].id.description
    }
  }

  /// The parts of a form.
  static let (recordPart, picturePart) = ("record", "picture")

  /// A form with a scan, whose body is signed as a whole, and its picture.
  init(_ scan: PicturedScan, body form: WebhookSettings.Body) {
    let message = WebhookMessage([scan.record], body: form, isBatch: false)
    id = message.id
    // 62 bits of an id are random, so that neither a label nor a picture contains the boundary.
    var parts = MultipartForm(boundary: "reticle-\(id)")
    parts.add(Self.recordPart, contentType: message.contentType, message.body)
    if let picture = scan.picture {
      parts.add(Self.picturePart, fileName: picture.fileName, contentType: picture.mediaType, picture.bytes)
    }
    (body, contentType) = (parts.body, parts.contentType)
  }
}

/// A form whose parts are sent in one body.
struct MultipartForm {
  /// Bytes of a boundary, at most (RFC 2046 §5.1.1).
  static let boundaryByteCountMax = 70

  private let boundary: String
  private var parts: [UInt8] = []

  /// - Parameter boundary: 1 to 70 letters, digits and `-`; no part may contain it.
  init(boundary: String) {
    precondition((1...Self.boundaryByteCountMax).contains(boundary.utf8.count), "a boundary has 1 to 70 bytes")
    self.boundary = boundary
  }

  var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// The whole body.
  var body: [UInt8] { parts + Array("--\(boundary)--\r\n".utf8) }

  /// Adds a part.
  ///
  /// - Parameters:
  ///   - name: the name of the form's field; like the file's name without quotes, backslashes and control characters.
  ///   - fileName: nil for a part that is not a file.
  mutating func add(_ name: String, fileName: String? = nil, contentType: String, _ bytes: [UInt8]) {
    let file = fileName.map { "; filename=\"\($0)\"" } ?? ""
    parts += Array(
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\nContent-Type: \(contentType)\r\n\r\n".utf8
    )
    parts += bytes
    parts += Array("\r\n".utf8)
  }
}

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
