// The keys of the keyboard.

import BarcodeMessage
import Delivery

extension SinkKind {
  static let keyboard = SinkKind(
    word: "keyboard", example: "keyboard: {layout: us}",
    keys: [
      .keyboardDevice, .keyboardLayout, .keyboardFallback, .keyboardPause, .keyboardInterrupted, .keyboardPrefix,
      .keyboardSuffix, .keyboardControlCharacters, .keyboardAIM,
    ]
  ) { section, reading in
    var settings = KeyboardSettings()
    settings.device = reading.text(.keyboardDevice, as: "\(section).device") ?? settings.device
    if settings.device != KeyboardSettings.desktopDevice, !settings.isOnUSB {
      reading.report(
        "\(section).device is \"\(settings.device)\"; it must be /dev/uinput, for this machine's desktop, or /dev/hidg0 to "
          + "/dev/hidg9, for the host on the USB cable", at: reading.place(of: "\(section).device"))
    }
    settings.typing.layout = reading.choice(.keyboardLayout, "\(section).layout") ?? settings.typing.layout
    settings.typing.fallback =
      reading.choice(.keyboardFallback, TypingSettings.Fallback.self, "\(section).fallback") ?? settings.typing.fallback
    settings.pause = reading.duration(.keyboardPause, "\(section).pause") ?? settings.pause
    if !settings.isOnUSB, settings.pause < shortestDesktopPause {
      reading.report(
        "\(section).pause is too short; with /dev/uinput it must be at least 1 ms, as the kernel drops keys that a desktop does "
          + "not read in time", at: reading.place(of: "\(section).pause"))
    }
    settings.interruption =
      reading.choice(.keyboardInterrupted, KeyboardSettings.Interruption.self, "\(section).interrupted")
      ?? settings.interruption
    settings.typing.prefix = reading.choices(.keyboardPrefix, NamedKey.self, "\(section).prefix_keys")
    settings.typing.suffix = reading.choices(.keyboardSuffix, NamedKey.self, "\(section).suffix_keys")
    let rule = reading.choice(.keyboardControlCharacters, "\(section).control_characters")
    settings.controlCharacters = rule.flatMap { ControlCharacterRule(rawValue: $0) } ?? settings.controlCharacters
    settings.typing.typesChords = settings.controlCharacters == .send
    settings.sendsAIMIdentifier = reading.flag(.keyboardAIM, "\(section).aim")
    return settings
  }

  private static let shortestDesktopPause = Duration.milliseconds(1)
}

extension ConfigurationKey {
  static let keyboardDevice = Self(
    "sinks[].keyboard.device", .text(100), KeyboardSettings.desktopDevice,
    "The keyboard's device: /dev/uinput types on this machine's desktop, /dev/hidg0 on the host at the USB cable, as set up by "
      + "reticle gadget install.")
  static let keyboardLayout = Self(
    "sinks[].keyboard.layout", .choice(KeyboardLayout.names), "us", "The keyboard layout of the host.")
  static let keyboardFallback = Self(
    "sinks[].keyboard.fallback", .choice(words(TypingSettings.Fallback.self)), "refuse",
    "Types characters that the layout lacks: not at all, which rejects the scan; by Alt and a number, for Windows; by Ctrl, "
      + "Shift and U, for Linux desktops; or as a question mark.")
  static let keyboardPause = Self(
    "sinks[].keyboard.pause", .duration(.zero ... .seconds(1)), "5 ms",
    "The pause after each key that goes up; at least 1 ms with /dev/uinput.")
  static let keyboardInterrupted = Self(
    "sinks[].keyboard.interrupted", .choice(words(KeyboardSettings.Interruption.self)), "end and repeat",
    "After a scan was typed in part: types the suffix keys and then the scan from its beginning, or only that, or parks the "
      + "sink until reticle outbox retry.")
  static let keyboardPrefix = Self(
    "sinks[].keyboard.prefix_keys", .choices(words(NamedKey.self)), "",
    "Keys pressed before each scan, such as [f2].")
  static let keyboardSuffix = Self(
    "sinks[].keyboard.suffix_keys", .choices(words(NamedKey.self)), "enter", "Keys pressed after each scan.")
  static let keyboardControlCharacters = Self(
    "sinks[].keyboard.control_characters", .choice(["remove", "escape", "send"]), "remove",
    "The treatment of control characters in the data. With send they become chords with Ctrl, which a label can abuse.")
  static let keyboardAIM = Self(
    "sinks[].keyboard.aim", .flag, "false", "Types the AIM symbology identifier, such as ]E0, before the data.")
}
