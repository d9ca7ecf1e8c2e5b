// Start reading here: the screen of a station, assembled.

import BarcodeTypes
public import Devices
package import Logging
package import ScanLoop
public import ScanScreen
package import ServiceLifecycle

/// The equipment of a station's screen.
public struct ScreenParts {
  public var screen: any Devices.Screen
  /// Creates a painter for a panel; nil if memory for it is not available.
  public var makePainter: (ScreenSize) -> (any OverlayPainting)?
  public var settings: ScreenSettings
  public var stationName: String
  /// Touches and keys, if any.
  public var input: (any ScreenInput)?
  /// Buttons wired to the station, in addition to the screen's own devices.
  public var buttons: Set<Button> = []
  /// Allocates memory for frames that the screen's hardware reads; nil if it reads none.
  public var makeMemory: (@Sendable (_ byteCount: Int) -> SharedMemory?)?
  /// Encodes a text as a QR Code; nil if that fails.
  public var makeSymbol: (String) -> ModuleGrid? = { _ in nil }
  /// How often an unavailable screen is tried.
  public var retryInterval = Duration.milliseconds(500)

  public init(
    screen: any Devices.Screen, settings: ScreenSettings, stationName: String,
    makePainter: @escaping (ScreenSize) -> (any OverlayPainting)?
  ) {
    self.screen = screen
    self.settings = settings
    self.stationName = stationName
    self.makePainter = makePainter
  }
}

extension ScreenParts {
  /// The feed in which the scanning loops leave content for the screen.
  package func makeFeed() -> ScreenFeed { ScreenFeed(viewport: settings.viewport, makeMemory: makeMemory) }

  /// The loops that show the feed's content and pass on touches.
  package func services(of loops: ScanLoops, _ feed: ScreenFeed, logger: Logger) -> [any Service] {
    let equipment = ScreenEquipment(
      screen: screen, makePainter: makePainter, settings: settings, stationName: stationName, buttons: buttons,
      makeSymbol: makeSymbol, retryInterval: retryInterval, time: loops.time)
    var services: [any Service] = [
      ScreenLoop(
        equipment: equipment, mailbox: feed.mailbox, gallery: feed.gallery, viewport: loops.viewport,
        events: loops.events, metrics: loops.metrics, logger: logger)
    ]
    if let input {
      services.append(ScreenInputLoop(input: input, mailbox: feed.mailbox, events: loops.events, time: loops.time))
    }
    return services
  }
}
