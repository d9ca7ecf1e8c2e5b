/// Header fields in the order of the message. Names are case-insensitive (RFC 9110, 5.1).
public struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// One header field.
  public struct Field: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  public private(set) var all: [Field]

  public init(_ fields: [Field] = []) { all = fields }

  public init(dictionaryLiteral elements: (String, String)...) { all = elements.map { Field($0, $1) } }

  public mutating func append(_ name: String, _ value: String) { all.append(Field(name, value)) }

  /// The first field with this name. Setting it replaces every field with the name.
  public subscript(name: String) -> String? {
    get { all.first { $0.hasName(name) }?.value }
    set {
      all.removeAll { $0.hasName(name) }
      if let newValue { append(name, newValue) }
    }
  }
}

extension HTTPFields {
  /// Whether at most one field states the end of the body (RFC 9112, 6.3).
  var haveOneBodyLength: Bool { all.count { $0.hasName("Content-Length") || $0.hasName("Transfer-Encoding") } <= 1 }
}

extension HTTPFields.Field {
  fileprivate func hasName(_ other: String) -> Bool {
    name.utf8.count == other.utf8.count && zip(name.utf8, other.utf8).allSatisfy { lowercase($0) == lowercase($1) }
  }

  private func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
