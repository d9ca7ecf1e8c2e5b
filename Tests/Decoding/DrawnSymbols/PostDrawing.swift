// Draws symbols whose bars differ in height: postal codes, and Pharmacode with two tracks.

import BarcodeDecoder
import BarcodeTypes
import Foundation

/// A piece of a bar's height, in modules from the top of the symbol.
private struct BarEnds {
  var top: Double
  var bottom: Double
}

extension Picture {
  /// Draws bars one module wide, two modules apart, in the middle of a picture.
  ///
  /// - Parameters:
  ///   - posts: one letter per bar. Full, ascender, descender and tracker are F, A, D and T, of three, two and three modules; long and
  ///     short ones L and S, of twelve and six modules; upper, lower and both halves U, W and B, of five modules each.
  ///   - degrees: clockwise.
  ///   - blurPixels: the radius of the blur.
  init(posts: String, modulePixels: Double = 3, degrees: Double = 0, blurPixels: Double = 0.5, light: UInt8 = 230) {
    let ends: [Character: BarEnds] = [
      "F": BarEnds(top: 0, bottom: 8), "A": BarEnds(top: 0, bottom: 5), "D": BarEnds(top: 3, bottom: 8),
      "T": BarEnds(top: 3, bottom: 5), "L": BarEnds(top: 0, bottom: 12), "S": BarEnds(top: 6, bottom: 12),
      "U": BarEnds(top: 0, bottom: 5), "W": BarEnds(top: 5, bottom: 10), "B": BarEnds(top: 0, bottom: 10),
    ]
    let bars = posts.map { ends[$0]! }
    let (length, height) = (Double(2 * bars.count - 1), bars.map(\.bottom).max()!)
    let quiet = 12.0
    let angle = degrees * .pi / 180
    let (c, s) = (cos(angle), sin(angle))
    let (across, along) = ((length + 2 * quiet) * modulePixels, (height + 2 * quiet) * modulePixels)
    self.init(
      width: Int(across * abs(c) + along * abs(s)), height: Int(across * abs(s) + along * abs(c)), grey: light)
    // The share of dark places among five by five in the square of the blur.
    let steps = [-1.0, -0.5, 0, 0.5, 1]
    for y in 0..<self.height {
      for x in 0..<width {
        var darkCount = 0
        for stepY in steps {
          for stepX in steps {
            let dx = Double(x) + 0.5 + stepX * blurPixels - Double(width) / 2
            let dy = Double(y) + 0.5 + stepY * blurPixels - Double(self.height) / 2
            let u = (dx * c + dy * s) / modulePixels + length / 2
            let v = (dy * c - dx * s) / modulePixels + height / 2
            guard u >= 0, u < length, Int(u) % 2 == 0 else { continue }
            let bar = bars[Int(u) / 2]
            if v >= bar.top, v < bar.bottom { darkCount += 1 }
          }
        }
        pixels[y * width + x] = UInt8(Int(light) - Int(light - 30) * darkCount / 25)
      }
    }
  }
}

/// The codes read from a picture of bars, by symbology and text.
func readings(posts: String, degrees: Double = 0, modulePixels: Double = 3, _ settings: DecoderSettings) -> [String] {
  Picture(posts: posts, modulePixels: modulePixels, degrees: degrees).decode(settings).map {
    "\($0.symbol.symbology.name) \($0.text)"
  }
}

/// Encodes Reed-Solomon check symbols by long division in a field of a power of two.
enum CheckEncoder {
  /// The check symbols of data whose generator polynomial has the roots α, α², …
  ///
  /// - Parameter polynomial: the field's polynomial with its leading bit.
  static func check(_ data: [Int], count: Int, polynomial: Int) -> [Int] {
    let size = 1 << (Int.bitWidth - 1 - polynomial.leadingZeroBitCount)
    func times(_ a: Int, _ b: Int) -> Int {
      var (product, factor) = (0, a)
      for bit in 0..<8 {
        if b >> bit & 1 == 1 { product ^= factor }
        factor <<= 1
        if factor >= size { factor ^= polynomial }
      }
      return product
    }
    var generator = [1]
    var root = 1
    for _ in 0..<count {
      root = times(root, 2)
      var next = generator + [0]
      for index in generator.indices { next[index + 1] ^= times(generator[index], root) }
      generator = next
    }
    var rest = data + [Int](repeating: 0, count: count)
    for index in data.indices {
      let factor = rest[index]
      for place in generator.indices { rest[index + place] ^= times(factor, generator[place]) }
    }
    return Array(rest.suffix(count))
  }
}
