// What a barcode says is a stranger's text: here it is made harmless for the places it is written to.

/// Strings of JSON.
public enum JSONText {
  /// A string with its quotes (RFC 8259 §7). Beyond what JSON asks for, DEL, C1 controls, invisible characters and marks that
  /// turn the direction of writing are escaped, for the sake of terminals and log viewers.
  public static func quoted(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case _ where scalar.isUnsafe: json += jsonEscape(scalar)
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
        safe += jsonEscape(scalar)
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return Array(safe.utf8)
  }
}

/// Text for terminals.
public enum TerminalText {
  /// Text that does nothing to a terminal and stays on its line: control characters, line separators, invisible characters and
  /// the marks that turn the direction of writing are written as `\n`, `\r`, `\t`, `\xHH` or `\u{HHHH}`, and a backslash as two.
  public static func safe(_ text: String) -> String { quoting(text.replacing("\\", with: #"\\"#)) }

  /// A sentence of ours that quotes such a text, escaped in the same way; its backslashes stay single.
  public static func quoting(_ text: String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
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

/// A character as JSON escapes it: its UTF-16 code units (RFC 8259 §7).
private func jsonEscape(_ scalar: Unicode.Scalar) -> String {
  UTF16.encode(scalar).map { $0.map { "\\u" + hexadecimal(UInt32($0), digits: 4) }.joined() } ?? ""
}

extension Unicode.Scalar {
  /// C0, DEL and C1 controls, line and paragraph separators, and characters that show as nothing, the direction marks of
  /// Unicode's bidirectional algorithm among them. Joiners and variation selectors stay: scripts and pictures need them.
  fileprivate var isUnsafe: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFFF9...0xFFFB: true
    case 0x20..<0x7F, 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: false
    default: properties.isDefaultIgnorableCodePoint
    }
  }
}
