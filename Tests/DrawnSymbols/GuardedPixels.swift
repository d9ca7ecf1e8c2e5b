// Pixels with memory before and behind them that nobody may touch: a read outside of the picture ends the test.

public import BarcodeTypes
import Foundation

/// Where pixels lie between two pages without access: at the end of the first, or at the beginning of the second. The other side has
/// less than a page of room, which is filled with bytes that no picture has by chance.
public enum GuardedSide: CaseIterable, Sendable {
  case first
  case last
}

/// A copy of a picture between two pages without access.
public final class GuardedPixels {
  private let mapping: UnsafeMutableRawPointer
  private let byteCount: Int
  /// The picture.
  public let view: LumaView

  /// - Parameters:
  ///   - pixels: rows of `width` pixels one after the other.
  ///   - side: the side on which the very next byte is out of bounds.
  public init(_ pixels: [UInt8], width: Int, height: Int, side: GuardedSide) {
    precondition(pixels.count == width * height)
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let room = (pixels.count + page - 1) / page * page
    byteCount = room + 2 * page
    mapping = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    precondition(mapping != MAP_FAILED, "no memory for \(byteCount) bytes")
    memset(mapping + page, 0x5A, room)
    let start = mapping + page + (side == .first ? 0 : room - pixels.count)
    pixels.withUnsafeBytes { memcpy(start, $0.baseAddress!, $0.count) }
    precondition(mprotect(mapping, page, PROT_NONE) == 0 && mprotect(mapping + page + room, page, PROT_NONE) == 0)
    view = LumaView(
      base: UnsafePointer(start.assumingMemoryBound(to: UInt8.self)), width: width, height: height, bytesPerRow: width)
  }

  deinit { munmap(mapping, byteCount) }
}
