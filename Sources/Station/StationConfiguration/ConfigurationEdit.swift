// Changes single keys in the text of a configuration file, and leaves everything else as it is written: comments, order, empty
// lines. libyaml tells where each value stands.

/// Why a key cannot be changed in a text, in one sentence with the remedy.
public struct ConfigurationEditFault: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
}

/// A change of one key.
public struct ConfigurationChange: Equatable, Sendable, Codable {
  /// The key's full name with positions, such as `sinks.0.webhook.url`, or an item of a list, such as `sinks.1`.
  public var name: String
  /// The value as it would be written; nil: the key is removed, and its default applies.
  public var value: String?

  public init(name: String, value: String?) { (self.name, self.value) = (name, value) }
}

extension ConfigurationChange {
  /// The most changes made at once.
  public static let countMax = 200

  /// The text with changes made in it.
  ///
  /// - Throws: if the text is not YAML, or a change would alter anything else.
  public static func apply(
    _ changes: [ConfigurationChange], to text: String
  ) throws(ConfigurationEditFault) -> String {
    var text = text
    for change in changes { text = try change.applied(to: text) }
    return text
  }

  private func applied(to text: String) throws(ConfigurationEditFault) -> String {
    let before = ConfigurationFile(bytes: Array(text.utf8))
    if let problem = before.problems.first { throw ConfigurationEditFault(description: "\(problem)") }
    var editor: TextEditor
    do throws(YAMLError) {
      editor = try TextEditor(text)
    } catch {
      throw ConfigurationEditFault(description: error.reason)
    }
    guard ConfigurationKey.named(name).isEmpty == false, !name.isEmpty else {
      throw ConfigurationEditFault(description: "\(name) is not a key")
    }
    let parts = name.split(separator: ".").map(String.init)
    if let value {
      try editor.set(parts, to: Self.written(value, name: name))
    } else {
      editor.remove(parts)
    }
    guard Self.meaning(editor.text) == expected(Self.meaning(text)) else {
      throw ConfigurationEditFault(description: "\(name) cannot be changed alone here; change the text of the file")
    }
    return editor.text
  }

  /// A value as YAML.
  private static func written(_ value: String, name: String) -> String {
    guard ConfigurationKey.named(name).first?.kind.isList == true else { return scalar(value) }
    return "[" + items(value).map(ConfigurationReference.quoted).joined(separator: ", ") + "]"
  }

  /// Text without quotes if no reader of YAML could mistake it.
  private static func scalar(_ text: String) -> String {
    let isPlain = text.wholeMatch(of: /[A-Za-z0-9\/](?:(?:[A-Za-z0-9 _.\/-]|:(?=[A-Za-z0-9\/]))*[A-Za-z0-9_.\/])?/) != nil
    return isPlain && text != "null" ? text : ConfigurationReference.quoted(text)
  }

  /// The items of a list that is written with or without brackets.
  private static func items(_ value: String) -> [String] {
    var list = Substring(value)
    if list.hasPrefix("["), list.hasSuffix("]") { list = list.dropFirst().dropLast() }
    return list.split(separator: ",").map { item in
      var item = item.drop { $0 == " " }
      while item.last == " " { item.removeLast() }
      return String(item)
    }
  }

  /// The keys and values of a text, without their places.
  private static func meaning(_ text: String) -> [String: ConfigurationFile.Value] {
    ConfigurationFile(bytes: Array(text.utf8)).entries.mapValues(\.value).filter { $0.value != .nothing }
  }

  /// The meaning after the change: that of before, except for this key.
  private func expected(_ before: [String: ConfigurationFile.Value]) -> [String: ConfigurationFile.Value] {
    var after = before
    if let value {
      let isList = ConfigurationKey.named(name).first?.kind.isList == true
      after[name] = isList ? .list(Self.items(value)) : .scalar(value)
      return after
    }
    for key in before.keys where key == name || key.hasPrefix(name + ".") { after[key] = nil }
    return Self.closingRank(after, behind: name)
  }

  /// The items behind a removed item of a list take its place.
  private static func closingRank(
    _ entries: [String: ConfigurationFile.Value], behind name: String
  ) -> [String: ConfigurationFile.Value] {
    let parts = name.split(separator: ".")
    guard let position = parts.last.flatMap({ Int($0) }) else { return entries }
    let list = parts.dropLast().joined(separator: ".") + "."
    var closed: [String: ConfigurationFile.Value] = [:]
    for (key, value) in entries {
      let rest = key.hasPrefix(list) ? key.dropFirst(list.count).split(separator: ".", maxSplits: 1) : []
      if let number = rest.first.flatMap({ Int($0) }), number > position {
        closed[([list.dropLast() + ".\(number - 1)"] + rest.dropFirst()).joined(separator: ".")] = value
      } else {
        closed[key] = value
      }
    }
    return closed
  }
}

// MARK: Secrets

/// The text of a configuration without its secrets, for people who may change it but not read them.
public struct ConcealedConfiguration: Equatable, Sendable {
  /// The text, in which secrets are replaced by what may be shown of them.
  public let text: String
  private let original: String
  /// The secrets by the full names of their keys, with what is shown instead.
  private var secrets: [String: (shown: String, value: String)] = [:]

  public static func == (a: ConcealedConfiguration, b: ConcealedConfiguration) -> Bool { a.text == b.text }

  /// - Throws: if the text is not YAML, so that its secrets cannot be found, or if a secret cannot be replaced in it.
  public init(_ text: String) throws(ConfigurationEditFault) {
    original = text
    var changes: [ConfigurationChange] = []
    let file = ConfigurationFile(bytes: Array(text.utf8))
    if let problem = file.problems.first {
      throw ConfigurationEditFault(description: "\(problem); correct the file on the station: it may hold secrets")
    }
    for (name, entry) in file.entries {
      guard case .scalar(let value) = entry.value, let key = ConfigurationKey.named(name).first else { continue }
      let shown = key.shown(value)
      guard shown != value else { continue }
      secrets[name] = (shown, value)
      changes.append(ConfigurationChange(name: name, value: shown))
    }
    do throws(ConfigurationEditFault) {
      self.text = try ConfigurationChange.apply(changes, to: text)
    } catch {
      throw ConfigurationEditFault(description: "the file holds secrets that cannot be hidden: \(error)")
    }
  }

  /// A text that was written from the shown one, with the secrets in place of what was shown.
  ///
  /// - Throws: if a secret is not known, because its key has another name now.
  public func revealed(in text: String) throws(ConfigurationEditFault) -> String {
    if text == self.text { return original }
    var changes: [ConfigurationChange] = []
    for (name, entry) in ConfigurationFile(bytes: Array(text.utf8)).entries {
      guard case .scalar(let value) = entry.value, let key = ConfigurationKey.named(name).first else { continue }
      if let secret = secrets[name], secret.shown == value {
        changes.append(ConfigurationChange(name: name, value: secret.value))
      } else if value == ConfigurationKey.hidden, key.isSecret || secrets.values.contains(where: { $0.shown == value }) {
        throw ConfigurationEditFault(description: "line \(entry.line): write the secret of \(name) again")
      }
    }
    return try ConfigurationChange.apply(changes, to: text)
  }
}

/// A YAML text whose values can be replaced in place.
private struct TextEditor {
  /// Lines without their line feeds, in code points, as libyaml counts columns.
  private var lines: [[Unicode.Scalar]]
  private let document: Outline

  var text: String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: lines.joined(separator: ["\n"]))
    return String(text)
  }

  init(_ text: String) throws(YAMLError) {
    lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0) }
    document = try Outline(text)
  }

  // MARK: Changes

  /// Sets a key to a value in YAML; sections that are missing are added.
  mutating func set(_ parts: [String], to value: String) throws(ConfigurationEditFault) {
    var node = document.root
    for (depth, part) in parts.enumerated() {
      guard let current = node, !current.isNothing else { return insertBelow(node, parts, depth, value) }
      switch current.form {
      case .mapping(let pairs, let isFlow):
        guard let pair = pairs.first(where: { $0.name == part }) else {
          return add(nested(parts[depth...], value, isFlow: isFlow), to: current, isFlow: isFlow)
        }
        node = pair.value
      case .sequence(let items, let isFlow):
        guard let position = Int(part), position <= items.count else {
          throw ConfigurationEditFault(description: "\(parts.joined(separator: ".")): the list has \(items.count) items")
        }
        if position == items.count {
          var item = nested(parts[(depth + 1)...], value, isFlow: isFlow)
          if !isFlow { item = item.enumerated().map { ($0 == 0 ? "- " : "  ") + $1 } }
          return add(item, to: current, isFlow: isFlow)
        }
        node = items[position]
      case .scalar:
        throw ConfigurationEditFault(
          description: "\(parts.prefix(depth).joined(separator: ".")) holds a value; remove it first")
      }
    }
    guard let node else { return }
    if node.isNothing {
      replace(node.start, node.start, with: " " + value)
    } else {
      replace(node.start, node.end, with: value)
    }
  }

  /// Adds keys below a key without a value, or to an empty file.
  private mutating func insertBelow(_ node: Outline.Node?, _ parts: [String], _ depth: Int, _ value: String) {
    guard let node else {
      if lines.last?.isEmpty == true { lines.removeLast() }
      lines += nested(parts[depth...], value, isFlow: false).map { Array($0.unicodeScalars) } + [[]]
      return
    }
    let indent = String(repeating: " ", count: node.keyColumn + 2)
    let rest = parts[depth...]
    var added = nested(rest.first.flatMap { Int($0) } != nil ? rest.dropFirst() : rest, value, isFlow: false)
    if rest.first.flatMap({ Int($0) }) != nil { added = added.enumerated().map { ($0 == 0 ? "- " : "  ") + $1 } }
    lines.insert(contentsOf: added.map { Array((indent + $0).unicodeScalars) }, at: node.start.line + 1)
  }

  /// The lines of a value with the names around it: one line in a flow collection.
  private func nested(_ names: ArraySlice<String>, _ value: String, isFlow: Bool) -> [String] {
    guard let name = names.first else { return [value] }
    let inner = nested(names.dropFirst(), value, isFlow: isFlow)
    if names.count == 1 { return ["\(name): \(inner[0])"] }
    return isFlow ? ["\(name): {\(inner[0])}"] : ["\(name):"] + inner.map { "  " + $0 }
  }

  /// Adds an entry at the end of a collection.
  private mutating func add(_ entry: [String], to node: Outline.Node, isFlow: Bool) {
    if isFlow {
      // Before the closing bracket.
      let end = Outline.Place(line: node.end.line, column: node.end.column - 1)
      replace(end, end, with: (node.isEmpty ? "" : ", ") + entry[0])
    } else {
      let indent = String(repeating: " ", count: node.start.column)
      lines.insert(contentsOf: entry.map { Array((indent + $0).unicodeScalars) }, at: node.end.line + 1)
    }
  }

  /// Removes a key or an item of a list, and the sections that hold nothing else.
  mutating func remove(_ parts: [String]) {
    var node = document.root
    // The entry to remove: the outermost that holds nothing but the key.
    var entry: (start: Outline.Place, end: Outline.Place, isFlow: Bool)?
    for part in parts {
      guard let current = node else { return }
      let found: (start: Outline.Place, value: Outline.Node, isFlow: Bool, count: Int)?
      switch current.form {
      case .mapping(let pairs, let isFlow):
        found = pairs.first { $0.name == part }.map { ($0.start, $0.value, isFlow, pairs.count) }
      case .sequence(let items, let isFlow):
        found = Int(part).flatMap { $0 < items.count ? items[$0] : nil }.map { item in
          let start = isFlow ? item.start : Outline.Place(line: item.start.line, column: current.start.column)
          return (start, item, isFlow, items.count)
        }
      case .scalar: found = nil
      }
      guard let found else { return }
      if entry == nil || found.count > 1 { entry = (found.start, found.value.end, found.isFlow) }
      node = found.value
    }
    guard let entry else { return }
    if entry.isFlow { removeFlow(entry.start, entry.end) } else { removeLines(entry.start, entry.end) }
  }

  /// Removes an entry of a flow collection with the comma before or behind it.
  private mutating func removeFlow(_ start: Outline.Place, _ end: Outline.Place) {
    guard start.line == end.line else { return }
    let line = lines[start.line]
    var (first, last) = (start.column, end.column)
    var behind = last
    while behind < line.count, line[behind] == " " { behind += 1 }
    if behind < line.count, line[behind] == "," {
      last = behind + 1
      while last < line.count, line[last] == " " { last += 1 }
    } else {
      while first > 0, line[first - 1] == " " { first -= 1 }
      if first > 0, line[first - 1] == "," { first -= 1 }
    }
    lines[start.line].removeSubrange(first..<last)
  }

  private mutating func removeLines(_ start: Outline.Place, _ end: Outline.Place) {
    let before = lines[start.line].prefix(start.column)
    guard before.contains(where: { $0 != " " }) else { return lines.removeSubrange(start.line...end.line) }
    // The first key of a list's item stands behind the dash: the next key takes its place.
    guard end.line + 1 < lines.count, lines[end.line + 1].prefix(start.column).allSatisfy({ $0 == " " }) else { return }
    let next = lines[end.line + 1].dropFirst(start.column)
    lines.replaceSubrange(start.line...(end.line + 1), with: [Array(before) + next])
  }

  private mutating func replace(_ start: Outline.Place, _ end: Outline.Place, with value: String) {
    let tail = lines[end.line].dropFirst(end.column)
    let head = lines[start.line].prefix(start.column)
    lines.replaceSubrange(start.line...end.line, with: [Array(head) + Array(value.unicodeScalars) + tail])
  }

  // MARK: Places

  /// The places of all keys and values.
  struct Outline {
    struct Place {
      /// From 0.
      var line: Int
      /// Characters from the beginning of the line.
      var column: Int
    }

    indirect enum Form {
      case scalar
      case sequence([Node], isFlow: Bool)
      case mapping([(name: String, start: Place, value: Node)], isFlow: Bool)
    }

    struct Node {
      var form: Form
      var start: Place
      /// Behind the last character of the value, without what follows a block.
      var end: Place
      /// Whether there is a key without a value.
      var isNothing = false
      /// The column of the key before it.
      var keyColumn = 0

      var isEmpty: Bool {
        switch form {
        case .scalar: false
        case .sequence(let items, _): items.isEmpty
        case .mapping(let pairs, _): pairs.isEmpty
        }
      }
    }

    let root: Node?

    init(_ text: String) throws(YAMLError) {
      let document = try YAMLDocument(text, depthMax: ConfigurationFile.depthMax)
      root = document.root.map { Self.node($0, of: document, keyColumn: -2) }
    }

    private static func node(
      _ node: YAMLDocument.Node, of document: borrowing YAMLDocument, keyColumn: Int
    ) -> Node {
      let (start, end) = document.span(node)
      var result = Node(
        form: .scalar, start: Place(line: start.line, column: start.column),
        end: Place(line: end.line, column: end.column), keyColumn: keyColumn)
      switch document.content(node) {
      case .scalar(let text, let isPlain): result.isNothing = isPlain && text.isEmpty
      case .sequence(let items):
        let nodes = items.map { Self.node($0, of: document, keyColumn: start.column) }
        result.form = .sequence(nodes, isFlow: document.isFlow(node))
        if !document.isFlow(node), let last = nodes.last { result.end = last.end }
      case .mapping(let pairs):
        let entries = pairs.map { pair in
          let key = document.span(pair.key).start
          return (
            name: document.text(pair.key) ?? "", start: Place(line: key.line, column: key.column),
            value: Self.node(pair.value, of: document, keyColumn: key.column)
          )
        }
        result.form = .mapping(entries, isFlow: document.isFlow(node))
        if !document.isFlow(node), let last = entries.last { result.end = last.value.end }
      }
      return result
    }
  }
}
