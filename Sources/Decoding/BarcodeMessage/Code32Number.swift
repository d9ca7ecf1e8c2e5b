// The number of an Italian medicine in a Code 39 whose text alone does not show whether it is a Code 32.

/// Converts the text of a Code 32.
enum Code32Number {
  private static let characters = Array("0123456789BCDFGHJKLMNPQRSTUVWXYZ".utf8)
  private static let characterCount = 6
  private static let digitCount = 9

  /// The number as printed, A and nine digits; nil if the text is not six characters with a letter among them, or its check digit
  /// is wrong.
  static func printed(_ text: String) -> String? {
    guard text.utf8.count == characterCount, text.utf8.contains(where: { $0 >= 0x41 }) else { return nil }
    var number = 0
    for character in text.utf8 {
      guard let value = characters.firstIndex(of: character) else { return nil }
      number = number * characters.count + value
    }
    let digits = String(number)
    guard digits.count <= digitCount else { return nil }
    let printed = String(repeating: "0", count: digitCount - digits.count) + digits
    // Every second digit is doubled and replaced by the sum of its digits; the last one is the check digit.
    var sum = 0
    for (place, digit) in printed.utf8.dropLast().enumerated() {
      let product = Int(digit - 0x30) * (place % 2 + 1)
      sum += product / 10 + product % 10
    }
    return sum % 10 == number % 10 ? "A" + printed : nil
  }
}
