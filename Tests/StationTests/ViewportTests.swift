// SPEC V1, V2: the region of interest is the viewport, in pixels.

import BarcodeTypes
import Station
import Testing

@Suite struct ViewportTests {
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
