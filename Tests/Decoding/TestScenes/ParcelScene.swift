// A counter with a parcel, as seen by a kiosk's camera: cardboard, tape, a label, a lamp from the left and its shadows. The
// manual's pictures use it; drawing takes a second and gives the same picture each time.

public import BarcodeTypes
public import Devices
import Foundation
import SymbolPrinter

public struct ParcelScene: Sendable {
  public static let width = 1280
  public static let height = 720

  /// Rows of red, green and blue, 8 bits each, from the highest bits down.
  public private(set) var pixels: [UInt32] = []
  /// The picture as delivered by a camera: rows of luma, and of pairs of Cb and Cr for 2×2 pixels.
  public private(set) var luma: [UInt8] = []
  public private(set) var chroma: [UInt8] = []
  /// The symbols' corners in the frame.
  public let matrix: Quad
  public let linear: Quad
  /// The matrix symbol alone.
  public let symbol: (pixels: [UInt8], width: Int, height: Int)

  private typealias Vector = SIMD3<Double>

  /// Centimetres: x to the right, y away from the camera, z up. The counter is z = 0, with the parcel in its middle.
  private static let camera = Vector(1.5, -21, 41)
  private static let target = Vector(0, 0.6, 8)
  /// Pixels for an object as wide as its distance.
  private static let focus = 1270.0
  private static let lamp = Vector(-34, 16, 62)
  private static let lampRadius = 7.0
  private static let half = Vector(12.5, 9, 4.5)
  private static let turn = -11.0 * Double.pi / 180
  private static let label = (left: -5.2, bottom: -5.0, side: 10.6)
  /// Pixels per side of the label's picture.
  private static let labelPixels = 1060

  private let paper: [UInt8]
  private let noise = ValueNoise()

  public init() throws {
    let qr = try SymbolPrinter.print(SymbolRequest("https://example.org/reticle")).pixels(scale: 16, quietZone: 1)
    let ean = try SymbolPrinter.print(SymbolRequest("4006381333931", symbology: .ean13)).pixels(scale: 6, quietZone: 2)
    symbol = (qr.pixels, qr.width, qr.height)
    let eanHeight = min(270, ean.height)
    let (qrPlace, eanPlace) = ((x: 60, y: 70), (x: 230, y: 690))
    paper = Self.label(
      [(qr.pixels, qr.width, qr.height, qrPlace.x, qrPlace.y), (ean.pixels, ean.width, eanHeight, eanPlace.x, eanPlace.y)])
    matrix = Self.quad(qrPlace.x + 16, qrPlace.y + 16, qr.width - 32, qr.height - 32)
    linear = Self.quad(eanPlace.x + 12, eanPlace.y, ean.width - 24, eanHeight)
    (pixels, luma, chroma) = Self.frame(render())
  }

  /// Lends the frame.
  public func withFrame<Failure: Error>(_ body: (LumaView, ChromaView) throws(Failure) -> Void) throws(Failure) {
    var outcome: Failure?
    luma.withUnsafeBufferPointer { luma in
      chroma.withUnsafeBufferPointer { chroma in
        guard let luma = luma.baseAddress, let chroma = chroma.baseAddress else { return }
        do throws(Failure) {
          try body(
            LumaView(base: luma, width: Self.width, height: Self.height, bytesPerRow: Self.width),
            ChromaView(pairs: chroma, width: Self.width / 2, height: Self.height / 2))
        } catch {
          outcome = error
        }
      }
    }
    if let outcome { throw outcome }
  }

  // MARK: The label

  private static func label(_ symbols: [([UInt8], Int, Int, Int, Int)]) -> [UInt8] {
    var paper = [UInt8](repeating: 240, count: labelPixels * labelPixels)
    func fill(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ level: UInt8) {
      for row in y..<min(labelPixels, y + height) {
        for column in x..<min(labelPixels, x + width) { paper[row * labelPixels + column] = level }
      }
    }
    for (pixels, width, height, left, top) in symbols {
      for y in 0..<height {
        for x in 0..<width where pixels[y * width + x] < 128 { paper[(top + y) * labelPixels + left + x] = 24 }
      }
    }
    func print(_ text: String, _ x: Int, _ y: Int, dot: Int) {
      for (index, character) in text.enumerated() {
        guard let rows = DotLetters.rows[character] else { continue }
        for (row, bits) in rows.enumerated() {
          for column in 0..<3 where bits & (4 >> column) != 0 {
            fill(x + (index * 4 + column) * dot, y + row * dot, dot, dot, 40)
          }
        }
      }
    }
    print("RETICLE", 640, 84, dot: 11)
    for (index, line) in ["TO", "A SAMPLE", "17 MARKET ROAD", "1010 EXAMPLE CITY"].enumerated() {
      print(line, 640, 190 + index * 48, dot: 5)
    }
    for (index, line) in ["REF 2026 000417", "2 KG"].enumerated() { print(line, 640, 430 + index * 48, dot: 5) }
    fill(50, 610, labelPixels - 100, 5, 40)
    for (index, line) in ["ART 417", "QTY 1", "LOT A3"].enumerated() { print(line, 60, 720 + index * 50, dot: 5) }
    print("4 006381 333931", 330, 976, dot: 6)
    return paper
  }

  /// The corners in the frame of a rectangle on the label.
  private static func quad(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Quad {
    func point(_ x: Int, _ y: Int) -> PixelPoint {
      let scale = label.side / Double(labelPixels)
      let onTop = Vector(label.left + Double(x) * scale, label.bottom + label.side - Double(y) * scale, 2 * half.z)
      let at = place(turned(onTop, by: turn))
      return PixelPoint(x: Fixed16(bits: Int32(at.x * 65536)), y: Fixed16(bits: Int32(at.y * 65536)))
    }
    return Quad(
      topLeft: point(x, y), topRight: point(x + width, y), bottomRight: point(x + width, y + height),
      bottomLeft: point(x, y + height))
  }

  // MARK: Rays

  private static let axes: (right: Vector, up: Vector, ahead: Vector) = {
    let ahead = unit(target - camera)
    let right = unit(cross(ahead, Vector(0, 0, 1)))
    return (right, cross(right, ahead), ahead)
  }()

  private static func place(_ point: Vector) -> (x: Double, y: Double) {
    let (right, up, ahead) = axes
    let from = point - camera
    let depth = dot(from, ahead)
    return (
      Double(width) / 2 + focus * dot(from, right) / depth, Double(height) / 2 - focus * dot(from, up) / depth
    )
  }

  private func render() -> [Vector] {
    var colours = [Vector](repeating: .zero, count: Self.width * Self.height)
    let (right, up, ahead) = Self.axes
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        var sum = Vector.zero
        for (dx, dy) in [(0.25, 0.25), (0.75, 0.75)] {
          let across = (Double(x) + dx - Double(Self.width) / 2) / Self.focus
          let down = (Double(y) + dy - Double(Self.height) / 2) / Self.focus
          sum += shade(Self.camera, Self.unit(ahead + across * right - down * up))
        }
        // Lenses darken towards the corners.
        let aside = (Double(x) / Double(Self.width) - 0.5) * 1.2
        let above = Double(y) / Double(Self.height) - 0.5
        colours[y * Self.width + x] = sum / 2 * (1 - 0.55 * (aside * aside + above * above))
      }
    }
    return colours
  }

  /// The point where a ray meets the parcel: the distance, and the side's normal in the parcel's own axes.
  private static func meet(_ from: Vector, _ direction: Vector) -> (distance: Double, normal: Vector)? {
    let middle = Vector(0, 0, half.z)
    let from = turned(from, by: -turn) - middle
    let direction = turned(direction, by: -turn)
    var (near, far) = (-Double.infinity, Double.infinity)
    var normal = Vector.zero
    for axis in 0..<3 {
      guard abs(direction[axis]) > 1e-9 else {
        if abs(from[axis]) > half[axis] { return nil }
        continue
      }
      let a = (-half[axis] - from[axis]) / direction[axis]
      let b = (half[axis] - from[axis]) / direction[axis]
      if min(a, b) > near {
        near = min(a, b)
        normal = .zero
        normal[axis] = direction[axis] > 0 ? -1 : 1
      }
      far = min(far, max(a, b))
    }
    return near < far && near > 1e-6 ? (near, normal) : nil
  }

  private func shade(_ from: Vector, _ direction: Vector) -> Vector {
    if let hit = Self.meet(from, direction) {
      let at = from + hit.distance * direction
      let own = Self.turned(at, by: -Self.turn)
      let normal = Self.turned(hit.normal, by: Self.turn)
      return lit(at + 1e-4 * normal, normal, parcel(own, hit.normal))
    }
    guard direction.z < 0 else { return Vector(0.05, 0.05, 0.05) }
    let at = from - from.z / direction.z * direction
    // Less light reaches the counter close to the parcel.
    let own = Self.turned(at, by: -Self.turn)
    let beside = max(abs(own.x) - Self.half.x, abs(own.y) - Self.half.y, 0)
    return lit(at, Vector(0, 0, 1), wood(at)) * (1 - 0.45 * exp(-beside / 1.6))
  }

  /// The light of a lamp with soft shadows, plus that of the room.
  private func lit(_ at: Vector, _ normal: Vector, _ colour: Vector) -> Vector {
    var light = 0.0
    let places = [(0.0, 0.0), (0.7, 0.2), (-0.2, 0.75), (-0.75, -0.2), (0.2, -0.7), (0.45, 0.5), (-0.5, 0.4), (-0.4, -0.5)]
    for (x, y) in places {
      let to = Self.lamp + Self.lampRadius * Vector(x, y, 0) - at
      let direction = Self.unit(to)
      let slant = Self.dot(direction, normal)
      if slant > 0, Self.meet(at, direction) == nil { light += slant / Double(places.count) }
    }
    let room = 0.30 + 0.08 * normal.z - 0.05 * normal.y
    return colour * (room + 0.82 * light * Vector(1.04, 1, 0.93))
  }

  private func parcel(_ own: Vector, _ normal: Vector) -> Vector {
    let long = noise.at(own.x * 7, own.y * 1.4 + own.z * 3) - 0.5
    let fibre = long + 0.6 * (noise.at(own.x * 22, own.y * 17 + own.z * 9) - 0.5)
    var colour = Vector(0.70, 0.53, 0.35) * (1 + 0.10 * fibre)
    // The flutes of the board show on its sides as fine lines.
    if normal.z == 0 { colour *= 0.97 + 0.03 * sin(own.z * 21) }
    guard normal.z > 0 else { return colour }
    let (u, v) = (own.x - Self.label.left, Self.label.bottom + Self.label.side - own.y)
    if u >= 0, v >= 0, u < Self.label.side, v < Self.label.side {
      let ink = paperLevel(u / Self.label.side, v / Self.label.side)
      return Vector(0.95, 0.95, 0.94) * ink
    }
    // Tape over the gap of the flaps.
    let gap = abs(own.y - 0.3)
    if gap < 2.4 {
      let wrinkle = noise.at(own.x * 0.9, own.y * 2.5) - 0.5
      colour = colour * 0.82 + Vector(0.10, 0.075, 0.04) * (1 + wrinkle)
      if gap > 2.3 { colour *= 0.92 }
    }
    if gap < 0.06 { colour *= 0.55 }
    return colour
  }

  /// The label's interpolated level, 0…1.
  private func paperLevel(_ u: Double, _ v: Double) -> Double {
    let side = Self.labelPixels
    let (x, y) = (u * Double(side) - 0.5, v * Double(side) - 0.5)
    let (column, row) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
    func at(_ x: Int, _ y: Int) -> Double {
      Double(paper[max(0, min(side - 1, y)) * side + max(0, min(side - 1, x))])
    }
    let (across, down) = (x - Double(column), y - Double(row))
    let upper = at(column, row) * (1 - across) + at(column + 1, row) * across
    let lower = at(column, row + 1) * (1 - across) + at(column + 1, row + 1) * across
    return (upper * (1 - down) + lower * down) / 255
  }

  private func wood(_ at: Vector) -> Vector {
    let plank = (at.y / 9).rounded(.down)
    let bend = 1.4 * noise.at(at.x * 0.09 + plank * 31, at.y * 0.5)
    let ring = 0.5 + 0.5 * sin((at.y + bend * 2) * 4.2 + 2.2 * noise.at(at.x * 0.25 + plank * 17, at.y * 2.4))
    let grain = noise.at(at.x * 1.1 + plank * 57, at.y * 15) - 0.5
    let seam = abs(at.y / 9 - plank - 0.5) > 0.492 ? 0.62 : 1.0
    let tone = 0.86 + 0.14 * noise.at(plank * 3.7, 0.5)
    return Vector(0.40, 0.285, 0.19) * (tone * seam * (0.86 + 0.2 * ring + 0.16 * grain))
  }

  // MARK: The sensor

  /// A full-range BT.601 frame, with slight lens blur and sensor noise.
  private static func frame(_ colours: [Vector]) -> (pixels: [UInt32], luma: [UInt8], chroma: [UInt8]) {
    var random = SeededNoise(seed: 9)
    func level(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
    // The light levels as shown on a display.
    let shown = colours.map { colour -> Vector in
      Vector(pow(max(0, colour.x), 0.8), pow(max(0, colour.y), 0.8), pow(max(0, colour.z), 0.8)) * 246
    }
    let soft = shown.indices.map { index -> Vector in
      let x = index % width
      let (left, right) = (x > 0 ? index - 1 : index, x < width - 1 ? index + 1 : index)
      let (above, below) = (max(x, index - width), min((height - 1) * width + x, index + width))
      return 0.6 * shown[index] + 0.1 * (shown[left] + shown[right] + shown[above] + shown[below])
    }
    let seen = soft.map { colour in
      let grain = Double(random.next() >> 40) / Double(1 << 24) + Double(random.next() >> 40) / Double(1 << 24) - 1
      return colour + 3 * grain
    }
    let pixels = seen.map { colour in
      UInt32(level(colour.x)) << 16 | UInt32(level(colour.y)) << 8 | UInt32(level(colour.z))
    }
    let luma = seen.map { level(dot($0, Vector(0.299, 0.587, 0.114))) }
    var chroma: [UInt8] = []
    chroma.reserveCapacity(width * height / 2)
    for y in stride(from: 0, to: height, by: 2) {
      for x in stride(from: 0, to: width, by: 2) {
        let at = y * width + x
        let colour = (soft[at] + soft[at + 1] + soft[at + width] + soft[at + width + 1]) / 4
        chroma.append(level(128 + dot(colour, Vector(-0.168736, -0.331264, 0.5))))
        chroma.append(level(128 + dot(colour, Vector(0.5, -0.418688, -0.081312))))
      }
    }
    return (pixels, luma, chroma)
  }

  // MARK: Vectors

  private static func dot(_ a: Vector, _ b: Vector) -> Double { (a * b).sum() }
  private static func unit(_ a: Vector) -> Vector { a / dot(a, a).squareRoot() }
  private static func cross(_ a: Vector, _ b: Vector) -> Vector {
    Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
  private static func turned(_ a: Vector, by angle: Double) -> Vector {
    Vector(a.x * cos(angle) - a.y * sin(angle), a.x * sin(angle) + a.y * cos(angle), a.z)
  }
}

/// Smooth noise in the plane: random values at integer places, interpolated in between.
private struct ValueNoise: Sendable {
  private let values: [Double]
  private static let side = 256

  init() {
    var random = SeededNoise(seed: 2)
    values = (0..<Self.side * Self.side).map { _ in Double(random.next() >> 11) / Double(1 << 53) }
  }

  /// 0…1.
  func at(_ x: Double, _ y: Double) -> Double {
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    func value(_ x: Double, _ y: Double) -> Double {
      let mask = Self.side - 1
      return values[(Int(y) & mask) * Self.side + Int(x) & mask]
    }
    func smooth(_ part: Double) -> Double { part * part * (3 - 2 * part) }
    let (across, down) = (smooth(x - left), smooth(y - top))
    let upper = value(left, top) * (1 - across) + value(left + 1, top) * across
    let lower = value(left, top + 1) * (1 - across) + value(left + 1, top + 1) * across
    return upper * (1 - down) + lower * down
  }
}
