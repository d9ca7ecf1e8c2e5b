// One configuration from several, such as those of a fleet, of a group of stations and of a station.

/// Merges texts of configurations.
public enum ConfigurationMerge {
  /// The text of all: where several have a key, the last one counts. Sections merge key by key; a list or a single value replaces
  /// what was there, and a key without a value removes it. Comments are left out.
  ///
  /// - Throws: which of the texts is not YAML, or is no mapping; its position is in `fault`.
  public static func merge(_ texts: [String]) throws(ConfigurationMergeFault) -> String {
    var merged = Node.section([])
    for (position, text) in texts.enumerated() {
      do throws(YAMLError) {
        let document = try YAMLDocument(text, depthMax: ConfigurationFile.depthMax)
        guard let root = document.root else { continue }
        var room = ConfigurationFile.keyCountMax
        let node = try Node(root, of: document, &room)
        guard case .section = node else { throw YAMLError(reason: "it holds no keys") }
        merged = merged.merged(with: node)
      } catch {
        throw ConfigurationMergeFault(position: position, reason: error.reason)
      }
    }
    return merged.lines(indent: 0)
  }

  private indirect enum Node {
    case value(String, isPlain: Bool)
    case list([Node])
    case section([(key: String, node: Node)])

    /// - Parameter room: nodes that may still be read: aliases of aliases would have no end.
    init(_ node: YAMLDocument.Node, of document: borrowing YAMLDocument, _ room: inout Int) throws(YAMLError) {
      guard room > 0 else { throw YAMLError(reason: "it has more than \(ConfigurationFile.keyCountMax) keys and values") }
      room -= 1
      switch document.content(node) {
      case .scalar(let text, let isPlain): self = .value(text, isPlain: isPlain)
      case .sequence(let items):
        var nodes: [Node] = []
        for item in items { nodes.append(try Node(item, of: document, &room)) }
        self = .list(nodes)
      case .mapping(let pairs):
        var entries: [(key: String, node: Node)] = []
        for pair in pairs {
          guard let key = document.text(pair.key) else {
            throw YAMLError(reason: "line \(document.line(pair.key)): a key is not a word")
          }
          guard !entries.contains(where: { $0.key == key }) else {
            throw YAMLError(reason: "line \(document.line(pair.key)): the key \(key) is there twice; keep one")
          }
          entries.append((key, try Node(pair.value, of: document, &room)))
        }
        self = .section(entries)
      }
    }

    private var isNothing: Bool {
      if case .value(let text, isPlain: true) = self { ["", "~", "null"].contains(text) } else { false }
    }

    func merged(with later: Node) -> Node {
      guard case .section(let news) = later else { return later }
      var entries: [(key: String, node: Node)] = []
      if case .section(let olds) = self { entries = olds }
      for (key, node) in news {
        let place = entries.firstIndex { $0.key == key }
        if node.isNothing {
          if let place { entries.remove(at: place) }
        } else if let place {
          entries[place].node = entries[place].node.merged(with: node)
        } else {
          // Of a section that is new, too, keys without a value go.
          entries.append((key, Node.section([]).merged(with: node)))
        }
      }
      return .section(entries)
    }

    /// Its text where it fits behind a key or a dash; nil: it takes lines of its own.
    private var inline: String? {
      switch self {
      case .value(let text, let isPlain): Self.scalar(text, isPlain)
      case .list(let nodes): nodes.isEmpty ? "[]" : nil
      case .section(let entries): entries.isEmpty ? "{}" : nil
      }
    }

    /// Lines in block style, indented so far.
    func lines(indent: Int) -> String {
      let blanks = String(repeating: " ", count: indent)
      switch self {
      case .value: return ""
      case .list(let nodes):
        // The first line of what is inside stands behind the dash.
        return nodes.map {
          blanks + "- " + ($0.inline.map { $0 + "\n" } ?? String($0.lines(indent: indent + 2).drop { $0 == " " }))
        }
        .joined()
      case .section(let entries):
        return entries.map { key, node in
          blanks + Self.scalar(key, true) + ":" + (node.inline.map { " \($0)\n" } ?? "\n" + node.lines(indent: indent + 2))
        }.joined()
      }
    }

    private static func scalar(_ text: String, _ isPlain: Bool) -> String {
      // A plain text may have been in several lines; one line means the same.
      isPlain && !text.contains("\n") && !text.isEmpty ? text : YAMLText.quoted(text)
    }
  }
}

/// Why texts cannot be merged.
public struct ConfigurationMergeFault: Error, Equatable, Sendable {
  /// Which of the texts is at fault, from 0.
  public let position: Int
  public let reason: String
}
