// Scans that are typed: plans are read back by libxkbcommon as a host with the layout reads them, character by character.

import BarcodeMessage
import Devices
import KeyboardHost
import TestSupport
import Testing
@testable import DeliveryModel
@testable import Sinks

extension KeyboardHost {
  /// Receives a keyboard's events.
  fileprivate func receive(_ events: [KeyEvent]) { for event in events { key(event.key, isDown: event.isDown) } }
}

@Suite(.timeLimit(.minutes(10))) struct KeyPlanTests {
  private static func planner(_ layout: String, _ change: (inout TypingSettings) -> Void = { _ in }) throws -> KeyPlanner {
    var settings = TypingSettings()
    settings.layout = layout
    settings.suffix = []
    change(&settings)
    return try #require(KeyPlanner(settings))
  }

  /// The printable characters of ISO 8859-1.
  private static let latin1 = (Array(0x20...0x7E) + Array(0xA0...0xFF)).compactMap { Unicode.Scalar($0 as UInt32) }

  @Test(arguments: KeyboardLayout.names)
  func `every character that a layout has is read back`(_ layout: String) throws {
    let planner = try Self.planner(layout)
    let host = try #require(KeyboardHost(layout))
    let characters = try #require(KeyboardLayout(name: layout)).strokes.keys
    #expect(characters.count > 90)
    #expect((0x20...0x7E).allSatisfy { code in characters.contains(Character(Unicode.Scalar(code as UInt8))) })
    for character in characters {
      host.receive(KeyEvent.events(of: try planner.plan(String(character))))
      #expect(host.takeText() == String(character), "\(layout)")
    }
  }

  @Test(arguments: KeyboardLayout.names, [TypingSettings.Fallback.altNumpad, .controlShiftU])
  func `with a fallback every character of Latin-1 is read back`(
    _ layout: String, _ fallback: TypingSettings.Fallback
  ) throws {
    let planner = try Self.planner(layout) { $0.fallback = fallback }
    let host = try #require(KeyboardHost(layout))
    for scalar in Self.latin1 {
      host.receive(KeyEvent.events(of: try planner.plan(String(scalar))))
      #expect(host.takeText() == String(scalar), "\(layout)")
    }
    host.receive(KeyEvent.events(of: try planner.plan("€")))
    #expect(host.takeText() == "€")
  }

  @Test func `random texts are read back exactly`() throws {
    var random = SystemRandomNumberGenerator()
    for layout in KeyboardLayout.names {
      let planner = try Self.planner(layout) { $0.fallback = .controlShiftU }
      let host = try #require(KeyboardHost(layout))
      for _ in 0..<TestDepth.scaled(50) {
        let text = String((0..<20).compactMap { _ in Self.latin1.randomElement(using: &random).map(Character.init) })
        host.receive(KeyEvent.events(of: try planner.plan(text)))
        #expect(host.takeText() == text, "\(layout)")
      }
    }
  }

  @Test func `a character that the layout lacks is refused, or replaced`() throws {
    let refusing = try Self.planner("us")
    #expect(throws: KeyPlanner.Refusal(character: "ü", layout: "us")) { try refusing.plan("aü") }
    let replacing = try Self.planner("us") { $0.fallback = .replace }
    let host = try #require(KeyboardHost("us"))
    host.receive(KeyEvent.events(of: try replacing.plan("aü日")))
    #expect(host.takeText() == "a??")
    // Windows-1252 lacks it.
    #expect(throws: KeyPlanner.Refusal.self) { try Self.planner("us") { $0.fallback = .altNumpad }.plan("日") }
  }

  @Test(arguments: ["es", "pt", "us-intl"])
  func `a mark that no letter takes is typed by its number, or refused`(_ layout: String) throws {
    // The layouts have a dead acute accent; Unicode has no b with one.
    #expect(throws: KeyPlanner.Refusal(character: "\u{301}", layout: layout)) { try Self.planner(layout).plan("b\u{301}") }
    #expect(throws: KeyPlanner.Refusal.self) { try Self.planner(layout) { $0.fallback = .altNumpad }.plan("b\u{301}") }
    let planner = try Self.planner(layout) { $0.fallback = .controlShiftU }
    let host = try #require(KeyboardHost(layout))
    host.receive(KeyEvent.events(of: try planner.plan("ab\u{301}c")))
    #expect(host.takeText() == "ab\u{301}c")
  }

  @Test(arguments: TypingSettings.Fallback.allCases)
  func `a letter and its mark are typed as the one character that they make`(_ fallback: TypingSettings.Fallback) throws {
    for layout in fallback == .refuse ? ["es"] : ["es", "us"] where fallback != .replace {
      let host = try #require(KeyboardHost(layout))
      host.receive(KeyEvent.events(of: try Self.planner(layout) { $0.fallback = fallback }.plan("e\u{301}")))
      #expect(Array(host.takeText().unicodeScalars) == ["\u{E9}"], "\(layout)")
    }
  }

  @Test func `control characters are keys or refused, and chords only where a setting says so`() throws {
    let planner = try Self.planner("us")
    let host = try #require(KeyboardHost("us"))
    host.receive(KeyEvent.events(of: try planner.plan("a\tb\r\nc\rd")))
    #expect(host.takeText() == "a\tb\rc\rd")
    for code in (0..<0x20 as Range<UInt8>) where ![9, 10, 13].contains(code) {
      #expect(throws: KeyPlanner.Refusal.self) { try planner.plan("x" + String(Character(Unicode.Scalar(code)))) }
    }
    // Not by their number, either.
    let numbers = try Self.planner("us") { $0.fallback = .controlShiftU }
    for text in ["\u{1B}", "\u{7F}", "\u{85}", "\u{9B}"] {
      #expect(throws: KeyPlanner.Refusal.self) { try numbers.plan(text) }
    }
    let chords = try Self.planner("us") { $0.typesChords = true }
    host.receive(KeyEvent.events(of: try chords.plan("a\u{1D}\u{03}b")))
    #expect(host.chords == ["ctrl+]", "ctrl+c"])
    #expect(host.takeText() == "ab")
  }

  @Test func `the additional key beside Shift is used only where no other key makes a character`() throws {
    #expect(try Self.planner("us").plan("<") == [KeyStroke(.shift, 51)])
    #expect(try Self.planner("de").plan("<") == [KeyStroke([], 86)])
    #expect(try Self.planner("br").plan("/") == [KeyStroke(.altGr, 16)])
  }

  @Test func `prefix and suffix are keys around the text`() throws {
    let planner = try Self.planner("us") {
      $0.prefix = [.f2]
      $0.suffix = [.tab, .enter]
    }
    #expect(try planner.plan("a") == [KeyStroke([], 60), KeyStroke([], 30), KeyStroke([], 15), KeyStroke([], 28)])
    #expect(try planner.plan("").map(\.keys) == [[60], [15], [28]])
    #expect(planner.ending.map(\.keys) == [[15], [28]])
  }

  @Test func `modifiers are down around their keys alone`() {
    let events = KeyEvent.events(of: [KeyStroke([.shift, .altGr], 30), KeyStroke([], 31)])
    let keys: [(UInt16, Bool)] = [
      (42, true), (100, true), (30, true), (30, false), (100, false), (42, false), (31, true), (31, false),
    ]
    #expect(events == keys.map { KeyEvent(key: $0.0, isDown: $0.1) })
  }

  @Test func `an unknown layout has no planner`() {
    var settings = TypingSettings()
    settings.layout = "xx"
    #expect(KeyPlanner(settings) == nil)
  }
}

@Suite struct KeyboardSinkTests {
  private func sink(_ keyboard: SimulatedKeyboard, _ change: (inout KeyboardSettings) -> Void = { _ in }) throws
    -> KeyboardSink
  {
    var settings = KeyboardSettings()
    change(&settings)
    return try KeyboardSink(settings: settings, keyboard: keyboard)
  }

  private func typed(_ keyboard: SimulatedKeyboard, _ layout: String = "us") throws -> String {
    let host = try #require(KeyboardHost(layout))
    host.receive(keyboard.events)
    return host.takeText()
  }

  @Test func `scans are typed in order, each with Enter`() async throws {
    let keyboard = SimulatedKeyboard()
    let sink = try sink(keyboard)
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next("4006381333931")) == .delivered)
    #expect(await sink.deliver(scans.next("Ab-1")) == .delivered)
    #expect(try typed(keyboard) == "4006381333931\rAb-1\r")
    #expect(keyboard.openCount == 1)
  }

  @Test func `hostile labels type no chords, keys or half texts`() async throws {
    let keyboard = SimulatedKeyboard()
    let sink = try sink(keyboard)
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next("a\u{1B}\u{03}\tb\r\n\u{7F}c")) == .delivered)
    #expect(try typed(keyboard) == "abc\r")
    let eventCount = keyboard.events.count
    guard case .rejected(nil, let problem) = await sink.deliver(scans.next("abc日")) else {
      Issue.record("the layout lacks the character")
      return
    }
    #expect(problem.summary == "the layout us has no keys for the character U+65E5")
    #expect(keyboard.events.count == eventCount)
    // The operator's own control characters are keys.
    var record = scans.next("x")
    record.hostText = "x\ty"
    #expect(await sink.deliver(record) == .delivered)
    #expect(try typed(keyboard).hasSuffix("x\ty\r"))
  }

  @Test func `control characters follow the rule, and the identifier comes first`() async throws {
    let keyboard = SimulatedKeyboard()
    let sink = try sink(keyboard) {
      $0.controlCharacters = .escape
      $0.sendsAIMIdentifier = true
      $0.typing.layout = "de"
    }
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next("01\u{1D}ö")) == .delivered)
    #expect(try typed(keyboard, "de") == #"]C001\x1Dö"# + "\r")
  }

  @Test func `a keyboard that fails is a retry, and is plugged in again`() async throws {
    let keyboard = SimulatedKeyboard()
    let sink = try sink(keyboard)
    var scans = ScanMaker()
    let scan = scans.next("1")
    keyboard.fail(with: InputFailure("/dev/uinput: open failed: permission denied", remedy: "see to it"))
    guard case .retry(nil, let problem) = await sink.deliver(scan) else {
      Issue.record("it cannot have been typed")
      return
    }
    #expect(problem.summary == "/dev/uinput: open failed: permission denied")
    #expect(keyboard.events.isEmpty)
    keyboard.fail(with: nil)
    #expect(await sink.deliver(scan) == .delivered)
    #expect(try typed(keyboard) == "1\r")
  }

  @Test(arguments: KeyboardLayout.names)
  func `with Caps Lock on every character is typed as with it off, and it is on afterwards`(_ layout: String) async throws {
    let characters = try #require(KeyboardLayout(name: layout)).strokes.keys.map { String($0) }.joined(separator: " ")
    let keyboard = SimulatedKeyboard()
    keyboard.setCapsLock(true)
    let sink = try sink(keyboard) { $0.typing.layout = layout }
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next(characters)) == .delivered)
    let host = try #require(KeyboardHost(layout, capsLock: true))
    host.receive(keyboard.events)
    #expect(host.takeText() == characters + "\r")
    #expect(host.capsLockIsOn)
    #expect(try await keyboard.readCapsLock() == true)
  }

  @Test(arguments: [false, true])
  func `Caps Lock that the host has not shown is found by pressing it twice`(_ isOn: Bool) async throws {
    let keyboard = SimulatedKeyboard()
    keyboard.setCapsLock(isOn)
    keyboard.hideCapsLock()
    let sink = try sink(keyboard)
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next("Ab")) == .delivered)
    let host = try #require(KeyboardHost("us", capsLock: isOn))
    host.receive(keyboard.events)
    #expect(host.takeText() == "Ab\r")
    #expect(host.capsLockIsOn == isOn)
    #expect(keyboard.events.count { $0.key == 58 && $0.isDown } == (isOn ? 4 : 2))
  }

  @Test func `a host that never shows Caps Lock is asked once`() async throws {
    let keyboard = SimulatedKeyboard()
    keyboard.hideCapsLock(forever: true)
    let sink = try sink(keyboard)
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next("Ab")) == .delivered)
    #expect(await sink.deliver(scans.next("Cd")) == .delivered)
    #expect(try typed(keyboard) == "Ab\rCd\r")
    #expect(keyboard.events.count { $0.key == 58 && $0.isDown } == 2)
  }

  @Test func `Caps Lock that a broken text has left off is on after the next`() async throws {
    let keyboard = SimulatedKeyboard()
    keyboard.setCapsLock(true)
    let sink = try sink(keyboard)
    var scans = ScanMaker()
    let scan = scans.next("4006381333931")
    // Caps Lock and two digits.
    keyboard.breakOff(after: 6)
    guard case .retry = await sink.deliver(scan) else {
      Issue.record("it was broken off")
      return
    }
    #expect(try await keyboard.readCapsLock() == false)
    #expect(await sink.deliver(scan) == .delivered)
    #expect(try await keyboard.readCapsLock() == true)
  }

  @Test func `nothing is typed at a host whose Caps Lock stays on`() async throws {
    let keyboard = SimulatedKeyboard()
    keyboard.setCapsLock(true, followsKey: false)
    let sink = try sink(keyboard)
    var scans = ScanMaker()
    guard case .retry(nil, let problem) = await sink.deliver(scans.next("1")) else {
      Issue.record("it would have the wrong case")
      return
    }
    #expect(problem.summary == "simulated: the host's Caps Lock stays on")
    #expect(keyboard.events == KeyEvent.capsLockPress)
  }

  @Test(
    arguments: zip(
      KeyboardSettings.Interruption.allCases,
      ["40\r4006381333931\r", "404006381333931\r", "404006381333931\r"]))
  func `a text that breaks off is ended, repeated or left to someone`(
    _ interruption: KeyboardSettings.Interruption, _ text: String
  ) async throws {
    let keyboard = SimulatedKeyboard()
    let sink = try sink(keyboard) { $0.interruption = interruption }
    var scans = ScanMaker()
    let scan = scans.next("4006381333931")
    // Four keys go down or up: two digits.
    keyboard.breakOff(after: 4)
    let outcome = await sink.deliver(scan)
    switch (interruption, outcome) {
    case (.park, .parked(let problem, isFinal: true)), (.endAndRepeat, .retry(nil, let problem)),
      (.repeat, .retry(nil, let problem)):
      #expect(problem.summary == "simulated: broke off; the host may have a part of the scan")
    default: Issue.record("\(interruption): \(outcome)")
    }
    #expect(await sink.deliver(scan) == .delivered)
    #expect(try typed(keyboard) == text)
    // A text is ended once.
    #expect(await sink.deliver(scans.next("5")) == .delivered)
    #expect(try typed(keyboard) == text + "5\r")
  }
}
