// The application identifiers of GS1 and what their data must look like.
//
// From the GS1 General Specifications, section 3 (release 25 as reflected in GS1's published syntax dictionary), in their own
// notation: n digits, x any of the 82 characters of figure 7.11-1, y any of the 39 of figure 7.11-2, z the 64 of file-safe
// base 64; a number is a fixed length, `..` a greatest one, brackets an optional part. Two letters of ours follow a length:
// k ends in a check digit, d is a date YYMMDD.

/// What the data of an application identifier must look like.
struct GS1Rule {
  /// Whether the data end by their length, so that no FNC1 follows (GS1 General Specifications figure 7.8.5-2).
  let hasPredefinedLength: Bool
  let fields: [GS1Field]

  /// The most characters of data.
  var lengthMax: Int { fields.map(\.lengthMax).reduce(0, +) }

  /// Whether the data keep the rule; checks length, characters, check digits and dates.
  func allows(_ data: ArraySlice<UInt8>) -> Bool {
    var rest = data
    for field in fields {
      if rest.isEmpty, field.isOptional { return true }
      let part = rest.prefix(field.lengthMax)
      guard part.count >= field.lengthMin, field.allows(part) else { return false }
      rest = rest.dropFirst(part.count)
    }
    return rest.isEmpty
  }

  /// The rule for an identifier; nil if GS1 has not given it out.
  static func rule(_ identifier: some StringProtocol) -> GS1Rule? {
    let digits = identifier.utf8
    guard (2...4).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
    return all[key(digits)]
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The digits with a 1 before them, so that leading zeros count.
  private static func key(_ digits: some Sequence<UInt8>) -> Int { digits.reduce(1) { $0 * 10 + Int($1 - 0x30) } }

  /// By key.
  private static let all: [Int: GS1Rule] = {
    var all: [Int: GS1Rule] = [:]
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      let range = words[0].split(separator: "-")
      let hasPredefinedLength: Bool
      switch Int(range[0].prefix(2)) ?? 0 {
      case 0...4, 11...20, 31...36, 41: hasPredefinedLength = true
      default: hasPredefinedLength = false
      }
      let rule = GS1Rule(hasPredefinedLength: hasPredefinedLength, fields: words.dropFirst().map { GS1Field($0) })
      for key in key(range[0].utf8)...key(range[range.count - 1].utf8) { all[key] = rule }
    }
    return all
  }()

  /// Identifiers, or the first and the last of a range of them, and their data.
  private static let table = """
    00 n18k
    01-02 n14k
    10 x..20
    11-13 n6d
    15-17 n6d
    20 n2
    21-22 x..20
    235 x..28
    240-241 x..30
    242 n..6
    243 x..20
    250-251 x..30
    253 n13k [x..17]
    254 x..20
    255 n13k [n..12]
    30 n..8
    3100-3105 n6
    3110-3115 n6
    3120-3125 n6
    3130-3135 n6
    3140-3145 n6
    3150-3155 n6
    3160-3165 n6
    3200-3205 n6
    3210-3215 n6
    3220-3225 n6
    3230-3235 n6
    3240-3245 n6
    3250-3255 n6
    3260-3265 n6
    3270-3275 n6
    3280-3285 n6
    3290-3295 n6
    3300-3305 n6
    3310-3315 n6
    3320-3325 n6
    3330-3335 n6
    3340-3345 n6
    3350-3355 n6
    3360-3365 n6
    3370-3375 n6
    3400-3405 n6
    3410-3415 n6
    3420-3425 n6
    3430-3435 n6
    3440-3445 n6
    3450-3455 n6
    3460-3465 n6
    3470-3475 n6
    3480-3485 n6
    3490-3495 n6
    3500-3505 n6
    3510-3515 n6
    3520-3525 n6
    3530-3535 n6
    3540-3545 n6
    3550-3555 n6
    3560-3565 n6
    3570-3575 n6
    3600-3605 n6
    3610-3615 n6
    3620-3625 n6
    3630-3635 n6
    3640-3645 n6
    3650-3655 n6
    3660-3665 n6
    3670-3675 n6
    3680-3685 n6
    3690-3695 n6
    37 n..8
    3900-3909 n..15
    3910-3919 n3 n..15
    3920-3929 n..15
    3930-3939 n3 n..15
    3940-3943 n4
    3950-3955 n6
    400-401 x..30
    402 n17k
    403 x..30
    410-417 n13k
    420 x..20
    421 n3 x..9
    422 n3
    423 n..15
    424 n3
    425 n..15
    426 n3
    427 x..3
    4300-4301 x..35
    4302-4306 x..70
    4307 x2
    4308 x..30
    4309 n20
    4310-4311 x..35
    4312-4316 x..70
    4317 x2
    4318 x..20
    4319 x..30
    4320 x..35
    4321-4323 n1
    4324-4325 n6d n4
    4326 n6d
    4330-4333 n6 [x1]
    7001 n13
    7002 x..30
    7003 n6d n4
    7004 n..4
    7005 x..12
    7006 n6d
    7007 n6d [n6d]
    7008 x..3
    7009 x..10
    7010 x..2
    7011 n6d [n4]
    7020-7022 x..20
    7023 x..30
    7030-7039 n3 x..27
    7040 n1 x3
    710-715 x..20
    7230-7239 x2 x..28
    7240 x..20
    7241 n2
    7242 x..25
    8001 n14
    8002 x..20
    8003 n14k [x..16]
    8004 x..30
    8005 n6
    8006 n14k n4
    8007 x..34
    8008 n6d n2 [n..4]
    8009 x..50
    8010 y..30
    8011 n..12
    8012 x..20
    8013 x..25
    8017-8018 n18k
    8019 n..10
    8020 x..25
    8026 n14k n4
    8030 z..90
    8110 x..70
    8111 n4
    8112 x..70
    8200 x..70
    90 x..30
    91-99 x..90
    """
}

/// A part of the data of an application identifier.
struct GS1Field {
  let kind: Character
  let lengthMin: Int
  let lengthMax: Int
  let hasCheckDigit: Bool
  let isDate: Bool
  let isOptional: Bool

  init(_ text: Substring) {
    isOptional = text.first == "["
    var body = text.filter { $0 != "[" && $0 != "]" }
    hasCheckDigit = body.last == "k"
    isDate = body.last == "d"
    if hasCheckDigit || isDate { body.removeLast() }
    kind = body.removeFirst()
    let isVariable = body.hasPrefix("..")
    lengthMax = Int(body.filter { $0 != "." }) ?? 0
    lengthMin = isVariable ? 1 : lengthMax
  }

  func allows(_ data: ArraySlice<UInt8>) -> Bool {
    guard data.allSatisfy(allows) else { return false }
    if hasCheckDigit { return GS1Field.hasRightCheckDigit(data) }
    if isDate { return GS1Field.isDate(data) }
    return true
  }

  private func allows(_ byte: UInt8) -> Bool {
    let isDigit = GS1Rule.isDigit(byte)
    let isCapital = (0x41...0x5A).contains(byte)
    let isSmall = (0x61...0x7A).contains(byte)
    switch kind {
    case "n": return isDigit
    case "y": return isDigit || isCapital || "#-/".utf8.contains(byte)
    case "z": return isDigit || isCapital || isSmall || "-_=".utf8.contains(byte)
    default: return isDigit || isCapital || isSmall || "!\"%&'()*+,-./:;<=>?_".utf8.contains(byte)
    }
  }

  /// Weights 3 and 1 in turn from the digit before the check digit leftwards (GS1 General Specifications §7.9.1).
  static func hasRightCheckDigit(_ digits: ArraySlice<UInt8>) -> Bool {
    var sum = 0
    for (place, digit) in digits.reversed().enumerated() { sum += Int(digit - 0x30) * (place % 2 == 0 ? 1 : 3) }
    return sum % 10 == 0
  }

  /// YYMMDD; day 00 stands for a month without a day.
  private static func isDate(_ digits: ArraySlice<UInt8>) -> Bool {
    let numbers = digits.map { Int($0 - 0x30) }
    let month = numbers[2] * 10 + numbers[3]
    let day = numbers[4] * 10 + numbers[5]
    guard (1...12).contains(month) else { return false }
    return day <= [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }
}
