// The time of a package from its presentation to its output, in each retail mode. Packages are drawn as held by hand and
// read frame by frame; the codes go through the controller with a simulated clock at the pace of a board.

import BarcodeDecoder
import BarcodeTypes
import ScanControl
import ScanLoop
import StationConfiguration
import TestScenes

/// Packages held steady enough to be read: they tremble and turn, some frames are smeared, the sensor has noise.
struct PackageRecording {
  enum Kind: String, CaseIterable { case ean = "EAN alone", matrix = "2D alone", both }

  static let width = 640
  static let height = 320
  /// One second at 30 frames per second: longer than a package may take.
  static let frameCount = 30
  /// The width of the EAN in the picture.
  private static let eanWidth = 360
  private static let background: UInt8 = 110

  /// The codes of each frame, at 30 frames per second, for each package.
  private(set) var packages: [[[Sighting]]] = []

  init(_ kind: Kind, count: Int, seed: UInt64) throws {
    var noise = SeededNoise(seed: seed)
    func number(_ range: ClosedRange<Int>) -> Int { range.lowerBound + Int(noise.next() % UInt64(range.count)) }
    let reading = DecoderReading(
      settings: StationConfiguration().decoder, pixelCountMax: Self.width * Self.height)
    for index in 0..<count {
      let article = String("4000000000000".prefix(12 - String(index).utf8.count)) + String(index)
      var poses: [[UInt8]] = []
      let (dark, light) = (Double(number(30...80)), Double(number(140...225)))
      let (rotation, tilt) = (Double(number(-30...30)), Double(number(0...20)) / 100)
      let (linearModule, matrixModule) = (Double(number(15...24)) / 10, Double(number(30...55)) / 10)
      let isQR = index % 2 == 0
      let turn = Double(number(-6...6))
      for rotation in [rotation, rotation + turn] {
        var ean = CameraScene(.ean13, article)
        ean.modulePixels = linearModule
        ean.width = Self.eanWidth
        var matrix = CameraScene(
          isQR ? .qr : .datamatrix,
          isQR
            ? "https://id.gs1.org/01/0\(Self.withCheckDigit(article))/21/\(index)"
            : "(01)0\(Self.withCheckDigit(article))(17)261130(21)\(index)", isGS1: !isQR)
        matrix.modulePixels = isQR ? matrixModule * 0.9 : matrixModule
        matrix.width = Self.width - Self.eanWidth
        var halves: [[UInt8]] = []
        for (var scene, isShown) in [(ean, kind != .matrix), (matrix, kind != .ean)] {
          scene.height = Self.height
          (scene.dark, scene.light, scene.rotation, scene.tilt) = (dark, light, rotation, tilt)
          halves.append(
            isShown ? try scene.draw() : [UInt8](repeating: Self.background, count: scene.width * scene.height))
        }
        poses.append(Self.joined(halves))
      }
      let level = number(2...10)
      packages.append(
        (0..<Self.frameCount).map { step in
          let frame = Self.frame(
            poses[step % 16 < 9 ? 0 : 1], shift: number(-2...2), smear: number(1...5) == 1 ? number(2...6) : 0, level, &noise
          )
          var sightings: [Sighting] = []
          frame.withUnsafeBufferPointer { luma in
            guard let base = luma.baseAddress else { return }
            let view = LumaView(base: base, width: Self.width, height: Self.height, bytesPerRow: Self.width)
            _ = reading.read(view, region: nil, at: Instant(nanoseconds: 0), into: &sightings)
          }
          return sightings
        })
    }
  }

  private static func withCheckDigit(_ digits: String) -> String {
    let sum = digits.utf8.enumerated().reduce(0) { $0 + Int($1.element - 0x30) * ($1.offset % 2 == 0 ? 1 : 3) }
    return digits + "\((10 - sum % 10) % 10)"
  }

  private static func joined(_ halves: [[UInt8]]) -> [UInt8] {
    (0..<height).flatMap { y -> [UInt8] in
      let right = width - eanWidth
      return Array(halves[0][y * eanWidth..<(y + 1) * eanWidth]) + halves[1][y * right..<(y + 1) * right]
    }
  }

  /// A pose that is moved sideways and smeared along its path, with the sensor's noise.
  private static func frame(
    _ pose: [UInt8], shift: Int, smear: Int, _ level: Int, _ noise: inout SeededNoise
  ) -> [UInt8] {
    var frame = pose
    for y in 0..<height {
      for x in 0..<width {
        var sum = 0
        for step in -smear / 2...smear - smear / 2 {
          sum += Int(pose[y * width + min(width - 1, max(0, x - shift + step))])
        }
        let random = noise.next()
        let grain = Int(random & 0xFFF) + Int(random >> 12 & 0xFFF) - 0xFFF
        frame[y * width + x] = UInt8(max(0, min(255, sum / (smear + 1) + grain * level / 1672)))
      }
    }
    return frame
  }
}

/// The times from presentation to output, over a recording.
struct PresentationTimes {
  /// From a decision to the last byte on the line: the outbox's write, and 14 characters at 9600 baud.
  static let outputTime = Duration.milliseconds(30)

  /// Times of the packages that were sent, in milliseconds, ascending.
  private(set) var milliseconds: [Double] = []
  /// Number of packages without any output.
  private(set) var lostCount = 0
  /// Number of packages sent more than once in a mode that sends a single code.
  private(set) var doubledCount = 0
  /// Number of packages whose 2D symbol was sent.
  private(set) var matrixCount = 0

  /// - Parameter framesPerSecond: 30, or a divisor of it. A frame is available one frame time after the beginning of its
  ///   exposure, and decoding takes another: the longest that keeps the camera's pace.
  init(_ recording: PackageRecording, _ retail: RetailSettings, framesPerSecond: Int, seed: UInt64) {
    var noise = SeededNoise(seed: seed)
    let period = Duration.nanoseconds(1_000_000_000 / Int64(framesPerSecond))
    let step = 30 / framesPerSecond
    for frames in recording.packages {
      var settings = ScanSettings()
      settings.retail = retail
      var controller = ScanController(settings: settings)
      let begin = Instant(nanoseconds: 1_000_000_000)
      for event in [.serviceStarted, .permissionReported(.authorized), .scannerAppeared, .cameraLoaded] as [Event] {
        _ = controller.handle(event, at: begin)
      }
      _ = controller.handle(.captureStarted(run: controller.camera.run), at: begin)
      // The package appears at some moment between two exposures.
      var exposure = begin.advanced(by: .nanoseconds(Int64(noise.next() % UInt64(1_000_000_000 / framesPerSecond))))
      var sent: [(at: Instant, codes: [ScannedCode])] = []
      func take(_ actions: [Action], at now: Instant) {
        for case .forward(let results) in actions { sent.append((now, results.map(\.code))) }
      }
      for number in stride(from: Int(noise.next() % UInt64(step)), to: frames.count, by: step) {
        let arrival = exposure.advanced(by: period).advanced(by: period)
        while let deadline = controller.nextDeadline, deadline < arrival {
          take(controller.handle(.timePassed, at: deadline), at: deadline)
        }
        let report = FrameReport(
          run: controller.camera.run, sequence: UInt64(number), capturedAt: exposure, sightings: frames[number])
        take(controller.handle(.frameDecoded(report), at: arrival), at: arrival)
        exposure = exposure.advanced(by: period)
      }
      guard let first = sent.first else {
        lostCount += 1
        continue
      }
      let time = begin.duration(to: first.at.advanced(by: Self.outputTime))
      milliseconds.append(Double(time.components.attoseconds) / 1e15 + Double(time.components.seconds) * 1e3)
      let codes = sent.flatMap(\.codes)
      if retail.mode != .all, codes.count > 1 { doubledCount += 1 }
      if codes.contains(where: { $0.symbology.family == .matrix }) { matrixCount += 1 }
    }
    milliseconds.sort()
  }

  /// The time within which this share of the packages is sent.
  func percentile(_ percent: Int) -> Double {
    milliseconds.isEmpty ? .infinity : milliseconds[min(milliseconds.count - 1, milliseconds.count * percent / 100)]
  }
}

/// Prints one line per kind of package, mode and frame rate, and the benefit of a longer wait.
func measureRetail(_ count: Int, _ seed: UInt64) throws {
  for kind in PackageRecording.Kind.allCases {
    let recording = try PackageRecording(kind, count: count, seed: seed)
    let frames = recording.packages.joined()
    print(
      "kind=\(kind.rawValue.replacing(" ", with: "-")) packages=\(count) frames=\(frames.count) read=\(frames.count { !$0.isEmpty })"
    )
    for rate in [30, 15] {
      for mode in RetailSettings.Mode.allCases {
        let times = PresentationTimes(recording, RetailSettings(mode: mode), framesPerSecond: rate, seed: seed)
        print(
          "kind=\(kind.rawValue.replacing(" ", with: "-")) mode=\(mode.rawValue) rate=\(rate)"
            + [50, 95, 99].map { " p\($0)=\(Int(times.percentile($0).rounded()))" }.joined()
            + " max=\(Int((times.milliseconds.last ?? .infinity).rounded())) lost=\(times.lostCount) doubled=\(times.doubledCount)"
        )
      }
      guard kind == .both else { continue }
      for milliseconds in [0, 50, 100, 150, 200, 300] {
        var retail = RetailSettings(mode: .preferred2D)
        retail.wait = .milliseconds(milliseconds)
        let times = PresentationTimes(recording, retail, framesPerSecond: rate, seed: seed)
        print("wait=\(milliseconds) rate=\(rate) matrix=\(times.matrixCount) p99=\(Int(times.percentile(99).rounded()))")
      }
    }
  }
}
