// Labels held in front of a camera, frame by frame: they come in from the side, tremble, are sometimes blurred, and leave.
// Each presentation is one scan regardless of the number of frames, and a misread of a single frame must not become a scan.

import BarcodeDecoder
import BarcodeTypes
import ScanControl
import TestScenes
import Testing

@testable import ScanLoop

@Suite(.timeLimit(.minutes(5))) struct PresentationSequenceTests {
  private static let width = 320
  private static let height = 120

  /// Frames of a presentation: in from the left, held, out to the right.
  private func presentation(_ label: [UInt8], _ noise: inout SeededNoise) -> [[UInt8]] {
    let places = [-240, -160, -80, -30] + (0..<8).map { _ in Int(noise.next() % 9) - 4 } + [40, 120, 200, 280]
    return places.enumerated().map { number, place in
      var frame = [UInt8](repeating: 110, count: Self.width * Self.height)
      let isBlurred = number % 5 == 4
      for y in 0..<Self.height {
        for x in 0..<Self.width {
          func pixel(_ x: Int) -> Int {
            let source = x - place
            return source >= 0 && source < Self.width ? Int(label[y * Self.width + source]) : 110
          }
          let value = isBlurred ? (-3...3).reduce(0) { $0 + pixel(x + $1) } / 7 : pixel(x)
          frame[y * Self.width + x] = UInt8(max(0, min(255, value + Int(noise.next() % 17) - 8)))
        }
      }
      return frame
    }
  }

  @Test(
    arguments: [
      (.ean13, ["4006381333931", "5901234123457"]), (.itf, ["0123456789", "9876543210"]), (.qr, ["SHELF-17", "SHELF-18"]),
      (.code128, ["PALLET-17", "PALLET-18"]),
    ] as [(Symbology, [String])])
  func `each presentation is one scan, however many frames see the label, and nothing else is scanned`(
    symbology: Symbology, texts: [String]
  ) throws {
    let labels = try texts.map { text in
      var scene = CameraScene(symbology, text)
      (scene.width, scene.height, scene.modulePixels) = (Self.width, Self.height, symbology == .qr ? 4 : 2)
      return try scene.draw()
    }
    var settings = ScanSettings()
    settings.repeatAbsence = .milliseconds(300)
    var session = RecordedSession(settings)
    var decoderSettings = DecoderSettings()
    decoderSettings.effort = .frame
    let reading = DecoderReading(
      settings: decoderSettings, pixelCountMax: Self.width * Self.height)
    var noise = SeededNoise(seed: 17)
    // The same label again after an absence, then another one immediately, then the first one again.
    let order = [0, 0, 1, 0]
    var readCount = 0
    var frameCount = 0
    for label in order {
      let frames = presentation(labels[label], &noise)
      for frame in frames {
        var sightings: [Sighting] = []
        frame.withUnsafeBufferPointer { luma in
          guard let base = luma.baseAddress else { return }
          let view = LumaView(base: base, width: Self.width, height: Self.height, bytesPerRow: Self.width)
          _ = reading.read(view, region: nil, at: Instant(nanoseconds: 0), into: &sightings)
        }
        readCount += sightings.count
        frameCount += 1
        session.frame(sightings)
      }
      for _ in 0..<10 { session.frame([]) }
    }
    print(
      "\(symbology): \(order.count) presentations, \(frameCount) frames, \(readCount) reads, \(session.texts.count) scans")
    #expect(session.texts == order.map { texts[$0] })
    #expect(readCount > 4 * order.count)
  }

  /// A worse reader than any real one: it misreads one digit in 3 of 100 frames. Votes must reject these.
  @Test func `voting rejects misreads of single frames and loses no presentation`() {
    func run(votes: Int) -> (wrong: Int, missed: Int, doubled: Int, outvoted: Int) {
      var settings = ScanSettings()
      settings.repeatAbsence = .milliseconds(300)
      settings.votes.frameCount = votes
      var session = RecordedSession(settings)
      var noise = SeededNoise(seed: 3)
      var (wrong, missed, doubled) = (0, 0, 0)
      for number in 0..<1000 {
        let text = "\(1_000_000_000 + number)"
        let before = session.texts.count
        for _ in 0..<20 {
          let chance = noise.next() % 100
          var digits = Array(text)
          if chance < 3 { digits[Int(noise.next() % 10)] = Character("\(noise.next() % 10)") }
          session.frame(chance < 70 ? [Sighting(code: code(String(digits)), corners: corners)] : [])
        }
        for _ in 0..<10 { session.frame([]) }
        let scans = session.texts[before...]
        wrong += scans.count { $0 != text }
        missed += scans.contains(text) ? 0 : 1
        doubled += max(0, scans.count { $0 == text } - 1)
      }
      return (wrong, missed, doubled, session.outvotedCount)
    }
    let single = run(votes: 1)
    let voted = run(votes: 2)
    print("1000 presentations, 3 % of frames misread. One frame: \(single). Two that agree: \(voted)")
    #expect(single.wrong > 300)
    // The remaining errors have the same digit misread in the same way twice within half a second.
    #expect(voted.wrong <= single.wrong / 50 && voted.missed == 0 && voted.doubled == 0 && voted.outvoted > 300)
  }

  private func code(_ text: String) -> ScannedCode {
    ScannedCode(symbology: .itf, payload: Array(text.utf8), text: text, mark: .search)
  }

  private var corners: Quad {
    let corner = PixelPoint(x: Fixed16(10), y: Fixed16(20))
    return Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)
  }
}
