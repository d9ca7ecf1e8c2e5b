// Measures the effect of votes and presence: presentations are drawn and read once, frame by frame, and the readings go
// through the controller with different settings.
//
//   sequence-lab measure COUNT [SEED]            prints a table
//   sequence-lab retail COUNT [SEED]             prints times from presentation to output
//   sequence-lab frames COUNT SEED FOLDER        writes the frames as pictures, with their contents

import BarcodeDecoder
import BarcodeTypes
import Foundation
import ScanControl
import ScanLoop
import StationConfiguration
import TestScenes

/// The codes read in each frame.
struct Recording {
  struct Shown {
    var symbology: Symbology
    var text: String
    /// Seconds of an empty view before it.
    var gap: Double
    var firstFrame: Int
  }

  private(set) var shown: [Shown] = []
  private(set) var frames: [[Sighting]] = []

  init(count: Int, seed: UInt64) throws {
    var sequence = Sequence(seed: seed)
    let reading = DecoderReading(
      settings: StationConfiguration().decoder, pixelCountMax: Sequence.width * Sequence.height)
    var gap = 60.0
    while shown.count < count {
      let presentation = try sequence.next()
      shown.append(
        Shown(symbology: presentation.symbology, text: presentation.text, gap: gap, firstFrame: frames.count))
      for frame in presentation.frames {
        var sightings: [Sighting] = []
        frame.withUnsafeBufferPointer { luma in
          guard let base = luma.baseAddress else { return }
          let view = LumaView(base: base, width: Sequence.width, height: Sequence.height, bytesPerRow: Sequence.width)
          _ = reading.read(view, region: nil, at: Instant(nanoseconds: 0), into: &sightings)
        }
        frames.append(sightings)
      }
      for _ in 0..<presentation.gapCount { frames.append([]) }
      gap = Double(presentation.gapCount) / Double(Sequence.framesPerSecond)
    }
  }

  /// Misread texts: each once per presentation, with its number of frames.
  var misreads: [String] {
    shown.enumerated().flatMap { index, label -> [String] in
      let end = index + 1 < shown.count ? shown[index + 1].firstFrame : frames.count
      var counts: [String: Int] = [:]
      for sighting in frames[label.firstFrame..<end].joined() where !Self.isRight(sighting.code.text, label) {
        counts["\(sighting.code.symbology.name) \(sighting.code.text)", default: 0] += 1
      }
      return counts.sorted { $0.key < $1.key }.map {
        "presentation \(index), \(label.symbology.name) \(label.text): \($0.value) frames read \($0.key)"
      }
    }
  }

  /// Whether a text is that of a label; decoders add check digits.
  static func isRight(_ text: String, _ label: Shown) -> Bool {
    switch label.symbology {
    // An EAN-13 number that begins with 0 is a UPC-A number.
    case .ean13: text.hasPrefix(label.text) || ("0" + text).hasPrefix(label.text)
    case .upce: text.dropLast() == label.text || text == label.text
    case .codabar: text == label.text || text == label.text.dropFirst().dropLast()
    default: text == label.text
    }
  }
}

/// The results of a setting for a recording.
struct Outcome {
  var once = 0
  /// Scanned again without having been absent.
  var doubled = 0
  /// The same label again after less than the time of absence, and therefore not scanned again.
  var merged = 0
  /// Not scanned, although read in at least one frame.
  var missed = 0
  var wrong = 0
  /// Frames from the first one that reads a label to its scan.
  var waited = 0

  init(_ recording: Recording, votes: Int, absence: Duration) {
    var settings = ScanSettings()
    settings.votes.frameCount = votes
    settings.repeatAbsence = absence
    let scans = Self.play(recording, settings)
    let frames = recording.frames
    for (index, label) in recording.shown.enumerated() {
      let end = index + 1 < recording.shown.count ? recording.shown[index + 1].firstFrame : frames.count
      let mine = scans.filter { $0.frame >= label.firstFrame && $0.frame < end }
      let right = mine.filter { Recording.isRight($0.text, label) }
      wrong += mine.count - right.count
      let first = (label.firstFrame..<end).first { frames[$0].contains { Recording.isRight($0.code.text, label) } }
      if let scan = right.first, let first {
        once += right.count == 1 ? 1 : 0
        doubled += right.count - 1
        waited += scan.frame - first
      } else if first != nil {
        let isSame = index > 0 && recording.shown[index - 1].text == label.text
        // A label leaves the view some frames before the view is empty, and arrives some frames after.
        let (seconds, attoseconds) = absence.components
        if isSame, label.gap < Double(seconds) + Double(attoseconds) / 1e18 { merged += 1 } else { missed += 1 }
      }
    }
  }

  private static func play(_ recording: Recording, _ settings: ScanSettings) -> [(frame: Int, text: String)] {
    var controller = ScanController(settings: settings)
    var now = Instant(nanoseconds: 1_000_000_000)
    for event in [.serviceStarted, .permissionReported(.authorized), .scannerAppeared, .cameraLoaded] as [Event] {
      _ = controller.handle(event, at: now)
    }
    _ = controller.handle(.captureStarted(run: controller.camera.run), at: now)
    var scans: [(Int, String)] = []
    for (number, sightings) in recording.frames.enumerated() {
      now = now.advanced(by: .nanoseconds(1_000_000_000 / Int64(Sequence.framesPerSecond)))
      let report = FrameReport(
        run: controller.camera.run, sequence: UInt64(number), capturedAt: now, sightings: sightings)
      for action in controller.handle(.frameDecoded(report), at: now) {
        if case .forward(let results) = action { scans += results.map { (number, $0.code.text) } }
      }
    }
    return scans
  }
}

func measure(_ count: Int, _ seed: UInt64) throws {
  let recording = try Recording(count: count, seed: seed)
  let readCount = recording.frames.count { !$0.isEmpty }
  for misread in recording.misreads { print("misread: \(misread)") }
  let wrongFrames = recording.shown.enumerated().reduce(0) { sum, one in
    let next = one.offset + 1
    let end = next < recording.shown.count ? recording.shown[next].firstFrame : recording.frames.count
    return sum
      + recording.frames[one.element.firstFrame..<end].count {
        $0.contains { !Recording.isRight($0.code.text, one.element) }
      }
  }
  print("presentations=\(count) frames=\(recording.frames.count) read=\(readCount) misread=\(wrongFrames)")
  for votes in 1...3 {
    for milliseconds in [100, 250, 500, 1000, 2000] {
      let one = Outcome(recording, votes: votes, absence: .milliseconds(milliseconds))
      print(
        "votes=\(votes) absence=\(milliseconds) once=\(one.once) doubled=\(one.doubled) merged=\(one.merged) "
          + "missed=\(one.missed) wrong=\(one.wrong) waited=\(one.waited)")
    }
  }
}

/// Writes pictures, their contents to `labels` (symbology, text, seconds of an empty view after it), and the number of
/// frames for which each is shown to `play`.
func writeFrames(_ count: Int, _ seed: UInt64, _ folder: String) throws {
  var sequence = Sequence(seed: seed)
  var (labels, play) = ("", "")
  let empty = [UInt8](repeating: 110, count: Sequence.width * Sequence.height)
  for number in 0..<count {
    let presentation = try sequence.next()
    labels += "\(presentation.symbology.name) \(presentation.text) "
    labels += "\(Double(presentation.gapCount) / Double(Sequence.framesPerSecond))\n"
    for (index, luma) in (presentation.frames + [empty]).enumerated() {
      let name = "\(number)-\(index).pgm"
      try Data("P5 \(Sequence.width) \(Sequence.height) 255\n".utf8 + luma).write(to: URL(filePath: folder + "/" + name))
      play += "\(name) \(index < presentation.frames.count ? 1 : presentation.gapCount)\n"
    }
  }
  try labels.write(toFile: folder + "/labels", atomically: true, encoding: .utf8)
  try play.write(toFile: folder + "/play", atomically: true, encoding: .utf8)
}

let words = CommandLine.arguments.dropFirst()
let (count, seed) = (
  words.dropFirst().first.flatMap { Int($0) } ?? 100, words.dropFirst(2).first.flatMap { UInt64($0) } ?? 1
)
switch (words.first, words.count) {
case ("measure", 2...3): try measure(count, seed)
case ("retail", 2...3): try measureRetail(count, seed)
case ("frames", 4): try writeFrames(count, seed, words.last ?? ".")
default:
  print("usage: sequence-lab measure COUNT [SEED] | retail COUNT [SEED] | frames COUNT SEED FOLDER")
  exit(64)
}
