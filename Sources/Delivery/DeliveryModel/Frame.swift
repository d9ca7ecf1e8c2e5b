// The form of scans and sinks' states in the outbox's files: a mark that can be found in any bytes, a length, the content
// and a checksum. It finds intact content in a damaged file; damaged content is never trusted.

/// Bytes preceded by a mark and followed by a checksum.
///
/// Mark, 8 bytes; length of the content, 4; content; CRC-32C of all preceding bytes, 4. Numbers are big-endian.
package enum Frame {
  package static let markCount = 8
  package static let overhead = markCount + 8
  /// The most bytes of content: more than any symbol yields; also the limit for examining a mark in damaged bytes.
  package static let contentCountMax = 256 << 10

  package static func bytes(_ mark: StaticString, _ content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    mark.withUTF8Buffer { writer.bytes.append(contentsOf: $0) }
    writer.put(UInt32(content.count))
    writer.bytes += content
    writer.put(writer.bytes.withUnsafeBytes { CRC32C.of($0) })
    return writer.bytes
  }

  /// The content of a frame at an offset, and where it ends; nil unless the frame is intact.
  package static func content(_ mark: StaticString, in bytes: [UInt8], at offset: Int = 0) -> (content: [UInt8], end: Int)? {
    bytes.withUnsafeBytes { bytes in
      guard bytes.count - offset >= overhead else { return nil }
      let expected = mark.withUTF8Buffer { UnsafeRawBufferPointer($0).loadUnaligned(as: UInt64.self) }
      guard bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == expected else { return nil }
      let start = offset + markCount + 4
      let count = Int(number(bytes, at: offset + markCount))
      guard count <= contentCountMax, bytes.count - offset >= overhead + count else { return nil }
      let sum = CRC32C.of(UnsafeRawBufferPointer(rebasing: bytes[offset..<(start + count)]))
      guard number(bytes, at: start + count) == sum else { return nil }
      return (Array(bytes[start..<(start + count)]), start + count + 4)
    }
  }

  private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

/// CRC-32C (RFC 3720 §12.1, appendix B.4).
package enum CRC32C {
  /// Eight tables in sequence: the effect of a byte on the sum when 0 to 7 bytes follow it, so that eight are processed at
  /// once.
  private static let table: [UInt32] = {
    var table = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      table[byte] = (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
    }
    for place in 256..<table.count { table[place] = table[place - 256] >> 8 ^ table[Int(table[place - 256] & 0xFF)] }
    return table
  }()

  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var sum = UInt32.max
      var offset = 0
      while offset + 8 <= bytes.count {
        let eight = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(sum)
        sum = 0
        for place in 0..<8 { sum ^= table[(7 - place) << 8 | Int(eight >> (8 * UInt64(place)) & 0xFF)] }
        offset += 8
      }
      for byte in bytes[offset...] { sum = sum >> 8 ^ table[Int((sum ^ UInt32(byte)) & 0xFF)] }
      return ~sum
    }
  }
}

/// Encodes numbers and texts as bytes.
package struct ByteWriter {
  package var bytes: [UInt8] = []

  package init() {}

  package mutating func put(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }

  package mutating func put(_ text: String) {
    put(UInt32(text.utf8.count))
    bytes += Array(text.utf8)
  }

  package mutating func put(_ set: NumberSet) {
    put(UInt32(set.ranges.count))
    for range in set.ranges {
      put(range.lowerBound)
      put(range.upperBound)
    }
  }
}

/// Decodes them again; nil if they are missing.
package struct ByteReader {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  package mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }

  private mutating func number<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
    let count = Value.bitWidth / 8
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.withUnsafeBytes { Value(bigEndian: $0.loadUnaligned(as: Value.self)) }
  }

  package mutating func uint32() -> UInt32? { number(UInt32.self) }
  package mutating func uint64() -> UInt64? { number(UInt64.self) }
  package mutating func int64() -> Int64? { number(Int64.self) }

  package mutating func text() -> String? {
    guard let count = uint32().map(Int.init), rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return String(decoding: rest.prefix(count), as: UTF8.self)
  }

  package mutating func numberSet() -> NumberSet? {
    guard let count = uint32().map(Int.init), rest.count >= 16 * count else { return nil }
    var set = NumberSet()
    for _ in 0..<count {
      guard let low = int64(), let high = int64(), low <= high else { return nil }
      set.insert(low...high)
    }
    return set
  }

  /// The remaining bytes.
  package var remaining: [UInt8] { Array(rest) }
}

extension ScanRecord {
  package static let frameMark: StaticString = "RtclScn1"

  /// The record's form in the file: its number, id and time of capture, then its JSON form.
  package var frame: [UInt8] {
    var writer = ByteWriter()
    writer.put(sequence)
    writer.put(id.high)
    writer.put(id.low)
    writer.put(captured.unixMilliseconds)
    writer.bytes += json()
    return Frame.bytes(Self.frameMark, writer.bytes)
  }

  /// The part of a frame that precedes its JSON form.
  package struct FrameHead: Equatable {
    package let number: Int64
    package let id: ScanID
    package static let byteCount = 32

    package init(_ record: ScanRecord) {
      number = record.sequence
      id = record.id
    }

    /// - Parameter content: the content of a frame with a correct checksum.
    package init?(_ content: [UInt8]) {
      var reader = ByteReader(Array(content.prefix(Self.byteCount)))
      guard let number = reader.int64(), let high = reader.uint64(), let low = reader.uint64(),
        reader.int64() != nil, number >= 1
      else { return nil }
      self.number = number
      id = ScanID(high: high, low: low)
    }
  }

  /// Parses a frame; nil unless it is intact.
  package init?(frame bytes: [UInt8]) {
    guard let (content, _) = Frame.content(Self.frameMark, in: bytes), let head = FrameHead(content),
      var record = try? ScanRecord(json: Array(content.dropFirst(FrameHead.byteCount))), record.id == head.id
    else { return nil }
    record.sequence = head.number
    self = record
  }
}
