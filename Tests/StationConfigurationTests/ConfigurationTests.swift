// An operator's configuration, and the station's report of all its errors at once.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Delivery
import Devices
import Foundation
import HostText
import ScanControl
import ScanScreen
import StationConfiguration
import Testing

/// The value read is not of the kind that was written.
private struct ConfigurationMismatch: Error {}

@Suite struct ConfigurationTests {
  private func load(_ yaml: String, _ environment: [String: String] = [:]) async throws(ConfigurationError)
    -> StationConfiguration
  {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try? yaml.write(toFile: path, atomically: true, encoding: .utf8)
    do {
      return try await StationConfiguration.load(path: path, environment: environment)
    } catch {
      throw ConfigurationError(error, file: "reticle.yaml")
    }
  }

  /// The message for an invalid file.
  private func complaint(_ yaml: String, _ environment: [String: String] = [:]) async -> String {
    do {
      _ = try await load(yaml, environment)
      return "nothing is wrong"
    } catch {
      return error.description
    }
  }

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

  @Test func `the service refuses scans on standard output unless the log may have barcode data`() async throws {
    for (yaml, isRefused) in [
      ("", true), ("sinks: [stdout]", true), ("sinks: [{webhook: {url: https://x}}, {stdout: {}, name: copy}]", true),
      ("sinks: [{webhook: {url: https://x}}]", false), ("sinks: [stdout]\nlog: {barcode_data: true}", false),
    ] {
      let problem = try await load("camera: {pictures: x}\n" + yaml).journalProblem
      #expect((problem != nil) == isRefused, "\(yaml)")
      #expect(problem?.message.contains("name a webhook or a serial line instead") ?? true)
    }
  }

  @Test func `every configuration of the README is valid`() async throws {
    let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
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
    func complaint(_ keys: String) async -> String {
      await self.complaint("camera: {pictures: x}\nsinks: [{serial: {device: /dev/ttyS0, commands: true, \(keys)}}]")
    }
    #expect(await complaint("command_prefix: ''") == "nothing is wrong")
    #expect(await complaint("command_prefix: \\x05") == "nothing is wrong")
    for prefix in ["a", "\\x10", "\\x06"] {
      #expect(await complaint("command_prefix: \(prefix)").contains("command_prefix must be a control character"))
    }
    #expect(await complaint("control_characters: send").contains("send lets a label hold the prefix of a host's commands"))
    #expect(await complaint("control_characters: send, command_prefix: ''") == "nothing is wrong")
    #expect(await complaint("prefix: \\x16").contains("is in the prefix or trailer of scans"))
    #expect(
      await self.complaint("camera: {pictures: x}\nsinks: [{serial: {device: /dev/ttyS0, control_characters: send}}]")
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
    #expect(configuration.decoder.code39Check == .verify)
    #expect(configuration.decoder.code39FullASCII == .never)
    #expect(configuration.decoder.code39Length == LengthRange(min: 4, max: 20))
    #expect(configuration.decoder.code93Length == LengthRange(min: 8, max: 8))
    #expect(configuration.decoder.code128Length == LengthRange(min: 2, max: 30))
    #expect(configuration.decoder.codabarCheck == .verifyAndDrop)
    #expect(!configuration.decoder.codabarKeepsStartAndStop)
    #expect(configuration.decoder.codabarLength == LengthRange(min: 6, max: 12))
    #expect(configuration.decoder.msiCheck == .mod11Mod10)
    #expect(!configuration.decoder.msiKeepsCheckDigits)
    #expect(configuration.decoder.msiLength == LengthRange(min: 5, max: 8))
    #expect(configuration.decoder.itfCheck == .verify)
    #expect(configuration.decoder.itfLength == LengthRange(min: 14, max: 14))
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

  @Test func `every kind of sink can be set`() async throws {
    let configuration = try await load(
      """
      camera: {pictures: a}
      outbox:
        path: /tmp/outbox.sqlite
        synchronous: normal
        when_full: discard oldest
        undelivered: 7
        megabytes: 2
        age: 12 h
        delivered: 0
      sinks:
        - webhook:
            url: https://till.example/scans
            body: cloudevents
            headers: {X-Shop: "17", X-Lane: a}
            bearer_token_file: /dev/null
            secret_file: [/dev/null, /dev/zero]
            connect_timeout: 1 s
            timeout: 2 s
            proxy: http://proxy.example:3129
            batch_count: 50
            batch_delay: 250 ms
        - name: host
          serial:
            device: /dev/ttyUSB0
            baud: 115200
            data_bits: 7
            parity: even
            stop_bits: 2
            flow_control: hardware
            prefix: \\x02
            aim: true
            letter: true
            trailer: \\x03
            suffix: crlf
            control_characters: escape
            non_ascii: latin1
            replacement: "*"
            acknowledge: true
            acknowledge_timeout: 500 ms
            acknowledge_number: true
            acknowledge_late: 4 s
            commands: true
            command_prefix: \\x05
        - stdout
        - {stdout: {}, name: log}
        - stdout:
          name: copy
      """)
    #expect(configuration.outbox.path == "/tmp/outbox.sqlite")
    #expect(configuration.outbox.synchronous == .normal)
    #expect(configuration.outbox.whenFull == .discardOldest)
    #expect(configuration.outbox.undeliveredCountMax == 7)
    #expect(configuration.outbox.byteCountMax == 2 << 20)
    #expect(configuration.outbox.undeliveredAgeMax == .seconds(12 * 3600))
    #expect(configuration.outbox.deliveredCountKept == 0)
    #expect(configuration.sinks.map(\.name) == ["webhook", "host", "stdout", "log", "copy"])
    var webhook = WebhookSettings(url: "https://till.example/scans")
    webhook.body = .cloudEvents
    webhook.headers = [.init(name: "X-Lane", value: "a"), .init(name: "X-Shop", value: "17")]
    webhook.bearerTokenFile = "/dev/null"
    webhook.secretFiles = ["/dev/null", "/dev/zero"]
    webhook.connectLimit = .seconds(1)
    webhook.attemptLimit = .seconds(2)
    webhook.proxy = WebhookProxy("http://proxy.example:3129")
    webhook.batching.countMax = 50
    webhook.batching.delay = .milliseconds(250)
    #expect(webhook.isSame(as: configuration.sinks[0]))
    var serial = SerialSettings(device: "/dev/ttyUSB0")
    serial.name = "host"
    serial.line.baudRate = 115200
    serial.line.dataBits = 7
    serial.line.parity = .even
    serial.line.stopBits = 2
    serial.line.flowControl = .hardware
    serial.framing.prefix = [2]
    serial.framing.sendsAIMIdentifier = true
    serial.framing.sendsSymbologyLetter = true
    serial.framing.trailer = [3]
    serial.framing.suffix = .crlf
    serial.framing.controlCharacters = .escape
    serial.framing.nonASCII = .latin1
    serial.framing.replacement = UInt8(ascii: "*")
    serial.acknowledgement = AcknowledgementSettings()
    serial.acknowledgement?.limit = .milliseconds(500)
    serial.acknowledgement?.isNumbered = true
    serial.acknowledgement?.lateLimit = .seconds(4)
    serial.commandPrefix = 0x05
    serial.acceptsCommands = true
    #expect(serial.isSame(as: configuration.sinks[1]))
  }

  @Test func `the environment overrides a sink by its position`() async throws {
    let configuration = try await load(
      "camera: {pictures: a}\nsinks:\n  - webhook: {url: 'http://a'}",
      ["RETICLE_SINKS_0_WEBHOOK_URL": "http://b", "RETICLE_SINKS_0_NAME": "shop"])
    var webhook = WebhookSettings(url: "http://b")
    webhook.name = "shop"
    #expect(configuration.sinks as? [WebhookSettings] == [webhook])
  }

  @Test func `a file may be a credential passed by systemd`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("token".utf8).write(to: folder.appendingPathComponent("token"))
    let yaml = """
      camera: {pictures: a}
      sinks:
        - webhook: {url: "https://a", credentials_file: "credential:token", secret_file: "credential:token"}
      """
    let configuration = try await load(yaml, ["CREDENTIALS_DIRECTORY": folder.path])
    guard let webhook = configuration.sinks[0] as? WebhookSettings else { throw ConfigurationMismatch() }
    #expect(webhook.credentialsFile == folder.path + "/token")
    #expect(webhook.secretFiles == [folder.path + "/token"])
    // With a folder passed as a whole, a file has the folder's name before its own.
    try Data("key".utf8).write(to: folder.appendingPathComponent("credentials_key"))
    let whole = yaml.replacingOccurrences(of: "credential:token", with: "credential:key")
    guard let other = try await load(whole, ["CREDENTIALS_DIRECTORY": folder.path]).sinks[0] as? WebhookSettings else {
      throw ConfigurationMismatch()
    }
    #expect(other.credentialsFile == folder.path + "/credentials_key")
    // Without systemd, under another name, or outside the folder, there is no credential.
    #expect(await complaint(yaml).contains("credentials_file is \"credential:token\""))
    let outside = yaml.replacingOccurrences(of: "credential:token", with: "credential:../token")
    #expect(await complaint(outside, ["CREDENTIALS_DIRECTORY": folder.path]).contains("credential:../token"))
  }

  @Test func `the proxy comes from the file or, on request, from the environment`() async throws {
    func proxy(_ written: String, _ environment: [String: String] = [:]) async throws -> WebhookProxy? {
      let yaml = "camera: {pictures: a}\nsinks: [{webhook: {url: 'https://scans.example', proxy: '\(written)'}}]"
      guard let webhook = try await load(yaml, environment).sinks[0] as? WebhookSettings else {
        throw ConfigurationMismatch()
      }
      return webhook.proxy
    }
    let environment = ["HTTPS_PROXY": "http://proxy:8080"]
    #expect(try await proxy("none", environment) == nil)
    #expect(try await proxy("environment", environment) == WebhookProxy("http://proxy:8080"))
    #expect(try await proxy("environment") == nil)
    #expect(try await proxy("environment", ["HTTPS_PROXY": "http://proxy", "NO_PROXY": ".example"]) == nil)
    await #expect(throws: ConfigurationError.self) { try await proxy("environment", ["HTTPS_PROXY": "socks5://proxy"]) }
    await #expect(throws: ConfigurationError.self) { try await proxy("http://user:secret@proxy") }
  }

  @Test func `the text of each symbology is chosen, in the file or the environment`() async throws {
    let configuration = try await load(
      """
      camera: {pictures: a}
      text:
        any: {suffix: \\x09, case: upper}
        upca: {form: ean13}
        databar-limited: {fnc1: "|", aim: true, control_characters: separator only}
      """, ["RETICLE_TEXT_EAN13_CHECK_DIGIT": "false", "RETICLE_TEXT_DATABAR_LIMITED_LABEL": "r"])
    var any = TextChoices()
    (any.suffix, any.letters) = ("\t", .upper)
    var limited = TextChoices()
    (limited.separator, limited.sendsAIMIdentifier, limited.controlCharacters, limited.label) = (
      "|", true, .separatorOnly, "r"
    )
    #expect(configuration.host.choices == any)
    #expect(configuration.host.choicesBySymbology[.upca]?.form == .ean13)
    #expect(configuration.host.choicesBySymbology[.databarLimited] == limited)
    #expect(configuration.host.choicesBySymbology[.ean13]?.sendsCheckDigit == false)
    #expect(configuration.host.choicesBySymbology.count == 3)
  }

  @Test(
    arguments: [
      ("ean-13: {aim: true}", "line 2: text.ean-13: there is no symbology ean-13; did you mean ean13?"),
      ("ean13: {sufix: x}", "line 2: text.ean13.sufix is not a key; did you mean text.ean13.suffix?"),
      ("ean13: {form: ean14}", "line 2: text.ean13.form is \"ean14\"; it must be one of own, upca, ean13, gtin14"),
      ("any: {suffix: \\x1}", "text.any.suffix is \"\\x1\"; it must be up to 20 ASCII characters"),
      ("qr: {check_digit: false}", "text.qr.check_digit has no effect on qr: it is for EAN, UPC and ITF-14; take it out"),
      (
        "code39: {check_digit: false}", "text.code39.check_digit has no effect on code39: write decoder.code39.check instead"
      ),
      ("itf14: {addon: joined}", "text.itf14.addon has no effect on itf14: only EAN and UPC have add-ons; take it out"),
      ("qr: true", "text.qr is a section; write its keys below it, such as text.qr.form"),
    ])
  func `errors in texts are reported with their remedy`(_ text: String, _ expected: String) async {
    let complaint = await complaint("camera: {pictures: a}\ntext: {\(text)}")
    #expect(complaint.contains(expected), "\(complaint)")
  }

  @Test func `a text that a sink cannot send, or sends twice, is an error`() async {
    func complaint(_ serial: String, _ text: String) async -> String {
      await self.complaint(
        "camera: {pictures: a}\nsinks:\n  - serial: {device: /dev/ttyS9, \(serial)}\ntext: {any: {\(text)}}")
    }
    #expect(await complaint("aim: true", "suffix: x") == "nothing is wrong")
    #expect(await complaint("non_ascii: raw", "suffix: x").contains("line 3: the sink serial sends the bytes of symbols"))
    #expect(await complaint("aim: true", "aim: true").contains("so that it comes twice; keep one"))
    #expect(await complaint("commands: true", "suffix: \\x16").contains("so that the echoes of scans are commands"))
  }

  @Test func `rules are read in their order, with all conditions and actions`() async throws {
    let configuration = try await load(
      """
      camera: {pictures: a}
      sinks:
        - stdout
        - serial: {device: /dev/ttyS9}
          name: till
      rules:
        - when: {symbology: [ean13, qr], length: 4-20, prefix: "40", hours: 22:00-06:00, sink: [till]}
          then: {flag: night, sinks: [till], scan: keep}
        - when: {field: [1P, S]}
          then: {rewrite: "{[1P]}"}
        - name: lots
          when: {matches: 'LOT(?<lot>\\d+)', ai: ["01", "10"]}
          then: {rewrite: '{lot}\\x09{(10)}'}
        - then: {scan: drop}
      """)
    let rules = configuration.host.rules
    #expect(rules.map(\.name) == ["rule 1", "rule 2", "lots", "rule 4"])
    #expect(rules[0].conditions.symbologies == [.ean13, .qr])
    #expect(rules[0].conditions.lengths == 4...20)
    #expect(rules[0].conditions.prefix == "40")
    #expect(rules[0].conditions.hours == DayPart(begin: 22 * 60, end: 6 * 60))
    #expect(rules[0].conditions.sinks == ["till"])
    #expect(rules[0].actions.flag == "night" && rules[0].actions.sinks == ["till"] && rules[0].actions.ending == .keep)
    #expect(rules[1].conditions.fields == ["1P", "S"])
    #expect(rules[2].conditions.expression?.source == #"LOT(?<lot>\d+)"#)
    #expect(rules[2].conditions.identifiers == ["01", "10"])
    #expect(rules[2].actions.rewrite?.source == #"{lot}\x09{(10)}"#)
    #expect(rules[3].conditions == RuleConditions() && rules[3].actions.ending == .drop)
  }

  @Test(
    arguments: [
      (
        "then: {flag: x}}, {name: rule 1, then: {flag: y}",
        "rules.1 is called rule 1 like another rule; give it a name of its own"
      ),
      ("when: {prefix: x}", "line 2: rules.0 does nothing; write then: with scan, rewrite, sinks or flag"),
      ("then: {scan: drop, rewrite: x}", "rules.0 drops the scan, so that its rewrite and its sinks have no effect"),
      (
        "when: {matches: '('}, then: {flag: x}",
        "rules.0.when.matches is \"(\": a ( is not closed; write \\( for the character"
      ),
      (
        "then: {rewrite: '{1}'}",
        "rules.0.then.rewrite is \"{1}\": {1}: the expression has 0 groups; put the part that you need in (…)"
      ),
      ("when: {ai: ['01', '05']}, then: {flag: x}", "rules.0.when.ai has \"05\", which is no application identifier of GS1"),
      (
        "when: {sink: [stdou]}, then: {flag: x}",
        "rules.0.when.sink has \"stdou\", and no sink is called so; did you mean stdout?"
      ),
      ("then: {sinks: [till-12]}", "rules.0.then.sinks has \"till-12\", and no sink is called so; there are stdout"),
      (
        "when: {hours: 8-9}, then: {flag: x}",
        "rules.0.when.hours is \"8-9\"; it must be two times of day, such as 08:00-17:30"
      ),
      (
        "when: {symbology: [ean-13]}, then: {flag: x}", "rules.0.when.symbology is \"ean-13\"; it must be a list chosen from"
      ),
      ("drop: true", "rules.0.drop is not a key; rules.0 has name, when, then"),
      ("when: {lenght: 3}, then: {flag: x}", "rules.0.when.lenght is not a key; did you mean rules.0.when.length?"),
    ])
  func `errors in a rule are reported with their line and remedy`(_ rule: String, _ expected: String) async {
    let complaint = await complaint("camera: {pictures: a}\nrules: [{\(rule)}]")
    #expect(complaint.contains(expected) && complaint.contains("line 2: "), "\(complaint)")
  }

  @Test func `sets are read with their parts, and their errors are reported`() async throws {
    let rules = "camera: {pictures: a}\nrules: [{then: {flag: product}}, {then: {flag: serial}}]\n"
    let sets = try await load(
      rules + """
        sets:
          - name: carton
            parts: [product, serial, serial]
            order: left to right
            separator: "|"
            within: 1500 ms
        """
    ).host.sets
    var expected = ScanSet(name: "carton", parts: ["product", "serial", "serial"])
    (expected.order, expected.separator, expected.limit) = (.leftToRight, "|", 1_500_000_000)
    #expect(sets == [expected])
    for (yaml, complaint) in [
      ("[{parts: [product]}]", "sets.0.parts has 1 parts; write 2 to 32, such as [product, serial]"),
      ("[{parts: [product, seriel]}]", "sets.0.parts has seriel, and no rule sets this flag; did you mean serial?"),
      ("[{parts: [product, weight]}]", "write a rule with then: {flag: weight}"), ("[x]", "sets"),
      ("[{name: a, parts: [product, product]}, {name: a, parts: [serial, serial]}]", "sets.1 is called a like another set"),
      ("[{parts: [product, serial]}, {parts: [product, product]}]", "which is a part of another set"),
    ] {
      #expect(await self.complaint(rules + "sets: " + yaml).contains(complaint), "\(yaml)")
    }
  }

  @Test func `the comparison is read, and checked against the rules`() async throws {
    let rules = "camera: {pictures: a}\nrules: [{then: {flag: product}}]\n"
    let comparison = try await load(rules + "compare: {reference: AB 1, flag: product, count: 24}").host.comparison
    #expect(comparison?.reference == "AB 1" && comparison?.flag == "product" && comparison?.countMax == 24)
    #expect(try await load(rules).host.comparison == nil)
    #expect(await complaint(rules + "compare: {flag: prodct}").contains("no rule sets this flag; did you mean product?"))
    #expect(
      await complaint("camera: {pictures: a}\nrules: [{then: {flag: match}}]").contains(
        "which compare and sets set themselves"))
    let set = try await load(rules + "sets: [{parts: [product, product], match: true}]").host.sets
    #expect(set.map(\.mustMatch) == [true])
  }

  @Test func `rules are a list of sections`() async {
    for wrong in ["rules: []", "rules: x", "rules: {then: {flag: x}}"] {
      #expect(await complaint("camera: {pictures: a}\n\(wrong)").contains("rules"), "\(wrong)")
    }
    #expect(
      await complaint("camera: {pictures: a}\nrules: [x, {then: {flag: x}}]").contains("rules.0 must be a rule, such as"))
  }

  @Test func `a serial device is a path or a USB identity`() async {
    func complaint(_ device: String) async -> String {
      await self.complaint("camera: {pictures: a}\nsinks: [{serial: {device: '\(device)'}}]")
    }
    for device in ["/dev/ttyGS0", "usb:0403:6001", "usb:0403:6001:A1:B2"] {
      #expect(await complaint(device) == "nothing is wrong")
    }
    for device in ["usb:", "usb:0403", "usb:403:6001", "usb:0403:600x", "usb:0403:6001:"] {
      #expect(await complaint(device).contains("usb:0403:6001:SERIAL, as lsusb shows it"))
    }
  }

  @Test func `wrong sinks are reported together with all other errors`() async {
    let complaint = await complaint(
      """
      camera: {pictures: a}
      sinks:
        - webhook: {uri: https://x, timeout: 1 h}
        - serial: {device: /dev/ttyS0, baud: 9601, prefix: \\x2}
        - stdout
        - stdout: {}
        - websocket
        - webhook: {url: ftp://x, secret_file: /nowhere/secret}
          serial: {device: /dev/ttyS1}
        - webhook: {url: ftp://x, secret_file: /nowhere/secret}
      outbox: {path: "", age: never}
      """)
    #expect(
      complaint == """
        reticle.yaml has 11 errors:
          line 3: sinks.0.webhook.timeout is "1 h"; it must be a time from 100 ms to 5 min, such as 1.5 s
          line 3: sinks.0.webhook.uri is not a key; did you mean sinks.0.webhook.url?
          line 4: sinks.1.serial.baud is "9601"; it must be one of 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600
          line 4: sinks.1.serial.prefix is "\\x2"; it must be up to 20 ASCII characters, with control characters written like \\x02
          line 6: sinks.3 is called stdout like another sink; give it a name of its own, such as name: stdout-2
          line 7: sinks.4 must be one sink: - webhook: {url: "https://…"}, or - serial: {device: /dev/…}, or - tcp: {connect: "host:port"}, or - keyboard: {layout: us}, or - hid_pos: {device: /dev/hidg1}, or - mqtt: {broker: "mqtts://…"}, or - stdout
          line 8: sinks.5 must be one sink: - webhook: {url: "https://…"}, or - serial: {device: /dev/…}, or - tcp: {connect: "host:port"}, or - keyboard: {layout: us}, or - hid_pos: {device: /dev/hidg1}, or - mqtt: {broker: "mqtts://…"}, or - stdout
          line 10: sinks.6.webhook.url is "ftp://x"; it must be an address that begins with https:// or http://
          line 10: sinks.6.webhook.secret_file is "/nowhere/secret"; it must be a list of paths of files that this user can read, or credential:NAME entries
          line 11: outbox.path is ""; it must be the path of a file
          line 11: outbox.age is "never"; it must be forever, or a time from 1 min to 3650 d, such as 12 h
        """)
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
    (0..<Symbology.count).compactMap { Symbology(rawValue: UInt8($0)) }
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

  @Test func `a key that is misspelt in one sink is still missing in another`() async {
    let text = await complaint(
      "camera: {pictures: a}\nsinks:\n  - webhook: {uri: https://x}\n  - {name: b, webhook: {timeout: 1 s}}")
    #expect(text.contains("sinks.1.webhook.url is missing") && !text.contains("sinks.0.webhook.url is missing"), "\(text)")
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
