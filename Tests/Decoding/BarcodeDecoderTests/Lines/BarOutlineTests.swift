import BarcodeTypes
import Foundation
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// The distances of corners from the true ones: across the bars in modules, along them as a share of their length.
private struct CornerDistances {
  private var across: [Double] = []
  private var along: [Double] = []

  /// Adds the corners of a symbol with `moduleCount` modules.
  mutating func add(_ found: Quad, _ truth: [(Double, Double)], moduleCount: Int) {
    let corners = [found.topLeft, found.topRight, found.bottomRight, found.bottomLeft]
    for (index, corner) in corners.enumerated() {
      let (own, beside, above) = (truth[index], truth[index ^ 1], truth[3 - index])
      let line = (x: beside.0 - own.0, y: beside.1 - own.1)
      let bars = (x: above.0 - own.0, y: above.1 - own.1)
      let error = (x: Double(corner.x.bits) / 65536 - own.0, y: Double(corner.y.bits) / 65536 - own.1)
      let area = line.x * bars.y - line.y * bars.x
      across.append(abs(error.x * bars.y - error.y * bars.x) / abs(area) * Double(moduleCount))
      along.append(abs(line.x * error.y - line.y * error.x) / abs(area))
    }
  }

  /// Whether a share of the corners is within a number of modules across the bars and within a share of their length along
  /// them.
  func isWithin(_ modules: Double, _ length: Double, share: Double, of what: String) -> Bool {
    func isWithin(_ distances: [Double], _ bound: Double) -> Bool {
      distances.sorted()[Int(Double(distances.count) * share)] <= bound
    }
    let isWithin = isWithin(across, modules) && isWithin(along, length)
    if !isWithin { print("\(what): \(across) modules across the bars, \(along) of their length") }
    return isWithin
  }
}

@Suite struct BarOutlineTests {
  private static let symbols: [String: [Int]] = [
    "EAN-13": LinearEncoder.ean13("4006381333931"), "EAN-8": LinearEncoder.ean8("96385074"),
    "UPC-A": LinearEncoder.ean13("0036000291452"), "UPC-E": LinearEncoder.upce("01234565"),
    "Code 128": LinearEncoder.code128(text: "RET-417"), "Code 39": LinearEncoder.code39("RET-417"),
    "Code 93": LinearEncoder.code93([27, 14, 29, 36, 4, 1, 7]), "Codabar": LinearEncoder.codabar("A31117013206375B"),
    "Interleaved 2 of 5": LinearEncoder.interleaved("30712345000010"),
    "GS1 DataBar": DataBarDrawing(950_110_153_000).elements,
    "GS1 DataBar Expanded": DataBarExpandedDrawing(bits: DataBarEncoder.numeric("123456789012", count: 6)).elements,
  ]

  /// Seven directions, evenly spaced from a random one.
  private static func directions() -> [Double] {
    let first = Double.random(in: -180..<180)
    return (0..<7).map { first + Double($0) * 51.5 }
  }

  @Test(arguments: symbols.keys.sorted())
  func `the corners of a linear symbol are where its bars end`(kind: String) throws {
    let elements = try #require(BarOutlineTests.symbols[kind])
    // A DataBar symbol begins with a space, which is drawn as part of the quiet zone.
    let lead = kind.hasPrefix("GS1") ? 1 : 0
    let moduleCount = elements.reduce(0, +)
    let directions = BarOutlineTests.directions()
    var distances = CornerDistances()
    for degrees in directions {
      var view = View()
      view.degrees = degrees
      view.modulePixels = Double.random(in: 2.5...4)
      view.barHeightPixels = 20 * view.modulePixels
      let picture = Picture(elements: elements, view: view)
      let symbol = try #require(picture.decode().first, "\(kind) at \(degrees), \(view.modulePixels) pixels a module").symbol
      let (half, height) = (Double(moduleCount) * view.modulePixels / 2, view.barHeightPixels / 2)
      let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
      let start = -half - Double(lead) * view.modulePixels
      let truth = [(start, -height), (half, -height), (half, height), (start, height)].map { u, v in
        (Double(picture.width) / 2 - 0.5 + u * c - v * s, Double(picture.height) / 2 - 0.5 + u * s + v * c)
      }
      distances.add(symbol.corners, truth, moduleCount: moduleCount + lead)
    }
    let what = "\(kind) from \(directions[0]) degrees on"
    #expect(distances.isWithin(0.4, 0.01, share: 0.5, of: what))
    #expect(distances.isWithin(0.8, 0.03, share: 0.86, of: what))
  }

  @Test(arguments: ["stacked", "stacked omnidirectional", "expanded stacked"])
  func `the corners of a stacked symbol are those of all its rows`(kind: String) throws {
    let rows =
      switch kind {
      case "stacked": DataBarDrawing(950_110_153_000).stacked(heights: [5, 7])
      case "stacked omnidirectional": DataBarDrawing(950_110_153_000).stacked(heights: [33, 33])
      default:
        DataBarExpandedDrawing(bits: DataBarEncoder.numeric("12345678901234567890", count: 8)).stacked(
          columns: 2, rowHeight: 34)
      }
    let directions = BarOutlineTests.directions()
    var distances = CornerDistances()
    for degrees in directions {
      var view = MatrixView()
      view.degrees = degrees
      view.modulePixels = 3
      view.blurModules = 0.2
      let (picture, truth) = BarOutlineTests.drawn(rows.modules, view: view)
      let symbol = try #require(picture.decode().first, "\(kind) at \(degrees)").symbol
      distances.add(symbol.corners, truth, moduleCount: rows.modules[0].count)
    }
    #expect(distances.isWithin(1, 0.03, share: 0.5, of: "\(kind) from \(directions[0]) degrees on"))
  }

  @Test func `neither guard bars nor print nor perspective move the corners of an EAN-13`() throws {
    var modules: [Bool] = []
    for (index, element) in LinearEncoder.ean13("4006381333931").enumerated() {
      modules += [Bool](repeating: index % 2 == 0, count: element)
    }
    let guards = modules.indices.map { modules[$0] && ($0 < 3 || (45..<50).contains($0) || $0 >= 92) }
    let blank = [Bool](repeating: false, count: 95)
    var generator = SystemRandomNumberGenerator()
    var rows = [[Bool]](repeating: modules, count: 40) + [guards]
    for _ in 0..<4 {
      rows.append(modules.indices.map { guards[$0] || ($0 % 47 > 4 && $0 % 47 < 43 && Bool.random(using: &generator)) })
    }
    rows += [blank, modules.map { _ in Bool.random(using: &generator) }, blank]
    var distances = CornerDistances()
    for turn in 0..<2 {
      var view = MatrixView()
      view.degrees = BarOutlineTests.directions()[0]
      view.modulePixels = 3
      view.taper = turn == 0 ? 0.1 : 0
      view.taperDown = turn == 0 ? 0 : 0.1
      let (picture, truth) = BarOutlineTests.drawn(rows, barRows: 40, view: view)
      let symbol = try #require(picture.decode().first, "at \(view.degrees) degrees").symbol
      distances.add(symbol.corners, truth, moduleCount: 95)
    }
    #expect(distances.isWithin(0.5, 0.03, share: 0.5, of: "EAN-13"))
  }

  @Test func `bars that reach beyond the picture end at its edge`() throws {
    let elements = LinearEncoder.code128(text: "RET-417")
    let picture = Picture(
      width: 500, height: 90, elements: elements, modulePixels: 3, barPixels: 90, x: 60, y: 0, isLevel: false)
    let corners = try #require(picture.decode().first).symbol.corners
    #expect(abs(Double(corners.topLeft.y.bits) / 65536) < 3)
    #expect(abs(Double(corners.bottomRight.y.bits) / 65536 - 89) < 3)
    #expect(abs(Double(corners.topLeft.x.bits) / 65536 - 59.5) < 1)
  }

  /// Modules as a camera sees them, and the corners of the first `barRows` of them.
  private static func drawn(
    _ modules: [[Bool]], barRows: Int? = nil, view: MatrixView
  ) -> (picture: Picture, corners: [(Double, Double)]) {
    let width = modules[0].count
    let side = max(width, modules.count) + 16
    let (left, top) = ((side - width) / 2, (side - modules.count) / 2)
    var square = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
    for (row, line) in modules.enumerated() { square[top + row].replaceSubrange(left..<(left + width), with: line) }
    let (picture, corners) = Picture.drawn(square, view: view)
    let whole = Projection(corners)
    let places = [(left, top), (left + width, top), (left + width, top + (barRows ?? modules.count))]
    return (
      picture,
      (places + [(left, top + (barRows ?? modules.count))]).map {
        whole.map(Double($0.0) / Double(side), Double($0.1) / Double(side))
      }
    )
  }
}
