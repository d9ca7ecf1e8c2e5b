// Just enough of Swift's grammar to know what a file imports and which words its code uses.

import Foundation

/// A Swift file as its imports and its words, comments and literals of text left out.
struct SourceText {
  /// The file's path below `Sources`.
  let path: String
  /// Imported modules with the line of each, from 1.
  let imports: [(module: String, line: Int)]
  /// Identifiers and keywords with the line of each.
  let words: [(word: Substring, line: Int)]

  init(_ text: String, path: String) {
    self.path = path
    var imports: [(String, Int)] = []
    var words: [(Substring, Int)] = []
    for (index, line) in SourceText.code(of: text).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let match = line.wholeMatch(
        of:
          /\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+).*/
      ) {
        imports.append((String(match.1), index + 1))
        continue
      }
      for match in line.matches(of: /[\p{L}_][\p{L}\p{N}_]*/) {
        // `any` is a keyword before a type and a name elsewhere.
        if match.0 == "any", line[match.range.upperBound...].prefixMatch(of: /\s+[(~]?\p{Lu}/) == nil { continue }
        words.append((match.0, index + 1))
      }
    }
    self.imports = imports
    self.words = words
  }

  /// The text with comments and text literals blanked, line by line. Literals of several lines end each interpolation too:
  /// what is inside is no code of ours but messages.
  private static func code(of text: String) -> String {
    var code = ""
    var rest = text[...]
    while let character = rest.first {
      if rest.hasPrefix("//") {
        rest = rest.drop { $0 != "\n" }
      } else if rest.hasPrefix("/*") {
        skip(&rest, over: "/*", to: "*/", keepingLinesIn: &code)
      } else if rest.hasPrefix("\"\"\"") {
        skip(&rest, over: "\"\"\"", to: "\"\"\"", keepingLinesIn: &code)
      } else if character == "\"" {
        rest = rest.dropFirst()
        while let next = rest.first, next != "\"", next != "\n" { rest = rest.dropFirst(next == "\\" ? 2 : 1) }
        if rest.first == "\"" { rest = rest.dropFirst() }
        code.append(" ")
      } else {
        code.append(character)
        rest = rest.dropFirst()
      }
    }
    return code
  }

  private static func skip(
    _ rest: inout Substring, over opening: String, to closing: String, keepingLinesIn code: inout String
  ) {
    rest = rest.dropFirst(opening.count)
    while !rest.isEmpty, !rest.hasPrefix(closing) {
      if rest.first == "\n" { code.append("\n") }
      rest = rest.dropFirst()
    }
    rest = rest.dropFirst(closing.count)
  }
}
