// The table of application identifiers compared with GS1's syntax dictionary. The dictionary is not part of the package: it
// is read from the folder data of `RETICLE_SHARED`, or of a folder `shared` next to the checkout.

import Foundation
import Testing

@testable import BarcodeMessage

private let dictionary: String? = {
  let shared =
    ProcessInfo.processInfo.environment["RETICLE_SHARED"].map { URL(fileURLWithPath: $0) }
    ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../../shared")
  return try? String(
    contentsOf: shared.appendingPathComponent("data/gs1-syntax-dictionary.txt"), encoding: .utf8)
}()

/// Every identifier in the dictionary with its row, in our table's notation and with ranges expanded.
private func dictionaryRows() -> [(identifier: String, row: String)] {
  var rows: [(String, String)] = []
  for line in (dictionary ?? "").split(separator: "\n") where line.first != "#" {
    let halves = line.split(separator: "#", maxSplits: 1)
    let words = halves[0].split(separator: " ")
    let rest = words.dropFirst().map { word -> String in
      let body = word.drop { $0 == "[" }
      guard let first = body.first, "NXYZ".contains(first) else {
        return word.replacingOccurrences(of: "dlpkey", with: "key")
      }
      return word.prefix(word.count - body.count) + first.lowercased() + body.dropFirst()
    }
    let title = halves.count > 1 ? halves[1].trimmingCharacters(in: .whitespaces) : ""
    let range = words[0].split(separator: "-")
    for number in (Int(range[0]) ?? 0)...(Int(range[range.count - 1]) ?? 0) {
      let digits = String(number)
      let identifier = String(repeating: "0", count: range[0].count - digits.count) + digits
      rows.append((identifier, (rest + ["#"] + (title.isEmpty ? [] : [title])).joined(separator: " ")))
    }
  }
  return rows
}

/// A field in the notation of a row.
private func words(_ field: GS1Field) -> String {
  let length: String = field.lengthMin == field.lengthMax ? "\(field.lengthMax)" : "..\(field.lengthMax)"
  let text: String = field.characters.rawValue + length
  let linters: String = field.linters.map { ",\($0.rawValue)" }.joined()
  return (field.isOptional ? "[\(text)]" : text) + linters
}

/// A rule in the notation of a row, after its identifier.
private func row(_ rule: GS1Rule) -> String {
  let flags = (rule.hasPredefinedLength ? "*" : "") + (rule.isLinkAttribute ? "?" : "")
  let fields: [String] = rule.fields.map(words)
  let required: [String] = rule.required.map { alternatives in
    "req=" + alternatives.map { $0.joined(separator: "+") }.joined(separator: ",")
  }
  let excluded: [String] = rule.excluded.isEmpty ? [] : ["ex=" + rule.excluded.joined(separator: ",")]
  var key: [String] = []
  if let qualifiers = rule.qualifiers {
    let text: String = qualifiers.map { $0.joined(separator: ",") }.joined(separator: "|")
    key = [text.isEmpty ? "key" : "key=" + text]
  }
  let attributes: [String] = (required + excluded + key).sorted()
  let all: [String] = (flags.isEmpty ? [] : [flags]) + fields + attributes + ["#"] + (rule.title.isEmpty ? [] : [rule.title])
  return all.joined(separator: " ")
}

/// A row with its attributes sorted, as their order has no meaning.
private func sorted(_ row: String) -> String {
  let halves = row.split(separator: "#", maxSplits: 1)
  let words: [String] = halves[0].split(separator: " ").map(String.init)
  let isAttribute = { (word: String) in word.hasPrefix("req=") || word.hasPrefix("ex=") || word.hasPrefix("key") }
  let attributes: [String] = words.filter(isAttribute).sorted()
  let all: [String] =
    words.filter { !isAttribute($0) } + attributes + ["#"] + halves.dropFirst().map { String($0.drop { $0 == " " }) }
  return all.joined(separator: " ")
}

@Suite("GS1 table") struct GS1TableTests {
  @Test(
    .enabled(
      if: dictionary != nil, "GS1's dictionary is neither in RETICLE_SHARED nor next to the checkout: nothing is compared"))
  func `every row agrees with GS1's dictionary, and there are no other rows`() throws {
    let rows = dictionaryRows()
    #expect(rows.count > 500)
    #expect(GS1Rule.table.map(\.identifier) == rows.map(\.identifier))
    for (identifier, expected) in rows {
      let rule = try #require(GS1Rule.rule(identifier), "(\(identifier)) is missing")
      #expect(row(rule) == sorted(expected), "(\(identifier))")
    }
  }

  @Test(
    .enabled(
      if: dictionary != nil, "GS1's dictionary is neither in RETICLE_SHARED nor next to the checkout: nothing is compared"))
  func `every linter that the dictionary names exists`() {
    var named: Set<String> = []
    for (_, row) in dictionaryRows() {
      let fields: String = row.components(separatedBy: "# ")[0]
      for word in fields.split(separator: " ") where !["r", "e", "k"].contains(word.first) {
        let names: [String] = word.filter { $0 != "]" }.split(separator: ",").dropFirst().map(String.init)
        named.formUnion(names)
      }
    }
    #expect(named == Set(GS1Linter.allCases.map(\.rawValue)))
  }

  @Test func `no identifier is a prefix of another`() {
    for rule in GS1Rule.table {
      for length in 2..<max(3, rule.identifier.count) where length < rule.identifier.count {
        #expect(GS1Rule.rule(rule.identifier.prefix(length)) == nil)
      }
    }
  }

  @Test(arguments: GS1Linter.allCases) func `every linter accepts valid data and refuses invalid data`(linter: GS1Linter) {
    let (right, wrong) = samples(linter)
    #expect(!right.isEmpty && !wrong.isEmpty)
    for text in right { #expect(linter.fault(Array(text.utf8)[...]) == nil, "'\(text)' is right") }
    for text in wrong { #expect(linter.fault(Array(text.utf8)[...])?.message.isEmpty == false, "'\(text)' is wrong") }
  }

  @Test(
    arguments: [
      (GS1CharacterSet.n, ["", "0123456789"], ["A", "1 ", "é"]),
      (
        .x, ["!\"%&'()*+,-./09:;<=>?AZ_az"],
        [" ", "#", "$", "@", "[", "\\", "]", "^", "`", "{", "|", "}", "~", "é", "\u{7F}"]
      ),
      (.y, ["#-/09AZ"], ["a", "_", ".", " "]),
      (.z, ["AZaz09-_", "12", "12=", "1=="], ["=", "123=", "12==", "1===", "1=2", "+", "/", " "]),
    ])
  func `character sets`(set: GS1CharacterSet, right: [String], wrong: [String]) {
    for text in right { #expect(set.fault(Array(text.utf8)[...]) == nil, "'\(text)'") }
    for text in wrong { #expect(set.fault(Array(text.utf8)[...]) != nil, "'\(text)'") }
  }

  @Test func `lists of codes are whole and pair numbers with letters`() {
    #expect(CodeLists.countries.count == 249 && CodeLists.countryLetters.count == 249)
    #expect(CodeLists.currencies.count == Set(CodeLists.currencies.values).count)
    #expect(CodeLists.currencies["840"] == "USD" && CodeLists.currencies["191"] == nil)
    #expect(CodeLists.countries["276"] == "DE" && CodeLists.countries["999"] == nil)
  }
}

/// Data that a linter accepts, and data that it rejects.
private func samples(_ linter: GS1Linter) -> (right: [String], wrong: [String]) {
  switch linter {
  case .csum: (["24012345678905", "2112345678900", "416000336108", "02345673"], ["24012345678909", "12345673", "", "A"])
  case .csumalpha:
    (
      [
        "22", "!22", "1987654Ad4X4bL5ttr2310c2K", "12345678901234567890123NT", "99999zzzzzzzzzzzzzzzzzzT2", "23956qk1&dB!23",
      ],
      ["", "2", "33", "1987654Ad4X4bL5ttr2310cXK", "1987654Ad4X4bL5ttr2310c2X", "12345678901234567890123 T", " 22"]
    )
  case .gcppos1: (["9501", "9501A"], ["950", "A501", "950A", ""])
  case .gcppos2: (["09501", "A9501A"], ["0950", "095A1", ""])
  case .hasnondigit: (["1A", "-"], ["123", ""])
  case .hh: (["00", "23"], ["24", "9", "0A"])
  case .mi, .ss: (["00", "59"], ["60", "5", "AA"])
  case .hhmi: (["0000", "2359"], ["2400", "2360", "235", "9999"])
  case .hyphen: (["-"], ["", "X", "-X"])
  case .iban:
    (
      ["FR7630006000011234567890189", "GB98MIDL07009312345678", "BE71096123456769", "MT90MALT011000012345MTLCAST001SABC"],
      ["BE71096123456760", "XX361234567890", "BE71", "", "LC14BOSLxx3456789012345678901230", "BE7109612345676=A"]
    )
  case .importeridx: (["-", "_", "a", "Z", "9"], ["", "AA", "=", "/", "."])
  case .iso3166: (["004", "276", "894"], ["000", "999", "27", "AUT"])
  case .iso3166999: (["004", "999"], ["000", "998", ""])
  case .iso3166alpha2: (["AD", "ZW"], ["AA", "ad", "A", "ZZ"])
  case .iso4217: (["008", "978", "999"], ["000", "001", "191", "EUR"])
  case .iso5218: (["0", "1", "2", "9"], ["3", "", "01"])
  case .latitude: (["0000000000", "1800000000"], ["1800000001", "180000000", "18000000000"])
  case .longitude: (["0000000000", "3600000000"], ["3600000001", "360000000", "A600000000"])
  case .mediatype: (["01", "10", "80", "99"], ["00", "11", "79", "1", "A1"])
  case .nonzero: (["0001", "10"], ["0", "0000"])
  case .nozeroprefix: (["1", "10"], ["0", "01"])
  case .packagetype: (["1A", "8", "APE", "ZZ"], ["0", "1a", "ZZZZ", ""])
  case .pcenc: (["A", "%00", "ABC%fF%20", ""], ["%", "%2", "%fg", "ABC%gf", "A%2%20"])
  case .pieceoftotal: (["11", "0103", "9999", "001003"], ["", "1", "111", "0001", "0100", "0201", "x1"])
  case .posinseqslash: (["1/1", "2/3", "9/10"], ["", "/", "1", "1/", "/1", "1//2", "0/1", "1/02", "2/1", "10/9", "x/y"])
  case .winding: (["0", "1", "9"], ["2", "", "09"])
  case .yesno: (["0", "1"], ["2", "", "01"])
  case .yymmd0:
    (["200600", "000229", "240229", "991231"], ["210229", "200010", "201310", "200132", "20061", "2006010", "2X0601"])
  case .yymmdd: (["200601", "960229"], ["200600", "230229", "200431", "209910", ""])
  case .yyyymmdd: (["20000229", "19790705"], ["21000229", "20200600", "20201301", "2020010", "202001011"])
  case .zero: (["0", "00"], ["1", "01"])
  case .couponcode:
    // Company prefix, offer, saving and purchase; then the fields 1, 2, 3, 4, 5, 6 and 9.
    (
      [
        "012345612345611110123", "6123456789012123456512345512345" + "0123", "0123456123456111101231" + "0" + "110123" + "9",
        "0123456123456111101231" + "0" + "110123" + "0123456" + "2" + "110123" + "9", "0123456123456111101233260131",
        "0123456123456111101233260131" + "4260101" + "50123456" + "61123456" + "7" + "90" + "101",
        "0123456123456111101239" + "0001",
      ],
      [
        "", "a12345612345611110123", "01234561234561111012", "7123456789012312345611110123", "012345612345601110123",
        "012345612345611115123", "0123456123456111101233260231", "0123456123456111101233260131" + "4260201",
        "0123456123456111101239" + "0301", "0123456123456111101239" + "0002", "0123456123456111101238",
        "0123456123456111101236" + "01234567", "0123456123456111101231" + "4" + "110123" + "9",
      ]
    )
  case .couponposoffer:
    (
      ["001234561234560123456", "101234561234560123456", "061234567890121234569123456789012345"],
      ["", "201234561234560123456", "071234561234560123456", "00123456123456012345", "0012345612345601234567", "a"]
    )
  }
}
