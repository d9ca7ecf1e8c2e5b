// The traces of scans in the station's log: that one occurred and, only if permitted, its text.

import Devices
import Logging
import ScanControl
import ScanLoop
import Station
import Testing

@Suite(.timeLimit(.minutes(1))) struct LogContentTests {
  @Test(arguments: [false, true], [false, true])
  func `the log shows a code's content only if that is allowed, and never for a lost scan`(isAllowed: Bool, isLost: Bool)
    async throws
  {
    let notebook = Notebook()
    var logger = notebook.logger
    logger.logLevel = .trace
    let basket = Basket()
    if isLost { basket.fill() }
    let camera = SimulatedCamera(
      script: ["A-PATIENT", "A-PATIENT"].map { .frame(picture(of: $0)) }, period: .milliseconds(1), time: BootTime())
    var parts = StationParts(source: camera, reading: TopRowReading(), forwarding: basket)
    parts.scan.logsBarcodeData = isAllowed
    let station = Station(settings: ScanSettings(), parts: parts, logger: logger, signals: [])
    async let run: Void = station.run()
    let line = isLost ? "critical a scan was not accepted and is lost" : "info scanned"
    while !notebook.text.contains(line) { try await Task.sleep(for: .milliseconds(2)) }
    await station.shutDown()
    try await run
    #expect(notebook.text.contains("A-PATIENT") == (isAllowed && !isLost), "\(notebook.text)")
  }
}
