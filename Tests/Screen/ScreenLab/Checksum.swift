// The checksum that the lab's display hardware (vkms) computes of a composed picture, derived from the expected picture: the
// display list's pixels over the frame's. It does not depend on what the driver received.

import Devices
import ScanScreen

/// The kernel's `crc32_le`, starting at 0 and without a final inversion, over rows of pixels with four 16-bit channels:
/// alpha, red, green, blue.
struct ComposedChecksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
  }

  private(set) var value: UInt32 = 0

  mutating func add(_ pixels: [UInt16]) {
    var value = value
    pixels.withUnsafeBytes { bytes in
      Self.table.withUnsafeBufferPointer { table in
        for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8 }
      }
    }
    self.value = value
  }
}

/// The checksum of a panel that shows an overlay over grey pixels.
///
/// - Parameters:
///   - overlay: pixels with colours premultiplied by alpha, as the painter draws them.
///   - luma: the grey level below, by the panel's pixels; nil for black.
func checksum(
  of overlay: UnsafePointer<UInt32>, bytesPerRow: Int, panel: ScreenSize, over luma: ((Int, Int) -> UInt8)?
) -> UInt32 {
  var checksum = ComposedChecksum()
  var row = [UInt16](repeating: 0xFFFF, count: 4 * panel.width)
  for y in 0..<panel.height {
    let line = overlay + y * (bytesPerRow / 4)
    for x in 0..<panel.width {
      let pixel = line[x]
      let rest = 0xFFFF - (pixel >> 24) * 257
      let below = UInt32(luma.map { $0(x, y) } ?? 0) * 257
      for (channel, shift) in [(1, UInt32(16)), (2, 8), (3, 0)] {
        let above = (pixel >> shift & 0xFF) * 257
        let sum = UInt64(above) * 0xFFFF + UInt64(below) * UInt64(rest)
        row[4 * x + channel] = UInt16((sum + 0x7FFF) / 0xFFFF)
      }
    }
    checksum.add(row)
  }
  return checksum.value
}
