// The parts of the camera source that need no camera: formats, luma, clocks, permissions.

import BarcodeTypes
import CPictureWriter
import Devices
import Foundation
import Testing

@testable import LinuxDevices

@Suite struct CameraPartsTests {
  private static let nv12: UInt32 = 0x3231_564E
  private static let yuyv: UInt32 = 0x5659_5559
  private static let mjpeg: UInt32 = 0x4750_4A4D

  @Test func `formats have the codes of drm_fourcc`() {
    #expect(LumaFormat.nv12.fourCC == Self.nv12)
    #expect(LumaFormat.yuyv.fourCC == Self.yuyv)
    #expect(LumaFormat.mjpeg.fourCC == Self.mjpeg)
    #expect(LumaFormat.r8.fourCC == 0x2020_3852)
    #expect(LumaFormat.yuv420.fourCC == 0x3231_5559)
    #expect(LumaFormat(fourCC: Self.yuyv) == .yuyv)
    #expect(LumaFormat(fourCC: 0x3432_4752) == nil)
  }

  @Test func `formats with a luma plane are tried first, and only those that the camera lists`() {
    #expect(LumaFormat.candidates(.automatic, listed: [Self.mjpeg, Self.yuyv, Self.nv12]) == [.nv12, .yuyv, .mjpeg])
    #expect(LumaFormat.candidates(.mjpeg, listed: [Self.mjpeg, Self.yuyv]) == [.mjpeg])
    #expect(LumaFormat.candidates(.r8, listed: [Self.mjpeg, Self.yuyv]).isEmpty)
  }

  @Test(arguments: [2, 14, 16, 18, 30, 32, 34, 640])
  func `the luma of YUYV is every other byte, at any width and row length`(width: Int) throws {
    let (height, bytesPerRow) = (3, 2 * width + 6)
    let source = (0..<bytesPerRow * height).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 / 7) }
    var buffer = LumaBuffer()
    let taken = source.withUnsafeBufferPointer { bytes -> [UInt8] in
      guard let base = bytes.baseAddress,
        let luma = buffer.takeYUYV(base, width: width, height: height, bytesPerRow: bytesPerRow)
      else { return [] }
      return Array(UnsafeBufferPointer(start: luma, count: width * height))
    }
    let expected = (0..<height).flatMap { y in (0..<width).map { source[y * bytesPerRow + 2 * $0] } }
    #expect(taken == expected)
  }

  @Test(arguments: [2, 30, 34, 640], [1, 2, 4])
  func `the chroma of YUYV comes from every other row, in shared memory while any is free`(
    width: Int, height: Int
  ) throws {
    let bytesPerRow = 2 * width + 6
    let source = (0..<bytesPerRow * height).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 / 7) }
    // Nothing is read beyond the last pixel.
    let last = source.dropLast(6)
    var buffer = LumaBuffer(
      pool: PicturePool { count in
        let base = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        let address = UInt(bitPattern: base)
        return SharedMemory(base: base, byteCount: count, descriptor: -1) { _, _ in
        } release: {
          UnsafeMutablePointer<UInt8>(bitPattern: address)?.deallocate()
        }
      })
    var held: [SharedFrame?] = []
    try Array(last).withUnsafeBufferPointer { bytes in
      let base = try #require(bytes.baseAddress)
      for _ in 0..<PicturePool.pictureCountMax + 1 {
        let taken = buffer.takeYUYV(base, width: width, height: height, bytesPerRow: bytesPerRow, withColour: true)
        let (colour, shared) = (buffer.chroma, buffer.shared)
        let luma = try #require(taken)
        let chroma = try #require(colour)
        #expect(chroma.width == width / 2 && chroma.height == (height + 1) / 2 && chroma.isPairs)
        for y in 0..<height {
          for x in 0..<width {
            #expect(luma[y * width + x] == source[y * bytesPerRow + 2 * x])
            let row = y & ~1
            #expect(chroma.cb[y / 2 * chroma.bytesPerRow + x & ~1] == source[row * bytesPerRow + (x & ~1) * 2 + 1])
            #expect(chroma.cr[y / 2 * chroma.bytesPerRow + x & ~1] == source[row * bytesPerRow + (x & ~1) * 2 + 3])
          }
        }
        if let shared { #expect(shared.luma.row(0) == luma && shared.chroma.cb == chroma.cb) }
        held.append(shared)
      }
      // Frames held by a screen are left alone. If it holds all of them, or if two rows cannot share a colour, other memory
      // is used.
      let frames = held.compactMap { $0 }
      #expect(frames.count == (height % 2 == 0 ? PicturePool.pictureCountMax : 0))
      #expect(Set(frames.map { ObjectIdentifier($0) }).count == frames.count)
    }
  }

  @Test func `a picture that the screen releases is reused`() {
    let base = UnsafeMutablePointer<UInt8>.allocate(capacity: 24)
    defer { base.deallocate() }
    var madeCount = 0
    var pool = PicturePool { count in
      madeCount += 1
      return madeCount > 2
        ? nil
        : SharedMemory(base: base, byteCount: count, descriptor: -1) { _, _ in
        } release: {
        }
    }
    var held = pool.next(width: 4, height: 4)?.frame
    let second = pool.next(width: 4, height: 4)?.frame
    #expect(held != nil && second != nil && held !== second)
    // There is no more memory, and the pool asks only once.
    let none = [pool.next(width: 4, height: 4)?.frame, pool.next(width: 4, height: 4)?.frame]
    #expect(none.allSatisfy { $0 == nil } && madeCount == 3)
    let identity = held.map { ObjectIdentifier($0) }
    held = nil
    let again = pool.next(width: 4, height: 4)?.frame
    #expect(again.map { ObjectIdentifier($0) } == identity && madeCount == 3)
    withExtendedLifetime(second) {}
  }

  @Test func `JPEG luma is decoded; a damaged picture or another size is refused`() throws {
    let (width, height) = (64, 48)
    let grey = [UInt8](repeating: 130, count: width * height)
    var file: UnsafeMutablePointer<UInt8>?
    let count = cpicturewriter_jpeg(grey, Int32(width), Int32(height), 1, 90, 0, &file)
    defer { free(file) }
    let bytes = try #require(file)
    var buffer = LumaBuffer()
    func take(_ byteCount: Int, _ width: Int) -> [UInt8]? {
      guard let luma = buffer.takeJPEG(bytes, byteCount: byteCount, width: width, height: height, withColour: false)
      else { return nil }
      return Array(UnsafeBufferPointer(start: luma, count: width * height))
    }
    let luma = try #require(take(count, width))
    #expect(luma.allSatisfy { abs(Int($0) - 130) <= 2 })
    #expect(take(count, width + 2) == nil)
    #expect(take(20, width) == nil)
  }

  /// Red rises from left to right and blue from top to bottom; each camera stores colour for its own number of pixels.
  @Test(arguments: [(1, 1), (2, 1), (1, 2), (2, 2)], [(64, 48), (37, 29), (1, 1)])
  func `JPEG colour is decoded at every chroma subsampling`(
    stored: (wide: Int32, tall: Int32), size: (width: Int, height: Int)
  ) throws {
    let (width, height) = size
    func red(_ x: Int) -> Int { 60 + x * 130 / width }
    func blue(_ y: Int) -> Int { 50 + y * 150 / height }
    var pixels: [UInt8] = []
    for y in 0..<height { for x in 0..<width { pixels += [UInt8(red(x)), 120, UInt8(blue(y))] } }
    var file: UnsafeMutablePointer<UInt8>?
    let count = cpicturewriter_camera_jpeg(
      pixels, Int32(width), Int32(height), 3, 98, 0, stored.wide, stored.tall, &file)
    defer { free(file) }
    let bytes = try #require(file)
    var buffer = LumaBuffer()
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    let (luma, pairs) = take(bytes, count, size, into: &buffer)
    try #require(luma?.count == width * height && pairs?.count == 2 * columns * rows)
    for y in 0..<height {
      for x in 0..<width {
        let value = Double(red(x)) * 0.299 + 120 * 0.587 + Double(blue(y)) * 0.114
        #expect(abs(Double(luma?[y * width + x] ?? 0) - value) <= 4)
      }
    }
    for y in 0..<rows {
      for x in 0..<columns {
        // Full-range ITU-R BT.601, in the middle of the four pixels.
        let r = Double(red(2 * x) + red(min(2 * x + 1, width - 1))) / 2
        let b = Double(blue(2 * y) + blue(min(2 * y + 1, height - 1))) / 2
        let (cb, cr) = (pairs?[2 * (y * columns + x)] ?? 0, pairs?[2 * (y * columns + x) + 1] ?? 0)
        #expect(abs(Double(cb) - (128 - 0.168736 * r - 0.331264 * 120 + 0.5 * b)) <= 4, "\(x), \(y)")
        #expect(abs(Double(cr) - (128 + 0.5 * r - 0.418688 * 120 - 0.081312 * b)) <= 4, "\(x), \(y)")
      }
    }
    // Luma alone is the same, and a damaged picture leaves no colour of an earlier one.
    let alone = take(bytes, count, size, withColour: false, into: &buffer)
    #expect(alone.luma == luma && alone.pairs == nil)
    _ = take(bytes, count, size, into: &buffer)
    let damaged = take(bytes, count / 4, size, into: &buffer)
    #expect(damaged.luma == nil && damaged.pairs == nil)
  }

  /// The luma and the colour of a JPEG picture.
  private func take(
    _ bytes: UnsafePointer<UInt8>, _ count: Int, _ size: (width: Int, height: Int), withColour: Bool = true,
    into buffer: inout LumaBuffer
  ) -> (luma: [UInt8]?, pairs: [UInt8]?) {
    let luma = buffer.takeJPEG(bytes, byteCount: count, width: size.width, height: size.height, withColour: withColour)
    let chroma = buffer.chroma
    return (
      luma.map { Array(UnsafeBufferPointer(start: $0, count: size.width * size.height)) },
      chroma.map { Array(UnsafeBufferPointer(start: $0.cb, count: 2 * $0.width * $0.height)) }
    )
  }

  @Test func `a grey JPEG picture has no colour`() throws {
    var file: UnsafeMutablePointer<UInt8>?
    let count = cpicturewriter_jpeg([UInt8](repeating: 130, count: 64 * 48), 64, 48, 1, 90, 0, &file)
    defer { free(file) }
    let bytes = try #require(file)
    var buffer = LumaBuffer()
    let (luma, pairs) = take(bytes, count, (64, 48), into: &buffer)
    #expect(luma != nil && pairs == nil)
  }

  @Test func `CLOCK_MONOTONIC timestamps become boot time; timestamps in boot time stay as they are`() {
    let second: Int64 = 1_000_000_000
    // Suspended for 100 s: the clocks are 100 s apart.
    #expect(SensorClock.bootTime(ofStamp: 399 * second, boot: 500 * second, monotonic: 400 * second) == 499 * second)
    #expect(SensorClock.bootTime(ofStamp: 499 * second, boot: 500 * second, monotonic: 400 * second) == 499 * second)
    // Never suspended: the clocks are equal, no matter how late a frame is.
    #expect(SensorClock.bootTime(ofStamp: 490 * second, boot: 500 * second, monotonic: 500 * second) == 490 * second)
    #expect(SensorClock.bootTime(ofStamp: 0, boot: 500 * second, monotonic: 500 * second) == 500 * second)
  }

  @Test func `S2: permission is not determined while udev makes device files, and is asked for again`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nodes-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let queue = folder.appending(path: "queue")
    func permission() -> DevicePermission { CameraNodes.readPermission(in: folder.path, queue: queue.path) }
    try Data().write(to: queue)
    #expect(permission() == .notDetermined)
    try Data().write(to: folder.appending(path: "video0"))
    #expect(permission() == .authorized)
    try FileManager.default.removeItem(at: folder.appending(path: "video0"))
    try FileManager.default.removeItem(at: queue)
    #expect(permission() == .authorized)
  }

  @Test func `a machine without device files needs no permission`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nodes-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(CameraNodes.readPermission(in: folder.path) == .authorized)
    try Data().write(to: folder.appending(path: "media0"))
    #expect(CameraNodes.readPermission(in: folder.path) == .authorized)
    #expect(CameraNodes.heaps(in: folder.path).isEmpty)
    try Data().write(to: folder.appending(path: "system"))
    try Data().write(to: folder.appending(path: "vidbuf_cached"))
    #expect(CameraNodes.heaps(in: folder.path).map { $0.split(separator: "/").last } == ["vidbuf_cached", "system"])
  }
}
