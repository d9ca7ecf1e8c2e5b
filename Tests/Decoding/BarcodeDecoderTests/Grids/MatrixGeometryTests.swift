// Homographies and grids compared with floating point.

import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct MatrixGeometryTests {
  @Test func `a homography maps the unit square as floating point does`() {
    for seed in 0..<200 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let side = Double.random(in: 20...3000, using: &generator)
      let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map { u, v in
        (
          (u * side + Double.random(in: -0.15...0.15, using: &generator) * side + 1000).rounded(),
          (v * side + Double.random(in: -0.15...0.15, using: &generator) * side + 500).rounded()
        )
      }
      let points = corners.map { SubpixelPoint(x: Int($0.0) * 256, y: Int($0.1) * 256) }
      let quad = SubpixelQuad(topLeft: points[0], topRight: points[1], bottomRight: points[2], bottomLeft: points[3])
      let exact = Projection(corners)
      guard let map = Homography(quad) else {
        Issue.record("a convex quadrilateral is refused")
        return
      }
      for _ in 0..<20 {
        let s = Double.random(in: -0.1...1.1, using: &generator)
        let t = Double.random(in: -0.1...1.1, using: &generator)
        let place = map.map(Int(s * 65536), Int(t * 65536))
        let (x, y) = exact.map(Double(Int(s * 65536)) / 65536, Double(Int(t * 65536)) / 65536)
        #expect(abs(Double(place.x) / 256 - x) < 0.05 && abs(Double(place.y) / 256 - y) < 0.05)
      }
    }
  }

  @Test func `quadrilaterals that are not convex are refused`() {
    func quad(_ x: Int, _ y: Int) -> SubpixelQuad {
      SubpixelQuad(
        topLeft: SubpixelPoint(x: 0, y: 0), topRight: SubpixelPoint(x: 25600, y: 0), bottomRight: SubpixelPoint(x: x, y: y),
        bottomLeft: SubpixelPoint(x: 0, y: 25600))
    }
    #expect(Homography(quad(25600, 25600)) != nil)
    #expect(Homography(quad(5000, 5000)) == nil && Homography(quad(-9000, -9000)) == nil)
    #expect(Homography(quad(12800, 12800)) == nil)
  }

  @Test func `a grid without perspective keeps the middle and the mean sides`() throws {
    func point(_ x: Int, _ y: Int) -> SubpixelPoint { SubpixelPoint(x: x * 256, y: y * 256) }
    let quad = SubpixelQuad(
      topLeft: point(0, 0), topRight: point(20, 2), bottomRight: point(16, 18), bottomLeft: point(4, 20))
    let grid = try #require(ModuleGrid(columns: 10, rows: 10, quad: quad, inset: 0))
    let parallel = try #require(grid.parallel)
    // The mean sides are (16, 0) and (0, 18), the middle is (10, 10).
    #expect(parallel.quad.topLeft == point(2, 1) && parallel.quad.topRight == point(18, 1))
    #expect(parallel.quad.bottomRight == point(18, 19) && parallel.quad.bottomLeft == point(2, 19))
    #expect(parallel.hasSmallModules)
    let wide = SubpixelQuad(
      topLeft: point(0, 0), topRight: point(15, 15), bottomRight: point(0, 30), bottomLeft: point(-15, 15))
    #expect(try #require(ModuleGrid(columns: 10, rows: 10, quad: wide, inset: 0)).hasSmallModules == false)
    #expect(try #require(ModuleGrid(columns: 11, rows: 11, quad: wide, inset: 0)).hasSmallModules)
  }

  @Test func `a warp moves its knots and interpolates between them`() {
    let corner = SubpixelPoint(x: 0, y: 0)
    let side = 256 * 100
    let quad = SubpixelQuad(
      topLeft: corner, topRight: SubpixelPoint(x: side, y: 0), bottomRight: SubpixelPoint(x: side, y: side),
      bottomLeft: SubpixelPoint(x: 0, y: side))
    var grid = ModuleGrid(columns: 10, rows: 10, quad: quad, inset: 0)!
    for coordinate in [0, 1280, 2560] { grid.warp.appendKnot(u: coordinate, v: coordinate) }
    grid.warp[1, 1] = SubpixelPoint(x: 400, y: -200)
    func isNear(_ place: SubpixelPoint, _ x: Int, _ y: Int) -> Bool { abs(place.x - x) <= 2 && abs(place.y - y) <= 2 }
    #expect(isNear(grid.place(1280, 1280), side / 2 + 400, side / 2 - 200))
    #expect(isNear(grid.place(640, 1280), side / 4 + 200, side / 2 - 100))
    #expect(isNear(grid.place(0, 0), 0, 0) && isNear(grid.place(2560, 640), side, side / 4))
    grid.forEachModule(columns: 0..<10, rows: 0..<10) { column, row, place in
      #expect(place == grid.place(column * 256 + 128, row * 256 + 128))
    }
  }

  @Test func `integer square roots round down`() {
    for value: UInt64 in [0, 1, 2, 3, 4, 15, 16, 17, 1 << 32, (1 << 32) - 1, UInt64.max] {
      let root = integerRoot(value)
      #expect(root.multipliedReportingOverflow(by: root).partialValue <= value || root == 1 << 32)
      #expect(root == UInt64(Double(value).squareRoot()) || root + 1 == UInt64(Double(value).squareRoot()))
    }
  }
}
