import Testing

@testable import StationConfiguration

/// Single keys are changed in a file, and everything else stays as it is written.
@Suite struct ConfigurationEditTests {
  private static let file = """
    # the till at the door
    station: {name: till-3} # our name
    camera:
      pictures: [labels/] # for a trial
      frame_rate: 10

    # where scans go
    sinks:
      - webhook:
          url: https://example.org/scans?key=s3cret
          headers:
            x-key: "s3cret two"
        name: shop
      # the old line
      - serial: {device: /dev/ttyUSB0, baud: 9600}
    # the end
    """

  private func changed(_ name: String, _ value: String?, _ text: String = file) throws -> [String] {
    let after = try ConfigurationChange.apply([ConfigurationChange(name: name, value: value)], to: text)
    let (old, new) = (text.split(separator: "\n"), after.split(separator: "\n"))
    return new.difference(from: old).map { change in
      switch change {
      case .remove(_, let line, _): "-\(line)"
      case .insert(_, let line, _): "+\(line)"
      }
    }.sorted()
  }

  @Test func `a value is replaced where it stands, with the comment behind it kept`() throws {
    #expect(try changed("camera.frame_rate", "20") == ["+  frame_rate: 20", "-  frame_rate: 10"])
    #expect(
      try changed("station.name", "a: b # c") == [
        "+station: {name: \"a: b # c\"} # our name", "-station: {name: till-3} # our name",
      ])
    #expect(
      try changed("camera.pictures", "[a/, b c/]") == [
        "+  pictures: [\"a/\", \"b c/\"] # for a trial", "-  pictures: [labels/] # for a trial",
      ])
    #expect(
      try changed("sinks.1.serial.baud", "115200") == [
        "+  - serial: {device: /dev/ttyUSB0, baud: 115200}", "-  - serial: {device: /dev/ttyUSB0, baud: 9600}",
      ])
  }

  @Test func `a key is added to its section, in the section's own style, and missing sections are added`() throws {
    #expect(try changed("camera.repeat", "once") == ["+  repeat: once"])
    #expect(try changed("decoder.effort", "still") == ["+  effort: still", "+decoder:"])
    #expect(
      try changed("sinks.1.serial.parity", "even") == [
        "+  - serial: {device: /dev/ttyUSB0, baud: 9600, parity: even}",
        "-  - serial: {device: /dev/ttyUSB0, baud: 9600}",
      ])
    #expect(try changed("sinks.1.name", "line") == ["+    name: line"])
    #expect(
      try changed("sinks.2.tcp.connect", "till:9100") == ["+      connect: till:9100", "+  - tcp:"])
    #expect(try changed("station.name", "x", "") == ["+  name: x", "+station:"])
    #expect(try changed("station.name", "x", "station:\n") == ["+  name: x"])
  }

  @Test func `a key is removed with the sections that hold nothing else`() throws {
    #expect(try changed("camera.frame_rate", nil) == ["-  frame_rate: 10"])
    #expect(try changed("station.name", nil) == ["-station: {name: till-3} # our name"])
    #expect(
      try changed("sinks.1.serial.device", nil) == [
        "+  - serial: {baud: 9600}", "-  - serial: {device: /dev/ttyUSB0, baud: 9600}",
      ])
    #expect(try changed("sinks.1", nil) == ["-  - serial: {device: /dev/ttyUSB0, baud: 9600}"])
    #expect(try changed("camera.repeat", nil).isEmpty)
    let first = try ConfigurationChange.apply([ConfigurationChange(name: "sinks.0", value: nil)], to: Self.file)
    #expect(first.contains("- serial:") && !first.contains("webhook"))
  }

  @Test func `what cannot be changed alone is refused, and nothing is lost`() {
    let shared = "a: &a {name: x}\nstation: *a\n"
    for (name, value, text) in [
      ("nonsense", "1", Self.file), ("sinks.9.webhook.url", "https://x", Self.file), ("station.name", "x", "a: [1"),
      ("station.name", "x", "station: word\n"), ("station.name", "y", shared), ("station.name", "a\nb", Self.file),
    ] {
      #expect(throws: ConfigurationEditFault.self, "\(name)") {
        try ConfigurationChange.apply([ConfigurationChange(name: name, value: value)], to: text)
      }
    }
  }

  @Test func `any change of any key keeps the meaning of all others`() throws {
    let texts = [
      Self.file, Self.file.replacing("\n", with: "\r\n"), "station: {name: \"ü\", }\nsinks: [stdout, {stdout: , name: b}]\n",
      "\n\n# nothing\n", "--- # begins\nstation:\n    name: >\n      folded\n      text\ncamera: {}\n...\n",
    ]
    let keys = ConfigurationKey.all.filter { !$0.name.contains("[]") && !$0.name.contains("<") }
    func values(_ text: String) -> [String: ConfigurationFile.Value] {
      ConfigurationFile(bytes: Array(text.utf8)).entries.mapValues(\.value).filter { $0.value != .nothing }
    }
    for text in texts {
      let before = values(text)
      var changeCount = 0
      for key in keys {
        for value in ["7", "a b", nil] {
          let change = ConfigurationChange(name: key.name, value: value)
          // A text without a mapping at that place refuses the key.
          guard let changed = try? ConfigurationChange.apply([change], to: text) else { continue }
          changeCount += 1
          let after = values(changed)
          #expect(after.filter { !$0.key.hasPrefix(key.name) } == before.filter { !$0.key.hasPrefix(key.name) })
          #expect((after[key.name] != nil) == (value != nil))
        }
      }
      #expect(changeCount > 2 * keys.count, "\(text)")
    }
  }

  @Test func `secrets are not shown, and come back with a text that was written from the shown one`() throws {
    let concealed = try ConcealedConfiguration(Self.file)
    #expect(!concealed.text.contains("s3cret"))
    #expect(concealed.text.contains("https://example.org/…") && concealed.text.contains("(hidden)"))
    #expect(try concealed.revealed(in: concealed.text) == Self.file)
    let edited = concealed.text.replacing("frame_rate: 10", with: "frame_rate: 20")
    let revealed = try concealed.revealed(in: edited)
    #expect(revealed.contains("frame_rate: 20") && revealed.contains("s3cret two") && revealed.contains("?key=s3cret"))
    // A header under another name has lost its secret.
    #expect(throws: ConfigurationEditFault.self) {
      try concealed.revealed(in: concealed.text.replacing("x-key", with: "x-other"))
    }
    // A text that is not YAML, or in which a secret cannot be replaced, is not shown.
    for text in ["sinks: [1\nurl: https://x?key=s3cret\n", "a: &a https://x/?key=s3cret\nsinks: [webhook: {url: *a}]\n"] {
      #expect(throws: ConfigurationEditFault.self) { try ConcealedConfiguration(text) }
    }
  }
}
