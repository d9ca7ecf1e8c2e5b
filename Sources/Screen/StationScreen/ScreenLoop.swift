// One thread owns the screen: it shows the mailbox's news and waits for panels, for flips and for screens that other
// programs hold. No other thread waits for it.

import Devices
import Dispatch
import Glibc
import Logging
import ScanLoop
import ScanScreen
import ServiceLifecycle

/// The screen thread's equipment: made on one thread, then used only on the screen's thread.
struct ScreenEquipment {
  let screen: any Devices.Screen
  /// Creates a painter for a panel; nil if memory for it is not available.
  let makePainter: (ScreenSize) -> (any OverlayPainting)?
  let settings: ScreenSettings
  let stationName: String
  /// Buttons wired to the station.
  let buttons: Set<Button>
  /// Encodes a text as a QR Code; nil if that fails.
  let makeSymbol: (String) -> ModuleGrid?
  /// How often an unavailable screen is tried.
  let retryInterval: Duration
  let time: any DeviceTime
}

/// The screen loop as a service.
final class ScreenLoop: Service {
  /// How long the screen may take to close when the station ends; after that it is abandoned.
  static let quitLimit = Duration.seconds(2)

  let mailbox: ScreenMailbox
  private let thread: ScreenThread
  private let logger: Logger

  init(
    equipment: ScreenEquipment, mailbox: ScreenMailbox, gallery: FrameGallery, viewport: ViewportOwner,
    events: EventQueue, metrics: StationMetrics, logger: Logger
  ) {
    self.mailbox = mailbox
    self.logger = logger
    thread = ScreenThread(
      equipment: equipment, mailbox: mailbox, gallery: gallery, viewport: viewport, events: events, metrics: metrics,
      logger: logger)
  }

  func run() async {
    let thread = thread
    let running = AwaitedThread(named: "screen") { thread.serve() }
    try? await gracefulShutdown()
    mailbox.quit()
    if await !running.ends(within: Self.quitLimit) {
      logger.error("the screen did not close in time and is left behind", metadata: ["limit": "\(Self.quitLimit)"])
    }
  }
}
