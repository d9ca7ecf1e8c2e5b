// A panel in memory, instead of the real one. It composes pictures as display hardware does, and can be taken away.

import BarcodeTypes
import Synchronization

/// A screen whose picture a program can inspect from any thread. The screen's own thread does the rest, and alone touches
/// state outside the lock.
public final class SimulatedScreen: Screen, @unchecked Sendable {
  private struct State {
    var isOpen = false
    var trouble: ScreenTrouble?
    var presentCount = 0
    var openCount = 0
    var changedPixelCount = 0
    var pixels: [UInt32]
  }

  public let name = "simulated screen"
  public let showsMovement: Bool
  public let mode: ScreenMode
  private let state: Mutex<State>
  private var canvas: PreviewCanvas

  public init(mode: ScreenMode, showsMovement: Bool = true) {
    self.mode = mode
    self.showsMovement = showsMovement
    state = Mutex(State(pixels: [UInt32](repeating: 0xFF00_0000, count: mode.width * mode.height)))
    canvas = PreviewCanvas(width: mode.width, height: mode.height)
  }

  /// The composed picture: rows from the top, opaque.
  public var pixels: [UInt32] { state.withLock { $0.pixels } }
  /// Pictures that were shown.
  public var presentCount: Int { state.withLock { $0.presentCount } }
  public var openCount: Int { state.withLock { $0.openCount } }
  public var isOpen: Bool { state.withLock { $0.isOpen } }
  /// Pixels of the overlay marked as changed, over all pictures.
  public var changedPixelCount: Int { state.withLock { $0.changedPixelCount } }

  /// Takes the screen away with this trouble; nil gives it back.
  public func trouble(_ trouble: ScreenTrouble?) { state.withLock { $0.trouble = trouble } }

  public func open() throws(ScreenTrouble) -> ScreenMode {
    let trouble = state.withLock { state in
      if state.trouble == nil {
        state.isOpen = true
        state.openCount += 1
      }
      return state.trouble
    }
    if let trouble { throw trouble }
    return mode
  }

  public func look() throws(ScreenTrouble) {
    let trouble = state.withLock { state in
      if state.trouble != nil { state.isOpen = false }
      return state.trouble
    }
    if let trouble { throw trouble }
  }

  public func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) {
    try look()
    precondition(overlay.width == mode.width && overlay.height == mode.height)
    let composed = compose(preview, overlay)
    let changedPixelCount = overlay.changes.reduce(0) { $0 + $1.width * $1.height }
    state.withLock { state in
      precondition(state.isOpen, "a picture was given to a closed screen")
      state.presentCount += 1
      state.changedPixelCount += changedPixelCount
      state.pixels = composed
    }
  }

  public func close() { state.withLock { $0.isOpen = false } }

  private func compose(_ preview: PreviewChange, _ overlay: OverlayPicture) -> [UInt32] {
    let (width, height) = (mode.width, mode.height)
    canvas.take(preview)
    return [UInt32](unsafeUninitializedCapacity: width * height) { target, count in
      count = width * height
      guard let target = target.baseAddress else { return }
      for y in 0..<height {
        canvas.write(row: y, into: target + y * width)
        PixelComposing.lay(overlay.row(y), over: target + y * width, count: width)
      }
    }
  }
}
