import BarcodeMessage
import Testing

private func failure<Value>(_ body: () throws(GS1Problem) -> Value) -> GS1Problem? {
  do throws(GS1Problem) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

@Suite("GS1 element strings") struct GS1Tests {
  @Test(
    arguments: [
      ("0109501101530003", "(01)09501101530003"),
      ("010950110153000310AB-123\u{1D}17261231", "(01)09501101530003(10)AB-123(17)261231"),
      ("00006141411234567890", "(00)006141411234567890"),
      ("3103001750", "(3103)001750"), ("392105995\u{1D}0109501101530003", "(3921)05995(01)09501101530003"),
      ("4109501101530003", "(410)9501101530003"), ("8005365000", "(8005)365000"), ("99x", "(99)x"),
      ("21a(10)b", "(21)a(10)b"), ("8003095011015300031234", "(8003)09501101530003" + "1234"),
      ("7007260101\u{1D}7007260101260131", "(7007)260101(7007)260101260131"), ("422528", "(422)528"),
    ])
  func `element strings convert to their printed form and back`(raw: String, printed: String) throws {
    let message = try GS1Message(elementStrings: raw)
    #expect(message.humanReadable == printed)
    #expect(message.elementStrings == raw)
  }

  @Test func `the printed form is parsed even with parentheses in the data`() throws {
    let message = try GS1Message(humanReadable: "(01)09501101530003(10)A(1)B(21)C(55)")
    #expect(message.elements.map(\.identifier) == ["01", "10", "21"])
    #expect(message["10"] == "A(1)B")
    #expect(message["21"] == "C(55)")
    #expect(message.elementStrings == "010950110153000310A(1)B\u{1D}21C(55)")
  }

  @Test func `a superfluous separator is ignored`() throws {
    let message = try GS1Message(elementStrings: "0109501101530003\u{1D}10AB\u{1D}")
    #expect(message.humanReadable == "(01)09501101530003(10)AB")
  }

  @Test(
    arguments: [
      "0109501101530004", "01095011015300", "010950110153000A", "17261301", "17260132", "17260230", "3103" + "12345",
      "10" + String(repeating: "A", count: 21), "10", "10A B", "10é", "391097" + "", "8005" + "12345", "4109501101530004",
      "30123456789", "8010a", "00006141411234567891",
    ])
  func `data that break the rules of their identifier are refused`(raw: String) {
    let problem = failure { () throws(GS1Problem) in try GS1Message(elementStrings: raw) }
    #expect(problem?.identifier.map { raw.hasPrefix($0) } == true)
  }

  @Test func `day 00 and the leap day are valid dates`() throws {
    #expect(try GS1Message(elementStrings: "17260200").humanReadable == "(17)260200")
    #expect(try GS1Message(elementStrings: "17280229").humanReadable == "(17)280229")
  }

  @Test(
    arguments: [
      ("", GS1Problem.Code.empty), ("\u{1D}", .noIdentifier), ("AB", .noIdentifier), ("0512345", .unknownIdentifier),
      ("3106000000", .unknownIdentifier), ("10A\u{1D}5", .noIdentifier), ("10A\u{1D}\u{1D}21B", .noIdentifier),
    ])
  func `element strings without a known identifier are refused`(raw: String, code: GS1Problem.Code) {
    #expect(failure { () throws(GS1Problem) in try GS1Message(elementStrings: raw) }?.code == code)
  }

  @Test(
    arguments: [
      ("", GS1Problem.Code.empty), ("hello", .bracket), ("(05)1", .unknownIdentifier), ("(", .bracket), ("(10)", .empty),
    ])
  func `a printed form without a known identifier is refused`(printed: String, code: GS1Problem.Code) {
    #expect(failure { () throws(GS1Problem) in try GS1Message(humanReadable: printed) }?.code == code)
  }

  @Test func `a problem gives the position without a known identifier`() {
    let problem = failure { () throws(GS1Problem) in try GS1Message(elementStrings: "10A\u{1D}5") }
    #expect(problem?.message == "no application identifier is at character 5")
  }

  @Test func `any text is parsed or refused, never a crash`() {
    var state: UInt64 = 0x1234_5678_9ABC_DEF1
    for round in 0..<20_000 {
      var text = round % 2 == 0 ? "" : "(01)"
      for _ in 0..<round % 29 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        text.unicodeScalars.append(Array("0123456789()\u{1D}A/%é".unicodeScalars)[Int(state % 17)])
      }
      for error in [
        failure { () throws(GS1Problem) in try GS1Message(elementStrings: text) },
        failure { () throws(GS1Problem) in try GS1Message(humanReadable: text) },
        failure { () throws(GS1Problem) in try GS1Message(digitalLink: "https://a/" + text) },
      ] {
        if let error { #expect(!error.message.isEmpty) }
      }
    }
  }
}

@Suite("GS1 Digital Link") struct DigitalLinkTests {
  @Test(
    arguments: [
      ("https://id.gs1.org/01/09501101530003", "(01)09501101530003"),
      (
        "https://example.com/some/path/01/09501101530003/10/AB%2F1/21/x?17=261231&utm=a#top",
        "(01)09501101530003(10)AB/1(21)x(17)261231"
      ),
      ("HTTP://example.com:8080/01/9501101530003", "(01)09501101530003"),
      ("https://example.com/01/00000093/", "(01)00000000000093"),
      ("https://example.com/414/9501101530003/254/A", "(414)9501101530003(254)A"),
      ("https://example.com/8003/09501101530003abc", "(8003)09501101530003abc"),
    ])
  func `a Digital Link is read into elements`(uri: String, printed: String) throws {
    #expect(try GS1Message(digitalLink: uri).humanReadable == printed)
  }

  @Test(
    arguments: [
      "https://example.com/", "https://example.com", "https://example.com/a/b", "https://example.com/10/AB",
      "https://example.com/01/09501101530003/21/x/10/A", "https://example.com/01/09501101530003/17/261231",
      "https://example.com/01", "ftp://example.com/01/09501101530003", "01/09501101530003", "", "https://",
      "https:///01/09501101530003", "https://example.com/00/006141411234567890/10/A",
    ])
  func `other addresses are not Digital Links`(uri: String) {
    let code = failure { () throws(GS1Problem) in try GS1Message(digitalLink: uri) }?.code
    #expect([.noKey, .qualifiers, .uri, .domain].contains(code))
  }

  @Test func `a wrong check digit in a Digital Link is refused`() {
    let error = failure { () throws(GS1Problem) in try GS1Message(digitalLink: "https://a.b/01/09501101530004") }
    #expect(error?.identifier == "01" && error?.code == .checkDigit)
  }

  @Test func `a Digital Link has key and qualifiers in its path, and the other elements in its query`() throws {
    let message = try GS1Message(humanReadable: "(17)261231(21)x/y(01)09501101530003(10)AB")
    #expect(message.digitalLink() == "https://id.gs1.org/01/09501101530003/10/AB/21/x%2Fy?17=261231")
    #expect(try GS1Message(digitalLink: message.digitalLink(stem: "https://example.com/p/") ?? "")["21"] == "x/y")
    #expect(try GS1Message(humanReadable: "(10)AB").digitalLink() == nil)
  }
}
