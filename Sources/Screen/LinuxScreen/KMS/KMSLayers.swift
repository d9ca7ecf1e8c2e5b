// Assigns the picture's layers to the available planes. Pixels of the overlay are copied only where they changed.
#if Screen

  import BarcodeTypes
  import Devices
  import ScanScreen

  final class KMSLayers {
    /// A buffer of 32-bit pixels with the regions that are out of date.
    private struct Canvas {
      let buffer: KMSBuffer
      var stale: StalePlaces

      init(_ card: KMSCard, _ format: KMSBuffer.Format, _ mode: ScreenMode) throws(ScreenTrouble) {
        buffer = try KMSBuffer(card, format, width: mode.width, height: mode.height)
        stale = StalePlaces(panel: ScreenSize(width: mode.width, height: mode.height))
      }
    }

    private let output: KMSOutput
    /// Whether the station has not switched on the panel yet.
    private(set) var needsMode = true
    private(set) var previewPath: KMSPreviewPath?
    /// The overlay's plane; nil if the overlay is blended.
    private let overlayPlane: KMSPlane?
    private let preview: KMSPlanePreview?
    private var isPlanePreviewUsed: Bool
    /// The overlay's buffers; empty without a plane for it.
    private var overlay: [Canvas] = []
    /// The primary plane's buffers: one that stays black, or two.
    private var primary: [Canvas] = []
    private var overlayBack = 0
    private var primaryBack = 0
    private var isOverlayShown = false
    private var isPrimaryShown = false
    /// The preview, if it has no separate plane.
    private var canvas: PreviewCanvas?
    /// Whether the current commit draws into the overlay.
    private var isOverlayDrawn = false
    private var isPrimaryDrawn = false

    init(_ output: KMSOutput) throws(ScreenTrouble) {
      self.output = output
      let alphaPlanes = output.overlays.filter { $0.shows(KMSBuffer.Format.argb.code) }
      let mode = output.mode
      let whole = PixelRegion(x: 0, y: 0, width: mode.width, height: mode.height)
      let black = try Canvas(output.card, .xrgb, mode)
      let firstOverlay = try Canvas(output.card, .argb, mode)
      // The highest plane that the hardware allows over the primary one.
      var test = KMSChanges()
      var chosen: KMSPlane?
      for plane in alphaPlanes.reversed() where chosen == nil {
        test.removeAll()
        output.switchOn(&test)
        output.primary.show(black.buffer.framebuffer, part: whole, on: output.crtc, panel: mode, &test)
        plane.show(firstOverlay.buffer.framebuffer, part: whole, on: output.crtc, panel: mode, &test)
        plane.set(level: 2, &test)
        if output.accepts(test) { chosen = plane }
      }
      overlayPlane = chosen
      let yuv = output.overlays.first { plane in
        plane.id != chosen?.id && plane.level < chosen?.level ?? 0
          && (plane.shows(KMSBuffer.Format.nv12.code) || plane.shows(fourCC("YU12")))
      }
      preview = chosen == nil ? nil : yuv.map { KMSPlanePreview(output, $0) }
      isPlanePreviewUsed = preview != nil
      primary = [black]
      if chosen != nil { overlay = [firstOverlay, try Canvas(output.card, .argb, mode)] }
      if preview == nil { try addPrimary() }
    }

    /// Adds the second buffer of a primary plane that shows frames, and the preview's canvas.
    private func addPrimary() throws(ScreenTrouble) {
      let mode = output.mode
      guard primary.count == 1 else { return }
      primary.append(try Canvas(output.card, .xrgb, mode))
      canvas = PreviewCanvas(width: mode.width, height: mode.height)
    }

    /// Draws outdated parts and collects the changes that show them; no changes if nothing is new.
    func prepare(_ change: PreviewChange, _ picture: OverlayPicture, _ changes: inout KMSChanges) throws(ScreenTrouble) {
      isOverlayDrawn = false
      isPrimaryDrawn = false
      if needsMode { output.switchOn(&changes) }
      for index in overlay.indices { overlay[index].stale.add(picture.changes) }
      var isPreviewOnPlane = false
      if let preview, isPlanePreviewUsed {
        isPreviewOnPlane = true
        switch change {
        case .unchanged: break
        case .hidden: if previewPath != nil { preview.hide(&changes) }
        case .frame(let frame):
          if try !preview.show(frame, &changes) {
            isPlanePreviewUsed = false
            isPreviewOnPlane = false
            if previewPath != nil { preview.hide(&changes) }
            try addPrimary()
          }
        }
      }
      if !isPreviewOnPlane { preparePrimary(change, picture, &changes) }
      if !isPrimaryShown && !isPrimaryDrawn { showPrimary(&changes) }
      if case .hidden = change { pendingPath = nil }
      if case .frame = change {
        pendingPath = isPreviewOnPlane ? preview?.path : overlayPlane == nil ? .blended : .converted
      }
      prepareOverlay(picture, &changes)
    }

    private var pendingPath: KMSPreviewPath?

    /// Notes that the panel shows the prepared picture.
    func shown() {
      needsMode = false
      isPrimaryShown = true
      if overlayPlane != nil { isOverlayShown = true }
      previewPath = pendingPath
      if isPlanePreviewUsed { preview?.flipped() }
    }

    /// Gives up the present path of the preview, which the hardware refused; returns whether another is left.
    func giveUpPath() -> Bool {
      guard isPlanePreviewUsed, let preview else { return false }
      if preview.giveUpPath() { return true }
      isPlanePreviewUsed = false
      return true
    }

    // MARK: The overlay's plane

    private func prepareOverlay(_ picture: OverlayPicture, _ changes: inout KMSChanges) {
      guard let plane = overlayPlane else { return }
      guard !picture.changes.isEmpty || !isOverlayShown else { return }
      overlayBack = 1 - overlayBack
      let buffer = overlay[overlayBack].buffer
      overlay[overlayBack].stale.copy(
        from: picture.base, pixelsPerRow: picture.bytesPerRow / 4, to: Self.pixels(buffer, 0),
        bufferPixelsPerRow: buffer.bytesPerRow / 4)
      isOverlayDrawn = true
      if isOverlayShown {
        plane.flip(to: buffer.framebuffer, &changes)
      } else {
        let whole = PixelRegion(x: 0, y: 0, width: buffer.width, height: buffer.height)
        plane.show(buffer.framebuffer, part: whole, on: output.crtc, panel: output.mode, &changes)
        plane.set(level: 2, &changes)
      }
    }

    // MARK: The primary plane

    private func preparePrimary(_ change: PreviewChange, _ picture: OverlayPicture, _ changes: inout KMSChanges) {
      let isBlended = overlayPlane == nil
      if case .unchanged = change { guard isBlended, !picture.changes.isEmpty else { return } }
      canvas?.take(change)
      primaryBack = primary.count - 1 - primaryBack
      let buffer = primary[primaryBack].buffer
      let width = output.mode.width
      line.withUnsafeMutableBufferPointer { line in
        guard let line = line.baseAddress else { return }
        for y in 0..<output.mode.height {
          // Composed in ordinary memory: blending reads its own output.
          canvas?.write(row: y, into: line)
          if isBlended { PixelComposing.lay(picture.row(y), over: line, count: width) }
          Self.pixels(buffer, y).update(from: line, count: width)
        }
      }
      isPrimaryDrawn = true
      showPrimary(&changes)
    }

    private lazy var line = [UInt32](repeating: 0, count: output.mode.width)

    private func showPrimary(_ changes: inout KMSChanges) {
      let buffer = primary[primaryBack].buffer
      if isPrimaryShown {
        output.primary.flip(to: buffer.framebuffer, &changes)
      } else {
        let whole = PixelRegion(x: 0, y: 0, width: buffer.width, height: buffer.height)
        output.primary.show(buffer.framebuffer, part: whole, on: output.crtc, panel: output.mode, &changes)
      }
    }

    private static func pixels(_ buffer: KMSBuffer, _ y: Int) -> UnsafeMutablePointer<UInt32> {
      UnsafeMutableRawPointer(buffer.bytes + y * buffer.bytesPerRow).assumingMemoryBound(to: UInt32.self)
    }
  }
#endif
