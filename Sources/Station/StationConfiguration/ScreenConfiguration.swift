// The configuration of the screen, as values.

import BarcodeTypes
public import ScanScreen

/// The operator's settings for the screen.
public struct ScreenConfiguration: Equatable, Sendable {
  /// The output of the screen.
  public enum Output: String, CaseIterable, Equatable, Sendable { case none, kms, png }

  static let turns = ["0", "90", "180", "270"]

  public var output = Output.none
  public var card: String?
  public var connector: String?
  /// Nil for the panel's preferred mode.
  public var size: ScreenSize?
  public var terminal: String?
  /// The folder for PNG files.
  public var folder: String?
  public var settings = ScreenSettings()
  /// Whether the viewport is configured.
  public var isViewportWritten = false
  /// Parts of the names of accepted keyboards; empty for all.
  public var inputDevices: [String] = []

  public init() {}

  init(_ reading: inout ConfigurationReading, viewport: Viewport) {
    output = reading.choice(.screenOutput, Output.self) ?? output
    card = reading.path(.screenCard)
    connector = reading.text(.screenConnector)
    size = reading.size(.screenMode)
    terminal = reading.path(.screenTerminal)
    folder = reading.path(.screenFolder)
    settings.turn = Self.turn(reading.choice(.screenRotation))
    settings.camera = FrameOrientation(
      turn: Self.turn(reading.choice(.screenCameraRotation)), isMirrored: reading.flag(.screenMirror))
    let side = reading.decimal(.screenViewport) ?? ScreenLayout.viewportPart
    settings.viewport =
      reading.isWritten(ConfigurationKey.viewport.name)
      ? .frame(x: viewport.x, y: viewport.y, width: viewport.width, height: viewport.height) : .square(side)
    isViewportWritten =
      reading.isWritten(ConfigurationKey.viewport.name) || reading.isWritten(ConfigurationKey.screenViewport.name)
    inputDevices = reading.texts(.inputDevices)
    settings.focusFramePicture = reading.path(.screenFocusPicture)
    settings.style = Self.style(&reading)
    if output == .png, folder == nil, reading.isWritten(ConfigurationKey.screenOutput.name) {
      reading.noteMissing(ConfigurationKey.screenFolder.name, "the path of a folder for the PNG files")
    }
    #if !Screen
      if output != .none {
        reading.report("screen.output needs a build with the package trait Screen; build it so, or write none")
      }
    #endif
  }

  private static func style(_ reading: inout ConfigurationReading) -> ScreenStyle {
    var style = ScreenStyle()
    style.words.language = reading.choice(.screenLanguage, ScreenLanguage.self) ?? .english
    style.focusPadding = reading.decimal(.screenFocusPadding) ?? style.focusPadding
    if let (seconds, attoseconds) = reading.duration(.screenFocusDuration)?.components {
      style.focusDuration = Double(seconds) + Double(attoseconds) / 1e18
    }
    for (key, set) in ConfigurationKey.screenColours {
      if let colour = reading.colour(key) { set(&style.colours, colour) }
    }
    for text in ScreenText.allCases {
      if let words = reading.text(.screenText(text)) { style.words.overrides[text] = words }
    }
    return style
  }

  private static func turn(_ degrees: String?) -> QuarterTurn {
    QuarterTurn(quarters: UInt8(turns.firstIndex(of: degrees ?? "0") ?? 0))
  }
}
