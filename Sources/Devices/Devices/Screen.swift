// A panel that shows a preview with an overlay. A screen belongs to a dedicated thread: its methods are called only there
// and may block until the panel shows the picture, so no other thread ever waits for it.

public import BarcodeTypes

/// The properties of a panel.
public struct ScreenMode: Equatable, Sendable {
  /// In pixels, as the panel is wired.
  public var width: Int
  public var height: Int
  /// Pixels per millimetre; nil if the panel does not report its size.
  public var pixelsPerMillimetre: Double?

  public init(width: Int, height: Int, pixelsPerMillimetre: Double? = nil) {
    precondition(width > 0 && height > 0)
    self.width = width
    self.height = height
    self.pixelsPerMillimetre = pixelsPerMillimetre
  }
}

/// A frame to fill the whole panel.
public struct PreviewFrame {
  /// Lent for the duration of the call.
  public var luma: LumaView
  /// The part that fills the panel; inside the frame.
  public var visible: PixelRegion
  public var orientation: FrameOrientation
  /// The frame's colour; nil for a grey one. Lent like the luma.
  public var chroma: ChromaView?
  /// The memory of `luma` and `chroma`, if display hardware can read it directly; the processor reads them between its
  /// `beginReading` and `endReading`.
  public var shared: SharedFrame?

  public init(
    luma: LumaView, visible: PixelRegion, orientation: FrameOrientation, chroma: ChromaView? = nil,
    shared: SharedFrame? = nil
  ) {
    self.luma = luma
    self.chroma = chroma
    self.visible = visible
    self.orientation = orientation
    self.shared = shared
  }

  /// A frame shown from memory that display hardware reads. The picture in it may differ in size from the decoded frame, to
  /// which `visible` refers; the same part of the scene is shown.
  public init(_ shared: SharedFrame, visible: PixelRegion, width: Int, height: Int, orientation: FrameOrientation) {
    self.init(
      luma: shared.luma, visible: Self.part(visible, width: width, height: height, of: shared), orientation: orientation,
      chroma: shared.chroma, shared: shared)
  }

  /// The part of a shared picture that corresponds to a part of the frame. Its edges are even, because colour is stored per
  /// 2×2 pixels.
  static func part(_ visible: PixelRegion, width: Int, height: Int, of shared: SharedFrame) -> PixelRegion {
    guard shared.width != width || shared.height != height else { return visible }
    func edge(_ place: Int, _ side: Int, _ sharedSide: Int) -> Int { (place * sharedSide / side + 1) & ~1 }
    let left = edge(visible.x, width, shared.width)
    let top = edge(visible.y, height, shared.height)
    let right = min(edge(visible.x + visible.width, width, shared.width), shared.width)
    let bottom = min(edge(visible.y + visible.height, height, shared.height), shared.height)
    return PixelRegion(x: left, y: top, width: max(right - left, 1), height: max(bottom - top, 1))
  }
}

/// A change of the preview.
public enum PreviewChange {
  /// The panel shows black under the overlay.
  case hidden
  /// The panel keeps showing the current frame.
  case unchanged
  case frame(PreviewFrame)
}

/// The overlay over the preview: 32-bit pixels, alpha in the highest byte, premultiplied colours. Lent for the duration of
/// the call.
public struct OverlayPicture {
  public var base: UnsafePointer<UInt32>
  public var width: Int
  public var height: Int
  public var bytesPerRow: Int
  /// The regions that differ from the previous picture.
  public var changes: [PixelRegion]

  /// - Parameter base: the first pixel of `height` rows of `bytesPerRow` bytes each, a multiple of 4.
  public init(base: UnsafePointer<UInt32>, width: Int, height: Int, bytesPerRow: Int, changes: [PixelRegion]) {
    self.base = base
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.changes = changes
  }

  /// The first pixel of a row.
  public func row(_ y: Int) -> UnsafePointer<UInt32> { base + y * (bytesPerRow / 4) }
}

/// Why a screen is unavailable.
public struct ScreenTrouble: Error, Equatable, Sendable, CustomStringConvertible {
  /// The cause, for programs.
  public enum Cause: String, CaseIterable, Equatable, Sendable {
    /// The card does not exist.
    case missing
    /// This user may not open the card.
    case denied
    /// No panel is connected.
    case disconnected
    /// Another program uses the card (behaviour C3: multipleForegroundApps).
    case heldByAnotherProgram
    /// The user switched to another console (behaviour C3: applicationInBackground).
    case inBackground
    /// The card lacks a required feature.
    case unsupported
    /// The card refused a picture.
    case failed
  }

  public var cause: Cause
  /// The device, what was tried, its answer, and the remedy.
  public var description: String

  public init(_ cause: Cause, _ description: String) {
    self.cause = cause
    self.description = description
  }
}

/// A screen.
///
///     closed ──open──► open ──trouble──► closed
///       ▲                │
///       └──── close ─────┘
public protocol Screen: AnyObject {
  /// The screen's name in the log.
  var name: String { get }

  /// Whether the screen shows movement; otherwise it receives only the final state of a movement.
  var showsMovement: Bool { get }

  /// Acquires the panel. May be called again after trouble. May block.
  func open() throws(ScreenTrouble) -> ScreenMode

  /// Shows a preview with its overlay, which has the mode's size, and returns when the panel shows them. The first overlay
  /// after `open` is changed everywhere. After trouble the screen is closed.
  func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble)

  /// Checks whether the station still has the panel; called from time to time while no picture changes. Does not block.
  func look() throws(ScreenTrouble)

  /// Releases the panel and restores its earlier state. No effect if the screen is closed.
  func close()
}
