// The keys of the keyboard and of the USB scanner.

import BarcodeMessage
import Sinks

extension SinkKind {
  static let keyboard = SinkKind(word: "keyboard", example: "keyboard: {layout: us}", keys: keyboardKeys.rows) {
    section, reading in
    var settings = KeyboardSettings()
    keyboardKeys.read(section, &reading, into: &settings)
    if settings.device != KeyboardSettings.desktopDevice, !settings.isOnUSB {
      reading.report(
        "\(section).device is \"\(settings.device)\"; it must be /dev/uinput, for this machine's desktop, or /dev/hidg0 to "
          + "/dev/hidg9, for the host on the USB cable", at: reading.place(of: "\(section).device"))
    }
    if !settings.isOnUSB, settings.pause < shortestDesktopPause {
      reading.report(
        "\(section).pause is too short; with /dev/uinput it must be at least 1 ms, as the kernel drops keys that a desktop does "
          + "not read in time", at: reading.place(of: "\(section).pause"))
    }
    settings.typing.typesChords = settings.controlCharacters == .send
    return settings
  }

  private static let shortestDesktopPause = Duration.milliseconds(1)

  private static let keyboardKeys = KeySection(
    "sinks[].keyboard", KeyboardSettings(),
    [
      Field(
        "device", \.device, .text(100),
        "The keyboard's device: /dev/uinput types on this machine's desktop, /dev/hidg0 on the host at the USB cable, as "
          + "set up by reticle gadget install."),
      Field("layout", \.typing.layout, .choice(from: KeyboardLayout.names), "The keyboard layout of the host."),
      Field(
        "fallback", \.typing.fallback, .choice,
        "Types characters that the layout lacks: not at all, which rejects the scan; by Alt and a number, for Windows; "
          + "by Ctrl, Shift and U, for Linux desktops; or as a question mark."),
      Field(
        "pause", \.pause, .duration(.zero ... .seconds(1)),
        "The pause after each key that goes up; at least 1 ms with /dev/uinput."),
      Field(
        "interrupted", \.interruption, .choice,
        "After a scan was typed in part: types the suffix keys and then the scan from its beginning, or only that, or "
          + "parks the sink until reticle outbox retry."),
      Field("prefix_keys", \.typing.prefix, .choices(), "Keys pressed before each scan, such as [f2]."),
      Field("suffix_keys", \.typing.suffix, .choices(), "Keys pressed after each scan."),
      Field(
        "control_characters", \.controlCharacters, .choice(from: [.remove, .escape, .send]),
        "The treatment of control characters in the data. With send they become chords with Ctrl, which a label can abuse."),
      Field("aim", \.sendsAIMIdentifier, .flag, "Types the AIM symbology identifier, such as ]E0, before the data."),
    ])
}

extension SinkKind {
  static let hidPOS = SinkKind(word: "hid_pos", example: "hid_pos: {device: /dev/hidg1}", keys: hidPOSKeys.rows) {
    section, reading in
    var settings = HIDPOSSettings()
    hidPOSKeys.read(section, &reading, into: &settings)
    if settings.device.wholeMatch(of: /\/dev\/hidg[0-9]/) == nil {
      reading.report(
        "\(section).device is \"\(settings.device)\"; it must be /dev/hidg0 to /dev/hidg9, for the host on the USB cable",
        at: reading.place(of: "\(section).device"))
    }
    return settings
  }

  private static let hidPOSKeys = KeySection(
    "sinks[].hid_pos", HIDPOSSettings(),
    [
      Field(
        "device", \.device, .text(100),
        "The scanner's device, as reticle gadget status shows it: /dev/hidg1 beside a keyboard, otherwise /dev/hidg0."),
      Field(
        "interrupted", \.interruption, .choice,
        "After a scan that the host may have, whole or in part: sends it again from its beginning, under the same "
          + "sequence number, or parks the sink until reticle outbox retry."),
    ])
}
