// The rows of the table for the screen.

import ScanScreen

extension ConfigurationKey {
  static let screenOutput = Self(
    "screen.output", .choice(ScreenConfiguration.Output.allCases.map(\.rawValue)), "none",
    "The output of the screen: a panel through the kernel's modesetting, a PNG file per state, or none.", isCommon: true)
  static let screenCard = Self(
    "screen.card", .path(isPresent: false), "", "The graphics card. Default: the first with a connected panel.")
  static let screenConnector = Self(
    "screen.connector", .text(32), "", "The panel's connector, such as HDMI-A-1. Default: the first that is connected.")
  static let screenMode = Self(
    "screen.mode", .size, "", "The mode of the panel, or the size of PNG files. Default: the panel's preferred mode.")
  static let screenTerminal = Self(
    "screen.terminal", .path(isPresent: false), "",
    "The panel's virtual terminal, such as /dev/tty1: the station keeps it blank and restores it at the end.")
  static let screenFolder = Self(
    "screen.folder", .path(isPresent: false), "", "The folder for the files of output: png.")
  static let screenRotation = Self(
    "screen.rotation", .choice(ScreenConfiguration.turns), "0",
    "Clockwise rotation of the content on the panel, in degrees.")
  static let screenCameraRotation = Self(
    "screen.camera_rotation", .choice(ScreenConfiguration.turns), "0",
    "Clockwise rotation that turns the camera's picture upright, in degrees.")
  static let screenMirror = Self(
    "screen.mirror", .flag, "false", "Mirrors the camera's picture, for a camera that faces the user.")
  static let screenViewport = Self(
    "screen.viewport", .decimal(0.1...1), "0.62",
    "The side of the viewport as a fraction of the panel's shorter side; a viewport key overrides it. With output: png, "
      + "the default is the whole frame."
  )
  static let screenLanguage = Self(
    "screen.language", .choice(ScreenLanguage.allCases.map(\.rawValue)), "en", "The language of the screen's texts.",
    isCommon: true)
  static let screenFocusPadding = Self(
    "screen.focus_padding", .decimal(0...64), "8", "Space between a code and the focus frame, in 1/160 inch.")
  static let screenFocusDuration = Self(
    "screen.focus_duration", .duration(.zero ... .seconds(5)), "500 ms", "How long the focus frame takes to reach a code.")
  static let screenFocusPicture = Self(
    "screen.focus_picture", .path(isPresent: true), "", "A PNG file to show as the focus frame.")

  static let inputDevices = Self(
    "input.devices", .texts(16), "",
    "Keyboards at the screen to accept, by full or partial name, such as [Keypad]. Default: all. Devices that type like "
      + "scanners are always ignored."
  )

  static let screenColours: [(key: ConfigurationKey, set: @Sendable (inout ScreenColours, Colour) -> Void)] = [
    (colour("background", "The background of the idle screen."), { $0.background = $1 }),
    (colour("surface", "Cards, and the background of controls."), { $0.surface = $1 }),
    (colour("text", "Text."), { $0.text = $1 }),
    (colour("quiet_text", "Less important text."), { $0.quietText = $1 }),
    (colour("accent", "Recognised codes, and controls to press."), { $0.accent = $1 }),
    (colour("accent_text", "Text on the accent."), { $0.accentText = $1 }),
    (colour("border", "The viewport's border."), { $0.border = $1 }),
    (colour("darkening", "The darkening of the preview outside the viewport."), { $0.darkening = $1 }),
    (colour("warning", "The sign of an error."), { $0.warning = $1 }),
  ]

  static func screenText(_ text: ScreenText) -> ConfigurationKey {
    Self(
      "screen.texts.\(text.rawValue)", .text(ScreenWords.overrideCharacterCountMax), "",
      "Replaces the text \"\(text.words.english)\".")
  }

  private static func colour(_ name: String, _ summary: String) -> ConfigurationKey {
    Self("screen.colours.\(name)", .colour, "", summary)
  }

  /// Every key of the screen.
  static let screen: [ConfigurationKey] =
    [
      screenOutput, screenCard, screenConnector, screenMode, screenTerminal, screenFolder, screenRotation,
      screenCameraRotation, screenMirror, screenViewport, screenLanguage, screenFocusPadding, screenFocusDuration,
      screenFocusPicture, inputDevices,
    ] + screenColours.map(\.key) + ScreenText.allCases.map(screenText)
}
