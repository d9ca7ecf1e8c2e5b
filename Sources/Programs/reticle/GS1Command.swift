// `reticle gs1`: reads GS1 data in any form, and prints their elements and errors.

import ArgumentParser
import BarcodeMessage
import Glibc

struct GS1Command: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gs1",
    abstract: "Take GS1 data apart and check them.",
    discussion: """
      Reads element strings behind FNC1, which is U+001D or written ^, also with the AIM symbology identifier of the symbol before \
      them; identifiers in parentheses, where a parenthesis of the data is written \\(; and GS1 Digital Link URIs. With - it reads \
      one of them per line of standard input.

      As text, one line per element: identifier, title and data, then what the data mean; and one per problem, behind a !. As \
      JSON, one line per message.

      Exit status: 0 if all are valid, 1 if one is not, 2 if one is none of these, 64 for wrong usage, 74 if the answer could \
      not be written.

      Examples:
        reticle gs1 '^010950110153000310AB-123^17261100'
        reticle gs1 --format json '(01)09501101530003(17)261100' 'https://id.gs1.org/01/09501101530003/10/AB'
      """)

  @Option(help: "How to answer.")
  var format = AnswerFormat.text

  @Option(help: ArgumentHelp("What comes before the key in the Digital Link of the answer.", valueName: "uri"))
  var stem = GS1DigitalLink.canonicalStem

  @Argument(help: ArgumentHelp("GS1 data, or - for lines of standard input.", valueName: "data"))
  var data: [String]

  func validate() throws {
    let isLink = ContentUse(text: stem) == .link && (stem.hasPrefix("https://") || stem.hasPrefix("http://"))
    guard isLink, !stem.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw ValidationError(
        "the stem '\(TerminalText.safe(stem))' is not an address; give one such as https://example.com/products")
    }
  }

  func run() throws {
    var status: Int32 = 0
    for text in data {
      if text != "-" {
        try answer(text, &status)
        continue
      }
      var lines = LineReader(descriptor: STDIN_FILENO, byteCountMax: GS1Reading.byteCountMax)
      while let line = lines.next() {
        switch line {
        case .text(let text): try answer(text, &status)
        case .tooLong: try answer("", GS1Reading(tooLongFor: GS1Reading.byteCountMax), &status)
        }
      }
    }
    if status != 0 { throw ExitCode(status) }
  }

  private func answer(_ text: String, _ status: inout Int32) throws(ExitCode) {
    try answer(text, GS1Reading(anyForm: text), &status)
  }

  private func answer(_ text: String, _ reading: GS1Reading, _ status: inout Int32) throws(ExitCode) {
    let isUnreadable = reading.problems.contains { $0.code == .unreadable }
    status = max(status, isUnreadable ? 2 : reading.isValid ? 0 : 1)
    let answer = GS1Answer(input: text, reading: reading, stem: stem, currentYear: currentYear())
    try StandardOutput.write(format == .json ? answer.json + "\n" : answer.text)
  }

  /// The year of the wall clock, in UTC.
  private func currentYear() -> Int {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    return Int(parts.tm_year) + 1900
  }
}

/// The command's answer about a message.
struct GS1Answer {
  let input: String
  let reading: GS1Reading
  let stem: String
  let currentYear: Int

  /// The canonical link; nil for invalid data.
  private var link: String? { reading.isValid ? GS1DigitalLink.uri(reading.elements, stem: stem) : nil }

  /// One JSON object, without a line feed.
  var json: String {
    var json = "{\"input\":\(JSONText.quoted(input)),\"valid\":\(reading.isValid),\"elements\":["
    json += reading.elements.map(elementJSON).joined(separator: ",") + "],\"problems\":["
    json += reading.problems.map(problemJSON).joined(separator: ",") + "],\"bracketed\":"
    json += reading.elements.isEmpty ? "null" : JSONText.quoted(reading.bracketed)
    return json + ",\"digital_link\":\(link.map(JSONText.quoted) ?? "null")}"
  }

  private func elementJSON(_ element: GS1Element) -> String {
    let members = [("ai", element.identifier), ("title", element.title), ("value", element.value)]
    let strings = (members + named(element.meaning(currentYear: currentYear))).map { "\"\($0)\":\(JSONText.quoted($1))" }
    let countries = element.meaning(currentYear: currentYear).countries.map(JSONText.quoted)
    let list = countries.isEmpty ? [] : ["\"countries\":[\(countries.joined(separator: ","))]"]
    return "{\((strings + list).joined(separator: ","))}"
  }

  private func problemJSON(_ problem: GS1Problem) -> String {
    let identifier = problem.identifier.map { "\"ai\":\(JSONText.quoted($0))," } ?? ""
    return
      "{\(identifier)\"code\":\(JSONText.quoted(problem.code.rawValue)),\"message\":\(JSONText.quoted(problem.message))}"
  }

  /// The present parts of a meaning, by their names.
  private func named(_ meaning: GS1Meaning) -> [(String, String)] {
    let parts = [
      ("date", meaning.date), ("month", meaning.month), ("until", meaning.until), ("time", meaning.timeOfDay),
      ("number", meaning.number), ("currency", meaning.currency),
    ]
    return parts.compactMap { name, value in value.map { (name, $0) } }
  }

  /// Lines, each with its line feed.
  var text: String {
    var text = ""
    for element in reading.elements {
      let meaning = element.meaning(currentYear: currentYear)
      let words = named(meaning).map { "\($0) \($1)" } + meaning.countries.map { "country \($0)" }
      let line = ["(\(element.identifier))", element.title, element.value] + words
      text += line.map(TerminalText.safe).joined(separator: "\t") + "\n"
    }
    if let link { text += TerminalText.safe(link) + "\n" }
    for problem in reading.problems { text += "! \(TerminalText.safe(problem.message))\n" }
    return text
  }
}
