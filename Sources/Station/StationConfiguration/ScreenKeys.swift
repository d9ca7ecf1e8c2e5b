// The keys of the screen and its input devices.

import BarcodeTypes
import ScanScreen

extension ScreenConfiguration {
  static let keys = KeySection(
    "screen", ScreenConfiguration(),
    [
      Field(
        "output", \.output, .choice,
        "The output of the screen: a panel through the kernel's modesetting, a PNG file per state, or none.", isCommon: true),
      Field(
        "card", \.card, .optional(.path(isPresent: false)),
        "The graphics card. Default: the first with a connected panel."),
      Field(
        "connector", \.connector, .optional(.text(32)),
        "The panel's connector, such as HDMI-A-1. Default: the first that is connected."),
      Field(
        "mode", \.size, .optional(.size),
        "The mode of the panel, or the size of PNG files. Default: the panel's preferred mode."),
      Field(
        "terminal", \.terminal, .optional(.path(isPresent: false)),
        "The panel's virtual terminal, such as /dev/tty1: the station keeps it blank and restores it at the end."),
      Field("folder", \.folder, .optional(.path(isPresent: false)), "The folder for the files of output: png."),
      Field("rotation", \.settings.turn, .turn, "Clockwise rotation of the content on the panel, in degrees."),
      Field(
        "camera_rotation", \.settings.camera.turn, .turn,
        "Clockwise rotation that turns the camera's picture upright, in degrees."),
      Field(
        "mirror", \.settings.camera.isMirrored, .flag, "Mirrors the camera's picture, for a camera that faces the user."),
      Field(
        "viewport", \.viewportSide, .decimal(0.1...1),
        "The side of the viewport as a fraction of the panel's shorter side; a viewport key overrides it. With output: "
          + "png, the default is the whole frame."),
      Field("language", \.settings.style.words.language, .choice, "The language of the screen's texts.", isCommon: true),
      Field(
        "focus_padding", \.settings.style.focusPadding, .decimal(0...64),
        "Space between a code and the focus frame, in 1/160 inch."),
      Field(
        "focus_duration", \.settings.style.focusDuration, .duration(.zero ... .seconds(5)),
        "How long the focus frame takes to reach a code."),
      Field(
        "focus_picture", \.settings.focusFramePicture, .optional(.path(isPresent: true)),
        "A PNG file to show as the focus frame."),
    ])

  static let inputKeys = KeySection(
    "", ScreenConfiguration(),
    [
      Field(
        "input.devices", \.inputDevices, .texts(16),
        "Keyboards at the screen to accept, by full or partial name, such as [Keypad]. Default: all. Devices that type "
          + "like scanners are always ignored.")
    ])

  static let colourKeys = KeySection(
    "screen.colours", ScreenColours(),
    [
      Field("background", \.background, .colour, "The background of the idle screen."),
      Field("surface", \.surface, .colour, "Cards, and the background of controls."),
      Field("text", \.text, .colour, "Text."),
      Field("quiet_text", \.quietText, .colour, "Less important text."),
      Field("accent", \.accent, .colour, "Recognised codes, and controls to press."),
      Field("accent_text", \.accentText, .colour, "Text on the accent."),
      Field("border", \.border, .colour, "The viewport's border."),
      Field("darkening", \.darkening, .colour, "The darkening of the preview outside the viewport."),
      Field("warning", \.warning, .colour, "The sign of an error."),
    ])

  static let textKeys = KeySection(
    "screen.texts", ScreenWords(),
    ScreenText.allCases.map { text in
      Field(
        text.rawValue, \.overrides[text], .optional(.text(ScreenWords.overrideCharacterCountMax)),
        "Replaces the text \"\(text.words.english)\".")
    })

  /// The rows of these keys in the table.
  static var rows: [ConfigurationKey] { keys.rows + inputKeys.rows + colourKeys.rows + textKeys.rows }
}

extension ValueForm<QuarterTurn> {
  fileprivate static let turn = words(
    (0..<4).map { (quarters: Int) in ("\(quarters * 90)", QuarterTurn(quarters: UInt8(quarters))) })
}

extension ValueForm<Colour> {
  /// Written, but not shown as a default.
  fileprivate static let colour = Self(.colour, { Colour(hexadecimal: $0) }) { _ in "" }
}
