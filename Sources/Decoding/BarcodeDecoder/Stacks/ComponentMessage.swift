// The element strings in a two-dimensional component: its codewords to bits (ISO/IEC 24723 §5.4), and these by one of three
// encodation methods to text (§5.3).

import BarcodeTypes

/// The bits of a component, in bytes.
struct ComponentBits: BitString {
  let bytes: ScratchArray<UInt8>
  private(set) var count = 0

  init(_ bytes: ScratchArray<UInt8>) { self.bytes = bytes }

  func bit(_ index: Int) -> Int { Int(bytes[index >> 3]) >> (7 - index & 7) & 1 }

  mutating func append(_ bit: Int) {
    guard count < bytes.count * 8 else { return }
    let mask = UInt8(truncatingIfNeeded: 0x80 >> (count & 7))
    bytes[count >> 3] = bit == 0 ? bytes[count >> 3] & ~mask : bytes[count >> 3] | mask
    count += 1
  }

  mutating func append(byte: UInt8) { for bit in stride(from: 7, through: 0, by: -1) { append(Int(byte) >> bit & 1) } }

  /// The number of bits in the last 0 to 7 codewords of CC-A.
  private static let bitCounts: [8 of UInt8] = [0, 9, 19, 29, 39, 49, 59, 69]

  /// Appends the bits of CC-A: seven codewords are a number of 69 bits, base 928. False if the codewords are not those of a CC-A.
  mutating func append(base928 codewords: ScratchArray<UInt16>, count: Int) -> Bool {
    var place = 0
    while place < count {
      let group = min(7, count - place)
      let width = Int(ComponentBits.bitCounts[group])
      var high: UInt64 = 0
      var low: UInt64 = 0
      for index in place..<(place + group) {
        guard codewords[index] < 928 else { return false }
        let product = low.multipliedFullWidth(by: 928)
        let sum = product.low.addingReportingOverflow(UInt64(codewords[index]))
        low = sum.partialValue
        high = high * 928 + product.high + (sum.overflow ? 1 : 0)
      }
      guard width > 64 ? high >> UInt64(width - 64) == 0 : high == 0 && low >> UInt64(width) == 0 else { return false }
      for index in stride(from: width - 1, through: 0, by: -1) {
        append(Int(truncatingIfNeeded: index >= 64 ? high >> UInt64(index - 64) : low >> UInt64(index)) & 1)
      }
      place += group
    }
    return true
  }
}

/// Decodes the bits of a component to element strings.
struct ComponentMessage {
  /// The letters of data identifiers that have a short form: ISO/IEC 24723 table 3.
  private static let commonLetters: StaticString = "BDHIJKLNPQRSTVWZ"

  private var reader: ElementStringReader<ComponentBits>

  init(_ bits: ComponentBits, into text: ScratchArray<UInt8>) { reader = ElementStringReader(bits, into: text) }

  /// Writes the element strings and returns their number of bytes, or nil if the message is invalid.
  consuming func write() -> Int? {
    if reader.take(1) == 0 {
      reader.writeGeneralField()
    } else if reader.take(1) == 0 {
      writeDateAndLot()
    } else {
      writeDataIdentifier()
    }
    return reader.finishIdentified()
  }

  /// A production or expiry date, and a lot number, unless FNC1 comes first; or, after 11, a lot number alone.
  private mutating func writeDateAndLot() {
    if reader.peek(2) == 3 {
      _ = reader.take(2)
      reader.append(identifier: 0x10)
      reader.writeGeneralField()
      return
    }
    let date = reader.take(16)
    reader.append(identifier: reader.take(1) == 0 ? 0x11 : 0x17)
    reader.appendDate(date)
    let place = reader.byteCount
    reader.writeGeneralField()
    reader.replaceSeparator(at: place, byIdentifier: 0x10)
  }

  /// AI 90 with a data identifier: a number below 1000 and a letter, then data, then AI 21, AI 8004 or anything else.
  private mutating func writeDataIdentifier() {
    let isShort = reader.take(1) == 0
    let isAlphabetic = !isShort && reader.take(1) == 1
    if reader.take(1) == 1 { reader.identifierBehindSeparator = reader.take(1) == 0 ? 0x21 : 0x8004 }
    reader.append(identifier: 0x90)
    var number = reader.take(5)
    let letter: Int
    if number < 31 {
      letter = unsafe Int(ComponentMessage.commonLetters.utf8Start[reader.take(4)])
    } else {
      number = reader.take(10)
      let place = reader.take(5)
      if number > 999 || place > 25 { reader.isWrong = true }
      letter = 0x41 + place
    }
    if number > 0 { reader.append(number, digitCount: number < 10 ? 1 : number < 100 ? 2 : 3) }
    reader.append(byte: letter)
    if isAlphabetic {
      writeLettersAndDigits()
    } else {
      reader.writeGeneralField(from: isShort ? .alphanumeric : .numeric)
    }
    // An identifier that was left out needs data.
    if reader.identifierBehindSeparator > 0 { reader.isWrong = true }
  }

  /// Capital letters of five bits and digits of six, up to FNC1.
  private mutating func writeLettersAndDigits() {
    while reader.remaining >= 5, !reader.isWrong {
      let bits = reader.peek(5)
      if bits < 26 {
        reader.append(byte: 0x41 + reader.take(5))
      } else if bits == 31 {
        _ = reader.take(5)
        reader.append(byte: 0x1D)
        return reader.writeGeneralField()
      } else {
        let digit = reader.take(6) - 52
        if digit < 0 || digit > 9 { reader.isWrong = true }
        reader.append(byte: 0x30 + digit)
      }
    }
  }
}
