// The preview's path to the panel. The hardware is asked (TEST_ONLY) for the best path that it accepts, from the one that
// costs nothing to the one that costs a pass over the panel's pixels; a path refused later is given up permanently.
#if Screen

  import BarcodeTypes
  import CLibdrm
  import Devices

  /// The paths of frames to the panel.
  public enum KMSPreviewPath: Int, CaseIterable, Comparable, Sendable {
    /// The camera's own buffer on a YUV plane; the hardware crops, scales and rotates.
    case imported
    /// A copy of the visible part on a YUV plane; the hardware scales and rotates.
    case copied
    /// A panel-sized copy, scaled and rotated in software, on a YUV plane.
    case scaled
    /// Pixels on the primary plane; the overlay has a separate plane.
    case converted
    /// Pixels with the overlay blended into them, on the only plane.
    case blended

    /// The number of paths; `allCases` would allocate for each frame.
    static let count = allCases.count

    public static func < (a: KMSPreviewPath, b: KMSPreviewPath) -> Bool { a.rawValue < b.rawValue }
  }

  /// Shows frames on a YUV plane.
  final class KMSPlanePreview {
    /// Camera buffers imported into the card at once: more than any camera uses.
    static let importCountMax = 16

    /// A camera's buffer imported into the card, for as long as the camera has it.
    private struct Import {
      weak var frame: SharedFrame?
      var framebuffer: UInt32
      var handle: UInt32
    }

    /// The layout of the frame on the plane, without its pixels.
    private struct Shape: Equatable {
      var visible: PixelRegion
      var orientation: FrameOrientation
      var isShared: Bool
      var width: Int
      var height: Int
    }

    private let output: KMSOutput
    private let plane: KMSPlane
    private var lumaScaler: PreviewScaler
    private var chromaScaler: PreviewScaler
    private var shape: Shape?
    /// Whether the plane is set up for `shape`, so that the next frame needs only a flip.
    private var isPlaced = false
    private(set) var path: KMSPreviewPath?
    /// The best path not refused so far.
    private var best = KMSPreviewPath.imported
    /// Two buffers, shown alternately.
    private var buffers: [KMSBuffer] = []
    private var back = 0
    private var imports: [Import] = []
    /// The camera's buffers on the panel and on their way to it: the camera must not write to them.
    private var onPanel: SharedFrame?
    private var next: SharedFrame?

    init(_ output: KMSOutput, _ plane: KMSPlane) {
      self.output = output
      self.plane = plane
      let (width, height) = (output.mode.width, output.mode.height)
      lumaScaler = PreviewScaler(panelWidth: width, panelHeight: height)
      chromaScaler = PreviewScaler(panelWidth: width / 2, panelHeight: height / 2, part: .chroma)
    }

    deinit {
      for one in imports { forget(one) }
    }

    private func forget(_ one: Import) {
      clibdrm_framebuffer_free(output.card.descriptor, one.framebuffer)
      clibdrm_handle_free(output.card.descriptor, one.handle)
    }

    /// Adds the changes that show a frame.
    ///
    /// - Returns: false if the plane cannot show it by any path.
    func show(_ frame: PreviewFrame, _ changes: inout KMSChanges) throws(ScreenTrouble) -> Bool {
      let wanted = Shape(
        visible: frame.visible, orientation: frame.orientation, isShared: frame.shared != nil, width: frame.luma.width,
        height: frame.luma.height)
      if wanted != shape {
        path = nil
        isPlaced = false
        buffers = []
        for candidate in [KMSPreviewPath.imported, .copied, .scaled] where path == nil && candidate >= best {
          if try prepare(candidate, frame) { path = candidate }
        }
        shape = path == nil ? nil : wanted
      }
      guard let path else { return false }
      try put(frame, path, &changes)
      return true
    }

    /// The panel shows the last committed frame: the previous buffer returns to the camera.
    func flipped() {
      onPanel = next
      isPlaced = shape != nil
    }

    func hide(_ changes: inout KMSChanges) {
      plane.hide(&changes)
      next = nil
      shape = nil
      isPlaced = false
    }

    /// The hardware refused a path that it had accepted before (too much scaling at once, for instance).
    ///
    /// - Returns: whether another path is left.
    func giveUpPath() -> Bool {
      guard let path, path < .scaled, let worse = KMSPreviewPath(rawValue: path.rawValue + 1) else { return false }
      best = worse
      shape = nil
      isPlaced = false
      return true
    }

    /// Creates the buffers of a path and asks the hardware.
    private func prepare(_ path: KMSPreviewPath, _ frame: PreviewFrame) throws(ScreenTrouble) -> Bool {
      var test = KMSChanges()
      output.switchOn(&test)
      let visible = frame.visible
      switch path {
      case .imported:
        guard let shared = frame.shared, plane.canTurn(frame.orientation), let framebuffer = framebuffer(of: shared) else {
          return false
        }
        plane.show(
          framebuffer, part: frame.visible, on: output.crtc, panel: output.mode, orientation: frame.orientation,
          &test)
      case .copied:
        guard plane.shows(KMSBuffer.Format.nv12.code), plane.canTurn(frame.orientation), visible.width % 2 == 0,
          visible.height % 2 == 0
        else { return false }
        try makeBuffers(width: visible.width, height: visible.height)
        plane.show(
          buffers[0].framebuffer, part: whole(buffers[0]), on: output.crtc, panel: output.mode,
          orientation: frame.orientation, &test)
      case .scaled:
        guard plane.shows(KMSBuffer.Format.nv12.code), output.mode.width % 2 == 0, output.mode.height % 2 == 0 else {
          return false
        }
        try makeBuffers(width: output.mode.width, height: output.mode.height)
        plane.show(buffers[0].framebuffer, part: whole(buffers[0]), on: output.crtc, panel: output.mode, &test)
      case .converted, .blended: return false
      }
      return output.accepts(test)
    }

    private func makeBuffers(width: Int, height: Int) throws(ScreenTrouble) {
      guard buffers.first.map({ $0.width != width || $0.height != height }) ?? true else { return }
      buffers = []
      for _ in 0..<2 { buffers.append(try KMSBuffer(output.card, .nv12, width: width, height: height)) }
    }

    private func whole(_ buffer: KMSBuffer) -> PixelRegion {
      PixelRegion(x: 0, y: 0, width: buffer.width, height: buffer.height)
    }

    private func put(_ frame: PreviewFrame, _ path: KMSPreviewPath, _ changes: inout KMSChanges) throws(ScreenTrouble) {
      next = nil
      switch path {
      case .imported:
        guard let shared = frame.shared, let framebuffer = framebuffer(of: shared) else {
          throw ScreenTrouble(.failed, "\(output.card.path): a camera's buffer cannot be shown; see the kernel log")
        }
        next = shared
        place(framebuffer, frame.visible, frame.orientation, &changes)
      case .copied:
        back = 1 - back
        let buffer = buffers[back]
        frame.shared?.beginReading()
        defer { frame.shared?.endReading() }
        for y in 0..<frame.visible.height {
          let row = frame.luma.row(frame.visible.y + y) + frame.visible.x
          (buffer.bytes + y * buffer.bytesPerRow).update(from: row, count: frame.visible.width)
        }
        copyColour(frame, into: buffer)
        place(buffer.framebuffer, whole(buffer), frame.orientation, &changes)
      case .scaled:
        back = 1 - back
        let buffer = buffers[back]
        frame.shared?.beginReading()
        defer { frame.shared?.endReading() }
        lumaScaler.scale(frame, into: buffer.bytes, bytesPerRow: buffer.bytesPerRow)
        if frame.chroma != nil || buffer.isColoured {
          chromaScaler.scale(frame, into: buffer.chroma, bytesPerRow: buffer.bytesPerRow)
          buffer.isColoured = frame.chroma != nil
        }
        place(buffer.framebuffer, whole(buffer), FrameOrientation(), &changes)
      case .converted, .blended: break
      }
    }

    /// Puts a framebuffer on the plane.
    private func place(
      _ framebuffer: UInt32, _ part: PixelRegion, _ orientation: FrameOrientation, _ changes: inout KMSChanges
    ) {
      if isPlaced {
        plane.flip(to: framebuffer, &changes)
      } else {
        plane.show(framebuffer, part: part, on: output.crtc, panel: output.mode, orientation: orientation, &changes)
      }
    }

    /// Copies the visible part's colour; for a grey frame the buffer becomes grey.
    private func copyColour(_ frame: PreviewFrame, into buffer: KMSBuffer) {
      let part = frame.visible.halved
      if let chroma = frame.chroma {
        chroma.copyPairs(part, to: buffer.chroma, bytesPerRow: buffer.bytesPerRow)
      } else if buffer.isColoured {
        buffer.removeColour()
      }
      buffer.isColoured = frame.chroma != nil
    }

    /// The framebuffer of a camera's buffer, created when the buffer first comes.
    private func framebuffer(of frame: SharedFrame) -> UInt32? {
      let format = frame.format == .nv12 ? KMSBuffer.Format.nv12.code : fourCC("YU12")
      guard plane.shows(format) else { return nil }
      for index in 0..<imports.count where imports[index].frame === frame { return imports[index].framebuffer }
      var handle: UInt32 = 0
      var framebuffer: UInt32 = 0
      let card = output.card.descriptor
      guard clibdrm_import(card, frame.descriptor, &handle) == 0 else { return nil }
      var handles: [UInt32] = [0, 0, 0, 0]
      var pitches = handles
      var offsets = handles
      for (index, plane) in frame.planes.enumerated() {
        handles[index] = handle
        pitches[index] = UInt32(plane.bytesPerRow)
        offsets[index] = UInt32(plane.byteOffset)
      }
      guard
        clibdrm_framebuffer(
          card, UInt32(frame.width), UInt32(frame.height), format, handles, pitches, offsets, &framebuffer) == 0
      else {
        clibdrm_handle_free(card, handle)
        return nil
      }
      // Buffers that the camera has freed are released here too: display memory is scarce.
      for one in imports where one.frame == nil { forget(one) }
      imports.removeAll { $0.frame == nil }
      if imports.count == Self.importCountMax { forget(imports.removeFirst()) }
      imports.append(Import(frame: frame, framebuffer: framebuffer, handle: handle))
      return framebuffer
    }
  }
#endif
