// The JSON form of a scan, to the letter as `ScanRecord` documents it. The same code writes it for the outbox, the webhook
// and standard output, so a record that was stored a year ago is sent as it was.

import BarcodeMessage
package import FoundationEssentials

extension ScanRecord: Codable {
  private enum Member: String, CodingKey {
    case aim, bootId, bytes, captured, capturedBootNanoseconds, confidence, corners, elements, fields, flags, frames,
      hostText,
      hostTexts,
      hri, id, isGS1, isLink
    case lines, missing, noRead, part, parts, picture, pictureMissing, preview, problems, schema, sent, sentBootNanoseconds,
      sequence, set,
      setId,
      sinks,
      station,
      symbology,
      text
  }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Member.self)
    try object.encode(aimIdentifier, forKey: .aim)
    try object.encode(captured.bootID, forKey: .bootId)
    try object.encode(Data(bytes).base64EncodedString(), forKey: .bytes)
    try object.encode(Timestamp.text(unixMilliseconds: captured.unixMilliseconds), forKey: .captured)
    try object.encode(captured.bootNanoseconds, forKey: .capturedBootNanoseconds)
    try object.encode(confidence, forKey: .confidence)
    try object.encode(corners.map { [$0.x, $0.y] }, forKey: .corners)
    if !elements.isEmpty { try object.encode(elements, forKey: .elements) }
    if !fields.isEmpty { try object.encode(fields, forKey: .fields) }
    if !flags.isEmpty { try object.encode(flags, forKey: .flags) }
    try object.encode(frameCount, forKey: .frames)
    try object.encodeIfPresent(hostText, forKey: .hostText)
    if !hostTexts.isEmpty { try object.encode(hostTexts, forKey: .hostTexts) }
    try object.encodeIfPresent(hri, forKey: .hri)
    try object.encode(id.description, forKey: .id)
    try object.encode(isGS1, forKey: .isGS1)
    try object.encode(isLink, forKey: .isLink)
    try object.encode(lineCount, forKey: .lines)
    if !missing.isEmpty { try object.encode(missing, forKey: .missing) }
    try object.encodeIfPresent(noRead, forKey: .noRead)
    try object.encodeIfPresent(part, forKey: .part)
    if !parts.isEmpty { try object.encode(parts, forKey: .parts) }
    try object.encodeIfPresent(picture, forKey: .picture)
    try object.encodeIfPresent(pictureMissing, forKey: .pictureMissing)
    try object.encodeIfPresent(preview?.map { [$0.x, $0.y] }, forKey: .preview)
    if !problems.isEmpty { try object.encode(problems, forKey: .problems) }
    try object.encode(Self.schema, forKey: .schema)
    if let sent {
      try object.encode(sent.text, forKey: .sent)
      if sent.bootID == captured.bootID { try object.encode(sent.bootNanoseconds, forKey: .sentBootNanoseconds) }
    }
    try object.encode(sequence, forKey: .sequence)
    try object.encodeIfPresent(set, forKey: .set)
    try object.encodeIfPresent(setID, forKey: .setId)
    try object.encodeIfPresent(sinks, forKey: .sinks)
    try object.encode(station, forKey: .station)
    try object.encode(symbology, forKey: .symbology)
    try object.encode(text, forKey: .text)
  }

  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Member.self)
    func invalid(_ member: Member, _ expected: String) -> DecodingError {
      .dataCorruptedError(forKey: member, in: object, debugDescription: "\(member.rawValue) must be \(expected)")
    }
    guard let id = ScanID(try object.decode(String.self, forKey: .id)) else { throw invalid(.id, "a UUID") }
    guard let bytes = Data(base64Encoded: try object.decode(String.self, forKey: .bytes)) else {
      throw invalid(.bytes, "base64")
    }
    guard let moment = Timestamp.unixMilliseconds(try object.decode(String.self, forKey: .captured)) else {
      throw invalid(.captured, "an RFC 3339 time in UTC with milliseconds")
    }
    self.init(
      id: id, station: try object.decode(String.self, forKey: .station),
      symbology: try object.decode(String.self, forKey: .symbology),
      aimIdentifier: try object.decode(String.self, forKey: .aim), text: try object.decode(String.self, forKey: .text),
      bytes: Array(bytes),
      captured: CaptureTime(
        unixMilliseconds: moment, bootNanoseconds: try object.decode(Int64.self, forKey: .capturedBootNanoseconds),
        bootID: try object.decode(String.self, forKey: .bootId)))
    if let text = try object.decodeIfPresent(String.self, forKey: .sent) {
      guard let moment = Timestamp.unixMilliseconds(text) else { throw invalid(.sent, "as captured") }
      let nanoseconds = try object.decodeIfPresent(Int64.self, forKey: .sentBootNanoseconds)
      sent = CaptureTime(
        unixMilliseconds: moment, bootNanoseconds: nanoseconds ?? 0, bootID: nanoseconds == nil ? "" : captured.bootID)
    }
    sequence = try object.decode(Int64.self, forKey: .sequence)
    hri = try object.decodeIfPresent(String.self, forKey: .hri)
    set = try object.decodeIfPresent(String.self, forKey: .set)
    setID = try object.decodeIfPresent(String.self, forKey: .setId)
    parts = try object.decodeIfPresent([SetMember].self, forKey: .parts) ?? []
    fields = try object.decodeIfPresent([Field].self, forKey: .fields) ?? []
    flags = try object.decodeIfPresent([String].self, forKey: .flags) ?? []
    sinks = try object.decodeIfPresent([String].self, forKey: .sinks)
    hostText = try object.decodeIfPresent(String.self, forKey: .hostText)
    hostTexts = try object.decodeIfPresent([SinkText].self, forKey: .hostTexts) ?? []
    missing = try object.decodeIfPresent([String].self, forKey: .missing) ?? []
    noRead = try object.decodeIfPresent(NoRead.self, forKey: .noRead)
    part = try object.decodeIfPresent(Part.self, forKey: .part)
    picture = try object.decodeIfPresent(String.self, forKey: .picture)
    pictureMissing = try object.decodeIfPresent(PictureMissing.self, forKey: .pictureMissing)
    elements = try object.decodeIfPresent([Element].self, forKey: .elements) ?? []
    problems = try object.decodeIfPresent([Problem].self, forKey: .problems) ?? []
    isGS1 = try object.decode(Bool.self, forKey: .isGS1)
    isLink = try object.decode(Bool.self, forKey: .isLink)
    func places(_ pairs: [[Double]], _ member: Member, _ make: (Double, Double) -> Corner) throws -> [Corner] {
      try pairs.map { pair in
        guard pair.count == 2 else { throw invalid(member, "pairs of numbers") }
        return make(pair[0], pair[1])
      }
    }
    corners = try places(object.decode([[Double]].self, forKey: .corners), .corners) { Corner(x: $0, y: $1) }
    if let pairs = try object.decodeIfPresent([[Double]].self, forKey: .preview) {
      preview = try places(pairs, .preview) { Corner(partX: $0, partY: $1) }
    }
    frameCount = try object.decode(Int.self, forKey: .frames)
    lineCount = try object.decode(Int.self, forKey: .lines)
    confidence = try object.decode(Int.self, forKey: .confidence)
  }

  /// The record as a delivery at this moment carries it.
  package func sent(at moment: CaptureTime) -> ScanRecord {
    var record = self
    record.sent = moment
    return record
  }

  /// The JSON form on one line, members sorted by name: the same record gives the same bytes.
  public func json() -> [UInt8] { jsonLine() }

  /// Reads the JSON form.
  public init(json: [UInt8]) throws {
    self = try JSONDecoder().decode(ScanRecord.self, from: Data(json))
  }
}

extension ScanRecord {
  /// The forms in which a receiver gets what was scanned, and may repeat it: plain and as the host's text, both also as in JSON,
  /// in base64, in hexadecimal and element by element.
  package var dataForms: [String] {
    let texts = [text] + (hostText.map { [$0] } ?? [])
    let escaped = texts.compactMap { text in
      (try? JSONEncoder().encode(text)).map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
    }
    let hexadecimal = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    return texts + escaped + [hri ?? "", Data(bytes).base64EncodedString(), hexadecimal, hexadecimal.uppercased()]
      + elements.map(\.value) + parts.map(\.text) + fields.map(\.value)
  }
}

extension Encodable {
  /// The JSON form on one line, members sorted by name, so that equal values have equal bytes; invisible characters and marks that change
  /// the direction of writing are escaped. For types of strings, integers, booleans and finite numbers, which always have a JSON form.
  package func jsonLine(keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = keys
    do {
      return JSONText.safe(try encoder.encode(self))
    } catch {
      preconditionFailure("\(Self.self) has no JSON form: \(error)")
    }
  }
}
