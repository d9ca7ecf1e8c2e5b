// Errors in a configuration. All are reported at once, each with its place, the value, and the requirement.

import BarcodeMessage

/// An error in a configuration.
public struct ConfigurationProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it is written: the line of the file, or the environment variable; nil for a missing key.
  public enum Place: Equatable, Sendable {
    case line(Int)
    /// In the changes of set-up codes.
    case setupCode
    case variable(String)
  }

  public var place: Place?
  /// The error and its remedy, escaped so that any file content is safe on a terminal.
  public let message: String

  public init(_ message: String, at place: Place? = nil) {
    self.message = TerminalText.quoting(message)
    self.place = place
  }

  init(_ message: String, line: Int?) {
    self.init(message, at: line.map { .line($0) })
  }

  public var description: String {
    switch place {
    case .line(let line): "line \(line): \(message)"
    case .setupCode: "by a set-up code: \(message)"
    case .variable(let name): "\(name): \(message)"
    case nil: message
    }
  }
}

/// All errors in a configuration.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  public var file: String
  /// At least one, in the order of the file; environment variables and missing keys come last.
  public var problems: [ConfigurationProblem]

  public init(file: String, problems: [ConfigurationProblem]) {
    self.file = file
    self.problems = problems.enumerated().sorted { a, b in
      let (placeA, placeB) = (order(a.element), order(b.element))
      return placeA == placeB ? a.offset < b.offset : placeA < placeB
    }.map(\.element)
  }

  public var description: String {
    let count = problems.count == 1 ? "an error" : "\(problems.count) errors"
    return (["\(file) has \(count):"] + problems.map { "  \($0)" }).joined(separator: "\n")
  }
}

private func order(_ problem: ConfigurationProblem) -> (Int, String) {
  switch problem.place {
  case .line(let line): (line, "")
  case .setupCode: (Int.max - 2, "")
  case .variable(let name): (Int.max - 1, name)
  case nil: (Int.max, "")
  }
}

/// The known word that is most similar to a given word; nil if none is similar.
///
/// - Parameter distanceMax: the most letters that may differ; nil: a third of the word, but at least two.
func nearest(to word: String, among known: [String], distanceMax: Int? = nil) -> String? {
  var best: (word: String, distance: Int)?
  for candidate in known {
    let distance = editDistance(Array(word.utf8), Array(candidate.utf8))
    if distance < best?.distance ?? Int.max { best = (candidate, distance) }
  }
  guard let best, best.distance <= distanceMax ?? max(2, word.utf8.count / 3) else { return nil }
  return best.word
}

/// Insertions, deletions and replacements that turn one word into the other (Levenshtein 1966).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  // A word longer than any key is not similar to one.
  guard a.count <= 256 else { return a.count }
  var row = Array(0...b.count)
  for i in 0..<a.count {
    var diagonal = row[0]
    row[0] = i + 1
    for j in 0..<b.count {
      let replaced = diagonal + (a[i] == b[j] ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
    }
  }
  return row[b.count]
}
