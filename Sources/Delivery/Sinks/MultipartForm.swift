// The body of multipart/form-data (RFC 7578; its parts are those of RFC 2046 §5.1.1).

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
