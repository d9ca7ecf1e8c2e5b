import BarcodeTypes
import Foundation

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// A symbol with modules of little more than a pixel, as consecutive frames show it: each frame moves and turns it a little and
/// has new noise.
struct SmallSymbol {
  static let side = 180
  /// Samples per pixel and side.
  private static let sampling = 3

  let symbology: Symbology
  let text: String
  private var modules: [[Bool]]

  init(_ symbology: Symbology, _ text: String) {
    self.symbology = symbology
    self.text = text
    switch symbology {
    case .qr: modules = QRDrawing(text, version: 2, level: 1, mask: 3).modules
    case .datamatrix:
      let sizes = (0..<DataMatrixTables.sizeCount).map { DataMatrixTables.size($0) }
      modules = DataMatrixDrawing(text, size: sizes.first { $0.rows == 18 && $0.columns == 18 }!).modules
    case .ean13: modules = Array(repeating: bars(LinearEncoder.ean13(text))[0], count: 30)
    default: modules = Array(repeating: bars(LinearEncoder.code128(text: text))[0], count: 30)
    }
  }

  /// Gives a share of the modules, or of the columns of bars, a random colour.
  mutating func damage(share: Double, using generator: inout SeededGenerator) {
    let isLinear = symbology.family == .linear
    for row in modules.indices {
      for column in modules[row].indices {
        if isLinear, row > 0 {
          modules[row][column] = modules[0][column]
        } else if Double.random(in: 0..<1, using: &generator) < share {
          modules[row][column] = Bool.random(using: &generator)
        }
      }
    }
  }

  /// A frame on grey ground.
  func frame(modulePixels: Double, noise: Double, blur: Double, using generator: inout SeededGenerator) -> Picture {
    let side = Self.side
    var picture = Picture(width: side, height: side, grey: 110)
    let angle = Double.random(in: -0.01...0.01, using: &generator)
    let (c, s) = (cos(angle) / modulePixels, sin(angle) / modulePixels)
    let (moveX, moveY) = (Double.random(in: -1...1, using: &generator), Double.random(in: -1...1, using: &generator))
    let (width, height) = (Double(modules[0].count), Double(modules.count))
    let quiet = symbology.family == .linear ? 10.0 : 4.0
    var greys = [Double](repeating: 0, count: side * side)
    for y in 0..<side {
      for x in 0..<side {
        var sum = 0.0
        for sample in 0..<(Self.sampling * Self.sampling) {
          let dx = Double(x - side / 2) + (Double(sample % Self.sampling) + 0.5) / Double(Self.sampling) + moveX
          let dy = Double(y - side / 2) + (Double(sample / Self.sampling) + 0.5) / Double(Self.sampling) + moveY
          let u = dx * c + dy * s + width / 2
          let v = dy * c - dx * s + height / 2
          if u < -quiet || v < -quiet || u >= width + quiet || v >= height + quiet {
            sum += 110
          } else {
            let isDark = u >= 0 && v >= 0 && u < width && v < height && modules[Int(v)][Int(u)]
            sum += isDark ? 50 : 210
          }
        }
        greys[y * side + x] = sum / Double(Self.sampling * Self.sampling)
      }
    }
    // The share of a pixel's light that falls on its neighbours.
    for isAcross in [true, false] {
      let step = isAcross ? 1 : side
      let source = greys
      for index in step..<(greys.count - step) {
        greys[index] = source[index] * (1 - 2 * blur) + (source[index - step] + source[index + step]) * blur
      }
    }
    for index in greys.indices {
      let value = greys[index] + noise * generator.nextNormal()
      picture.pixels[index] = UInt8(max(0, min(255, value.rounded())))
    }
    return picture
  }
}

extension SeededGenerator {
  /// A normally distributed number, approximately: the sum of twelve uniform ones.
  fileprivate mutating func nextNormal() -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
  }
}

/// Decodes frames one after another.
struct FrameReader: ~Copyable {
  var workspace = Workspace(pixelCountMax: SmallSymbol.side * SmallSymbol.side)

  /// The number of frames with each text of a symbology that needs votes.
  private var votes: [String: Int] = [:]

  /// The texts in a frame, without those that have too few votes, and its work units.
  mutating func read(_ picture: Picture, effort: Effort = .frame) -> (texts: [String], workUnits: Int) {
    var settings = DecoderSettings()
    settings.effort = effort
    let outcome = picture.pixels.withUnsafeBufferPointer {
      Decoder.decode(
        LumaView(base: $0.baseAddress!, width: picture.width, height: picture.height, bytesPerRow: picture.width),
        settings: settings, workspace: &workspace)
    }
    var texts: [String] = []
    for index in 0..<workspace.symbolCount {
      let bytes = workspace.payload(index)
      let text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
      if settings.votedSymbologies.contains(workspace.symbol(index).symbology) {
        votes[text, default: 0] += 1
        guard votes[text, default: 0] >= settings.votedReadingCount else { continue }
      }
      texts.append(text)
    }
    return (texts, outcome.workUnits)
  }
}
