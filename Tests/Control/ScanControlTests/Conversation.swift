// Controller tests are conversations: an event, and the actions that it must cause. This type records them.

import BarcodeTypes
import ScanControl
import Testing

/// A controller with a simulated time and all its actions.
struct Conversation {
  private(set) var controller: ScanController
  private(set) var now = Instant(nanoseconds: 1_000_000_000)
  private(set) var allActions: [Action] = []
  private var sequence: UInt64 = 0

  init(_ change: (inout ScanSettings) -> Void = { _ in }) {
    var settings = ScanSettings()
    settings.repeatAbsence = .milliseconds(500)
    change(&settings)
    controller = ScanController(settings: settings)
  }

  /// Reloads the configuration: another controller replaces this one.
  ///
  /// - Parameter forgetsScans: as after a station without sinks.
  mutating func reload(forgetsScans: Bool = false, _ change: (inout ScanSettings) -> Void = { _ in }) {
    var settings = controller.settings
    change(&settings)
    var earlier = controller
    if forgetsScans { earlier.forgetScans() }
    controller = ScanController(settings: settings, after: earlier)
  }

  /// Restarts the station: another process's controller knows only which codes were in view.
  mutating func restart() { controller = ScanController(settings: controller.settings, left: Set(controller.codesInView)) }

  /// Lets time pass, sends an event and compares the controller's actions.
  mutating func expect(
    _ expected: [Action], on event: Event, after milliseconds: Int = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(tell(event, after: milliseconds) == expected, sourceLocation: sourceLocation)
  }

  @discardableResult
  mutating func tell(_ event: Event, after milliseconds: Int = 0) -> [Action] {
    now = now.advanced(by: .milliseconds(milliseconds))
    let actions = controller.handle(event, at: now)
    #expect(actions.count <= ScanController.actionCountMax)
    allActions += actions
    return actions
  }

  /// A frame of the current capture run, 100 ms after the previous event.
  mutating func frame(_ codes: ScannedCode..., after milliseconds: Int = 100) -> [Action] {
    now = now.advanced(by: .milliseconds(milliseconds))
    return tell(.frameDecoded(report(codes)))
  }

  /// The report of a frame exposed now.
  mutating func report(_ codes: [ScannedCode], run: UInt32? = nil) -> FrameReport {
    sequence += 1
    return FrameReport(
      run: run ?? controller.camera.run, sequence: sequence, capturedAt: now,
      sightings: codes.map { Sighting(code: $0, corners: .anywhere) })
  }

  /// The results that the last frame must have caused.
  func results(_ codes: ScannedCode..., frameCount: Int = 1) -> [ScanResult] {
    let frame = FrameReport(run: 0, sequence: sequence, capturedAt: now, sightings: [])
    return codes.map { ScanResult(Sighting(code: $0, corners: .anywhere), in: frame, frameCount: frameCount) }
  }

  /// How often the controller has requested an action.
  func count(_ action: Action) -> Int { allActions.count { $0 == action } }

  /// Goes through all steps from the start of the service to recording.
  mutating func startScanning() {
    tell(.serviceStarted)
    tell(.torchObserved(isOn: false))
    tell(.permissionReported(.authorized))
    reachRecording()
  }

  /// Goes from a presented scanner to recording.
  mutating func reachRecording() {
    tell(.scannerAppeared)
    if controller.camera.state == .notLoaded { tell(.cameraLoaded) }
    tell(.captureStarted(run: controller.camera.run))
    #expect(controller.session.isScanning)
  }
}

extension Quad {
  static let anywhere: Quad = {
    let corner = PixelPoint(x: Fixed16(10), y: Fixed16(20))
    return Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)
  }()
}

extension ScannedCode {
  init(_ symbology: Symbology, _ text: String, mark: ResultMark = .search) {
    self.init(symbology: symbology, payload: Array(text.utf8), text: text, mark: mark)
  }

  static let ean = ScannedCode(.ean13, "4006381333931")
  static let otherEAN = ScannedCode(.ean13, "5901234123457")
  static let label = ScannedCode(.code128, "PALLET-17")
  static let link = ScannedCode(.qr, "https://example.org/", mark: .link)
}

extension TorchCapability {
  static let full = TorchCapability(hasTorch: true, isAvailable: true, supportsOn: true, supportsOff: true)
}
