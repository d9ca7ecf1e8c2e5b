// A panel that shows a preview with a picture over it. A screen belongs to one thread, whose only work it is: all of its
// methods are called there and may block until the panel has shown what it was given, so that nobody else ever waits for it.

public import BarcodeTypes

/// What a panel is like.
public struct ScreenMode: Equatable, Sendable {
  /// In pixels, as the panel is wired.
  public var width: Int
  public var height: Int
  /// Pixels of a millimetre; nil if the panel does not tell its size.
  public var pixelsPerMillimetre: Double?

  public init(width: Int, height: Int, pixelsPerMillimetre: Double? = nil) {
    precondition(width > 0 && height > 0)
    self.width = width
    self.height = height
    self.pixelsPerMillimetre = pixelsPerMillimetre
  }
}

/// A frame as it is to be laid on the whole panel.
public struct PreviewFrame {
  /// Lent for the length of the call.
  public var luma: LumaView
  /// The part that fills the panel; inside the frame.
  public var visible: PixelRegion
  public var orientation: FrameOrientation
  /// The frame's colour; nil for a grey one. Lent as the luma is.
  public var chroma: ChromaView?
  /// The memory of `luma` and `chroma`, if display hardware can read it by itself; the processor reads them between its
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

  /// A frame that is shown from memory which display hardware reads. The picture there may have another size than the frame
  /// that was decoded, of which `visible` is a part; what is seen is the same part of the scene.
  public init(_ shared: SharedFrame, visible: PixelRegion, width: Int, height: Int, orientation: FrameOrientation) {
    self.init(
      luma: shared.luma, visible: Self.part(visible, width: width, height: height, of: shared), orientation: orientation,
      chroma: shared.chroma, shared: shared)
  }

  /// The part of a shared picture that a part of a frame is. Its edges are even, for colour is kept for 2×2 pixels.
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

/// What becomes of the preview.
public enum PreviewChange {
  /// The panel shows black under the overlay.
  case hidden
  /// The frame that is shown stays.
  case unchanged
  case frame(PreviewFrame)
}

/// The picture over the preview: 32-bit pixels, alpha in the highest byte, colours multiplied by it. Lent for the length of
/// the call.
public struct OverlayPicture {
  public var base: UnsafePointer<UInt32>
  public var width: Int
  public var height: Int
  public var bytesPerRow: Int
  /// What differs from the picture shown before.
  public var changes: [PixelRegion]

  /// - Parameter base: followed by `height` rows of `bytesPerRow` bytes, a multiple of 4.
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

/// Why a screen cannot be used now.
public struct ScreenTrouble: Error, Equatable, Sendable, CustomStringConvertible {
  /// What keeps the screen from us, for programs.
  public enum Cause: String, CaseIterable, Equatable, Sendable {
    /// There is no such card.
    case missing
    /// The card may not be opened by this user.
    case denied
    /// No panel is connected.
    case disconnected
    /// Another program shows its picture (behaviour C3: multipleForegroundApps).
    case heldByAnotherProgram
    /// The console was switched to another terminal (behaviour C3: applicationInBackground).
    case inBackground
    /// The card does not do what is needed.
    case unsupported
    /// The card refused a picture.
    case failed
  }

  public var cause: Cause
  /// The device, what was tried, what it answered, and what to do.
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
  /// What the screen is, for the log.
  var name: String { get }

  /// Whether the screen shows what moves; else it is given only what a movement leads to.
  var showsMovement: Bool { get }

  /// Takes the panel. May be called again after trouble. May block.
  func open() throws(ScreenTrouble) -> ScreenMode

  /// Shows a preview and the picture over it, which has the mode's size, and returns when the panel shows them. The first
  /// picture after `open` has changes all over. After trouble the screen is closed.
  func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble)

  /// Looks whether the panel is still ours; called from time to time while nothing is shown anew. Does not block.
  func look() throws(ScreenTrouble)

  /// Gives the panel back as it was. Without effect if the screen is closed.
  func close()
}
