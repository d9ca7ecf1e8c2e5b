// Text from a barcode, made presentable. The printer of a code chooses its content: control characters, marks that reverse
// the direction of writing, thousands of marks on one letter. All of it is shown; none of it acts.

extension String {
  /// The most scalars of a code's text that are shown; a longer text is shortened in the middle.
  public static let shownScalarCountMax = 160
  /// The most combining marks shown on a letter; scripts in use need three.
  static let shownMarkCountMax = 4

  /// The text with control characters as pictures (U+2400…) and other invisible characters as `<U+202E>`, shortened to a
  /// readable length.
  public var shown: String {
    var shown = String.UnicodeScalarView()
    var markCount = 0
    for scalar in cutInTheMiddle {
      let category = scalar.properties.generalCategory
      let isMark = category == .nonspacingMark || category == .enclosingMark || category == .spacingMark
      markCount = isMark ? markCount + 1 : 0
      if markCount > Self.shownMarkCountMax { continue }
      switch scalar.value {
      case 0...0x1F: shown.append(Unicode.Scalar(0x2400 + scalar.value) ?? scalar)
      case 0x7F: shown.append("\u{2421}")
      // Joiners, which scripts and emoji need.
      case 0x200C, 0x200D: shown.append(scalar)
      default:
        if Self.isInvisible(category) {
          shown.append(contentsOf: "<U+\(String(scalar.value, radix: 16, uppercase: true))>".unicodeScalars)
        } else {
          shown.append(scalar)
        }
      }
    }
    return String(shown)
  }

  /// The host of a link: between its scheme and its path, without a user name before it, which may look like another host.
  /// Nil if there is no host.
  var linkHost: String? {
    guard let start = firstRange(of: "://") else { return nil }
    let authority = self[start.upperBound...].prefix { !"/?#\\".contains($0) }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
    return host.isEmpty ? nil : String(host)
  }

  /// The host and path of a link, without scheme and user name; nil if there is no host.
  var linkPlace: String? {
    guard let host = linkHost, let start = firstRange(of: "://") else { return nil }
    let rest = self[start.upperBound...].drop { !"/?#\\".contains($0) }
    return rest == "/" ? host : host + rest
  }

  private var cutInTheMiddle: String.UnicodeScalarView {
    let countMax = Self.shownScalarCountMax
    guard unicodeScalars.index(unicodeScalars.startIndex, offsetBy: countMax, limitedBy: unicodeScalars.endIndex) != nil,
      unicodeScalars.count > countMax
    else { return unicodeScalars }
    var cut = String.UnicodeScalarView(unicodeScalars.prefix(countMax / 2))
    cut.append("…")
    cut.append(contentsOf: unicodeScalars.suffix(countMax / 2 - 1))
    return cut
  }

  private static func isInvisible(_ category: Unicode.GeneralCategory) -> Bool {
    switch category {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: false
    }
  }
}
