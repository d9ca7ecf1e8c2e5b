// Labels held by hand in front of a camera, frame by frame, reproducible by seed: they come in fast and smeared, are held,
// tremble and turn, go out of focus, are covered by a finger, leave, and may come again.

import BarcodeTypes
import TestScenes

/// A presentation of a label.
struct Presentation {
  var symbology: Symbology
  var text: String
  /// Frames of luma, each `Sequence.width` times `Sequence.height`.
  var frames: [[UInt8]]
  /// Number of frames of an empty view that follow.
  var gapCount: Int
}

/// Consecutive presentations. The share of each kind of trouble is meant to be hard on a scanner, not typical of any shop:
/// the purpose is to compare settings over the same frames.
struct Sequence {
  static let width = 480
  static let height = 320
  static let framesPerSecond = 30
  /// The symbologies shown: the weakly protected ones, and one of each other kind.
  static let symbologies: [Symbology] = [.itf, .code39, .codabar, .upce, .ean13, .code128, .qr]
  /// Durations of the empty view after a presentation, in tenths of a second.
  private static let gaps = [3, 5, 8, 12, 15, 20, 30]
  private static let background: UInt8 = 110

  private var noise: SeededNoise
  private var last: (symbology: Symbology, text: String)?

  init(seed: UInt64) { noise = SeededNoise(seed: seed) }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(noise.next() % UInt64(range.count))
  }

  private mutating func happens(percent: Int) -> Bool { number(1...100) <= percent }

  /// The next label; one in three repeats the last one.
  private mutating func label() -> (Symbology, String) {
    if let last, happens(percent: 33) { return last }
    let symbology = Self.symbologies[number(0...Self.symbologies.count - 1)]
    func digits(_ count: Int) -> String { (0..<count).map { _ in "\(noise.next() % 10)" }.joined() }
    let text =
      switch symbology {
      case .itf: digits(2 * number(3...7))
      case .codabar: "A" + digits(number(6...12)) + "B"
      // The last digit encodes how zeros were left out; with these, any digits may precede it.
      case .upce: "0" + digits(5) + "\(number(0...2))"
      case .ean13: digits(12)
      case .code39, .code128: "PART" + digits(number(4...8))
      default: "https://example.org/" + digits(8)
      }
    last = (symbology, text)
    return (symbology, text)
  }

  /// The next presentation.
  mutating func next() throws -> Presentation {
    let (symbology, text) = label()
    var scene = CameraScene(symbology, text)
    (scene.width, scene.height) = (Self.width, Self.height)
    scene.modulePixels = symbology == .qr ? Double(number(25...60)) / 10 : Double(number(13...26)) / 10
    scene.rotation = Double(number(-30...30))
    scene.tilt = Double(number(0...25)) / 100
    scene.dark = Double(number(30...80))
    scene.light = Double(number(140...225))
    // As held, slightly rotated, and out of focus.
    var poses = [try scene.draw()]
    scene.rotation += Double(number(-8...8))
    poses.append(try scene.draw())
    scene.blurPasses = number(4...24)
    poses.append(try scene.draw())
    let noiseLevel = number(2...14)
    let heldCount = number(8...45)
    var frames: [[UInt8]] = []
    let comingCount = number(3...8)
    for step in 0..<comingCount {
      frames.append(frame(poses[0], shift: -(comingCount - step) * 60, smear: 18, noiseLevel))
    }
    // An interval in which it is out of focus, and one in which something covers it.
    let blurred = happens(percent: 50) ? number(0...heldCount)..<heldCount + 1 : 0..<0
    let blurredCount = number(1...20)
    let coverBegin = number(1...heldCount)
    let coverCount = happens(percent: 30) ? number(1...24) : 0
    for step in 0..<heldCount + coverCount {
      let isCovered = (coverBegin..<coverBegin + coverCount).contains(step)
      let isBlurred = blurred.contains(step) && step < blurred.lowerBound + blurredCount
      let pose = isBlurred ? 2 : step % 16 < 9 ? 0 : 1
      frames.append(
        frame(poses[pose], shift: number(-2...2), smear: happens(percent: 20) ? number(2...8) : 0, noiseLevel, isCovered))
    }
    for step in 0..<number(3...8) { frames.append(frame(poses[1], shift: (step + 1) * 60, smear: 18, noiseLevel)) }
    let gap = Self.gaps[number(0...Self.gaps.count - 1)] * Self.framesPerSecond / 10
    return Presentation(symbology: symbology, text: text, frames: frames, gapCount: gap)
  }

  /// A pose that is moved sideways, smeared along its path and optionally covered in the middle, with the sensor's noise.
  private mutating func frame(
    _ pose: [UInt8], shift: Int, smear: Int, _ noiseLevel: Int, _ isCovered: Bool = false
  ) -> [UInt8] {
    let (width, height) = (Self.width, Self.height)
    var frame = [UInt8](repeating: Self.background, count: width * height)
    for y in 0..<height {
      // The sum of the pixels that a pixel saw along the path.
      func pixel(_ x: Int) -> Int {
        let source = x - shift
        return source >= 0 && source < width ? Int(pose[y * width + source]) : Int(Self.background)
      }
      var sum = 0
      for x in -smear / 2...smear - smear / 2 { sum += pixel(x) }
      for x in 0..<width {
        var value = sum / (smear + 1)
        sum += pixel(x + smear - smear / 2 + 1) - pixel(x - smear / 2)
        if isCovered, abs(x - width / 2) < width / 5 { value = 90 }
        let random = noise.next()
        // The sum of two uniform numbers; its standard deviation is `noiseLevel`.
        let grain = Int(random & 0xFFF) + Int(random >> 12 & 0xFFF) - 0xFFF
        frame[y * width + x] = UInt8(max(0, min(255, value + grain * noiseLevel / 1672)))
      }
    }
    return frame
  }
}
