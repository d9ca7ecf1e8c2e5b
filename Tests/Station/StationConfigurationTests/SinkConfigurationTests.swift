// The keys of sinks, and of what they share: credentials, the proxy, the environment.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Devices
import Foundation
import HostText
import ScanControl
import ScanScreen
import Sinks
import StationConfiguration
import Testing
@testable import DeliveryModel
@testable import Outbox

/// The value read is not of the kind that was written.
private struct ConfigurationMismatch: Error {}

@Suite struct SinkConfigurationTests {
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

  @Test func `a serial device is a path or a USB identity`() async {
    func told(_ device: String) async -> String {
      await complaint("camera: {pictures: a}\nsinks: [{serial: {device: '\(device)'}}]")
    }
    for device in ["/dev/ttyGS0", "usb:0403:6001", "usb:0403:6001:A1:B2"] {
      #expect(await told(device) == "nothing is wrong")
    }
    for device in ["usb:", "usb:0403", "usb:403:6001", "usb:0403:600x", "usb:0403:6001:"] {
      #expect(await told(device).contains("usb:0403:6001:SERIAL, as lsusb shows it"))
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

  @Test func `a key that is misspelt in one sink is still missing in another`() async {
    let text = await complaint(
      "camera: {pictures: a}\nsinks:\n  - webhook: {uri: https://x}\n  - {name: b, webhook: {timeout: 1 s}}")
    #expect(text.contains("sinks.1.webhook.url is missing") && !text.contains("sinks.0.webhook.url is missing"), "\(text)")
  }
}
