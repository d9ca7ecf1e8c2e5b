// Pixels between two inaccessible pages: a read outside the picture ends the program.

public import BarcodeTypes
import Foundation

/// A copy of a picture between two inaccessible pages.
public final class GuardedPixels {
  /// The side of the picture on which the very next byte is inaccessible. The other side has a gap of less than a page.
  public enum Side: CaseIterable, Sendable {
    case first
    case last
  }

  private let mapping: UnsafeMutableRawPointer
  private let byteCount: Int
  /// The picture.
  public let view: LumaView

  /// - Parameters:
  ///   - pixels: rows of `width` pixels one after the other.
  ///   - padding: bytes between the rows.
  public init(_ pixels: [UInt8], width: Int, height: Int, padding: Int = 0, side: Side) {
    precondition(pixels.count == width * height)
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let bytesPerRow = width + padding
    let count = bytesPerRow * (height - 1) + width
    let room = (count + page - 1) / page * page
    byteCount = room + 2 * page
    mapping = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    precondition(mapping != MAP_FAILED, "no memory for \(byteCount) bytes")
    let start = mapping + page + (side == .first ? 0 : room - count)
    pixels.withUnsafeBytes { bytes in
      for y in 0..<height { memcpy(start + y * bytesPerRow, bytes.baseAddress! + y * width, width) }
    }
    precondition(mprotect(mapping, page, PROT_NONE) == 0 && mprotect(mapping + page + room, page, PROT_NONE) == 0)
    view = LumaView(
      base: UnsafePointer(start.assumingMemoryBound(to: UInt8.self)), width: width, height: height,
      bytesPerRow: bytesPerRow)
  }

  deinit { munmap(mapping, byteCount) }
}
