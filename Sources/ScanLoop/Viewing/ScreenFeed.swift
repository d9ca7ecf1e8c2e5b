// What lies between the loops that scan and a screen.

package import ScanScreen

/// Where frames and news are left for a screen, whose thread takes them out when it can.
public struct ScreenFeed: Sendable {
  package let mailbox = ScreenMailbox()
  package let gallery: FrameGallery
  /// Where codes are recognised on the screen.
  let viewport: ViewportChoice

  /// - Parameter makeMemory: makes memory for frames that the screen's hardware reads; nil where it reads none.
  package init(viewport: ViewportChoice, makeMemory: FrameGallery.MemoryMaker?) {
    self.viewport = viewport
    gallery = FrameGallery(makeMemory: makeMemory)
  }
}
