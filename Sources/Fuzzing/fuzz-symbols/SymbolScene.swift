// Pictures with symbols of every kind at every scale, place and quarter turn: cut by the border, rotated, noisy, damaged.

import BarcodeTypes
import SymbolPrinter
import TestScenes

extension SeededNoise {
  mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func oneIn(_ count: Int) -> Bool { number(in: 1...count) == 1 }
}

/// A picture with one to three symbols.
struct SymbolScene {
  /// The most pixels of most pictures; a few are as large as camera frames.
  static let smallPixelCountMax = 400 * 400

  let width: Int
  let height: Int
  private(set) var pixels: [UInt8]

  init(_ generator: inout SeededNoise) {
    (width, height) = SymbolScene.size(&generator)
    let light = generator.oneIn(2) ? 255 : generator.number(in: 140...255)
    let dark = generator.oneIn(2) ? 0 : generator.number(in: 0...60)
    let ground = generator.oneIn(2) ? light : generator.number(in: 60...255)
    pixels = [UInt8](repeating: UInt8(ground), count: width * height)
    let isInverted = generator.oneIn(8)
    for _ in 0..<(generator.oneIn(4) ? generator.number(in: 2...3) : 1) {
      draw(light: UInt8(isInverted ? dark : light), dark: UInt8(isInverted ? light : dark), &generator)
    }
    if generator.oneIn(3) { for _ in 0..<generator.number(in: 1...2) { blur() } }
    if generator.oneIn(4) { for _ in 0..<generator.number(in: 1...4) { spoil(&generator) } }
    let noise = generator.number(in: 0...3)
    if noise > 0, generator.oneIn(2) { add(noise: noise, &generator) }
  }

  private static func size(_ generator: inout SeededNoise) -> (Int, Int) {
    switch generator.number(in: 0...31) {
    case 0: generator.oneIn(4) ? (1280, 720) : (720, 480)
    case 1: generator.oneIn(2) ? (640, 480) : (480, 640)
    // Low, narrow and tiny pictures.
    case 2...5: (generator.number(in: 1...40), generator.number(in: 1...40))
    case 6...7: (generator.number(in: 1...24), generator.number(in: 40...1000))
    case 8...9: (generator.number(in: 40...1000), generator.number(in: 1...24))
    case 10...15: (8 * generator.number(in: 5...32), 8 * generator.number(in: 5...32))
    case 16...18: (generator.number(in: 40...400), generator.number(in: 40...400))
    default: (generator.number(in: 40...200), generator.number(in: 40...200))
    }
  }

  /// Draws a symbol of any kind, in most cases sharp and straight.
  private mutating func draw(light: UInt8, dark: UInt8, _ generator: inout SeededNoise) {
    let symbology = Symbology(rawValue: UInt8(generator.number(in: 0...(Symbology.count - 1))))!
    let request = SymbolRequest(symbology.sampleText(using: &generator), symbology: symbology)
    guard let printed = try? SymbolPrinter.print(request) else {
      fatalError("\(symbology.name) does not take \(request.text)")
    }
    let longest = max(1, 3 * max(width, height) / 2 / max(1, Int(printed.width)))
    let scale = min(40, generator.oneIn(3) ? 8 * generator.number(in: 1...3) : generator.number(in: 1...longest))
    let quietZone = generator.oneIn(2) ? nil : generator.number(in: 0...4)
    guard let label = try? printed.pixels(scale: min(scale, longest), quietZone: quietZone) else { return }
    // Rows of bars are all alike: fewer suffice.
    let isLinear = symbology.family == .linear
    let labelHeight = isLinear ? min(label.height, generator.number(in: 8...max(8, height))) : label.height
    let quarter = generator.number(in: 0...3)
    let turned = quarter % 2 == 0 ? (label.width, labelHeight) : (labelHeight, label.width)
    // Inside the picture if there is room, or cut by its border.
    let isCut = generator.oneIn(4)
    func place(_ side: Int, _ symbol: Int) -> Int {
      let free = side - symbol
      let range = isCut || free < 0 ? min(-symbol / 2, free)...max(side - symbol / 2, 0) : 0...free
      let place = generator.number(in: range)
      return generator.oneIn(2) ? place : place / 8 * 8
    }
    let (left, top) = (place(width, turned.0), place(height, turned.1))
    // From the picture to the label, in 65536ths, around the middle of the label's place.
    let steps = [(65536, 0), (0, 65536), (-65536, 0), (0, -65536)]
    var (xx, xy) = steps[quarter]
    var (yx, yy) = steps[(quarter + 3) % 4]
    (yx, yy) = (-yx, -yy)
    if generator.oneIn(3) {
      let reach = 1 << generator.number(in: 4...15)
      xx += generator.number(in: -reach...reach)
      xy += generator.number(in: -reach...reach)
      yx += generator.number(in: -reach...reach)
      yy += generator.number(in: -reach...reach)
    }
    // Twice the coordinates of the middles, which are whole numbers.
    let (middleX, middleY) = (2 * left + turned.0 - 1, 2 * top + turned.1 - 1)
    for y in 0..<height {
      for x in 0..<width {
        let (dx, dy) = (2 * x - middleX, 2 * y - middleY)
        let u = (dx * xx + dy * xy + (label.width - 1) << 16 + 0x10000) >> 17
        let v = (dx * yx + dy * yy + (labelHeight - 1) << 16 + 0x10000) >> 17
        guard u >= 0, v >= 0, u < label.width, v < labelHeight else { continue }
        pixels[y * width + x] = label.pixels[v * label.width + u] < 128 ? dark : light
      }
    }
  }

  /// Replaces pixels by the means of three by three pixels.
  private mutating func blur() {
    for (step, length, count) in [(1, width, height), (width, height, width)] where length > 2 {
      for line in 0..<count {
        var at = step == 1 ? line * width : line
        var before = Int(pixels[at])
        for _ in 1..<(length - 1) {
          at += step
          let here = Int(pixels[at])
          pixels[at] = UInt8((before + here + Int(pixels[at + step])) / 3)
          before = here
        }
      }
    }
  }

  /// Damages the picture in one of many ways.
  private mutating func spoil(_ generator: inout SeededNoise) {
    let (left, top) = (generator.number(in: 0...(width - 1)), generator.number(in: 0...(height - 1)))
    let (right, bottom) = (generator.number(in: left...(width - 1)), generator.number(in: top...(height - 1)))
    let grey = UInt8(generator.number(in: 0...255))
    let kind = generator.number(in: 0...5)
    let slope = generator.number(in: -64...64)
    for y in top...bottom {
      for x in left...right {
        let at = y * width + x
        switch kind {
        case 0: pixels[at] = grey
        case 1: pixels[at] = 255 - pixels[at]
        case 2: pixels[at] = UInt8(truncatingIfNeeded: generator.next())
        // Light from the side.
        case 3: pixels[at] = UInt8(max(0, min(255, Int(pixels[at]) + slope * (x - left) / 64)))
        // Shifted rows.
        case 4: pixels[at] = pixels[y * width + min(width - 1, max(0, x + (y - top) * slope / 64))]
        // Stripes.
        default: pixels[at] = (x * slope + y) & 8 == 0 ? grey : pixels[at]
        }
      }
    }
  }

  private mutating func add(noise: Int, _ generator: inout SeededNoise) {
    for index in pixels.indices {
      let bits = generator.next()
      let sum = Int(bits & 0xFF) + Int(bits >> 8 & 0xFF) + Int(bits >> 16 & 0xFF) + Int(bits >> 24 & 0xFF) - 510
      // Four uniform numbers have a standard deviation of 148.
      pixels[index] = UInt8(max(0, min(255, Int(pixels[index]) + sum * noise / 148)))
    }
  }
}
