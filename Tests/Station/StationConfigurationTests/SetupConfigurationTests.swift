// Set-up by barcode in the configuration: what may be listed, and how what codes changed takes its place between the file and
// the environment.

import Foundation
import ScanControl
import Testing

@testable import SetupCodes
@testable import StationConfiguration

@Suite struct SetupConfigurationTests {
  private static let key = SetupSigningKey.generate()!.publicKey.text
  private let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-setup-\(UUID())").path
  private var files: SetupFiles { SetupFiles(outbox: folder + "/outbox") }

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func file(_ more: String) throws -> String {
    let path = folder + "/station.yaml"
    try Data(
      ("camera: {pictures: [a]}\noutbox: {path: \(folder)/outbox}\nvote: {frames: 2}\n" + more + "\n").utf8
    ).write(to: URL(filePath: path))
    return path
  }

  private func setup(_ allow: String) -> String { "setup: {public_keys: [\"\(Self.key)\"], allow: [\(allow)]}" }

  private func load(
    _ more: String, _ overlay: StationConfiguration.Overlay = .stored, _ environment: [String: String] = [:]
  ) async throws -> StationConfiguration.Loaded {
    try await StationConfiguration.loadWithOrigins(path: try file(more), environment: environment, overlay: overlay)
  }

  private func problems(
    _ more: String, _ overlay: StationConfiguration.Overlay = .stored, _ environment: [String: String] = [:]
  ) async -> [String] {
    do {
      _ = try await load(more, overlay, environment)
      return []
    } catch {
      return (error as? ConfigurationError)?.problems.map(\.description) ?? ["\(error)"]
    }
  }

  private func overlay(_ values: [String: String]) -> SetupOverlay {
    SetupOverlay().changed(by: values.map { SetupCode.Change(key: $0.key, value: $0.value) })
  }

  @Test func `B1: it is off without a public key, and what codes changed earlier is then not in effect`() async throws {
    try files.begin(overlay(["vote.frames": "5"]))
    let off = try await load("")
    #expect(!off.configuration.setup.isEnabled && off.configuration.scan.votes.frameCount == 2)
    #expect(!off.configuration.setup.allows("vote.frames"))
    let on = try await load(setup("vote"))
    #expect(on.configuration.scan.votes.frameCount == 5)
  }

  @Test func `B1: what a code changed overrides the file, the environment overrides it, and each origin is named`()
    async throws
  {
    try files.begin(overlay(["vote.frames": "5", "viewport": "[0.1, 0.1, 0.5, 0.5]"]))
    func origin(_ name: String, _ loaded: StationConfiguration.Loaded) -> String? {
      loaded.values.first { $0.name == name }.map { "\($0)" }
    }
    let loaded = try await load(setup("vote, viewport"))
    #expect(origin("vote.frames", loaded) == "vote.frames: 5  # set-up code")
    #expect(origin("viewport", loaded) == "viewport: [0.1, 0.1, 0.5, 0.5]  # set-up code")
    #expect(origin("repeat.absence", loaded)?.hasSuffix("# default") == true)
    let overridden = try await load(setup("vote, viewport"), .stored, ["RETICLE_VOTE_FRAMES": "7"])
    #expect(origin("vote.frames", overridden) == "vote.frames: 7  # RETICLE_VOTE_FRAMES")
    #expect(overridden.configuration.scan.votes.frameCount == 7)
  }

  @Test func `a change in a list of sections or in a section that the file lacks takes effect`() async throws {
    let more = "sinks:\n  - serial: {device: /dev/ttyUSB0}\n" + setup("sinks.0.serial.prefix, text.qr")
    let loaded = try await load(more, .instead(overlay(["sinks.0.serial.prefix": "\\x02", "text.qr.suffix": "Q"])))
    #expect(loaded.values.contains { "\($0)" == "sinks.0.serial.prefix: \\x02  # set-up code" })
    #expect(loaded.values.contains { "\($0)" == "text.qr.suffix: Q  # set-up code" })
  }

  @Test(
    arguments: [
      (["vote.frames": "50"], "by a set-up code: vote.frames is \"50\"; it must be a whole number from 1 to 10"),
      (["vote.frams": "5"], "by a set-up code: vote.frams is not a key; did you mean vote.frames?"),
      (["repeat.absence": "5 s"], "repeat.absence is not in setup.allow"),
      (["vote.frames": ""], "vote.frames is \"\""),
      (["sinks.3.serial.prefix": "x"], "sinks.3"),
      (["vote": "x"], "vote is a section"),
    ] as [([String: String], String)])
  func `B2: a change that is wrong, not listed or without effect is an error`(values: [String: String], problem: String)
    async
  {
    let found = await problems(setup("vote, sinks.3.serial.prefix"), .instead(overlay(values)))
    #expect(found.contains { $0.contains(problem) }, "\(found)")
  }

  @Test(arguments: [
    ("setup", "no set-up code may change"), ("setup.allow", "no set-up code may change"),
    ("setup.public_keys", "no set-up code may change"), ("outbox.path", "no set-up code may change"),
    ("console.token_file", "no set-up code may change"), ("sinks.0.webhook.secret_file", "no set-up code may change"),
    ("sinks.0.mqtt.credentials_file", "no set-up code may change"), ("pictures.folder", "no set-up code may change"),
    ("sinks", "list each key by its full name"), ("sinks.0", "list each key by its full name"),
    ("sinks.0.webhook", "list each key by its full name"), ("console", "list each key by its full name"),
    ("outbox", "list each key by its full name"), ("log", "list each key by its full name"),
    ("vot", "did you mean"), ("vote.frame", "did you mean vote.frames?"),
    ("nothing.like.it.at.all", "no key and no section"),
  ])
  func `B2: setup.allow refuses keys that would extend a code's rights, and names that mean nothing`(
    name: String, problem: String
  ) async {
    let found = await problems(setup(name))
    #expect(found.count == 1 && found[0].contains(problem), "\(found)")
  }

  @Test func `B2: no path, secret or set-up key may be changed, however it is listed`() {
    var settings = SetupSettings()
    settings.allowed =
      ConfigurationKey.all.map { $0.name.replacing("[]", with: ".0") } + ["sinks", "setup", "outbox", "console"]
    let barred = ConfigurationKey.all.filter { key in
      let name = key.name.replacing("[]", with: ".0").replacing("<symbology>", with: "any").replacing("<name>", with: "x")
      return !settings.allows(name)
    }.map(\.name)
    for name in [
      "setup.public_keys", "setup.allow", "outbox.path", "console.token_file", "pictures.folder", "screen.focus_picture",
      "screen.folder", "sinks[].webhook.bearer_token_file", "sinks[].webhook.credentials_file",
      "sinks[].webhook.secret_file",
      "sinks[].webhook.client_key_file", "sinks[].webhook.proxy_credentials_file", "sinks[].mqtt.credentials_file",
    ] { #expect(barred.contains(name), "\(name)") }
    #expect(!barred.contains("vote.frames") && !barred.contains("sinks[].webhook.url"))
  }

  @Test func `B2: a section lists its keys, a key itself, and neither lists what only begins like it`() {
    var settings = SetupSettings()
    settings.allowed = ["vote", "text.qr", "sinks.0.serial.prefix"]
    for name in ["vote.frames", "vote.window", "text.qr.prefix", "sinks.0.serial.prefix"] { #expect(settings.allows(name)) }
    for name in [
      "vote", "voted.frames", "repeat.absence", "text.any.prefix", "sinks.1.serial.prefix", "", "text.qrx.prefix",
    ] {
      #expect(!settings.allows(name), "\(name)")
    }
  }

  @Test(arguments: [
    ("setup: {allow: [vote]}", "setup.allow has no effect without setup.public_keys"),
    ("setup: {public_keys: [abc], allow: [vote]}", "no public key"),
    ("decoder: {symbologies: [ean13]}", "setup.public_keys needs QR Codes"),
    ("", "setup.public_keys has no effect without setup.allow"),
  ])
  func `half a set-up is an error`(more: String, problem: String) async {
    let own =
      more.hasPrefix("setup")
      ? more : "setup: {public_keys: [\"\(Self.key)\"]\(more.isEmpty ? "" : ", allow: [vote]")}\n\(more)"
    let found = await problems(own)
    #expect(found.contains { $0.contains(problem) }, "\(found)")
  }

  @Test(arguments: [
    "\0", "vote.frames: 5\nvote.frames: 6\n", "[1]", "vote: {frames: [1, 2]}", "vote.frames: ", "a: &a [*a]",
  ])
  func `B4: a damaged overlay is one clear error, and a station starts without it`(content: String) async throws {
    try Data(content.utf8).write(to: URL(filePath: files.overlayPath))
    let found = await problems(setup("vote"))
    #expect(found.count == 1 && found[0].contains("reticle config clear-setup"), "\(found)")
    let loaded = try await load(setup("vote"), .storedOrNone)
    #expect(loaded.overlayError != nil && loaded.configuration.scan.votes.frameCount == 2)
    try files.clear()
    #expect(try await load(setup("vote"), .storedOrNone).overlayError == nil)
  }

  @Test func `B4: an overlay that the changed file no longer allows is an error, and a station starts without it`()
    async throws
  {
    try files.begin(overlay(["vote.frames": "5"]))
    #expect(await problems(setup("repeat")).contains { $0.contains("vote.frames is not in setup.allow") })
    let loaded = try await load(setup("repeat"), .storedOrNone)
    #expect(loaded.overlayError != nil && loaded.configuration.scan.votes.frameCount == 2)
    #expect(loaded.configuration.setup.overlay.values.isEmpty)
  }

  @Test func `any text comes back from the overlay's file`() throws {
    let values = [
      "text.any.prefix": "a: \"b\" #\\x02 [x]", "station.name": " K\u{00E4}se\u{2028}'", "vote.frames": "5",
      "viewport": "[0, 0, 1, 1]",
      "confirm": "null", "assemble": "~",
    ]
    try files.begin(overlay(values))
    #expect(try files.read().values == values)
  }

  @Test func `B4: a change on trial can be undone, and stays once it is confirmed`() throws {
    #expect(try files.read().values.isEmpty && !files.isOnTrial)
    try files.begin(overlay(["vote.frames": "5"]))
    #expect(files.isOnTrial)
    try files.takeBack()
    #expect(try files.read().values.isEmpty && !files.isOnTrial)
    try files.begin(overlay(["vote.frames": "6"]))
    try files.confirm()
    #expect(!files.isOnTrial)
    try files.takeBack()
    #expect(try files.read().values == ["vote.frames": "6"])
    try files.begin(overlay(["vote.frames": "7"]))
    try files.takeBack()
    #expect(try files.read().values == ["vote.frames": "6"])
    #expect(try files.clear() && !files.clear())
    #expect(try files.read().values.isEmpty)
  }
}
