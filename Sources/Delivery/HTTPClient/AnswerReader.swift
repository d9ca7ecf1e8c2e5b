// Assembles an answer from the lines and parts that libcurl delivers, and cuts off a server that sends too much or sends
// something other than HTTP. libcurl itself accepts a status that is negative, missing or has four digits; this reader
// accepts only the grammar.

/// Reads the answer to a request: interim answers, the final one's header, its body, trailers.
struct AnswerReader {
  /// The most bytes in all header lines, including interim answers and trailers.
  static let headerByteCountMax = 64 << 10
  static let fieldCountMax = 256
  /// The most answers with a status of 1xx before the final one.
  static let interimCountMax = 16
  /// The most bytes in a body; a longer one is cut off there, which closes the connection.
  static let bodyByteCountMax = 64 << 10
  /// Interim statuses (RFC 9110 §15). 101 would follow only a request for another protocol.
  private static let interimStatuses = 100...199
  private static let finalStatuses = 200...599

  private enum Place { case statusLine, fields, body }

  private var place = Place.statusLine
  private var current = HTTPAnswer(status: 0, reason: "", fields: [], body: [])
  private var headerByteCount = 0
  private var fieldCount = 0
  private var interimCount = 0

  /// Why reading was abandoned, if it was.
  private(set) var failure: HTTPFailure?

  /// The answer, as soon as its header is complete: the status is known, regardless of the rest of the body.
  var answer: HTTPAnswer? { place == .body ? current : nil }

  /// Accepts a line of a header, or of trailers, including its line break.
  ///
  /// - Returns: false to cut off the server.
  mutating func take(line: UnsafeRawBufferPointer) -> Bool {
    headerByteCount += line.count
    fieldCount += 1
    guard headerByteCount <= Self.headerByteCountMax, fieldCount <= Self.fieldCountMax else { return fail(.headerTooLong) }
    var bytes = line[...]
    while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
    switch place {
    case .statusLine:
      guard let (status, reason) = Self.status(of: bytes) else { return fail(.notHTTP) }
      (current.status, current.reason, current.fields) = (status, reason, [])
      place = .fields
    case .fields where bytes.isEmpty:
      guard Self.interimStatuses.contains(current.status) else {
        place = .body
        return true
      }
      interimCount += 1
      guard interimCount <= Self.interimCountMax else { return fail(.headerTooLong) }
      place = .statusLine
    case .fields:
      if let field = Self.field(of: bytes) { current.fields.append(field) }
    case .body: break
    }
    return true
  }

  /// Accepts a part of the body.
  ///
  /// - Returns: false to cut off the server.
  mutating func take(body part: UnsafeRawBufferPointer) -> Bool {
    current.body += part.prefix(Self.bodyByteCountMax - current.body.count)
    return current.body.count < Self.bodyByteCountMax
  }

  private mutating func fail(_ failure: HTTPFailure) -> Bool {
    self.failure = failure
    return false
  }

  /// Parses `HTTP/1.1 200 OK`, without its line break (RFC 9112 §4). A missing reason is common, even without the preceding
  /// blank.
  private static func status(of line: Slice<UnsafeRawBufferPointer>) -> (Int, String)? {
    let bytes = Array(line)
    guard bytes.starts(with: "HTTP/1.".utf8), bytes.count >= 12, bytes[7] == 0x30 || bytes[7] == 0x31, bytes[8] == 0x20,
      bytes[9...11].allSatisfy({ (0x30...0x39).contains($0) }), bytes.count == 12 || bytes[12] == 0x20
    else { return nil }
    let status = bytes[9...11].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard finalStatuses.contains(status) || interimStatuses.contains(status) && status != 101 else { return nil }
    return (status, String(decoding: bytes.dropFirst(13), as: UTF8.self))
  }

  /// A field's name and value (RFC 9112 §5). Nil for a line without a colon, and for the continuation of a field.
  private static func field(of line: Slice<UnsafeRawBufferPointer>) -> HTTPField? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.first != 0x20, line.first != 0x09 else { return nil }
    var value = line[(colon + 1)...]
    while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
    return HTTPField(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
  }
}
