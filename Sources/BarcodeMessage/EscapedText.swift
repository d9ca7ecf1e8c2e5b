// What a barcode says is a stranger's text: here it is made harmless for the places it is written to.

/// Strings of JSON.
public enum JSONText {
  /// A string with its quotes (RFC 8259 §7). Beyond what JSON asks for, DEL, C1 controls and marks that turn the direction of
  /// writing are escaped, for the sake of terminals and log viewers.
  public static func quoted(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case _ where scalar.isUnsafe: json += "\\u" + hexadecimal(scalar.value, digits: 4)
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }

  /// A JSON text of the same value with those escapes, for one that another encoder made. Line feeds between values stay.
  public static func safe(_ json: some Collection<UInt8>) -> [UInt8] {
    guard json.contains(where: { $0 >= 0x7F }) else { return Array(json) }
    var safe = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      // JSON itself has the other controls escaped.
      if scalar.isUnsafe, scalar.value >= 0x7F {
        safe += "\\u" + hexadecimal(scalar.value, digits: 4)
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return Array(safe.utf8)
  }
}

/// Text for terminals.
public enum TerminalText {
  /// Text that does nothing to a terminal and stays on its line: control characters, line separators, and the marks that
  /// turn the direction of writing are written as `\n`, `\r`, `\t`, `\xHH` or `\u{HHHH}`, and a backslash as two.
  public static func safe(_ text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": safe += "\\\\"
      case "\n": safe += "\\n"
      case "\r": safe += "\\r"
      case "\t": safe += "\\t"
      case _ where scalar.isUnsafe && scalar.isASCII: safe += "\\x" + hexadecimal(scalar.value, digits: 2)
      case _ where scalar.isUnsafe: safe += "\\u{" + hexadecimal(scalar.value, digits: 2) + "}"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}

/// A number in hexadecimal, filled up with zeros.
private func hexadecimal(_ value: UInt32, digits: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}

extension Unicode.Scalar {
  /// C0, DEL and C1 controls, line and paragraph separators, and the direction marks of Unicode's bidirectional algorithm.
  fileprivate var isUnsafe: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
