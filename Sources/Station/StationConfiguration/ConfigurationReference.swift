// Pages generated from the table of keys, so that they always match the program.

/// The reference page and the starting file, generated from `ConfigurationKey.all`.
public enum ConfigurationReference {
  /// A Markdown page with every key: purpose, permitted values, default and environment variable.
  public static var page: String {
    var lines = [
      "# Configuration", "",
      "The configuration is one YAML file. Environment variables override its keys. The last column names the variables; in "
        + "it, `0` represents a position in a list, counted from 0, and `EAN13` any symbology. `reticle config check FILE` "
        + "reports all errors in a file; `reticle config show --config FILE` prints every value with its origin; `reticle config "
        + "explain KEY` prints what this page says of a key or a section.",
      "", "`reticle config reference` generates this page.",
    ]
    for section in sections {
      lines += ["", "## \(section.title)", "", "| key | purpose | values | default | variable |"]
      lines.append("|---|---|---|---|---|")
      for key in section.keys {
        let fallback = key.fallback.isEmpty ? "–" : "`\(key.kind.isList ? "[\(key.fallback)]" : key.fallback)`"
        lines.append(
          "| `\(key.name)` | \(key.summary) | \(values(of: key.kind)) | \(fallback) | `\(variable(key))` |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The meaning of a key, its values, its default and its environment variable, in a line each.
  public static func explanation(of key: ConfigurationKey) -> String {
    """
    \(key.name)
      \(key.summary)
      Values: \(key.kind.expectation).
      Default: \(key.fallback.isEmpty ? "none" : key.kind.isList ? "[\(key.fallback)]" : key.fallback)
      Environment: \(variable(key))

    """
  }

  /// The values of a kind, as a cell; the symbologies are listed on one page.
  private static func values(of kind: ConfigurationKind) -> String {
    if case .symbologies = kind { return "a list of [symbologies](../README.md#symbologies)" }
    return cell(kind.expectation)
  }

  /// A configuration file like `startingFile`, with the keys of another file set in it.
  ///
  /// - Parameters:
  ///   - yaml: a valid configuration, such as a board's.
  ///   - sinks: at least one.
  ///   - isWhole: whether it shows every key.
  public static func startingFile(
    like yaml: String, sinks: [StartingSink] = [.standardOutput], isWhole: Bool = false
  ) -> String {
    let entries = ConfigurationFile(bytes: Array(yaml.utf8)).entries
    return startingFile(
      entries.compactMapValues { entry in
        switch entry.value {
        case .scalar(let text): quoted(text)
        case .list(let texts): "[" + texts.map(quoted).joined(separator: ", ") + "]"
        case .nothing: nil
        }
      }, sinks: sinks, isWhole: isWhole)
  }

  /// Text in double quotes by YAML 1.2.2 §7.3.1, if it could be mistaken for anything else.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A || byte == 0x2E
    }
    return isPlain && !text.isEmpty
      ? text : "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// A configuration file in which keys appear as comments with their defaults, except those in `written`.
  ///
  /// - Parameters:
  ///   - written: values by key, in YAML syntax.
  ///   - sinks: at least one.
  ///   - isWhole: whether it shows every key, or those that many users change.
  public static func startingFile(
    _ written: [String: String] = [:], sinks: [StartingSink] = [.standardOutput], isWhole: Bool = false
  ) -> String {
    var lines = [
      isWhole
        ? "# Reticle's configuration. It lists every key."
        : "# Reticle's configuration. It lists the keys that many stations set.",
      "# Keys that are commented out have their defaults. To set a key, remove the # before it and before the sections that contain",
      "# it. `reticle config explain KEY` explains a key"
        + (isWhole ? "." : "; `reticle config init --all` writes every key."), "",
    ]
    var open: [Substring] = []
    for key in keysBySection
    where !key.name.contains("[]") && (isWhole || key.isCommon || written[key.name] != nil) {
      let parts = key.name.split(separator: ".")
      let folder = Array(parts.dropLast())
      let common = zip(open, folder).prefix { $0 == $1 }.count
      for depth in common..<max(common, folder.count) {
        let section = folder[...depth].joined(separator: ".")
        let mark = written.keys.contains { $0.hasPrefix(section + ".") } ? "" : "# "
        lines.append(String(repeating: "  ", count: depth) + "\(mark)\(folder[depth]):")
      }
      open = folder
      let indent = String(repeating: "  ", count: folder.count)
      lines.append("\(indent)# \(key.summary) \(key.kind.expectation.capitalizedFirst).")
      let value = key.kind.isList ? "[\(key.fallback)]" : key.fallback.contains("{") ? quoted(key.fallback) : key.fallback
      if let text = written[key.name] {
        lines.append("\(indent)\(parts.last!): \(text)")
      } else {
        lines.append("\(indent)# \(parts.last!): \(value)")
      }
    }
    lines += [
      "",
      "# Where scans go: up to \(SinkReading.sinkCountMax) webhooks and serial lines, and standard output for a terminal. The keys of each kind:",
      "# reticle config reference.", "sinks:",
    ]
    lines += sinks.flatMap(\.lines)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The keys grouped by section, with sections in the order of their first key in the table.
  private static var keysBySection: [ConfigurationKey] {
    var ranks: [String: Int] = [:]
    let ranked = ConfigurationKey.all.map { key in
      let parts = key.name.split(separator: ".")
      let path = (1...parts.count).map { count in
        let prefix = parts.prefix(count).joined(separator: ".")
        ranks[prefix] = ranks[prefix] ?? ranks.count
        return ranks[prefix] ?? 0
      }
      return (key: key, path: path)
    }
    return ranked.sorted { $0.path.lexicographicallyPrecedes($1.path) }.map(\.key)
  }

  /// The keys by the first part of their name, in the order of the table; sinks by kind.
  private static var sections: [(title: String, keys: [ConfigurationKey])] {
    var sections: [(title: String, keys: [ConfigurationKey])] = []
    for key in ConfigurationKey.all {
      let parts = key.name.split(separator: ".")
      let title = parts[0] == "sinks[]" && parts.count > 2 ? "\(parts[0]).\(parts[1])" : String(parts[0])
      if let index = sections.firstIndex(where: { $0.title == title }) {
        sections[index].keys.append(key)
      } else {
        sections.append((title, [key]))
      }
    }
    return sections
  }

  private static func variable(_ key: ConfigurationKey) -> String {
    ConfigurationReading.variable(
      for: key.name.replacing("[]", with: ".0").replacing(ConfigurationKey.symbologyPlace, with: "ean13"))
  }

  /// Text escaped for a table cell.
  private static func cell(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("<", with: "&lt;")
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
