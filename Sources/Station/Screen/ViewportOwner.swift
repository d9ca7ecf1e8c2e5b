// The one owner of the viewport: the capture thread asks it which pixels to read, the screen's thread where to draw them.
// Both answers come from the same place on the same panel (SPEC V1).

import BarcodeTypes
import ScanScreen
import Synchronization

final class ViewportOwner: Sendable {
  /// How frames lie on the panel.
  struct Mounting: Equatable, Sendable {
    var panel: ScreenSize
    var orientation: FrameOrientation
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
  ///   - choice: where they are recognised on its screen; nil without one.
  init(viewport: Viewport, choice: ViewportChoice?) {
    self.viewport = viewport
    self.choice = choice
  }

  /// Sets the panel; only while the preview is hidden (SPEC V3). It stays when the screen is lost: a code is read in the
  /// same place whether anybody sees it or not.
  func set(_ mounting: Mounting) {
    state.withLock { state in
      guard state.mounting != mounting else { return }
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
        // A panel that is not open yet is taken for one of the frame's shape, so that nothing far outside of what it will show
        // is read.
        let mounting = state.mounting ?? Mounting(panel: frame, orientation: FrameOrientation())
        region = place(frame: frame, on: mounting).viewport.region
      } else {
        region = viewport == .whole ? nil : viewport.region(inWidth: width, height: height)
      }
      state.known = (width, height, region)
      return region
    }
  }

  /// Where a frame of this size and its viewport lie on a panel.
  func place(frame: ScreenSize, on mounting: Mounting) -> OverlayScene {
    let geometry = PreviewGeometry(frame: frame, panel: mounting.panel, orientation: mounting.orientation)
    return OverlayScene(geometry: geometry, viewport: ViewportPlace(choice ?? .square(1), in: geometry))
  }
}
