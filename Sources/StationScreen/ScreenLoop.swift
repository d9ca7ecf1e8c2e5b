// One thread that owns the screen: it shows what the mailbox tells, and waits for panels, for flips and for screens that
// others hold. Nobody waits for it.

import Devices
import Dispatch
import Glibc
import Logging
import ScanLoop
import ScanScreen
import ServiceLifecycle

/// What the screen's thread works with. Made on one thread, used on the screen's own from then on.
struct ScreenEquipment {
  let screen: any Devices.Screen
  /// Makes a painter for a panel; nil if there is no memory for it.
  let makePainter: (ScreenSize) -> (any OverlayPainting)?
  let settings: ScreenSettings
  let stationName: String
  /// Buttons beside the screen.
  let buttons: Set<Button>
  /// Makes a QR Code of a text; nil if it cannot.
  let makeSymbol: (String) -> ModuleGrid?
  /// How often a screen that is not ours is tried.
  let retryInterval: Duration
  let time: any DeviceTime
}

/// The screen loop as a service.
final class ScreenLoop: Service {
  /// How long the screen may take to close when the station ends; one that takes longer is left behind.
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
    let (ended, continuation) = AsyncStream<Void>.makeStream()
    startThread(named: "screen") {
      thread.serve()
      continuation.finish()
    }
    try? await gracefulShutdown()
    mailbox.quit()
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await _ in ended {}
        return true
      }
      group.addTask {
        try? await Task.sleep(for: Self.quitLimit)
        return false
      }
      if await group.next() == false {
        logger.error("the screen did not close in time and is left behind", metadata: ["limit": "\(Self.quitLimit)"])
      }
      group.cancelAll()
    }
  }
}
