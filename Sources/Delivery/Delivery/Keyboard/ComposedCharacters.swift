// Letters with marks that Unicode has as one character.

/// The composed characters of alphabetic scripts, found by canonical equivalence (Unicode, UAX #15).
enum ComposedCharacters {
  private static let scalars: [Character: Unicode.Scalar] = {
    // From Latin-1 to Greek Extended. Of equivalent scalars, hosts know the first: U+00B4, not U+1FFD.
    let all = (0xA0...0x1FFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    return Dictionary(all.map { (Character($0), $0) }, uniquingKeysWith: { first, _ in first })
  }()

  /// The one scalar that is canonically equivalent to a character; nil without one.
  static func scalar(for character: Character) -> Unicode.Scalar? { scalars[character] }
}
