// Barcodes contain untrusted text: it is escaped here for the places it is written to.

/// Strings of JSON.
public enum JSONText {
  /// A string in quotes (RFC 8259 §7). Beyond JSON's requirements, DEL, C1 controls, invisible characters and marks that
  /// change the direction of writing are escaped, to protect terminals and log viewers.
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

  /// A JSON text with the same value and those escapes, for JSON from another encoder. Line feeds between values stay.
  public static func safe(_ json: some Collection<UInt8>) -> [UInt8] {
    guard json.contains(where: { $0 >= 0x7F }) else { return Array(json) }
    var safe = ""
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      // JSON itself escapes the other controls.
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
  /// Text that has no effect on a terminal and stays on its line: control characters, line separators, invisible characters
  /// and marks that change the direction of writing become `\n`, `\r`, `\t`, `\xHH` or `\u{HHHH}`, and a backslash is
  /// doubled.
  public static func safe(_ text: String) -> String { escaped(text, doublesBackslashes: true) }

  /// A sentence of the program that quotes such a text, escaped in the same way; its backslashes stay single.
  public static func quoting(_ text: String) -> String { escaped(text, doublesBackslashes: false) }

  private static func escaped(_ text: String, doublesBackslashes: Bool) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\" where doublesBackslashes: safe += "\\\\"
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

/// A number in hexadecimal, padded with zeros.
private func hexadecimal(_ value: UInt32, digits: Int) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// A character as JSON escapes it: its UTF-16 code units (RFC 8259 §7).
private func jsonEscape(_ scalar: Unicode.Scalar) -> String {
  UTF16.encode(scalar).map { $0.map { "\\u" + hexadecimal(UInt32($0), digits: 4) }.joined() } ?? ""
}

extension Unicode.Scalar {
  /// C0, DEL and C1 controls, line and paragraph separators, and invisible characters, including the direction marks of
  /// Unicode's bidirectional algorithm. Joiners and variation selectors are excepted: scripts and emoji need them.
  fileprivate var isUnsafe: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFFF9...0xFFFB: true
    case 0x20..<0x7F, 0x200C, 0x200D, 0xFE00...0xFE0F, 0xE0100...0xE01EF: false
    default: properties.isDefaultIgnorableCodePoint
    }
  }
}
