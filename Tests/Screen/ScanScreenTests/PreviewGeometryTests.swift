// The viewport is read where it is drawn, for every mounting of camera and panel.

import BarcodeTypes
@testable import ScanScreen
import Testing

/// A mounting: sizes of frame and panel, rotation, mirroring.
struct Mounting: CustomTestStringConvertible {
  var frame: ScreenSize
  var panel: ScreenSize
  var orientation: FrameOrientation

  var testDescription: String { "\(frame.width)x\(frame.height) on \(panel.width)x\(panel.height), \(orientation)" }
  var geometry: PreviewGeometry { PreviewGeometry(frame: frame, panel: panel, orientation: orientation) }

  static let all: [Mounting] = {
    let frames = [(1280, 720), (640, 480), (1920, 1080), (720, 1280), (800, 800), (641, 479), (33, 7), (1, 1)]
    let panels = [(1024, 768), (800, 480), (480, 800), (1920, 1080), (1280, 720), (720, 720), (31, 17)]
    let turns: [QuarterTurn] = [.none, .clockwise, .half, .anticlockwise]
    return frames.flatMap { frame in
      panels.flatMap { panel in
        turns.flatMap { turn in
          [false, true].map { isMirrored in
            Mounting(
              frame: ScreenSize(width: frame.0, height: frame.1), panel: ScreenSize(width: panel.0, height: panel.1),
              orientation: FrameOrientation(turn: turn, isMirrored: isMirrored))
          }
        }
      }
    }
  }()
}

@Suite struct PreviewGeometryTests {
  @Test func `V1: the region of interest is the drawn viewport, in every mounting`() {
    let choices: [ViewportChoice] = [
      .square(0.62), .square(1), .square(0.03), .frame(x: 0, y: 0, width: 1, height: 1),
      .frame(x: 0.1, y: 0.2, width: 0.3, height: 0.75), .frame(x: 0.97, y: 0, width: 0.03, height: 0.01),
    ]
    for mounting in Mounting.all {
      let geometry = mounting.geometry
      for choice in choices {
        let place = ViewportPlace(choice, in: geometry)
        // The drawn rectangle covers exactly the region's pixels, and no others.
        #expect(geometry.region(under: place.rect) == place.region, "\(mounting) \(choice)")
        let corners = [
          ScreenPoint(x: Double(place.region.x), y: Double(place.region.y)),
          ScreenPoint(
            x: Double(place.region.x + place.region.width), y: Double(place.region.y + place.region.height)),
        ].map { geometry.panelPoint($0) }
        #expect(close(ScreenRect(around: corners), place.rect))
        // All of it is visible, and all of it is inside the frame.
        #expect(place.rect.x > -1e-6 && place.rect.right < Double(mounting.panel.width) + 1e-6)
        #expect(place.rect.y > -1e-6 && place.rect.bottom < Double(mounting.panel.height) + 1e-6)
        #expect(place.region.width > 0 && place.region.height > 0)
        #expect(place.region.x >= 0 && place.region.x + place.region.width <= mounting.frame.width)
        #expect(place.region.y >= 0 && place.region.y + place.region.height <= mounting.frame.height)
      }
    }
  }

  @Test func `V2: points map from the frame to the panel and back unchanged, in every mounting`() {
    for mounting in Mounting.all {
      let geometry = mounting.geometry
      for (x, y) in [(0.0, 0.0), (0.25, 0.5), (1, 1), (0.5, 0.125), (0.9, 0.03)] {
        let place = ScreenPoint(x: x * Double(mounting.frame.width), y: y * Double(mounting.frame.height))
        let back = geometry.framePoint(geometry.panelPoint(place))
        #expect(abs(back.x - place.x) < 1e-6 && abs(back.y - place.y) < 1e-6, "\(mounting)")
      }
    }
  }

  @Test func `the preview fills the panel and keeps its aspect ratio`() {
    for mounting in Mounting.all where mounting.frame.shorterSide > 100 && mounting.panel.shorterSide > 100 {
      let geometry = mounting.geometry
      #expect(
        close(
          geometry.rect(of: geometry.visible),
          ScreenRect(x: 0, y: 0, width: Double(mounting.panel.width), height: Double(mounting.panel.height))))
      let shape = mounting.panel.turned(mounting.orientation.turn.isSideways)
      let across = Double(shape.width) / Double(geometry.visible.width)
      let down = Double(shape.height) / Double(geometry.visible.height)
      #expect(abs(across / down - 1) < 0.01, "\(mounting)")
      // One of the sides is entirely visible.
      #expect(geometry.visible.width == mounting.frame.width || geometry.visible.height == mounting.frame.height)
    }
  }

  @Test func `turning and mirroring take the frame's top left corner to the right place`() {
    func corner(_ turn: QuarterTurn, _ isMirrored: Bool) -> ScreenPoint {
      let panel = ScreenSize(width: 100, height: 50).turned(turn.isSideways)
      return PreviewGeometry(
        frame: ScreenSize(width: 100, height: 50), panel: panel,
        orientation: FrameOrientation(turn: turn, isMirrored: isMirrored)
      ).panelPoint(ScreenPoint(x: 0, y: 0))
    }
    #expect(corner(.none, false) == ScreenPoint(x: 0, y: 0))
    #expect(corner(.clockwise, false) == ScreenPoint(x: 50, y: 0))
    #expect(corner(.half, false) == ScreenPoint(x: 100, y: 50))
    #expect(corner(.anticlockwise, false) == ScreenPoint(x: 0, y: 100))
    #expect(corner(.none, true) == ScreenPoint(x: 100, y: 0))
    #expect(corner(.clockwise, true) == ScreenPoint(x: 50, y: 100))
  }

  @Test func `V2: without a viewport, the region is all of the visible frame`() {
    let geometry = PreviewGeometry(
      frame: ScreenSize(width: 1280, height: 720), panel: ScreenSize(width: 1024, height: 768),
      orientation: FrameOrientation())
    #expect(geometry.visible == PixelRegion(x: 160, y: 0, width: 960, height: 720))
    #expect(ViewportPlace(.frame(x: 0, y: 0, width: 1, height: 1), in: geometry).region == geometry.visible)
  }

  @Test func `the centre of a frame's pixel is the middle of where it is drawn`() {
    let geometry = PreviewGeometry(
      frame: ScreenSize(width: 100, height: 50), panel: ScreenSize(width: 200, height: 100), orientation: FrameOrientation())
    #expect(geometry.panelPoint(ofPixel: PixelPoint(x: .zero, y: .zero)) == ScreenPoint(x: 1, y: 1))
  }

  private func close(_ a: ScreenRect, _ b: ScreenRect) -> Bool {
    abs(a.x - b.x) < 1e-6 && abs(a.y - b.y) < 1e-6 && abs(a.width - b.width) < 1e-6 && abs(a.height - b.height) < 1e-6
  }
}
