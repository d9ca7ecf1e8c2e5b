// Scans that are typed. A keyboard hears nothing back but the light of Caps Lock: a scan counts as delivered when the host's system
// has its last key. Which window has the focus there is unknown.

import BarcodeMessage
public import DeliveryModel
public import Devices

/// A sink that types each scan's text.
///
/// A text with a character that cannot be typed is rejected before its first key.
public actor KeyboardSink: ScanSink {
  public nonisolated let name: String
  private let settings: KeyboardSettings
  private let keyboard: any KeyboardPort
  private let planner: KeyPlanner
  /// Whether the host may have the beginning of a text without its end.
  private var hasBrokenOff = false
  /// Whether Caps Lock was on at the host before the text, also before one that was broken off.
  private var hasSwitchedCapsLockOff = false
  /// Whether the host does not show Caps Lock even when the key is pressed.
  private var hidesCapsLock = false

  /// How long the host may take to show that Caps Lock was switched, and how often it is asked.
  static let capsLockLimit = Duration.seconds(1)
  private static let capsLockInterval = Duration.milliseconds(10)

  /// - Parameter keyboard: the sink is its only user.
  /// - Throws: that the layout is not installed.
  public init(settings: KeyboardSettings, keyboard: any KeyboardPort) throws(DeliveryProblem) {
    guard let planner = KeyPlanner(settings.typing) else {
      throw DeliveryProblem(
        "the keyboard layout \(settings.typing.layout) is not installed",
        remedy: "install xkb-data, or choose another layout")
    }
    self.settings = settings
    self.keyboard = keyboard
    self.planner = planner
    name = settings.name
  }

  public func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    for record in records {
      let outcome = await type(text(of: record))
      guard outcome == .delivered else { return outcome }
    }
    return .delivered
  }

  public func close() async { await keyboard.close() }

  private func type(_ text: String) async -> DeliveryOutcome {
    var plan: [KeyStroke]
    do throws(KeyPlanner.Refusal) {
      plan = try planner.plan(text)
    } catch {
      return .rejected(
        after: nil,
        DeliveryProblem(
          "\(error)", remedy: "set the sink's layout to the host's, or choose a fallback that the host understands"))
    }
    if hasBrokenOff, settings.interruption == .endAndRepeat { plan = planner.ending + plan }
    do throws(InputFailure) {
      try await keyboard.open()
      if try await findCapsLock() {
        hasSwitchedCapsLockOff = true
        try await switchCapsLock(on: false)
      }
      try await send(plan)
      if hasSwitchedCapsLockOff { await restoreCapsLock() }
      return .delivered
    } catch {
      await keyboard.close()
      return problem(error)
    }
  }

  private func send(_ plan: [KeyStroke]) async throws(InputFailure) {
    do throws(InputFailure) {
      try await keyboard.send(KeyEvent.events(of: plan), pause: settings.pause)
      hasBrokenOff = false
    } catch {
      if error.mayHaveArrived { hasBrokenOff = true }
      throw error
    }
  }

  private func problem(_ failure: InputFailure) -> DeliveryOutcome {
    guard hasBrokenOff else { return .retry(after: nil, DeliveryProblem(failure.summary, remedy: failure.remedy)) }
    let summary = failure.summary + "; the host may have a part of the scan"
    guard settings.interruption == .park else {
      return .retry(after: nil, DeliveryProblem(summary, remedy: failure.remedy))
    }
    return .parked(
      DeliveryProblem(summary, remedy: "clear the host's field, then run reticle outbox retry"), isFinal: true)
  }

  // MARK: Caps Lock

  /// Whether Caps Lock is on at the host. A host shows it when it changes: if it is unknown, the key is pressed twice.
  private func findCapsLock() async throws(InputFailure) -> Bool {
    if let isOn = try await keyboard.readCapsLock() { return isOn }
    guard !hidesCapsLock else { return false }
    guard let isOther = try await pressCapsLock(until: { $0 != nil }) else {
      // A phone, for example. The key is pressed again so that its Caps Lock is as before.
      try await keyboard.send(KeyEvent.capsLockPress, pause: settings.pause)
      hidesCapsLock = true
      return false
    }
    try await switchCapsLock(on: !isOther)
    return !isOther
  }

  /// Presses Caps Lock and waits until the host shows its new state: a text typed before would have the wrong case.
  private func switchCapsLock(on: Bool) async throws(InputFailure) {
    guard try await pressCapsLock(until: { $0 == on }) != on else { return }
    throw InputFailure(
      "\(keyboard.name): the host's Caps Lock stays \(on ? "off" : "on")",
      remedy: "switch it \(on ? "on" : "off") at the host; its Caps Lock key may have another function")
  }

  /// Presses Caps Lock and waits for the host to show a state, or for the limit; returns the last state shown.
  private func pressCapsLock(until isExpected: (Bool?) -> Bool) async throws(InputFailure) -> Bool? {
    try await keyboard.send(KeyEvent.capsLockPress, pause: settings.pause)
    var waited = Duration.zero
    while true {
      let isOn = try await keyboard.readCapsLock()
      guard !isExpected(isOn), waited < Self.capsLockLimit else { return isOn }
      try? await Task.sleep(for: Self.capsLockInterval)
      waited += Self.capsLockInterval
    }
  }

  /// Switches Caps Lock on again. The text has been typed: a failure does not matter to it, and the next scan asks the host.
  private func restoreCapsLock() async {
    hasSwitchedCapsLockOff = false
    do throws(InputFailure) { try await switchCapsLock(on: true) } catch {}
  }

  // MARK: The text

  private func text(of record: ScanRecord) -> String {
    let identifier = settings.sendsAIMIdentifier && record.noRead == nil ? record.aimIdentifier : ""
    // The operator wrote any control characters in a text for hosts.
    if let text = record.hostText { return identifier + text }
    var text = ""
    for scalar in record.text.unicodeScalars {
      if scalar.isASCII {
        text += String(decoding: settings.controlCharacters.bytes(for: UInt8(scalar.value)), as: UTF8.self)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return identifier + text
  }
}
