// Sole owner of the viewport: the capture thread asks which pixels to read, the screen's thread where to draw them. Both
// answers derive from the same place on the same panel (behaviour V1).

package import BarcodeTypes
import ScanControl
package import ScanScreen
import Synchronization

/// Decides which pixels of a frame are read and where they appear.
package final class ViewportOwner: Sendable {
  /// How frames lie on the panel.
  package struct Mounting: Equatable, Sendable {
    package var panel: ScreenSize
    package var orientation: FrameOrientation

    package init(panel: ScreenSize, orientation: FrameOrientation) {
      self.panel = panel
      self.orientation = orientation
    }
  }

  private struct State {
    var mounting: Mounting?
    /// The answer for the size of the last frame.
    var known: (width: Int, height: Int, region: PixelRegion?)?
  }

  private let viewport: Viewport
  private let choice: ViewportChoice?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - viewport: where codes are recognised in a station without a screen.
  ///   - choice: where they are recognised on its screen; nil without a screen.
  init(viewport: Viewport, choice: ViewportChoice?) {
    self.viewport = viewport
    self.choice = choice
  }

  /// Sets the panel, and with it where the next frame is read; only while the preview is hidden (behaviour V3). The setting
  /// survives the loss of the screen: a code is read in the same place, seen or not.
  package func set(_ mounting: Mounting) {
    state.withLock { state in
      state.mounting = mounting
      state.known = nil
    }
  }

  /// The pixels of a frame in which codes are recognised; nil for all of them.
  func region(inWidth width: Int, height: Int) -> PixelRegion? {
    state.withLock { state in
      if let known = state.known, known.width == width, known.height == height { return known.region }
      let region: PixelRegion?
      if choice != nil {
        let frame = ScreenSize(width: width, height: height)
        region = place(frame: frame, on: state.mounting ?? Self.unknown(frame)).viewport.region
      } else {
        region = viewport == .whole ? nil : viewport.region(inWidth: width, height: height)
      }
      state.known = (width, height, region)
      return region
    }
  }

  /// A panel that is not open yet is assumed to have the frame's shape, so that no code far outside the later preview is
  /// read.
  private static func unknown(_ frame: ScreenSize) -> Mounting { Mounting(panel: frame, orientation: FrameOrientation()) }

  /// Adds to each sighting of a frame its corners on the preview (behaviour N5).
  func addPreviewCorners(to sightings: inout [Sighting], width: Int, height: Int) {
    guard !sightings.isEmpty else { return }
    let frame = ScreenSize(width: width, height: height)
    let mounting = state.withLock { $0.mounting } ?? Self.unknown(frame)
    let geometry = PreviewGeometry(frame: frame, panel: mounting.panel, orientation: mounting.orientation)
    func part(_ point: PixelPoint) -> PixelPoint {
      let place = geometry.panelPoint(ofPixel: point)
      return PixelPoint(
        x: Fixed16(bits: Int32((place.x / Double(mounting.panel.width) * 65536).rounded())),
        y: Fixed16(bits: Int32((place.y / Double(mounting.panel.height) * 65536).rounded())))
    }
    for index in 0..<sightings.count {
      let corners = sightings[index].corners
      sightings[index].preview = Quad(
        topLeft: part(corners.topLeft), topRight: part(corners.topRight), bottomRight: part(corners.bottomRight),
        bottomLeft: part(corners.bottomLeft))
    }
  }

  /// The place of a frame of this size and its viewport on a panel.
  package func place(frame: ScreenSize, on mounting: Mounting) -> OverlayScene {
    let geometry = PreviewGeometry(frame: frame, panel: mounting.panel, orientation: mounting.orientation)
    return OverlayScene(geometry: geometry, viewport: ViewportPlace(choice ?? .square(1), in: geometry))
  }
}
