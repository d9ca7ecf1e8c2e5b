// A minimal Swift lexer that finds a file's imports and the words that its code uses.

import Foundation

/// A Swift file as its imports and its words, without comments and text literals.
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
      if line.contains("import"),
        let match = line.wholeMatch(
          of:
            /\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+).*/
        )
      {
        imports.append((String(match.1), index + 1))
        continue
      }
      for word in line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
        // `any` is a keyword before a type and a name elsewhere.
        if word == "any", line[word.endIndex...].prefixMatch(of: /\s+[(~]?\p{Lu}/) == nil { continue }
        if word.first?.isNumber == false { words.append((word, index + 1)) }
      }
    }
    self.imports = imports
    self.words = words
  }

  /// The text without comments and text literals, line by line. Interpolations are dropped as well, as they belong to
  /// messages.
  private static func code(of text: String) -> String {
    let bytes = Array(text.utf8)
    var code: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if has("//", bytes, index) {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      } else if has("/*", bytes, index) {
        skip(to: "*/", bytes, &index, 2, &code)
      } else if has("\"\"\"", bytes, index) {
        skip(to: "\"\"\"", bytes, &index, 3, &code)
      } else if bytes[index] == UInt8(ascii: "\"") {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\n") {
          index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { index += 1 }
        code.append(UInt8(ascii: " "))
      } else {
        code.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: code, as: UTF8.self)
  }

  private static func has(_ mark: StaticString, _ bytes: [UInt8], _ index: Int) -> Bool {
    guard index + mark.utf8CodeUnitCount <= bytes.count else { return false }
    return (0..<mark.utf8CodeUnitCount).allSatisfy { bytes[index + $0] == mark.utf8Start[$0] }
  }

  /// Skips past the closing mark; line breaks are kept.
  private static func skip(
    to closing: StaticString, _ bytes: [UInt8], _ index: inout Int, _ openingCount: Int, _ code: inout [UInt8]
  ) {
    index += openingCount
    while index < bytes.count, !has(closing, bytes, index) {
      if bytes[index] == UInt8(ascii: "\n") { code.append(bytes[index]) }
      index += 1
    }
    index = min(bytes.count, index + closing.utf8CodeUnitCount)
  }
}
