// A picture of the screen, for tests that look at its pixels.

import Foundation
import Testing

/// A picture of the screen, taken in the lab.
struct Screenshot {
  let width: Int
  let height: Int
  private let bytes: Data

  /// - Parameter file: a PPM file.
  init(_ file: Data) throws {
    var fields: [Int] = []
    var place = file.startIndex + 2
    while fields.count < 3 {
      let number = file[place...].drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
      fields.append(try #require(Int(String(decoding: number, as: UTF8.self))))
      place = number.endIndex
    }
    (width, height) = (fields[0], fields[1])
    bytes = Data(file[(place + 1)...])
    try #require(bytes.count == width * height * 3)
  }

  func pixel(_ x: Int, _ y: Int) -> (red: Int, green: Int, blue: Int) {
    let at = (y * width + x) * 3
    return (Int(bytes[at]), Int(bytes[at + 1]), Int(bytes[at + 2]))
  }

  func grey(_ x: Int, _ y: Int) -> Int {
    let pixel = pixel(x, y)
    return (pixel.red + pixel.green + pixel.blue) / 3
  }

  /// Whether the pixel has the accent's colour.
  func isAccent(_ x: Int, _ y: Int) -> Bool {
    let pixel = pixel(x, y)
    return abs(pixel.red - 0x3D) < 12 && abs(pixel.green - 0xDC) < 12 && abs(pixel.blue - 0x84) < 12
  }
}
