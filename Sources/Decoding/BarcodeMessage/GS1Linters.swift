// Checks from GS1's dictionary for a field, beyond its length and characters. The names are the dictionary's; each case
// states its rule from the General Specifications and the standards that they cite.

/// A check of a field's data.
enum GS1Linter: String, CaseIterable, Sendable {
  /// A check digit at the end.
  case csum
  /// A pair of alphanumeric check characters at the end.
  case csumalpha
  /// A GS1 Company Prefix at the beginning.
  case gcppos1
  /// A GS1 Company Prefix from the second character on.
  case gcppos2
  /// At least one character that is not a digit.
  case hasnondigit
  case hh
  case mi
  case ss
  case hhmi
  /// Only hyphens.
  case hyphen
  case iban
  /// The importer index of EU regulation 2018/574.
  case importeridx
  case iso3166
  /// A country, or 999 for several.
  case iso3166999
  case iso3166alpha2
  case iso4217
  /// The sex of a person (ISO/IEC 5218).
  case iso5218
  case latitude
  case longitude
  case mediatype
  case nonzero
  case nozeroprefix
  case packagetype
  /// Percent signs only before two hexadecimal digits.
  case pcenc
  /// A piece and the number of pieces, of the same width.
  case pieceoftotal
  /// A position and an end, separated by a slash.
  case posinseqslash
  case winding
  case yesno
  /// YYMMDD, where day 00 means no particular day.
  case yymmd0
  case yymmdd
  case yyyymmdd
  case zero
  /// The coupon of AI (8110).
  case couponcode
  /// The coupon of AI (8112).
  case couponposoffer

  /// The fewest digits of a GS1 Company Prefix.
  static let companyPrefixLengthMin = 4
  /// The minimum length of an international bank account number.
  static let bankAccountLengthMin = 11
  /// The maximum length (ISO 13616-1).
  static let bankAccountLengthMax = 34

  /// The fault of the data, if any.
  func fault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    let text = String(decoding: data, as: UTF8.self)
    switch self {
    case .csum: return GS1Linter.checkDigitFault(data)
    case .csumalpha: return GS1Linter.checkPairFault(data)
    case .gcppos1: return GS1Linter.companyPrefixFault(data)
    case .gcppos2: return GS1Linter.companyPrefixFault(data.dropFirst())
    case .hasnondigit: return data.allSatisfy(GS1Rule.isDigit) ? GS1Fault(.digitsOnly, "it has digits only") : nil
    case .hh: return GS1Linter.number(data, 2, 0...23) ? nil : GS1Fault(.timeOfDay, "'\(text)' is not an hour")
    case .mi: return GS1Linter.number(data, 2, 0...59) ? nil : GS1Fault(.timeOfDay, "'\(text)' is not a minute")
    case .ss: return GS1Linter.number(data, 2, 0...59) ? nil : GS1Fault(.timeOfDay, "'\(text)' is not a second")
    case .hhmi:
      let isTime = GS1Linter.number(data.prefix(2), 2, 0...23) && GS1Linter.number(data.dropFirst(2), 2, 0...59)
      return isTime ? nil : GS1Fault(.timeOfDay, "'\(text)' is not hours and minutes")
    case .hyphen:
      return !data.isEmpty && data.allSatisfy { $0 == UInt8(ascii: "-") }
        ? nil : GS1Fault(.value, "'\(text)' is not a hyphen")
    case .iban: return GS1Linter.bankAccountFault(data)
    case .importeridx:
      let isIndex = data.count == 1 && data.allSatisfy(GS1CharacterSet.z.allows)
      return isIndex ? nil : GS1Fault(.value, "'\(text)' is not an importer index")
    case .iso3166:
      return CodeLists.countries[text] == nil ? GS1Fault(.country, "'\(text)' is not the number of a country") : nil
    case .iso3166999:
      let isCountry = text == "999" || CodeLists.countries[text] != nil
      return isCountry ? nil : GS1Fault(.country, "'\(text)' is not the number of a country, nor 999")
    case .iso3166alpha2:
      return CodeLists.countryLetters.contains(text) ? nil : GS1Fault(.country, "'\(text)' is not the code of a country")
    case .iso4217:
      return CodeLists.currencies[text] == nil ? GS1Fault(.currency, "'\(text)' is not the number of a currency") : nil
    case .iso5218: return GS1Linter.oneOf(["0", "1", "2", "9"], text)
    case .latitude: return GS1Linter.degreesFault(data, 1_800_000_000, "latitude")
    case .longitude: return GS1Linter.degreesFault(data, 3_600_000_000, "longitude")
    case .mediatype:
      let isType = GS1Linter.number(data, 2, 1...10) || GS1Linter.number(data, 2, 80...99)
      return isType ? nil : GS1Fault(.mediaType, "'\(text)' is not a type of medium")
    case .nonzero:
      return data.allSatisfy { $0 == UInt8(ascii: "0") } ? GS1Fault(.zero, "a field is zero that must not be") : nil
    case .nozeroprefix:
      return data.first == UInt8(ascii: "0") ? GS1Fault(.leadingZero, "it begins with a zero") : nil
    case .packagetype:
      return CodeLists.packageTypes.contains(text) ? nil : GS1Fault(.packageType, "'\(text)' is not a kind of package")
    case .pcenc: return GS1Linter.percentFault(data)
    case .pieceoftotal: return GS1Linter.pieceFault(data, text)
    case .posinseqslash: return GS1Linter.sequenceFault(data, text)
    case .winding: return GS1Linter.oneOf(["0", "1", "9"], text)
    case .yesno: return GS1Linter.oneOf(["0", "1"], text)
    case .yymmd0: return GS1Linter.dateFault([0x32, 0x30] + data, text, allowsDay0: true)
    case .yymmdd: return GS1Linter.dateFault([0x32, 0x30] + data, text, allowsDay0: false)
    case .yyyymmdd: return GS1Linter.dateFault(Array(data), text, allowsDay0: false)
    case .zero:
      return data.allSatisfy { $0 == UInt8(ascii: "0") } ? nil : GS1Fault(.zero, "'\(text)' must be zero")
    case .couponcode: return GS1Coupon.offerFault(data)
    case .couponposoffer: return GS1Coupon.positiveOfferFault(data)
    }
  }

  /// Whether the data are this many digits with a value in the range.
  static func number(_ data: ArraySlice<UInt8>, _ count: Int, _ range: ClosedRange<Int>) -> Bool {
    data.count == count && data.allSatisfy(GS1Rule.isDigit) && range.contains(value(data))
  }

  /// The value of digits.
  static func value(_ digits: some Sequence<UInt8>) -> Int { digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } }

  private static func oneOf(_ values: [String], _ text: String) -> GS1Fault? {
    values.contains(text) ? nil : GS1Fault(.value, "'\(text)' is not one of \(values.joined(separator: ", "))")
  }

  /// Alternating weights 3 and 1 from the digit before the check digit leftwards (GS1 General Specifications §7.9.1).
  private static func checkDigitFault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    guard let last = data.last, data.allSatisfy(GS1Rule.isDigit) else {
      return GS1Fault(.checkDigit, "it has no check digit")
    }
    let digit = checkDigit(data.dropLast())
    return Int(last - 0x30) == digit
      ? nil : GS1Fault(.checkDigit, "its check digit is \(last - 0x30); by the digits before it must be \(digit)")
  }

  /// The check digit for these digits.
  static func checkDigit(_ digits: some BidirectionalCollection<UInt8>) -> Int {
    var sum = 0
    for (place, digit) in digits.reversed().enumerated() { sum += Int(digit - 0x30) * (place % 2 == 0 ? 3 : 1) }
    return (10 - sum % 10) % 10
  }

  /// The 82 characters in the order of their values (GS1 General Specifications figure 7.9.5-1).
  private static let values82 = Array(
    "!\"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
  /// The 32 check characters in the order of their values.
  private static let values32 = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

  /// Values weighted by the prime numbers from the right, modulo 1021, as two characters of 5 bits each (GS1 General
  /// Specifications §7.9.5).
  private static func checkPairFault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    guard data.count >= 2 else { return GS1Fault(.checkPair, "it has no check characters") }
    var sum = 0
    var prime = 1
    for byte in data.dropLast(2).reversed() {
      guard let value = values82.firstIndex(of: byte) else { return GS1Fault(.checkPair, "a character has no value") }
      prime = nextPrime(prime)
      sum += value * prime
    }
    sum %= 1021
    let pair = [values32[sum >> 5], values32[sum & 31]]
    if Array(data.suffix(2)) == pair { return nil }
    return GS1Fault(
      .checkPair,
      "its check characters are '\(String(decoding: data.suffix(2), as: UTF8.self))'; by what is before them they must be "
        + "'\(String(decoding: pair, as: UTF8.self))'")
  }

  private static func nextPrime(_ number: Int) -> Int {
    var candidate = number + 1
    // A prime always exists between a number and its double.
    while (2..<candidate).contains(where: { candidate % $0 == 0 }) { candidate += 1 }
    return candidate
  }

  private static func companyPrefixFault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    let prefix = data.prefix(companyPrefixLengthMin)
    if prefix.count == companyPrefixLengthMin, prefix.allSatisfy(GS1Rule.isDigit) { return nil }
    return GS1Fault(.companyPrefix, "a GS1 Company Prefix, which has \(companyPrefixLengthMin) digits or more, is missing")
  }

  /// Letters count as 10 to 35, the first four characters move to the end, and the number modulo 97 must be 1 (ISO 13616-1).
  private static func bankAccountFault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    guard (bankAccountLengthMin...bankAccountLengthMax).contains(data.count) else {
      return GS1Fault(.bankAccount, "\(data.count) characters are not an international bank account number")
    }
    guard CodeLists.countryLetters.contains(String(decoding: data.prefix(2), as: UTF8.self)) else {
      return GS1Fault(.bankAccount, "its first two letters are not the code of a country")
    }
    var remainder = 0
    for byte in data.dropFirst(4) + data.prefix(4) {
      switch byte {
      case 0x30...0x39: remainder = (remainder * 10 + Int(byte - 0x30)) % 97
      case 0x41...0x5A: remainder = (remainder * 100 + Int(byte - 0x41) + 10) % 97
      default: return GS1Fault(.bankAccount, "it has a character that is neither a digit nor a capital letter")
      }
    }
    return remainder == 1 ? nil : GS1Fault(.bankAccount, "its check digits are wrong")
  }

  /// Ten digits up to a maximum: degrees with seven decimals, counted from the south pole or the antimeridian.
  private static func degreesFault(_ data: ArraySlice<UInt8>, _ greatest: Int, _ name: String) -> GS1Fault? {
    number(data, 10, 0...greatest)
      ? nil : GS1Fault(.position, "'\(String(decoding: data, as: UTF8.self))' is not a \(name)")
  }

  private static func percentFault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    var rest = data
    while let index = rest.firstIndex(of: UInt8(ascii: "%")) {
      let digits = rest[(index + 1)...].prefix(2)
      guard digits.count == 2, digits.allSatisfy(isHexadecimal) else {
        return GS1Fault(.percentEncoding, "a % is not followed by two hexadecimal digits")
      }
      rest = rest[digits.endIndex...]
    }
    return nil
  }

  static func isHexadecimal(_ byte: UInt8) -> Bool {
    GS1Rule.isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func pieceFault(_ data: ArraySlice<UInt8>, _ text: String) -> GS1Fault? {
    let isEven = !data.isEmpty && data.count % 2 == 0 && data.allSatisfy(GS1Rule.isDigit)
    let piece = data.prefix(data.count / 2)
    let total = data.dropFirst(data.count / 2)
    // Digit strings of equal length compare like their values.
    if isEven, piece.contains(where: { $0 != 0x30 }), !total.lexicographicallyPrecedes(piece) { return nil }
    return GS1Fault(.sequence, "'\(text)' is not a piece and the number of pieces")
  }

  private static func sequenceFault(_ data: ArraySlice<UInt8>, _ text: String) -> GS1Fault? {
    let numbers = data.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isSequence =
      numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.first != 0x30 && $0.allSatisfy(GS1Rule.isDigit) }
    if isSequence,
      numbers[0].count < numbers[1].count
        || (numbers[0].count == numbers[1].count && !numbers[1].lexicographicallyPrecedes(numbers[0]))
    {
      return nil
    }
    return GS1Fault(.sequence, "'\(text)' is not a position and an end, such as 2/3")
  }

  /// A date of eight digits. February has 29 days in every fourth year: among two-digit years, year 00 means 2000 by the
  /// century rule of the General Specifications until 2049.
  private static func dateFault(_ data: [UInt8], _ text: String, allowsDay0: Bool) -> GS1Fault? {
    guard data.count == 8, data.allSatisfy(GS1Rule.isDigit) else { return GS1Fault(.date, "'\(text)' is not a date") }
    let day = value(data[6...])
    guard let days = GS1Date.dayCount(year: value(data[..<4]), month: value(data[4..<6])),
      ((allowsDay0 ? 0 : 1)...days).contains(day)
    else { return GS1Fault(.date, "'\(text)' is not a date") }
    return nil
  }
}

/// Coupons of North America, whose data are fields with preceding lengths.
enum GS1Coupon {
  /// Digits consumed from the front; after the first mismatch, all further steps fail.
  private struct Digits {
    var rest: ArraySlice<UInt8>
    var isRight = true

    /// Takes a digit, which must be one of these.
    mutating func one(of allowed: String) -> Int {
      guard let digit = rest.first, allowed.utf8.contains(digit) else {
        isRight = false
        return 0
      }
      rest.removeFirst()
      return Int(digit - 0x30)
    }

    mutating func skip(_ count: Int) {
      if rest.count < count { isRight = false }
      rest = rest.dropFirst(count)
    }

    /// Takes a number whose length is one of these digits, plus `extra`.
    mutating func number(lengths: String, extra: Int = 0) { skip(one(of: lengths) + extra) }

    /// Takes an optional company prefix; 9 means that it is absent.
    mutating func optionalCompanyPrefix() {
      if rest.first == UInt8(ascii: "9") { return skip(1) }
      number(lengths: "0123456", extra: 6)
    }

    /// Takes the requirements of a purchase: quantity, kind, family.
    mutating func purchase() {
      number(lengths: "12345")
      _ = one(of: "012349")
      skip(3)
    }

    mutating func isNext(_ field: String) -> Bool {
      guard isRight, let first = rest.first, first == field.utf8.first else { return false }
      rest.removeFirst()
      return true
    }

    mutating func date() -> ArraySlice<UInt8> {
      let date = rest.prefix(6)
      if GS1Linter.yymmdd.fault(date) != nil { isRight = false }
      skip(6)
      return date
    }
  }

  private static let anyDigit = "0123456789"

  /// AI (8110), North American Coupon Application Guideline: the mandatory fields, then optional ones by their numbers.
  static func offerFault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    guard data.allSatisfy(GS1Rule.isDigit) else { return GS1Fault(.coupon, "a coupon has digits only") }
    var digits = Digits(rest: data)
    digits.number(lengths: "0123456", extra: 6)
    digits.skip(6)
    digits.number(lengths: "12345")
    digits.purchase()
    if digits.isNext("1") {
      _ = digits.one(of: "0123")
      digits.purchase()
      digits.optionalCompanyPrefix()
    }
    if digits.isNext("2") {
      digits.purchase()
      digits.optionalCompanyPrefix()
    }
    let expiry = digits.isNext("3") ? digits.date() : nil
    if digits.isNext("4") {
      let start = digits.date()
      if let expiry, expiry.lexicographicallyPrecedes(start) {
        return GS1Fault(.coupon, "the coupon ends before it starts")
      }
    }
    if digits.isNext("5") { digits.number(lengths: anyDigit, extra: 6) }
    if digits.isNext("6") { digits.number(lengths: "1234567", extra: 6) }
    if digits.isNext("9") {
      _ = digits.one(of: "01256")
      _ = digits.one(of: "012")
      digits.skip(1)
      _ = digits.one(of: "01")
    }
    return fault(digits)
  }

  /// AI (8112), coupons of a positive offer file: format, funder, offer and serial number.
  static func positiveOfferFault(_ data: ArraySlice<UInt8>) -> GS1Fault? {
    guard data.allSatisfy(GS1Rule.isDigit) else { return GS1Fault(.coupon, "a coupon has digits only") }
    var digits = Digits(rest: data)
    _ = digits.one(of: "01")
    digits.number(lengths: "0123456", extra: 6)
    digits.skip(6)
    digits.number(lengths: anyDigit, extra: 6)
    return fault(digits)
  }

  private static func fault(_ digits: Digits) -> GS1Fault? {
    if !digits.isRight { return GS1Fault(.coupon, "a field of the coupon is missing, too short or out of range") }
    return digits.rest.isEmpty ? nil : GS1Fault(.coupon, "\(digits.rest.count) digits behind the coupon's fields")
  }
}
