// The connection between the scanning loops and a screen.

package import ScanScreen

/// Frames and news for a screen, whose thread takes them when it can.
public struct ScreenFeed: Sendable {
  package let mailbox = ScreenMailbox()
  package let gallery: FrameGallery
  /// Where codes are recognised on the screen.
  let viewport: ViewportChoice

  /// - Parameter makeMemory: allocates memory for frames that the screen's hardware reads; nil if it reads none.
  package init(viewport: ViewportChoice, makeMemory: FrameGallery.MemoryMaker?) {
    self.viewport = viewport
    gallery = FrameGallery(makeMemory: makeMemory)
  }
}
