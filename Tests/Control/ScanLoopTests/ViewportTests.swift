// Behaviour V1, V2: the region of interest is the viewport, in pixels.

import BarcodeTypes
import ScanControl
import ScanScreen
import Testing

@testable import ScanLoop

@Suite struct ViewportTests {
  /// The corners on a preview of a code at 100, 50 to 200, 150 in a frame of 400x300.
  private func seen(panel: ScreenSize?, _ orientation: FrameOrientation = FrameOrientation()) -> [[Double]] {
    func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
    let half = Quad(
      topLeft: point(100, 50), topRight: point(200, 50), bottomRight: point(200, 150), bottomLeft: point(100, 150)
    ).moved(by: PixelPoint(x: Fixed16(bits: -32768), y: Fixed16(bits: -32768)))
    var sightings = [Sighting(code: ScannedCode(symbology: .qr, payload: [65], text: "A", mark: .search), corners: half)]
    let owner = ViewportOwner(viewport: .whole, choice: panel.map { _ in .square(0.5) })
    if let panel { owner.set(ViewportOwner.Mounting(panel: panel, orientation: orientation)) }
    owner.addPreviewCorners(to: &sightings, width: 400, height: 300)
    guard let quad = sightings[0].preview else { return [] }
    func part(_ value: Fixed16) -> Double { (Double(value.bits) / 65.536).rounded() / 1000 }
    return [quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft].map { [part($0.x), part($0.y)] }
  }

  @Test func `N5: a code's corners are cut, mirrored and turned as the preview is`() {
    let third = 0.167
    #expect(seen(panel: nil) == [[0.25, third], [0.5, third], [0.5, 0.5], [0.25, 0.5]])
    #expect(seen(panel: ScreenSize(width: 800, height: 600)) == seen(panel: nil))
    // A square panel's preview cuts off the outer eighths of the frame.
    #expect(
      seen(panel: ScreenSize(width: 600, height: 600)) == [[third, third], [0.5, third], [0.5, 0.5], [third, 0.5]])
    #expect(
      seen(panel: ScreenSize(width: 800, height: 600), FrameOrientation(isMirrored: true))
        == [[0.75, third], [0.5, third], [0.5, 0.5], [0.75, 0.5]])
    #expect(
      seen(panel: ScreenSize(width: 600, height: 800), FrameOrientation(turn: .clockwise))
        == [[0.833, 0.25], [0.833, 0.5], [0.5, 0.5], [0.5, 0.25]])
  }

  @Test func `V5: a frame of another size or shape gets a new viewport, with and without a screen`() {
    let panel = ScreenSize(width: 800, height: 480)
    let onScreen = ViewportOwner(viewport: .whole, choice: .square(0.5))
    onScreen.set(ViewportOwner.Mounting(panel: panel, orientation: FrameOrientation()))
    let without = ViewportOwner(viewport: Viewport(x: 0.25, y: 0.5, width: 0.5, height: 0.5), choice: nil)
    for (width, height) in [(640, 480), (1280, 720), (640, 480), (640, 360), (480, 640), (320, 640)] {
      let geometry = PreviewGeometry(
        frame: ScreenSize(width: width, height: height), panel: panel, orientation: FrameOrientation())
      #expect(onScreen.region(inWidth: width, height: height) == ViewportPlace(.square(0.5), in: geometry).region)
      #expect(
        without.region(inWidth: width, height: height)
          == PixelRegion(x: width / 4, y: height / 2, width: width / 2, height: height / 2))
    }
  }

  @Test func `V2: the default is the whole frame`() {
    #expect(Viewport.whole.region(inWidth: 640, height: 480) == PixelRegion(x: 0, y: 0, width: 640, height: 480))
  }

  @Test func `V2: edges are rounded to the nearest pixel edge`() {
    let viewport = Viewport(x: 0.25, y: 0.1, width: 0.5, height: 0.8)
    #expect(viewport.region(inWidth: 100, height: 11) == PixelRegion(x: 25, y: 1, width: 50, height: 9))
  }

  @Test func `V2: adjacent viewports share no pixel and leave none out`() {
    for width in 1...64 {
      let left = Viewport(x: 0, width: 0.3).region(inWidth: width, height: 1)
      let right = Viewport(x: 0.3, width: 0.7).region(inWidth: width, height: 1)
      if left.width < width { #expect(left.x + left.width == max(1, right.x)) }
      #expect(right.x + right.width == width)
    }
  }

  @Test func `a viewport thinner than a pixel is one pixel inside the frame`() {
    let viewport = Viewport(x: 0.999, y: 0.999, width: 0.001, height: 0.001)
    #expect(viewport.region(inWidth: 10, height: 10) == PixelRegion(x: 9, y: 9, width: 1, height: 1))
  }
}
