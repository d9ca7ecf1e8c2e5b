import Testing

@testable import StationConfiguration

@Suite("one configuration from several") struct ConfigurationMergeTests {
  @Test func `the last text counts, key by key in sections, and lists as a whole`() throws {
    let merged = try ConfigurationMerge.merge([
      """
      # of all stations
      decoder:
        symbologies: [ean13, qr]
        addons: read
      console: {port: 9470}
      sinks:
        - mqtt:
            broker: mqtts://fleet.example
      """,
      "decoder: {symbologies: [code128], composite: require}\nstation:\n  name: 'yes: #1'\n",
      "console: ~\ndecoder:\n  addons: ignore\n",
    ])
    #expect(
      merged == """
        decoder:
          symbologies:
            - code128
          addons: ignore
          composite: require
        sinks:
          - mqtt:
              broker: mqtts://fleet.example
        station:
          name: "yes: #1"

        """)
  }

  @Test(arguments: [
    "a: {b: [1, [2, {c: d, e: []}], {}], f: \"\\u00e9\\n#\"}", "- a: 'x'\n  b: |\n    two\n    lines\n",
    "\"a b\": \"null\"\nc: - d",
    "{}", "k: [a, {b: c, d: [e]}]\nl: >\n  folded\n  text\nm: plain\n  in two lines",
  ])
  func `a text that is merged alone means the same`(text: String) throws {
    let section = "top:\n" + text.split(separator: "\n").map { "  " + $0 + "\n" }.joined()
    guard let document = try? YAMLDocument(section, depthMax: 16), document.root != nil else { return }
    let merged = try ConfigurationMerge.merge([section])
    #expect(meaning(merged) == meaning(section), "\(merged)")
  }

  @Test(arguments: [
    ("a: [", "line 2"), ("- a", "it holds no keys"), ("a: 1\nb: 2\na: 3", "line 3: the key a is there twice"),
    ("? [a]\n: b", "a key is not a word"),
    (
      "a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]",
      "more than"
    ),
  ])
  func `a text that is wrong is named with the reason`(text: String, reason: String) {
    let fault = #expect(throws: ConfigurationMergeFault.self) { try ConfigurationMerge.merge(["a: b", text]) }
    #expect(fault?.position == 1 && fault?.reason.contains(reason) == true, "\(String(describing: fault))")
  }

  @Test func `texts without keys change nothing`() throws {
    #expect(try ConfigurationMerge.merge(["", "a: b\n", "# nothing\n", "a:\n"]) == "")
    #expect(try ConfigurationMerge.merge(["a: {b: ~, c: {d: 1}}", "a: {c: {d: null}}"]) == "a:\n  c: {}\n")
  }

  /// The values of a text, without styles.
  private func meaning(_ text: String) -> String {
    guard let document = try? YAMLDocument(text, depthMax: 16), let root = document.root else { return "none" }
    func describe(_ node: YAMLDocument.Node) -> String {
      switch document.content(node) {
      case .scalar(let text, let isPlain):
        "\(text.debugDescription)\(isPlain && ["", "~", "null"].contains(text) ? "?" : "")"
      case .sequence(let items): "[" + items.map(describe).joined(separator: ",") + "]"
      case .mapping(let pairs): "{" + pairs.map { describe($0.key) + ":" + describe($0.value) }.joined(separator: ",") + "}"
      }
    }
    return describe(root)
  }
}
