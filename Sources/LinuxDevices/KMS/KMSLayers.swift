// The layers of the picture on the planes that there are. Pixels of the overlay are copied only where they changed.
#if Screen

  import BarcodeTypes
  import Devices

  final class KMSLayers {
    /// Places that wait to be copied into a buffer one by one; more of them, and all is copied. Each of two drawings may have
    /// as many as a painter redraws one by one: outlines that move take some hundred.
    static let placeCountMax = 1024

    /// A buffer of 32-bit pixels and what it does not show yet.
    private struct Canvas {
      let buffer: KMSBuffer
      var stale: [PixelRegion]
    }

    private let output: KMSOutput
    /// Whether the panel has not been switched on by us yet.
    private(set) var needsMode = true
    private(set) var previewPath: KMSPreviewPath?
    /// The plane of the overlay; nil where it is blended.
    private let overlayPlane: KMSPlane?
    private let preview: KMSPlanePreview?
    private var isPlanePreviewUsed: Bool
    /// The overlay's buffers, or without a plane for it none.
    private var overlay: [Canvas] = []
    /// The primary plane's: one that stays black, or two.
    private var primary: [Canvas] = []
    private var overlayBack = 0
    private var primaryBack = 0
    private var isOverlayShown = false
    private var isPrimaryShown = false
    /// The preview, where it is not on a plane of its own.
    private var canvas: PreviewCanvas?
    /// Whether something was drawn into the picture under way.
    private var isOverlayDrawn = false
    private var isPrimaryDrawn = false

    init(_ output: KMSOutput) throws(ScreenTrouble) {
      self.output = output
      let alphaPlanes = output.overlays.filter { $0.shows(KMSBuffer.Format.argb.code) }
      let mode = output.mode
      let whole = PixelRegion(x: 0, y: 0, width: mode.width, height: mode.height)
      var black = Canvas(buffer: try KMSBuffer(output.card, .xrgb, width: mode.width, height: mode.height), stale: [])
      black.stale = []
      let overlayBuffer = try KMSBuffer(output.card, .argb, width: mode.width, height: mode.height)
      // The highest plane that the hardware lets us lay over the primary one.
      var test = KMSChanges()
      var chosen: KMSPlane?
      for plane in alphaPlanes.reversed() where chosen == nil {
        test.removeAll()
        output.switchOn(&test)
        output.primary.show(black.buffer.framebuffer, part: whole, on: output.crtc, panel: mode, &test)
        plane.show(overlayBuffer.framebuffer, part: whole, on: output.crtc, panel: mode, &test)
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
      if chosen != nil {
        overlay = [
          Canvas(buffer: overlayBuffer, stale: []),
          Canvas(buffer: try KMSBuffer(output.card, .argb, width: mode.width, height: mode.height), stale: []),
        ]
      }
      if preview == nil { try addPrimary() }
    }

    /// The second buffer of a primary plane that shows frames, and the preview's canvas.
    private func addPrimary() throws(ScreenTrouble) {
      let mode = output.mode
      guard primary.count == 1 else { return }
      primary.append(Canvas(buffer: try KMSBuffer(output.card, .xrgb, width: mode.width, height: mode.height), stale: []))
      canvas = PreviewCanvas(width: mode.width, height: mode.height)
    }

    /// Draws what has to be drawn and collects the changes that show it; none if there is nothing new.
    func prepare(_ change: PreviewChange, _ picture: OverlayPicture, _ changes: inout KMSChanges) throws(ScreenTrouble) {
      isOverlayDrawn = false
      isPrimaryDrawn = false
      if needsMode { output.switchOn(&changes) }
      for index in overlay.indices { Self.add(picture.changes, to: &overlay[index].stale) }
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

    /// The panel shows what was prepared.
    func shown() {
      needsMode = false
      isPrimaryShown = true
      if overlayPlane != nil { isOverlayShown = true }
      previewPath = pendingPath
      if isPlanePreviewUsed { preview?.flipped() }
    }

    /// The hardware refused the way in which the preview was to be shown; whether there is another.
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
      for region in overlay[overlayBack].stale {
        for y in region.y..<region.y + region.height {
          Self.pixels(buffer, y).advanced(by: region.x).update(from: picture.row(y) + region.x, count: region.width)
        }
      }
      overlay[overlayBack].stale.removeAll(keepingCapacity: true)
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
          // Put together in ordinary memory: blending reads what it writes.
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

    /// Adds places to those that wait; too many become one around all.
    private static func add(_ regions: [PixelRegion], to places: inout [PixelRegion]) {
      guard !regions.isEmpty else { return }
      places += regions
      guard places.count > placeCountMax, var all = places.first else { return }
      for region in places {
        let right = max(all.x + all.width, region.x + region.width)
        let bottom = max(all.y + all.height, region.y + region.height)
        all.x = min(all.x, region.x)
        all.y = min(all.y, region.y)
        all.width = right - all.x
        all.height = bottom - all.y
      }
      places = [all]
    }
  }
#endif
