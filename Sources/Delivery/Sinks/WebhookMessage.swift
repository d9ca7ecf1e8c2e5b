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
