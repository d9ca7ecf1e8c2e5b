// A frame as seen by a kiosk's camera: a label with two symbols, slightly rotated, on a carton or on cloth.

public import BarcodeTypes
import Foundation
import SymbolPrinter

public struct ShelfScene {
  /// The surface under the label.
  public enum Ground: Sendable {
    /// Ribs, lit from one side, on which a decoder spends hardly any work.
    case carton
    /// Cloth with a grain a few pixels wide, seen by a sensor with some noise: edges all over the frame.
    case cloth
  }

  public static let width = 1280
  public static let height = 720

  /// Rows of luma.
  public let luma: [UInt8]
  /// The symbols' corners in the frame.
  public let matrix: Quad
  public let linear: Quad
  /// The matrix symbol alone.
  public let symbol: (pixels: [UInt8], width: Int, height: Int)

  private static let labelWidth = 300
  private static let labelHeight = 300

  /// - Parameter showsLabel: whether to draw the label.
  public init(_ ground: Ground = .carton, showsLabel: Bool = true) throws {
    let qr = try SymbolPrinter.print(SymbolRequest("https://example.org/reticle")).pixels(scale: 4, quietZone: 1)
    let ean = try SymbolPrinter.print(SymbolRequest("4006381333931", symbology: .ean13)).pixels(scale: 2, quietZone: 2)
    symbol = (qr.pixels, qr.width, qr.height)
    var label = [UInt8](repeating: 244, count: Self.labelWidth * Self.labelHeight)
    func put(_ pixels: [UInt8], _ width: Int, _ height: Int, _ left: Int, _ top: Int) {
      for y in 0..<height {
        for x in 0..<width { label[(top + y) * Self.labelWidth + left + x] = pixels[y * width + x] }
      }
    }
    let eanHeight = min(90, ean.height)
    put(qr.pixels, qr.width, qr.height, 16, 16)
    put(ean.pixels, ean.width, eanHeight, 50, 190)
    for (index, length) in [130, 96, 118, 60].enumerated() {
      for y in 0..<8 {
        for x in 0..<min(length, 280 - 150) { label[(30 + index * 26 + y) * Self.labelWidth + 152 + x] = 96 }
      }
    }
    luma = Self.frame(showsLabel ? label : nil, ground == .carton ? nil : Self.cloth())
    matrix = Self.quad(16 + 4, 16 + 4, qr.width - 8, qr.height - 8)
    linear = Self.quad(50 + 4, 190, ean.width - 8, eanHeight)
  }

  /// The label's rotation, scale and middle in the frame.
  private static let angle = -9.0 * Double.pi / 180
  private static let scale = 1.25
  private static let middle = (x: 640.0, y: 360.0)

  /// Noise smoothed three times over three pixels in both directions and scaled to a deviation of 16 levels, plus noise with
  /// a deviation of 2.
  private static func cloth() -> [UInt8] {
    var noise = SeededNoise(seed: 11)
    var grain = (0..<width * height).map { _ in Float(noise.next() >> 40) / Float(1 << 24) - 0.5 }
    for _ in 0..<3 {
      for step in [1, width] {
        let before = grain
        for index in step..<width * height - step {
          grain[index] = (before[index - step] + before[index] + before[index + step]) / 3
        }
      }
    }
    let deviation = (grain.reduce(0) { $0 + $1 * $1 } / Float(grain.count)).squareRoot()
    return grain.map { value in
      // The sum of twelve uniform numbers is approximately normal.
      let sensor = (0..<12).reduce(Float(-6)) { sum, _ in sum + Float(noise.next() >> 40) / Float(1 << 24) }
      return UInt8(min(max(120 + 16 * value / deviation + 2 * sensor, 0), 255))
    }
  }

  private static func frame(_ label: [UInt8]?, _ cloth: [UInt8]?) -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: width * height)
    let cosine = cos(angle) / scale
    let sine = sin(angle) / scale
    for y in 0..<height {
      for x in 0..<width {
        let dx = Double(x) - middle.x
        let dy = Double(y) - middle.y
        let u = dx * cosine + dy * sine + Double(labelWidth) / 2
        let v = -dx * sine + dy * cosine + Double(labelHeight) / 2
        if let pixel = label.flatMap({ mixed($0, u, v) }) {
          frame[y * width + x] = UInt8(pixel)
        } else if let cloth {
          frame[y * width + x] = cloth[y * width + x]
        } else {
          // A carton with ribs, lit from the left.
          frame[y * width + x] = UInt8(
            128 - Double(x) / 24 + 7 * sin(Double(y) / 9) + 4 * sin(Double(x + y) / 3.1))
        }
      }
    }
    return frame
  }

  private static func mixed(_ label: [UInt8], _ u: Double, _ v: Double) -> Double? {
    guard u >= 0, v >= 0, u < Double(labelWidth - 1), v < Double(labelHeight - 1) else { return nil }
    let (x, y) = (Int(u), Int(v))
    let (fx, fy) = (u - Double(x), v - Double(y))
    func at(_ x: Int, _ y: Int) -> Double { Double(label[y * labelWidth + x]) }
    return (at(x, y) * (1 - fx) + at(x + 1, y) * fx) * (1 - fy) + (at(x, y + 1) * (1 - fx) + at(x + 1, y + 1) * fx) * fy
  }

  private static func quad(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Quad {
    func point(_ x: Int, _ y: Int) -> PixelPoint {
      let u = (Double(x) - Double(labelWidth) / 2) * scale
      let v = (Double(y) - Double(labelHeight) / 2) * scale
      let px = middle.x + u * cos(angle) - v * sin(angle)
      let py = middle.y + u * sin(angle) + v * cos(angle)
      return PixelPoint(x: Fixed16(bits: Int32(px * 65536)), y: Fixed16(bits: Int32(py * 65536)))
    }
    return Quad(
      topLeft: point(x, y), topRight: point(x + width, y), bottomRight: point(x + width, y + height),
      bottomLeft: point(x, y + height))
  }
}
