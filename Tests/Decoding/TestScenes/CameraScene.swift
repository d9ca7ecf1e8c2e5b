// Pictures for tests: a printed symbol as seen by a camera, rotated, tilted, blurred and noisy, reproducible by seed.

public import BarcodeTypes
import Foundation
import SymbolPrinter

/// A symbol on a light label in front of a grey background.
public struct CameraScene: Sendable {
  public var symbology: Symbology
  public var text: String
  public var isGS1 = false
  public var width = 640
  public var height = 480
  /// Pixels per module.
  public var modulePixels = 3.0
  /// Clockwise, in degrees.
  public var rotation = 0.0
  /// The reduction of the far side of the label compared with the near one: 0 for a flat view.
  public var tilt = 0.0
  /// Number of blur passes; the blur's standard deviation in pixels is the square root of half of it.
  public var blurPasses = 0
  /// Standard deviation of the sensor's noise, in grey levels.
  public var noise = 0.0
  public var dark = 40.0
  public var light = 220.0
  public var seed: UInt64 = 1

  public init(_ symbology: Symbology, _ text: String, isGS1: Bool = false) {
    self.symbology = symbology
    self.text = text
    self.isGS1 = isGS1
  }

  /// The picture's luma, row by row.
  public func draw() throws -> [UInt8] {
    let printed = try SymbolPrinter.print(SymbolRequest(text, symbology: symbology, isGS1: isGS1))
    let label = try printed.pixels(scale: CameraScene.labelScale)
    let labelHeight = min(label.height, label.width)
    var frame = [Double](repeating: 110, count: width * height)
    let subpixels = [-0.33, 0, 0.33]
    for y in 0..<height {
      for x in 0..<width {
        var sum = 0.0
        for dy in subpixels {
          for dx in subpixels {
            sum += shade(x: Double(x) + dx, y: Double(y) + dy, label.pixels, label.width, labelHeight)
          }
        }
        frame[y * width + x] = sum / 9
      }
    }
    frame = blurred(frame)
    var generator = SeededNoise(seed: seed)
    return frame.map { UInt8(max(0, min(255, ($0 + noise * generator.nextNormal()).rounded()))) }
  }

  /// The picture as a PGM file.
  public func pgm() throws -> [UInt8] { try Array("P5 \(width) \(height) 255\n".utf8) + draw() }

  private static let labelScale = 4

  /// The grey level that a ray through pixel (x, y) meets.
  private func shade(x: Double, y: Double, _ label: [UInt8], _ labelWidth: Int, _ labelHeight: Int) -> Double {
    let angle = rotation * .pi / 180
    let fromCenterX = x - Double(width - 1) / 2
    let fromCenterY = y - Double(height - 1) / 2
    let u = fromCenterX * cos(angle) + fromCenterY * sin(angle)
    let v = fromCenterY * cos(angle) - fromCenterX * sin(angle)
    // A plane tilted away along u.
    let depth = 1 + tilt * u / Double(width)
    let scale = Double(CameraScene.labelScale) / modulePixels * depth
    let column = Int((u * scale + Double(labelWidth) / 2).rounded(.down))
    let row = Int((v * scale + Double(labelHeight) / 2).rounded(.down))
    guard column >= 0, row >= 0, column < labelWidth, row < labelHeight else { return 110 }
    return label[row * labelWidth + column] < 128 ? dark : light
  }

  /// Means with weights 1, 2, 1 along rows, then along columns: each pass adds half a square pixel of variance.
  private func blurred(_ frame: [Double]) -> [Double] {
    var frame = frame
    for _ in 0..<blurPasses {
      for (step, length) in [(1, width), (width, height)] {
        let before = frame
        for index in frame.indices {
          let position = index / step % length
          let previous = before[position > 0 ? index - step : index]
          let next = before[position < length - 1 ? index + step : index]
          frame[index] = (previous + 2 * before[index] + next) / 4
        }
      }
    }
    return frame
  }
}
