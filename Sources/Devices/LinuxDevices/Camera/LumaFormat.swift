// Pixel formats with luma, and how to obtain it: most begin with a luma plane, YUYV stores luma in every other byte, and
// MJPEG must be decoded.

import BarcodeTypes
import CPicture
import Devices
import Glibc

/// A format whose luma is accessible.
enum LumaFormat: CaseIterable, Equatable {
  case r8, nv12, yuv420, yuyv, mjpeg

  /// DRM's FourCC code (drm_fourcc.h), by which libcamera identifies formats.
  var fourCC: UInt32 {
    switch self {
    case .r8: code("R8  ")
    case .nv12: code("NV12")
    case .yuv420: code("YU12")
    case .yuyv: code("YUYV")
    case .mjpeg: code("MJPG")
    }
  }

  init?(fourCC: UInt32) {
    guard let format = LumaFormat.allCases.first(where: { $0.fourCC == fourCC }) else { return nil }
    self = format
  }

  /// Whether the first plane is luma, one byte per pixel.
  var hasLumaPlane: Bool { self == .r8 || self == .nv12 || self == .yuv420 }

  /// The formats to request from a camera with these settings, in order.
  static func candidates(_ format: CameraSettings.Format, listed: [UInt32]) -> [LumaFormat] {
    let wanted: [LumaFormat]
    switch format {
    case .automatic: wanted = allCases
    case .r8: wanted = [.r8]
    case .nv12: wanted = [.nv12]
    case .yuv420: wanted = [.yuv420]
    case .yuyv: wanted = [.yuyv]
    case .mjpeg: wanted = [.mjpeg]
    }
    return wanted.filter { listed.contains($0.fourCC) }
  }

  private func code(_ text: StaticString) -> UInt32 {
    text.withUTF8Buffer { UInt32($0[0]) | UInt32($0[1]) << 8 | UInt32($0[2]) << 16 | UInt32($0[3]) << 24 }
  }
}

/// Memory for luma that has no separate plane, and for its colour, allocated once for the largest picture. If a screen needs
/// colour, both are in memory that it shows without a copy, where available.
struct LumaBuffer: ~Copyable {
  /// The largest picture in bytes: 64 million pixels, more than any supported sensor has, with colour.
  static let byteCountMax = 96 << 20
  /// The most memory in bytes that libjpeg may use for a picture.
  static let jpegByteCountMax = 64 << 20
  /// The most scans per picture: cameras send one.
  static let jpegScanCountMax: Int32 = 32

  private var bytes: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private var pool: PicturePool
  /// The memory of the picture being filled, if a screen can show it from there.
  private var memory: SharedMemory?
  /// The colour of the last picture, valid until the next call; nil if it is grey, or colour was not requested.
  private(set) var chroma: ChromaView?
  /// The last picture, if a screen can show it from its memory, which is not reused while another reference holds it.
  private(set) var shared: SharedFrame?

  init(pool: PicturePool = PicturePool()) { self.pool = pool }

  deinit { free(bytes) }

  /// Copies the luma from rows of YUYV pixels, and their colour if requested: from every other row, because the rows between
  /// have nearly the same colour.
  ///
  /// - Parameters:
  ///   - source: `bytesPerRow * (height - 1) + 2 * width` readable bytes.
  ///   - width: even, as in every YUYV picture.
  ///   - withColour: whether to provide `chroma` too.
  /// - Returns: `width * height` bytes without gaps, valid until the next call; nil if memory is not available.
  mutating func takeYUYV(
    _ source: UnsafePointer<UInt8>, width: Int, height: Int, bytesPerRow: Int, withColour: Bool = false
  ) -> UnsafePointer<UInt8>? {
    guard let luma = makeRoom(width, height, withColour: withColour) else { return nil }
    memory?.begin(.writing)
    defer { memory?.end(.writing) }
    let pairs = luma + width &* height
    for y in 0..<height {
      let row = source + y &* bytesPerRow
      deinterleave(.first, of: row, into: luma + y &* width, pixelCount: width)
      // The other bytes in a row are alternating Cb and Cr.
      if withColour, y % 2 == 0 { deinterleave(.second, of: row, into: pairs + y / 2 &* width, pixelCount: width) }
    }
    if withColour { chroma = ChromaView(pairs: pairs, width: width / 2, height: (height + 1) / 2) }
    return UnsafePointer(luma)
  }

  /// Decodes the luma of a JPEG picture; nil if it is damaged or has another size.
  ///
  /// - Parameter withColour: whether to provide `chroma` too.
  mutating func takeJPEG(
    _ source: UnsafePointer<UInt8>, byteCount: Int, width: Int, height: Int, withColour: Bool
  ) -> UnsafePointer<UInt8>? {
    forget()
    var detail = cpicture_detail()
    var (actualWidth, actualHeight): (UInt32, UInt32) = (0, 0)
    guard cpicture_jpeg_size(source, byteCount, &actualWidth, &actualHeight, &detail) == 0,
      Int(actualWidth) == width, Int(actualHeight) == height,
      let luma = makeRoom(width, height, withColour: withColour)
    else { return nil }
    memory?.begin(.writing)
    defer { memory?.end(.writing) }
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    let pairs = luma + width * height
    var isColoured: Int32 = 0
    guard
      cpicture_jpeg_colour(
        source, byteCount, luma, withColour ? pairs : nil, &isColoured, Self.jpegByteCountMax, Self.jpegScanCountMax,
        &detail) == 0
    else {
      shared = nil
      return nil
    }
    if isColoured != 0 {
      chroma = ChromaView(pairs: pairs, width: columns, height: rows)
    } else if shared != nil {
      // Hardware always reads colour, so a grey picture needs neutral colour.
      pairs.update(repeating: 128, count: 2 * columns * rows)
    }
    return UnsafePointer(luma)
  }

  /// Releases the last picture.
  private mutating func forget() {
    chroma = nil
    shared = nil
    memory = nil
  }

  /// Allocates room for a picture and its colour.
  private mutating func makeRoom(_ width: Int, _ height: Int, withColour: Bool) -> UnsafeMutablePointer<UInt8>? {
    forget()
    let byteCount = width * height + (withColour ? 2 * ((width + 1) / 2) * ((height + 1) / 2) : 0)
    guard byteCount > 0, byteCount <= Self.byteCountMax else { return nil }
    if withColour, let picture = pool.next(width: width, height: height) {
      shared = picture.frame
      memory = picture.memory
      return picture.memory.base
    }
    if capacity < byteCount {
      free(bytes)
      bytes = malloc(byteCount)?.bindMemory(to: UInt8.self, capacity: byteCount)
      capacity = bytes == nil ? 0 : byteCount
    }
    return bytes
  }
}

/// Selects one of two alternating bytes.
private enum Turn: Int { case first, second }

/// Copies every other byte, 16 pixels at a time: one unzip instruction on ARM, two packs on x86.
@inline(__always)
private func deinterleave(
  _ turn: Turn, of source: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>, pixelCount: Int
) {
  let from = UnsafeRawPointer(source)
  let to = UnsafeMutableRawPointer(target)
  var x = 0
  while x &+ 16 <= pixelCount {
    let pairs = from.loadUnaligned(fromByteOffset: 2 &* x, as: SIMD32<UInt8>.self)
    to.storeBytes(of: turn == .first ? pairs.evenHalf : pairs.oddHalf, toByteOffset: x, as: SIMD16<UInt8>.self)
    x &+= 16
  }
  while x < pixelCount {
    target[x] = source[2 &* x &+ turn.rawValue]
    x &+= 1
  }
}
