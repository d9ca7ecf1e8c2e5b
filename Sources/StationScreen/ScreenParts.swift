// Start reading here: the screen of a station, put together.

import BarcodeTypes
public import Devices
package import Logging
package import ScanLoop
public import ScanScreen
package import ServiceLifecycle

/// What a station shows itself on.
public struct ScreenParts {
  public var screen: any Devices.Screen
  /// Makes a painter for a panel; nil if there is no memory for it.
  public var makePainter: (ScreenSize) -> (any OverlayPainting)?
  public var settings: ScreenSettings
  public var stationName: String
  /// Touches and keys, if there are any.
  public var input: (any ScreenInput)?
  /// Buttons that are wired to the station, beside the screen's own devices.
  public var buttons: Set<Button> = []
  /// Makes memory for frames that the screen's hardware reads; nil where it reads none.
  public var makeMemory: (@Sendable (_ byteCount: Int) -> SharedMemory?)?
  /// Makes a QR Code of a text; nil if it cannot.
  public var makeSymbol: (String) -> ModuleGrid? = { _ in nil }
  /// How often a screen that is not ours is tried.
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
  /// Where the loops that scan leave what is shown.
  package func makeFeed() -> ScreenFeed { ScreenFeed(viewport: settings.viewport, makeMemory: makeMemory) }

  /// The loops that show what the scanning ones leave in the feed, and hand in what is touched.
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
