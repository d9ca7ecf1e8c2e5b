// The configuration of the screen, as values.

import BarcodeTypes
public import ScanScreen

/// The operator's settings for the screen.
public struct ScreenConfiguration: Equatable, Sendable {
  /// The output of the screen.
  public enum Output: String, CaseIterable, Equatable, Sendable { case none, kms, png }

  public var output = Output.none
  public var card: String?
  public var connector: String?
  /// Nil for the panel's preferred mode.
  public var size: ScreenSize?
  public var terminal: String?
  /// The folder for PNG files.
  public var folder: String?
  public var settings = ScreenSettings()
  /// The side of the viewport as a fraction of the panel's shorter side, if the viewport is not written.
  var viewportSide = ScreenLayout.viewportPart
  /// Whether the viewport is configured.
  public var isViewportWritten = false
  /// Parts of the names of accepted keyboards; empty for all.
  public var inputDevices: [String] = []

  public init() {}

  init(_ reading: inout ConfigurationReading, viewport: Viewport) {
    Self.keys.read(&reading, into: &self)
    isViewportWritten = reading.isWritten("viewport") || reading.isWritten("screen.viewport")
    settings.viewport =
      reading.isWritten("viewport")
      ? .frame(x: viewport.x, y: viewport.y, width: viewport.width, height: viewport.height) : .square(viewportSide)
    Self.inputKeys.read(&reading, into: &self)
    Self.colourKeys.read(&reading, into: &settings.style.colours)
    Self.textKeys.read(&reading, into: &settings.style.words)
    if output == .png, folder == nil, reading.isWritten("screen.output") {
      reading.noteMissing("screen.folder", "the path of a folder for the PNG files")
    }
    #if !Screen
      if output != .none {
        reading.report("screen.output needs a build with the package trait Screen; build it so, or write none")
      }
    #endif
  }
}
