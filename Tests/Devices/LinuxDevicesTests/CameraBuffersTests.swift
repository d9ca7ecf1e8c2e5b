// Camera buffers for a screen, tested with values in the C layer's terms: no camera of the lab has two streams or as many
// buffers as a Pi's.

#if Camera

  import CLibcamera
  import Devices
  import Glibc
  import Testing

  @testable import LinuxDevices

  @Suite struct CameraBuffersTests {
    private func stream(_ format: LumaFormat, _ width: UInt32, _ height: UInt32, stride: UInt32) -> clibcamera_stream {
      clibcamera_stream(
        format: format.fourCC, width: width, height: height, stride: stride, byte_count: stride * height * 3 / 2,
        buffer_count: 7)
    }

    private func frame(_ buffer: UInt32, fd: Int32, offsets: [UInt32]) -> clibcamera_frame {
      var frame = clibcamera_frame()
      frame.buffer = buffer
      func plane(_ index: Int) -> clibcamera_plane {
        var plane = clibcamera_plane()
        plane.fd = index < offsets.count ? fd : -1
        plane.offset = index < offsets.count ? offsets[index] : 0
        return plane
      }
      frame.planes.0 = (plane(0), plane(1), plane(2))
      frame.planes.1 = (plane(0), plane(1), plane(2))
      return frame
    }

    /// Memory that replaces a dma-buf.
    private let memory: Int32 = {
      guard let file = tmpfile() else { return -1 }
      defer { fclose(file) }
      let descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0)
      return ftruncate(descriptor, 1 << 20) == 0 ? descriptor : -1
    }()

    @Test func `a buffer on the screen returns to the camera when the screen releases it`() throws {
      defer { close(memory) }
      var buffers = try #require(CameraBuffers(streams: [stream(.nv12, 640, 480, stride: 704)], bufferCount: 7))
      let offsets: [UInt32] = [0, 704 * 480]
      let held = buffers.picture(of: frame(3, fd: memory, offsets: offsets))
      let picture = try #require(held)
      #expect(picture.format == .nv12 && picture.width == 640 && picture.descriptor != memory)
      #expect(picture.planes.map(\.byteOffset) == [0, 704 * 480] && picture.planes.map(\.bytesPerRow) == [704, 704])
      let (isFree, returned) = (buffers.isFree(3), buffers.takeReturned())
      #expect(!isFree && returned == nil)
      // The next one is not in use.
      _ = buffers.picture(of: frame(4, fd: memory, offsets: offsets))
      let isNextFree = buffers.isFree(4)
      #expect(isNextFree)
      // A buffer is the same object each time that it comes around.
      let again = buffers.picture(of: frame(3, fd: memory, offsets: offsets))
      #expect(again === picture)
    }

    @Test func `buffers outlive their session while the screen holds them`() throws {
      defer { close(memory) }
      var buffers = CameraBuffers(streams: [stream(.yuv420, 64, 48, stride: 64)], bufferCount: 6)
      var picture = buffers?.picture(of: frame(0, fd: memory, offsets: [0, 3072, 3840]))
      let descriptor = try #require(picture?.descriptor)
      #expect(picture?.planes.map(\.bytesPerRow) == [64, 32, 32])
      buffers = nil
      #expect(fcntl(descriptor, F_GETFD) >= 0)
      picture = nil
      #expect(fcntl(descriptor, F_GETFD) < 0)
    }

    @Test func `returned buffers are reported one by one`() throws {
      defer { close(memory) }
      var buffers = try #require(CameraBuffers(streams: [stream(.nv12, 64, 48, stride: 64)], bufferCount: 7))
      var held = (0..<3).map { buffers.picture(of: frame($0, fd: memory, offsets: [0, 3072])) }
      let areFree = (UInt32(0)..<3).map { buffers.isFree($0) }
      #expect(areFree == [false, false, false])
      held.removeFirst(2)
      let returned = (0..<3).map { _ in buffers.takeReturned() }
      #expect(returned == [0, 1, nil])
      #expect(held.count == 1)
    }

    @Test func `buffers are not shared if they are too few, packed, fragmented or too short`() throws {
      defer { close(memory) }
      let nv12 = stream(.nv12, 64, 48, stride: 64)
      #expect(CameraBuffers(streams: [nv12], bufferCount: 4) == nil)
      #expect(CameraBuffers(streams: [stream(.yuyv, 64, 48, stride: 128)], bufferCount: 7) == nil)
      // The screen's stream is the last.
      #expect(CameraBuffers(streams: [stream(.r8, 128, 96, stride: 128), nv12], bufferCount: 7) != nil)
      var buffers = try #require(CameraBuffers(streams: [nv12], bufferCount: 7))
      let tooLong = buffers.picture(of: frame(1, fd: memory, offsets: [0, 1 << 20]))
      #expect(tooLong == nil)
      let inPieces = buffers.picture(of: frame(0, fd: memory, offsets: [0]))
      let isFree = buffers.isFree(0)
      #expect(inPieces == nil && isFree)
    }

    @Test func `the screen's stream has the decoder's aspect ratio, covers the panel and is no larger`() {
      func wish(_ width: UInt32, _ height: UInt32, _ screen: (Int, Int)) -> [UInt32]? {
        LibcameraFrameSource.screenWish(
          for: stream(.yuv420, width, height, stride: width), enough: CameraSettings.Size(width: screen.0, height: screen.1)
        ).map { [$0.width, $0.height] }
      }
      #expect(wish(2304, 1296, (1280, 720)) == [1280, 720])
      #expect(wish(2304, 1296, (800, 480)) == [854, 480])
      #expect(wish(2304, 1296, (480, 800)) == [1424, 800])
      #expect(wish(1456, 1088, (800, 480)) == [800, 598])
      // Small frames are shown unchanged.
      #expect(wish(1280, 720, (1280, 720)) == nil)
      #expect(wish(640, 480, (1920, 1080)) == nil)
      #expect(wish(640, 480, (0, 0)) == nil)
    }

    @Test func `chroma is found where the format keeps it, and only within the frame's memory`() throws {
      var memory = [UInt8](repeating: 0, count: 64 * 4)
      try memory.withUnsafeMutableBufferPointer { bytes in
        let base = try #require(bytes.baseAddress)
        func plane(_ offset: Int, _ count: Int) -> clibcamera_plane {
          clibcamera_plane(data: base + offset, byte_count: count, used_byte_count: count, fd: -1, offset: 0)
        }
        let none = clibcamera_plane()
        let nv12 = LumaFormat.nv12.chroma((plane(0, 32), plane(32, 16), none), width: 8, height: 4, stride: 8)
        #expect(nv12?.isPairs == true && nv12?.width == 4 && nv12?.height == 2 && nv12?.cb == UnsafePointer(base + 32))
        #expect(LumaFormat.nv12.chroma((plane(0, 32), plane(32, 15), none), width: 8, height: 4, stride: 8) == nil)
        let planes = LumaFormat.yuv420.chroma((plane(0, 32), plane(32, 8), plane(40, 8)), width: 8, height: 4, stride: 8)
        #expect(planes?.step == 1 && planes?.bytesPerRow == 4 && planes?.cr == UnsafePointer(base + 40))
        #expect(
          LumaFormat.yuv420.chroma((plane(0, 32), plane(32, 8), plane(40, 7)), width: 8, height: 4, stride: 8) == nil)
        for format in [LumaFormat.r8, .yuyv, .mjpeg] {
          #expect(format.chroma((plane(0, 64), none, none), width: 8, height: 4, stride: 8) == nil)
        }
      }
    }

    @Test func `a libcamera message is logged once regardless of its numbers, until it is forgotten`() {
      var told = ToldMessages()
      func isNew(_ message: String) -> Bool { told.isNew(message) }
      #expect(isNew("V4L2 a.cpp:1047 /dev/video3[23:cap]: Unable to set format"))
      #expect(!isNew("V4L2 a.cpp:1047 /dev/video3[31:cap]: Unable to set format"))
      #expect(isNew("V4L2 a.cpp:1047 /dev/video3[23:cap]: Unable to try format"))
      told = ToldMessages()
      #expect(isNew("V4L2 a.cpp:1047 /dev/video3[23:cap]: Unable to set format"))
      // The memory is bounded; messages beyond it are reported each time.
      for number in 0..<2 * ToldMessages.countMax {
        let words = String(number, radix: 2).replacing("0", with: "o").replacing("1", with: "i")
        #expect(isNew(words))
      }
      #expect(isNew("one more") && isNew("one more"))
    }

    @Test func `libcamera messages keep their level, and lines of another form are passed on unchanged`() {
      let line = "[0:12:37.594203584] [2001]  INFO Camera camera_manager.cpp:297 libcamera v0.0.3\n"
      #expect(CameraMessages.parse(line).level == .info)
      #expect(CameraMessages.parse(line).message == "Camera camera_manager.cpp:297 libcamera v0.0.3")
      #expect(CameraMessages.parse("[0:00:01.0] [7] ERROR V4L2 a.cpp:1 no\n").level == .error)
      #expect(CameraMessages.parse("[0:00:01.0] [7]  WARN V4L2 a.cpp:1 two\nlines\n").message == "V4L2 a.cpp:1 two lines")
      for odd in ["", "\n", "hello", "[a] [b] NOISE c d", "INFO a b c"] {
        #expect(CameraMessages.parse(odd).level == .info)
        #expect(CameraMessages.parse(odd).message == odd.replacing("\n", with: ""))
      }
    }
  }

#endif
