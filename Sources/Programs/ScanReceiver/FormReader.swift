// Reads the body of multipart/form-data (RFC 7578), as a receiver of scans with pictures does.

/// A form's parts.
struct FormReader {
  /// A part of the form.
  struct Part {
    var name: String
    var fileName: String?
    /// Such as `image/webp`; `text/plain` if the part does not say (RFC 7578 §4.4).
    var contentType = "text/plain"
    var bytes: [UInt8]
  }

  /// Why a body is not a form, in words.
  struct Failure: Error { var words: String }

  static let mediaType = "multipart/form-data"
  private static let lineEnd = Array("\r\n".utf8)

  private(set) var parts: [Part] = []

  /// - Parameter contentType: the header field of the request, with the boundary.
  init(_ body: [UInt8], contentType: String) throws(Failure) {
    guard let boundary = Self.parameter("boundary", of: contentType), !boundary.isEmpty else {
      throw Failure(words: "the form has no boundary")
    }
    let delimiter = Array("--\(boundary)".utf8)
    guard body.starts(with: delimiter) else { throw Failure(words: "the form does not begin with its boundary") }
    var rest = body[delimiter.count...]
    while !rest.starts(with: "--".utf8) {
      guard rest.starts(with: Self.lineEnd), let end = rest.firstRange(of: Self.lineEnd + delimiter) else {
        throw Failure(words: "a part of the form does not end")
      }
      parts.append(try Self.part(rest[..<end.lowerBound].dropFirst(Self.lineEnd.count)))
      rest = rest[end.upperBound...]
    }
  }

  /// The first part with a name.
  subscript(name: String) -> Part? { parts.first { $0.name == name } }

  private static func part(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Part {
    guard let end = bytes.firstRange(of: lineEnd + lineEnd) else { throw Failure(words: "a part of the form has no head") }
    var part = Part(name: "", bytes: Array(bytes[end.upperBound...]))
    for line in String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n") {
      guard let colon = line.firstIndex(of: ":") else { throw Failure(words: "a part's head has a line without a colon") }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      switch line[..<colon].lowercased() {
      case "content-disposition":
        part.name = parameter("name", of: String(value)) ?? ""
        part.fileName = parameter("filename", of: String(value))
      case "content-type": part.contentType = String(value)
      default: break
      }
    }
    guard !part.name.isEmpty else { throw Failure(words: "a part of the form has no name") }
    return part
  }

  /// A parameter of a header field's value, without its quotes.
  private static func parameter(_ name: String, of value: String) -> String? {
    value.split(separator: ";").dropFirst().lazy.map { $0.drop { $0 == " " } }.first { $0.hasPrefix("\(name)=") }
      .map { $0.dropFirst(name.count + 1).filter { $0 != "\"" } }
  }
}
