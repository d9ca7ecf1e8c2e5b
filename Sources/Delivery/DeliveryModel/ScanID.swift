// The id that makes delivery safe to repeat. A UUID of version 7 sorts by time, so the outbox and the receiver's log sort
// alike; the counter keeps that true within a millisecond and when the wall clock is set back.

/// A UUID, created once per scan and never changed.
public struct ScanID: Hashable, Sendable, Comparable, CustomStringConvertible, LosslessStringConvertible {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The text form of RFC 9562 §4: 32 hexadecimal digits in groups of 8, 4, 4, 4, 12; nil for anything else.
  public init?(_ text: String) {
    var halves: (UInt64, UInt64) = (0, 0)
    var digitCount = 0
    for (offset, byte) in text.utf8.enumerated() {
      if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      guard digitCount < 32 else { return nil }
      if digitCount < 16 { halves.0 = halves.0 << 4 | UInt64(digit) } else { halves.1 = halves.1 << 4 | UInt64(digit) }
      digitCount += 1
    }
    guard digitCount == 32, text.utf8.count == 36 else { return nil }
    (high, low) = halves
  }

  /// Lowercase, as RFC 9562 §4 writes it.
  public var description: String {
    var text = ""
    text.reserveCapacity(36)
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { text.append("-") }
      let half = index < 16 ? high : low
      let digit = Int(half >> UInt64(60 - index % 16 * 4) & 0xF)
      text.append(Character(Unicode.Scalar(UInt8(digit < 10 ? 48 + digit : 87 + digit))))
    }
    return text
  }

  /// The milliseconds since 1970 at the beginning of a version 7 id.
  public var unixMilliseconds: Int64 { Int64(high >> 16) }

  public static func < (a: ScanID, b: ScanID) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

/// Generates increasing ids: RFC 9562 §5.7, with the twelve bits after the time as a counter (§6.2, method 1).
public struct ScanIDGenerator: Sendable {
  private var milliseconds: Int64 = 0
  private var counter: UInt64 = 0

  public init() {}

  /// The next id, greater than every one before it.
  ///
  /// - Parameter unixMilliseconds: the wall clock, 0 up to 2⁴⁸ - 1; values outside are clamped. A clock that was set back is
  ///   ignored until it has caught up.
  public mutating func next(unixMilliseconds: Int64, using random: inout some RandomNumberGenerator) -> ScanID {
    let now = max(0, min(unixMilliseconds, (1 << 48) - 1))
    if now > milliseconds {
      milliseconds = now
      counter = random.next() & 0x7FF
    } else {
      counter += 1
      if counter > 0xFFF {
        milliseconds += 1
        counter = random.next() & 0x7FF
      }
    }
    let high = UInt64(milliseconds) << 16 | 0x7000 | counter
    let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return ScanID(high: high, low: low)
  }
}
