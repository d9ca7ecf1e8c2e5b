// The rows of the table for the screen.

import ScanScreen

extension ConfigurationKey {
  static let screenOutput = Self(
    "screen.output", .choice(ScreenConfiguration.Output.allCases.map(\.rawValue)), "none",
    "Where the station shows itself: on a panel through the kernel's modesetting, in a PNG file for each state, or nowhere.")
  static let screenCard = Self(
    "screen.card", .path(isPresent: false), "", "The graphics card; without it the first with a connected panel.")
  static let screenConnector = Self(
    "screen.connector", .text(32), "", "The panel's connector, such as HDMI-A-1; without it the first that is connected.")
  static let screenMode = Self(
    "screen.mode", .size, "", "The mode of the panel, or the size of PNG files; without it what the panel prefers.")
  static let screenTerminal = Self(
    "screen.terminal", .path(isPresent: false), "",
    "The virtual terminal that the panel also shows, such as /dev/tty1: it is kept dark and given back at the end.")
  static let screenFolder = Self(
    "screen.folder", .path(isPresent: false), "", "The folder in which output: png writes its files.")
  static let screenRotation = Self(
    "screen.rotation", .choice(ScreenConfiguration.turns), "0",
    "Degrees by which the content is turned clockwise on the panel.")
  static let screenCameraRotation = Self(
    "screen.camera_rotation", .choice(ScreenConfiguration.turns), "0",
    "Degrees by which the camera's picture is turned clockwise to be upright.")
  static let screenMirror = Self(
    "screen.mirror", .flag, "false", "Whether the camera's picture is shown mirrored, as for a camera that faces the user.")
  static let screenViewport = Self(
    "screen.viewport", .decimal(0.1...1), "0.62",
    "The side of the viewport in parts of the panel's shorter side; a viewport key takes its place. With output: png, the whole frame unless it is written."
  )
  static let screenLanguage = Self(
    "screen.language", .choice(ScreenLanguage.allCases.map(\.rawValue)), "en", "The language of the screen's texts.")
  static let screenFocusPadding = Self(
    "screen.focus_padding", .decimal(0...64), "8", "Space between a code and the focus frame, in 160ths of an inch.")
  static let screenFocusDuration = Self(
    "screen.focus_duration", .duration(.zero ... .seconds(5)), "500 ms", "How long the focus frame takes to reach a code.")
  static let screenFocusPicture = Self(
    "screen.focus_picture", .path(isPresent: true), "", "A PNG file that is shown as the focus frame.")

  static let inputDevices = Self(
    "input.devices", .texts(16), "",
    "Names, or parts of names, of the keyboards at the screen whose keys count, such as [Keypad]; without it all. What types like a scanner never counts."
  )

  static let screenColours: [(key: ConfigurationKey, set: @Sendable (inout ScreenColours, Colour) -> Void)] = [
    (colour("background", "The idle screen."), { $0.background = $1 }),
    (colour("surface", "Cards, and the ground of controls."), { $0.surface = $1 }),
    (colour("text", "Text."), { $0.text = $1 }),
    (colour("quiet_text", "Less important text."), { $0.quietText = $1 }),
    (colour("accent", "What was recognised and what is to be pressed."), { $0.accent = $1 }),
    (colour("accent_text", "Text on the accent."), { $0.accentText = $1 }),
    (colour("border", "The viewport's border."), { $0.border = $1 }),
    (colour("darkening", "What lies over the preview outside the viewport."), { $0.darkening = $1 }),
    (colour("warning", "The sign of an error."), { $0.warning = $1 }),
  ]

  static func screenText(_ text: ScreenText) -> ConfigurationKey {
    Self(
      "screen.texts.\(text.rawValue)", .text(ScreenWords.overrideCharacterCountMax), "",
      "In place of \"\(text.words.english)\".")
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
