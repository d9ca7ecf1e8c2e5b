// A YAML document parsed by libyaml. Its nodes stay in the library's memory; an alias is the node that it refers to.

import CYAML

/// A parse error, in one line.
struct YAMLError: Error {
  let reason: String
}

/// A parsed text. Owns its nodes.
struct YAMLDocument: ~Copyable {
  /// A node of a document. libyaml counts nodes from 1.
  struct Node {
    fileprivate let number: Int32
  }

  enum Content {
    /// `isPlain`: not quoted.
    case scalar(String, isPlain: Bool)
    case sequence([Node])
    case mapping([(key: Node, value: Node)])
  }

  private let document: UnsafeMutablePointer<yaml_document_t>

  /// Parses a text with at most one document.
  ///
  /// - Parameter depthMax: the deepest nesting of collections, without the outermost one.
  init(_ text: String, depthMax: Int) throws(YAMLError) {
    document = .allocate(capacity: 1)
    document.initialize(to: yaml_document_t())
    let bytes = Array(text.utf8)
    if let error = Self.checkDepth(of: bytes, max: depthMax) ?? Self.parse(bytes, into: document) { throw error }
  }

  deinit {
    yaml_document_delete(document)
    document.deallocate()
  }

  /// Nil for a text without content.
  var root: Node? { yaml_document_get_root_node(document) == nil ? nil : Node(number: 1) }

  /// The line number, from 1.
  func line(_ node: Node) -> Int { at(node).start_mark.line + 1 }

  /// Where a node stands: lines and characters, from 0. The end of a block collection is where the next value begins.
  func span(_ node: Node) -> (start: (line: Int, column: Int), end: (line: Int, column: Int)) {
    let node = at(node)
    return ((node.start_mark.line, node.start_mark.column), (node.end_mark.line, node.end_mark.column))
  }

  /// Whether a collection is written in brackets.
  func isFlow(_ node: Node) -> Bool {
    let node = at(node)
    return node.type == YAML_SEQUENCE_NODE
      ? node.data.sequence.style == YAML_FLOW_SEQUENCE_STYLE : node.data.mapping.style == YAML_FLOW_MAPPING_STYLE
  }

  func content(_ node: Node) -> Content {
    let node = at(node)
    switch node.type {
    case YAML_SEQUENCE_NODE:
      let items = node.data.sequence.items
      return .sequence(UnsafeBufferPointer(start: items.start, count: items.top - items.start).map(Node.init))
    case YAML_MAPPING_NODE:
      let pairs = node.data.mapping.pairs
      return .mapping(
        UnsafeBufferPointer(start: pairs.start, count: pairs.top - pairs.start).map {
          (Node(number: $0.key), Node(number: $0.value))
        })
    default: return .scalar(text(node), isPlain: node.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
    }
  }

  /// The text of a scalar; nil for any other node, regardless of its size.
  func text(_ node: Node) -> String? {
    let node = at(node)
    return node.type == YAML_SCALAR_NODE ? text(node) : nil
  }

  private func text(_ node: yaml_node_t) -> String {
    String(
      decoding: UnsafeBufferPointer(start: node.data.scalar.value, count: node.data.scalar.length), as: UTF8.self)
  }

  private func at(_ node: Node) -> yaml_node_t {
    guard let found = yaml_document_get_node(document, node.number) else {
      preconditionFailure("a node of another document")
    }
    return found.pointee
  }

  /// Scans the events of a text up to the first that is nested too deep: libyaml's time per token grows with the depth.
  /// `parse` finds all other errors.
  private static func checkDepth(of bytes: [UInt8], max depthMax: Int) -> YAMLError? {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) != 0 else { return YAMLError(reason: "there is no memory for it") }
    defer { yaml_parser_delete(&parser) }
    return bytes.withUnsafeBufferPointer { bytes in
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      var depth = -1
      while true {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) != 0 else { return nil }
        defer { yaml_event_delete(&event) }
        switch event.type {
        case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: depth += 1
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return nil
        default: break
        }
        guard depth <= depthMax else {
          return YAMLError(
            reason:
              "line \(event.start_mark.line + 1): more than \(depthMax) levels inside each other; remove what is not a key of "
              + "Reticle")
        }
      }
    }
  }

  private static func parse(_ bytes: [UInt8], into document: UnsafeMutablePointer<yaml_document_t>) -> YAMLError? {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) != 0 else { return YAMLError(reason: "there is no memory for it") }
    defer { yaml_parser_delete(&parser) }
    return bytes.withUnsafeBufferPointer { bytes in
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      guard yaml_parser_load(&parser, document) != 0 else { return YAMLError(reason: reason(parser)) }
      var next = yaml_document_t()
      defer { yaml_document_delete(&next) }
      guard yaml_parser_load(&parser, &next) != 0 else { return YAMLError(reason: reason(parser)) }
      guard yaml_document_get_root_node(&next) == nil else {
        return YAMLError(reason: "line \(next.start_mark.line + 1): a second document begins; keep one")
      }
      return nil
    }
  }

  private static func reason(_ parser: yaml_parser_t) -> String {
    let problem = parser.problem.map { String(cString: $0) } ?? "there is no memory for it"
    if parser.error == YAML_READER_ERROR { return "at byte \(parser.problem_offset): \(problem)" }
    return "line \(parser.problem_mark.line + 1), column \(parser.problem_mark.column + 1): \(problem)"
  }
}

/// Texts as YAML.
enum YAMLText {
  /// Text in double quotes, in ASCII (YAML 1.2.2 §5.7 and §7.3.1).
  static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "\"": "\\\(scalar)"
      case " "..."~": "\(scalar)"
      default:
        "\\U" + String(repeating: "0", count: 8 - String(scalar.value, radix: 16).count) + String(scalar.value, radix: 16)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}
