// A test of the controller is a conversation: what happened, what is to be done about it. This is the notebook.

import BarcodeTypes
import ScanControl
import Testing

/// A controller with the time of day and everything it has asked for.
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

  /// The configuration is read again: another controller takes this one's place.
  mutating func reload(_ change: (inout ScanSettings) -> Void = { _ in }) {
    var settings = controller.settings
    change(&settings)
    controller = ScanController(settings: settings, after: controller)
  }

  /// Lets time pass, tells what happened and compares what is to be done.
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

  /// A frame of the present capture run, 100 ms after what was before.
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

  /// The results that the last frame must have led to.
  func results(_ codes: ScannedCode..., frameCount: Int = 1) -> [ScanResult] {
    let frame = FrameReport(run: 0, sequence: sequence, capturedAt: now, sightings: [])
    return codes.map { ScanResult(Sighting(code: $0, corners: .anywhere), in: frame, frameCount: frameCount) }
  }

  /// How often an action was asked for.
  func count(_ action: Action) -> Int { allActions.count { $0 == action } }

  /// Goes all the way from the start of the service to recording.
  mutating func startScanning() {
    tell(.serviceStarted)
    tell(.torchObserved(isOn: false))
    tell(.permissionReported(.authorized))
    reachRecording()
  }

  /// From a presented scanner to recording.
  mutating func reachRecording() {
    tell(.scannerAppeared)
    if controller.camera.state == .notLoaded { tell(.cameraLoaded) }
    tell(.captureStarted(run: controller.camera.run))
    #expect(controller.session == .scanning)
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
