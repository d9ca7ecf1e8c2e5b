// A camera's buffers for the screen: the memory that the camera wrote, without a copy. A buffer that the screen holds
// returns to the camera after the screen releases it, which is checked whenever the capture thread waits for a frame.

#if Camera

  import CLibcamera
  import Devices

  /// The buffers of a capture session. Belongs to the capture thread.
  struct CameraBuffers {
    /// The fewest buffers with which some may be lent to the screen: the screen holds up to three, for the newest frame, the
    /// one on its way to the panel and the one on it; the camera needs three to continue.
    static let sharingCountMin = 6

    private let format: SharedFrame.Format
    private let stream: clibcamera_stream
    private let streamIndex: Int
    /// Indexed by the buffer's number; created when the buffer first comes, then reused.
    private var frames = [SharedFrame?](repeating: nil, count: Int(CLIBCAMERA_BUFFER_COUNT_MAX))
    private var isWithScreen = [Bool](repeating: false, count: Int(CLIBCAMERA_BUFFER_COUNT_MAX))

    /// - Parameters:
    ///   - streams: as configured; the last is the screen's.
    ///   - bufferCount: buffers per stream.
    /// - Returns: nil if these buffers cannot be shared.
    init?(streams: [clibcamera_stream], bufferCount: Int) {
      guard bufferCount >= Self.sharingCountMin, let stream = streams.last else { return nil }
      switch LumaFormat(fourCC: stream.format) {
      case .nv12: format = .nv12
      case .yuv420: format = .yuv420
      default: return nil
      }
      self.stream = stream
      streamIndex = streams.count - 1
    }

    /// The frame's picture for the screen; nil if its memory cannot be shared.
    mutating func picture(of frame: clibcamera_frame) -> SharedFrame? {
      let buffer = Int(frame.buffer)
      guard frames.indices.contains(buffer) else { return nil }
      if frames[buffer] == nil { frames[buffer] = make(streamIndex == 0 ? frame.planes.0 : frame.planes.1) }
      return frames[buffer]
    }

    private func make(_ planes: (clibcamera_plane, clibcamera_plane, clibcamera_plane)) -> SharedFrame? {
      let all = format == .nv12 ? [planes.0, planes.1] : [planes.0, planes.1, planes.2]
      guard planes.0.fd >= 0, stream.width > 0, stream.height > 0, all.allSatisfy({ $0.fd == planes.0.fd }) else {
        return nil
      }
      let (width, height) = (Int(stream.width), Int(stream.height))
      let chromaRow = format == .nv12 ? Int(stream.stride) : Int(stream.stride) / 2
      let layout = all.enumerated().map { index, plane in
        SharedFrame.Plane(byteOffset: Int(plane.offset), bytesPerRow: index == 0 ? Int(stream.stride) : chromaRow)
      }
      let byteCount = SharedFrame.byteCount(format, width: width, height: height, planes: layout)
      // The station's own mapping: the camera closes and unmaps its mapping when it stops, and the screen may still need it.
      return DMAMemory.reading(planes.0.fd, byteCount: byteCount).map {
        SharedFrame(memory: $0, format: format, width: width, height: height, planes: layout)
      }
    }

    /// Notes that a frame has been handled.
    ///
    /// - Returns: whether its buffer can return to the camera now; if not, `takeReturned` gives it later.
    mutating func isFree(_ buffer: UInt32) -> Bool {
      guard frames.indices.contains(Int(buffer)), frames[Int(buffer)] != nil else { return true }
      isWithScreen[Int(buffer)] = !isKnownUniquelyReferenced(&frames[Int(buffer)])
      return !isWithScreen[Int(buffer)]
    }

    /// A buffer that the screen has released, if any.
    mutating func takeReturned() -> UInt32? {
      for buffer in frames.indices where isWithScreen[buffer] && isKnownUniquelyReferenced(&frames[buffer]) {
        isWithScreen[buffer] = false
        return UInt32(buffer)
      }
      return nil
    }
  }

  extension LumaFormat {
    /// The colour of a picture in this format; nil if it has no colour planes.
    ///
    /// - Parameter stride: bytes between rows of the first plane.
    func chroma(
      _ planes: (clibcamera_plane, clibcamera_plane, clibcamera_plane), width: Int, height: Int, stride: Int
    ) -> ChromaView? {
      let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
      switch self {
      case .r8, .yuyv, .mjpeg: return nil
      case .nv12:
        guard let data = planes.1.data, planes.1.byte_count >= stride * (rows - 1) + 2 * columns else { return nil }
        return ChromaView(cb: data, cr: data + 1, step: 2, bytesPerRow: stride, width: columns, height: rows)
      case .yuv420:
        let needed = stride / 2 * (rows - 1) + columns
        guard let cb = planes.1.data, let cr = planes.2.data, planes.1.byte_count >= needed, planes.2.byte_count >= needed
        else { return nil }
        return ChromaView(cb: cb, cr: cr, step: 1, bytesPerRow: stride / 2, width: columns, height: rows)
      }
    }
  }

#endif
