// An operator's configuration, and the station's report of all its errors at once.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import DeliveryModel
import Devices
import Foundation
import HostText
import ScanControl
import ScanScreen
import StationConfiguration
import Testing

@Suite struct ConfigurationTests {
  @Test func `a file of two lines is a complete configuration`() async throws {
    let configuration = try await load("camera:\n  pictures: labels\n")
    var expected = StationConfiguration()
    expected.camera.pictures = ["labels"]
    expected.camera.source = .pictures
    expected.scan.votes.frameCount = 1
    expected.decoder.votedReadingCount = 1
    #expect(configuration == expected)
  }

  #if Camera
    @Test(arguments: ["", "screen: {output: kms}", "station: {name: till-3}"])
    func `a configuration that names no source reads from the camera`(_ yaml: String) async throws {
      #expect(try await load(yaml).camera.source == .libcamera)
      #expect(try await load(yaml).scan.votes.frameCount == 2)
    }
  #endif

  @Test func `a configuration that names pictures and no source plays them`() async throws {
    #expect(try await load("camera: {pictures: labels}").camera.source == .pictures)
    #expect(try await load("", ["RETICLE_CAMERA_PICTURES": "labels"]).camera.source == .pictures)
  }

  @Test func `every configuration of the README is valid`() async throws {
    let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: checkout.appending(path: "README.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```yaml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count >= 3)
    for block in blocks { #expect(await complaint(block) == "nothing is wrong", "\(block)") }
  }

  @Test func `keys that can have no effect together are refused`() async {
    let camera = "camera: {pictures: x}\n"
    let noTrigger = "needs a trigger, but no trigger is configured; set buttons.trigger.line, console.port"
    for mode in ["edge", "timed"] {
      #expect(await complaint(camera + "trigger: {mode: \(mode)}").contains("line 2: trigger.mode \(noTrigger)"))
    }
    #expect(await complaint(camera + "session: {reopen: on trigger}").contains("line 2: session.reopen \(noTrigger)"))
    let inputs = [
      "console: {port: 9470}", "screen: {output: kms}", "sinks: [{serial: {device: /dev/ttyS0, commands: true}}]",
    ]
    for input in inputs + ["buttons: {trigger: {line: GPIO22}}"] {
      #expect(await complaint(camera + "trigger: {mode: edge}\n\(input)") == "nothing is wrong")
    }
    // These inputs have no release, so they cannot hold a trigger.
    for input in inputs {
      #expect(
        await complaint(camera + "trigger: {mode: level}\n\(input)").contains(
          "line 2: trigger.mode level needs a trigger that can be held down, but no such trigger is configured; set buttons.trigger.line"
        ))
    }
    #expect(await complaint(camera + "trigger: {mode: level}\nbuttons: {trigger: {line: GPIO22}}") == "nothing is wrong")
    #expect(
      await complaint(camera + "speech: {enabled: true}").contains(
        "line 2: speech.enabled has no effect with confirm: never"))
    #expect(
      await complaint(camera + "speech: {enabled: true}\nconfirm: always\nconsole: {port: 9470}") == "nothing is wrong")
  }

  @Test(arguments: [
    ("{entries: [shortcut]}", EntryPoint.shortcut, EntryPoints([.shortcut])), ("{}", .boot, .all),
    ("{entry: search, entries: [boot, search]}", .search, EntryPoints([.boot, .search])),
  ])
  func `S1: the entry that opens the first session is among the allowed entries`(
    written: String, entry: EntryPoint, entries: EntryPoints
  ) async throws {
    let scan = try await load("camera: {pictures: x}\nconsole: {port: 9470}\nsession: \(written)").scan
    #expect(scan.entry == entry && scan.entries == entries)
  }

  @Test func `no-reads are reported for triggers that have them, unreadable symbols separately on request`()
    async throws
  {
    let file = "camera: {pictures: x}\nconsole: {port: 9470}\ntrigger: {mode: edge}\n"
    #expect(try await load(file).noReads == NoReadTexts())
    #expect(try await load(file + "host: {no_read: NO}").noReads == NoReadTexts(noSymbol: "NO", unreadable: "NO"))
    #expect(
      try await load(file + "host: {no_read: NO, unreadable: BAD}").noReads == NoReadTexts(noSymbol: "NO", unreadable: "BAD")
    )
    #expect(
      try await load(file + "host: {unreadable: BAD, no_read_records: false}").noReads
        == NoReadTexts(unreadable: "BAD", sendsRecords: false))
    #expect(
      await complaint(file + "host: {no_read: NO, incomplete: BAD}").contains(
        "line 4: host.incomplete has no effect without sets"))
    let sets = "camera: {pictures: x}\nrules: [{then: {flag: a}}, {then: {flag: b}}]\nsets: [{parts: [a, b]}]\n"
    #expect(try await load(sets + "host: {no_read: NO}").noReads.incomplete(set: "s", missing: ["a", "b"]) == "NO a, b")
    #expect(try await load(sets).noReads.incomplete(set: "s", missing: ["a"]) == nil)
    #expect(
      try await load(sets + "host: {incomplete: '{set} lacks {missing}'}").noReads
        .incomplete(set: "{missing}", missing: ["a"]) == "{missing} lacks a")
    for (key, value) in [("no_read", "NO"), ("unreadable", "BAD"), ("no_read_records", "false")] {
      #expect(
        await complaint("camera: {pictures: x}\nhost: {\(key): \(value)}").contains(
          "line 2: host.\(key) has no effect with trigger.mode continuous"))
    }
  }

  @Test func `N12: the retail mode determines which codes of a package are sent, and the other keys their form`()
    async throws
  {
    let file = "camera: {pictures: x}\n"
    let plain = try await load(file)
    #expect(plain.scan.retail == nil && plain.host.product == nil && !plain.host.sendsSetID)
    let first = try await load(file + "retail: {mode: 1, send: gtin, digits: 14}")
    #expect(first.scan.retail?.mode == .first && first.host.product == ProductText(.gtin, form: .gtin14))
    let second = try await load(file + "retail: {mode: 2, wait: 80 ms, send: gtin and data}")
    #expect(second.scan.retail?.mode == .preferred2D && second.scan.retail?.wait == .milliseconds(80))
    #expect(second.host.product == ProductText(.gtinAndData, form: .ean13) && !second.host.sendsSetID)
    let third = try await load(file + "retail: {mode: 3}")
    #expect(third.scan.retail == RetailSettings(mode: .all) && third.host.sendsSetID && third.host.changesTexts)
    #expect(try await load(file + "retail: {mode: 3, set_id: record}").host.sendsSetID == false)
    for (keys, words) in [
      ("{mode: 4}", "line 2: retail.mode is \"4\"; it must be one of 1, 2, 3"),
      ("{wait: 1 s}", "line 2: retail.wait has no effect without retail.mode; write that, too"),
      ("{send: gtin}", "line 2: retail.send has no effect without retail.mode"),
      ("{mode: 2, set_id: record}", "line 2: retail.set_id has no effect with retail.mode 2"),
      ("{mode: 1, digits: 12}", "line 2: retail.digits has no effect with retail.send: code"),
      ("{mode: 2, wait: 3 s}", "line 2: retail.wait is"), ("{mode: 2, waits: 3 s}", "did you mean retail.wait?"),
    ] {
      let complaint = await complaint(file + "retail: \(keys)")
      #expect(complaint.contains(words), "\(keys): \(complaint)")
    }
  }

  @Test func `S1: an entry that session.entries leaves out cannot open the first session`() async {
    let file = "camera: {pictures: x}\nconsole: {port: 9470}\n"
    #expect(
      await complaint(file + "session: {entry: boot, entries: [search]}").contains(
        "line 3: session.entries leaves out boot, which session.entry names"))
    #expect(await complaint(file + "session: {entries: []}").contains("session.entries leaves out boot"))
    #expect(
      await complaint(file + "session: {entries: [touch]}").contains("it must be a list chosen from boot, shortcut, search"))
  }

  @Test(arguments: [
    ("session: {entry: shortcut}", "shortcut", "line 2: session.entry shortcut needs something that opens a session"),
    ("session: {entry: search}", "shortcut", "line 2: session.entry search needs something that opens a session"),
    (
      "session: {reopen: on confirmation}", "confirm", "line 2: session.reopen on confirmation needs something that confirms"
    ),
    ("confirm: always", "confirm", "line 2: confirm always needs something that confirms"),
    ("confirm: alphanumeric", "confirm", "line 2: confirm alphanumeric needs something that confirms"),
  ])
  func `S6: a session that waits for a user needs an input that the user can operate`(
    key: String, button: String, told: String
  ) async {
    let file = "camera: {pictures: x}\n\(key)\n"
    #expect(await complaint(file).contains(told))
    // A button for another purpose does not help.
    #expect(await complaint(file + "buttons: {torch: {line: GPIO22}}").contains(told))
    for input in [
      "buttons: {\(button): {line: GPIO22}}", "console: {port: 9470}", "screen: {output: kms}",
      "sinks: [{serial: {device: /dev/ttyS0, commands: true}}]",
    ] { #expect(await complaint(file + input) == "nothing is wrong") }
  }

  @Test(arguments: [
    ("decoder: {symbologies: []}", "line 2: decoder.symbologies names none, so that nothing would be read"),
    (
      "decoder: {symbologies: [qr]}\nvote: {symbologies: [itf]}",
      "line 3: vote.symbologies names itf, which decoder.symbologies does not look for"
    ),
    (
      "sinks: [{serial: {device: /dev/null}}, {name: b, serial: {device: /dev/../dev/null}}]",
      "line 2: the sinks serial and b have the same device"
    ),
    (
      "console: {port: 9470}\nsinks: [{webhook: {url: \"http://LOCALHOST:9470/scans\"}}]",
      "line 3: the sink webhook sends scans to this station's own console"
    ),
    (
      "console: {port: 80}\nsinks: [{webhook: {url: \"http://[::1]\"}}]",
      "line 3: the sink webhook sends scans to this station's own console"
    ),
  ])
  func `a combination that cannot work is refused when the configuration is read`(keys: String, told: String) async {
    #expect(await complaint("camera: {pictures: x}\n" + keys).contains(told))
  }

  @Test(arguments: [
    "decoder: {symbologies: [qr]}", "vote: {symbologies: [itf]}",
    "sinks: [{serial: {device: /dev/null}}, {name: b, serial: {device: /dev/zero}}]",
    "console: {port: 9470}\nsinks: [{webhook: {url: \"http://localhost:9471/scans\"}}]",
    "console: {port: 443}\nsinks: [{webhook: {url: \"https://example.org\"}}]",
  ])
  func `a combination that can work is accepted`(keys: String) async {
    #expect(await complaint("camera: {pictures: x}\n" + keys) == "nothing is wrong")
  }

  @Test func `configured text cannot control the terminal that shows it`() async throws {
    let hostile = "camera: {pictures: x}\n\"evil\\e[2J\\u202e\\u200b\": 1\nconfirm: \"\\e]0;x\\a\"\nconfirm: a\n"
    let text = await complaint(hostile)
    #expect(
      text.contains(#"line 2: evil\x1b[2J\u{202e}\u{200b} is not a key"#) && text.contains(#"confirm is "\x1b]0;x\x07""#))
    #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.value < 0x20 || $0 == "\u{202E}" || $0 == "\u{200B}" })
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "camera: {pictures: x}\nstation: {name: \"a\\e[2J\"}\n".write(toFile: file, atomically: true, encoding: .utf8)
    let values = try await StationConfiguration.loadWithOrigins(path: file, environment: [:]).values
    #expect(values.map(\.description).contains(#"station.name: a\x1b[2J  # line 2"#))
  }

  @Test func `a prefix of commands that a label or a frame may hold is refused`() async {
    func told(_ keys: String) async -> String {
      await complaint("camera: {pictures: x}\nsinks: [{serial: {device: /dev/ttyS0, commands: true, \(keys)}}]")
    }
    #expect(await told("command_prefix: ''") == "nothing is wrong")
    #expect(await told("command_prefix: \\x05") == "nothing is wrong")
    for prefix in ["a", "\\x10", "\\x06"] {
      #expect(await told("command_prefix: \(prefix)").contains("command_prefix must be a control character"))
    }
    #expect(await told("control_characters: send").contains("send lets a label hold the prefix of a host's commands"))
    #expect(await told("control_characters: send, command_prefix: ''") == "nothing is wrong")
    #expect(await told("prefix: \\x16").contains("is in the prefix or trailer of scans"))
    #expect(
      await complaint("camera: {pictures: x}\nsinks: [{serial: {device: /dev/ttyS0, control_characters: send}}]")
        == "nothing is wrong")
  }

  @Test func `a GPIO line has one owner`() async {
    let camera = "camera: {pictures: x}\n"
    for (other, key) in [
      (
        "buttons: {trigger: {line: \"a:1\"}, confirm: {line: \"a:1\"}}",
        "buttons.confirm.line is a:1, and so is buttons.trigger.line"
      ),
      ("torch: {line: \"a:1\"}\noutputs: {buzzer: {line: \"a:1\"}}", "outputs.buzzer.line is a:1, and so is torch.line"),
    ] {
      #expect(await complaint(camera + other).contains("\(key); give each a line of its own"))
    }
    #expect(await complaint(camera + "torch: {line: \"a:1\"}\noutputs: {buzzer: {line: \"b:1\"}}") == "nothing is wrong")
  }

  @Test func `invalid addresses and unsupported symbologies are refused`() async {
    let camera = "camera: {pictures: x}\n"
    #expect(
      await complaint(camera + "console: {port: 9470, address: nonsense}").contains(
        "console.address is \"nonsense\"; it must be an address of this machine"))
    #expect(
      await complaint(camera + "vote: {symbologies: [qr3]}").contains("vote.symbologies is \"qr3\"; it must be a list"))
  }

  @Test func `a file that is not YAML is one error`() async {
    let text = await complaint("camera: {pictures: x\nfoo")
    #expect(text.contains("has an error") && text.contains("this is not YAML") && !text.contains("camera.pictures"))
  }

  @Test func `a variable may hold a list in brackets, as the file does`() async throws {
    let yaml = "camera: {pictures: x}"
    let bare = try await load(yaml, ["RETICLE_VIEWPORT": "0, 0.25, 0.5, 0.5"])
    #expect(bare.viewport == Viewport(x: 0, y: 0.25, width: 0.5, height: 0.5))
    #expect(try await load(yaml, ["RETICLE_VIEWPORT": "[0, 0.25, 0.5, 0.5]"]) == bare)
  }

  @Test func `every key can be set`() async throws {
    let configuration = try await load(
      """
      station:
        name: till-3
      scanner: {enabled: false}
      camera:
        enabled: true
        source: pictures
        pictures: [labels/, "more, of them/*.png"]
        frame_rate: 2.5
        repeat: once
        pace: latest frame
      decoder:
        symbologies: [ean13, qr, codabar]
        effort: still
        addons: require
        code39: {check: verify, full_ascii: never, length: 4-20}
        code93: {length: 8}
        code128: {length: 2-30}
        codabar: {check: drop, start_stop: false, length: 6-12}
        msi: {check: mod11-mod10, check_digits: false, length: 5-8}
        itf: {check: verify, length: 14}
      viewport: [0.1, 0.2, 0.3, 0.8]
      session:
        entry: shortcut
        reopen: after 1.5 s
      confirm: alphanumeric
      repeat: {absence: 250ms}
      vote:
        frames: 3
        window: 1 s
        symbologies: [codabar]
      console: {port: 9470}
      """)
    #expect(configuration.stationName == "till-3")
    #expect(configuration.camera.pictures == ["labels/", "more, of them/*.png"])
    #expect(configuration.camera.period == .milliseconds(400))
    #expect(configuration.camera.repetition == .once)
    #expect(!configuration.camera.keepsEveryFrame)
    #expect(configuration.decoder.symbologies == SymbologySet().with(.ean13).with(.qr).with(.codabar))
    #expect(configuration.decoder.effort == .still && configuration.frameShare == nil)
    #expect(configuration.decoder.addOns == .require)
    #expect(configuration.decoder.checks[.code39] == .verify)
    #expect(configuration.decoder.code39FullASCII == .never)
    #expect(configuration.decoder.lengths[.code39] == LengthRange(min: 4, max: 20))
    #expect(configuration.decoder.lengths[.code93] == LengthRange(min: 8, max: 8))
    #expect(configuration.decoder.lengths[.code128] == LengthRange(min: 2, max: 30))
    #expect(configuration.decoder.checks[.codabar] == .verifyAndDrop)
    #expect(!configuration.decoder.codabarKeepsStartAndStop)
    #expect(configuration.decoder.lengths[.codabar] == LengthRange(min: 6, max: 12))
    #expect(configuration.decoder.msiCheck == .mod11Mod10)
    #expect(!configuration.decoder.msiKeepsCheckDigits)
    #expect(configuration.decoder.lengths[.msi] == LengthRange(min: 5, max: 8))
    #expect(configuration.decoder.checks[.itf] == .verify)
    #expect(configuration.decoder.lengths[.itf] == LengthRange(min: 14, max: 14))
    #expect(configuration.viewport == Viewport(x: 0.1, y: 0.2, width: 0.3, height: 0.8))
    #expect(!configuration.scan.isEnabled)
    #expect(configuration.scan.entry == .shortcut)
    #expect(configuration.scan.reopening == .after(.milliseconds(1500)))
    #expect(configuration.scan.confirmation == .alphanumeric)
    #expect(configuration.scan.repeatAbsence == .milliseconds(250))
    #expect(configuration.scan.votes.frameCount == 3)
    #expect(configuration.scan.votes.window == .seconds(1))
    #expect(configuration.scan.votes.symbologies == SymbologySet().with(.codabar))
  }

  @Test func `every key has a unique name, a summary and a stated expectation`() {
    let keys = ConfigurationKey.all
    #expect(Set(keys.map(\.name)).count == keys.count)
    for key in keys {
      #expect(key.summary.hasSuffix("."))
      #expect(!key.kind.expectation.isEmpty)
    }
  }

  @Test func `the environment overrides the file`() async throws {
    let configuration = try await load(
      "camera: {pictures: labels, frame_rate: 5}\nbuttons: {trigger: {line: GPIO22}}",
      ["RETICLE_CAMERA_FRAME_RATE": "20", "RETICLE_CAMERA_PICTURES": "a/,b/", "RETICLE_SESSION_REOPEN": "on trigger"])
    #expect(configuration.camera.frameRate == 20)
    #expect(configuration.camera.pictures == ["a/", "b/"])
    #expect(configuration.scan.reopening == .onTrigger)
  }

  /// The supported symbologies.
  private var supported: String {
    Symbology.allCases
      .map { "\($0.name)" }.joined(separator: ", ")
  }

  @Test func `all errors are reported at once, each with its place, its value and what is expected`() async {
    let complaint = await complaint(
      """
      station:
        name: ""
      camera:
        frame_rate: fast
        repeat: twice
        pictures:
      camra:
        source: pictures
      decoder:
        symbologies: [ean13, qrcode]
        effort: [frame, still]
      viewport: [0.5, 0, 0.6, 1]
      session:
        reopen: sometimes
        entri: boot
      confirm: {always: true}
      repeat: 1 s
      vote:
        frames: 0
        window: 500
      """, ["RETICLE_SCANNER_ENABLED": "yes", "RETICLE_CONFRIM": "never", "RETICLE_SHARED": "/somewhere"])
    #expect(
      complaint == """
        reticle.yaml has 16 errors:
          line 2: station.name is ""; it must be text of 1 to 64 characters
          line 4: camera.frame_rate is "fast"; it must be a number from 0.1 to 1000
          line 5: camera.repeat is "twice"; it must be one of loop, once, watch
          line 6: camera.pictures has no value; it must be a list such as [first, second]
          line 8: camra.source is not a key; did you mean camera.source?
          line 10: decoder.symbologies is "qrcode"; it must be a list chosen from \(supported)
          line 11: decoder.effort is "frame, still"; it must be one of auto, frame, still
          line 12: viewport is "0.5, 0, 0.6, 1"; it must be four numbers [left, top, width, height] as fractions of the frame from 0 to 1, inside the frame
          line 14: session.reopen is "sometimes"; it must be after and a time, such as after 1.5 s, or on confirmation, or on trigger
          line 15: session.entri is not a key; did you mean session.entry?
          line 16: confirm is a section; it must be one value
          line 17: repeat is a section; write its keys below it, such as repeat.absence
          line 19: vote.frames is "0"; it must be a whole number from 1 to 10
          line 20: vote.window is "500"; it must be a time from 10 ms to 10 s, such as 1.5 s
          RETICLE_CONFRIM: no key is overridden by this variable; did you mean RETICLE_CONFIRM?
          RETICLE_SCANNER_ENABLED: scanner.enabled is "yes"; it must be true or false
        """)
  }

  @Test(arguments: [
    (
      "camera: {source: pictures}", "camera.pictures is missing; it must be a list of folders or pictures, such as [labels/]"
    ),
    ("- a\n- b\n", "the file holds no keys; write lines such as station.name: till-3"),
    ("station: {name: a", "this is not YAML: line 2, column 1: did not find expected ',' or '}'"),
    ("station:\n  name: a\n  name: b\n", "line 3: the key name is there twice; keep one"),
    ("camera: {pictures: a}\n---\ncamera: {}\n", "this is not YAML: line 2: a second document begins; keep one"),
    ("camera: &again [*again]\n", "more than 4096 keys or 16 levels"),
    ("camera: {pictures: *nowhere}\n", "this is not YAML: line 1, column 20: found undefined alias"),
  ])
  func `a file that is not a configuration is refused in one sentence`(yaml: String, reason: String) async {
    #expect(await complaint(yaml).contains(reason))
  }

  @Test(arguments: [
    ("camera: {picturs: [labels/]}", "camera.picturs is not a key; did you mean camera.pictures?"),
    ("camra: {pictures: [labels/]}", "camra.pictures is not a key; did you mean camera.pictures?"),
    ("camera: {sorce: libcamera}", "camera.sorce is not a key; did you mean camera.source?"),
    ("camera: {source: pictures, picturs: [labels/]}", "camera.picturs is not a key; did you mean camera.pictures?"),
    (
      "camera: {pictures: a}\nsinks:\n  - stdout\n  - webhook: {urll: https://x}",
      "sinks.1.webhook.urll is not a key; did you mean sinks.1.webhook.url?"
    ),
    (
      "camera: {pictures: a}\nsinks: [serial: {devise: /dev/ttyS0}]",
      "sinks.0.serial.devise is not a key; did you mean sinks.0.serial.device?"
    ),
    (
      "camera: {pictures: a}\nbuttons: {trigger: {lin: GPIO22}}",
      "buttons.trigger.lin is not a key; did you mean buttons.trigger.line?"
    ),
    (
      "camera: {pictures: a}\nscreen: {output: png, foldr: shots}",
      "screen.foldr is not a key; did you mean screen.folder?"
    ),
  ])
  func `a key that must be there and is misspelt is one error, not a missing key as well`(yaml: String, told: String) async {
    let text = await complaint(yaml)
    #expect(text.contains(told))
    #expect(!text.contains("is missing") && text.split(separator: "\n").count == 2, "\(text)")
  }

  @Test func `a missing file is refused with its name`() async {
    do {
      _ = try await StationConfiguration.load(path: "/nowhere/reticle.yaml", environment: [:])
      Issue.record("it was read")
    } catch {
      #expect(error.description.hasPrefix("/nowhere/reticle.yaml has an error:\n  it cannot be read"))
    }
  }

  @Test func `hostile files are refused: too long, too deep, or with exploding aliases`() async {
    #expect(await complaint(String(repeating: "#", count: 300_000)).contains("at most 262144 are read"))
    let deep = await complaint("a: " + String(repeating: "{a: ", count: 40) + String(repeating: "}", count: 40))
    #expect(deep.contains("16 levels") && deep.split(separator: "\n").count == 2, "\(deep)")
    // Brackets alone cost libyaml quadratic time.
    for opening in ["[", "{", "- ", "? "] {
      let nested = String(repeating: opening, count: 200_000 / opening.count)
      let (start, text) = (ContinuousClock.now, await complaint("camera: {pictures: x}\nb:\n  \(nested)"))
      #expect(text.contains("16 levels") && text.split(separator: "\n").count == 2, "\(text)")
      #expect(ContinuousClock.now - start < .seconds(2), "\(opening)")
    }
    var bomb = "a0: &a0 {k: v, l: v}\n"
    for level in 1...12 {
      bomb += "a\(level): &a\(level) {x: *a\(level - 1), y: *a\(level - 1), z: *a\(level - 1), w: *a\(level - 1)}\n"
    }
    let exploded = await complaint(bomb)
    #expect(exploded.contains("more than 4096 keys") && exploded.split(separator: "\n").count == 2, "\(exploded)")
  }

  @Test func `durations have units`() async throws {
    let times: [(String, Duration)] = [
      ("0 s", .zero), ("250 ms", .milliseconds(250)), ("1.25s", .milliseconds(1250)), ("2 min", .seconds(120)),
      ("1 h", .seconds(3600)),
    ]
    for (text, duration) in times {
      #expect(try await load("camera: {pictures: a}\nrepeat: {absence: \(text)}").scan.repeatAbsence == duration)
    }
    for text in ["1", "-1 s", "1 sec", "1.2345 s", "2 h", "0.5 ms", "1e3 s", "99999999999999999999 s"] {
      #expect(await complaint("camera: {pictures: a}\nrepeat: {absence: \(text)}").contains("from 0 s to 1 h"))
    }
  }
}

extension ConfigurationError {
  /// The same error for another file name.
  fileprivate init(_ error: ConfigurationError, file: String) {
    self = error
    self.file = file
  }
}
