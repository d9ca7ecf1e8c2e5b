// The keys of the keyboard.

import BarcodeMessage
import Foundation
import HostText
import Sinks
import Testing
@testable import StationConfiguration

@Suite struct KeyboardConfigurationTests {
  private func load(_ keys: String) async throws(ConfigurationError) -> StationConfiguration {
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = "camera: {pictures: a}\nsinks:\n  - keyboard: {\(keys)}\n"
    #expect(FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
    return try await StationConfiguration.load(path: path, environment: [:])
  }

  @Test func `every key of a keyboard counts`() async throws {
    let configuration = try await load(
      "device: /dev/hidg1, layout: ch-de, fallback: alt numpad, pause: 20 ms, interrupted: park, prefix_keys: [f2, escape], suffix_keys: [tab, enter], "
        + "control_characters: escape, aim: true")
    var expected = KeyboardSettings()
    expected.device = "/dev/hidg1"
    expected.typing.layout = "ch-de"
    expected.typing.fallback = .altNumpad
    expected.typing.prefix = [.f2, .escape]
    expected.typing.suffix = [.tab, .enter]
    expected.pause = .milliseconds(20)
    expected.interruption = .park
    expected.controlCharacters = .escape
    expected.sendsAIMIdentifier = true
    #expect(expected.isSame(as: configuration.sinks[0]))
    #expect(configuration.sinks[0].hostSink.controlCharacters == .escape)
    #expect(!configuration.sinks[0].hostSink.takesRecords)
  }

  @Test(
    arguments: [
      ("layout: xx", "sinks.0.keyboard.layout is \"xx\"; it must be one of us, us-intl, uk, de, "),
      ("fallback: guess", "fallback is \"guess\"; it must be one of refuse, alt numpad, ctrl shift u, replace"),
      ("device: /dev/ttyUSB0", "sinks.0.keyboard.device is \"/dev/ttyUSB0\"; it must be /dev/uinput, for this machine's"),
      ("device: /dev/hidg", "sinks.0.keyboard.device is \"/dev/hidg\"; it must be /dev/uinput, for this machine's"),
      ("pause: 2 s", "sinks.0.keyboard.pause is \"2 s\"; it must be a time from 0 s to 1 s, such as 1.5 s"),
      ("pause: 0 s", "sinks.0.keyboard.pause is too short; with /dev/uinput it must be at least 1 ms"),
      ("interrupted: wait", "sinks.0.keyboard.interrupted is \"wait\"; it must be one of end and repeat, repeat, park"),
      ("suffix_keys: [f13]", "sinks.0.keyboard.suffix_keys is \"f13\"; it must be a list chosen from enter, tab, escape, "),
      ("control_characters: separator only", "it must be one of remove, escape, send"),
      ("sufix_keys: [tab]", "sinks.0.keyboard.sufix_keys is not a key; did you mean sinks.0.keyboard.suffix_keys?"),
    ])
  func `a wrong value is reported with what is right`(_ keys: String, _ expected: String) async throws {
    do throws(ConfigurationError) {
      _ = try await load(keys)
      Issue.record("nothing is wrong")
    } catch {
      #expect(error.description.contains(expected), "\(error)")
      #expect(error.description.components(separatedBy: "\n").count <= 2, "\(error)")
    }
  }

  @Test func `a USB host needs no pause`() async throws {
    let settings = try #require(try await load("device: /dev/hidg0, pause: 0 s").sinks[0] as? KeyboardSettings)
    #expect(settings.isOnUSB && settings.pause == .zero)
  }

  @Test func `no keys may surround a scan`() async throws {
    let settings = try #require(try await load("suffix_keys: []").sinks[0] as? KeyboardSettings)
    #expect(settings.typing.suffix.isEmpty && settings.typing.prefix.isEmpty)
  }

  @Test func `control characters become chords only with send`() async throws {
    for (keys, isAllowed) in [
      ("layout: us", false), ("control_characters: remove", false), ("control_characters: send", true),
    ] {
      let settings = try #require(try await load(keys).sinks[0] as? KeyboardSettings)
      #expect(settings.typing.typesChords == isAllowed)
      #expect(settings.typing.suffix == [.enter])
    }
  }
}
