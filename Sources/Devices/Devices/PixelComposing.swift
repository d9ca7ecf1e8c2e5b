// 32-bit pixels for display hardware that accepts no other format: from luma, from luma with colour, and with an overlay.

/// Composes 32-bit pixels from luma and an overlay, for display hardware with one plane.
public enum PixelComposing {
  /// Converts a row of luma to grey, opaque pixels.
  public static func grey(_ luma: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt32>, count: Int) {
    for x in 0..<count { target[x] = 0xFF00_0000 | UInt32(luma[x]) &* 0x01_0101 }
  }

  /// Converts a row of luma with its row of colour pairs to opaque pixels. In 65536ths, by the inverse of the matrix of
  /// ITU-R BT.601 in the full range: 1.402, 0.344136, 0.714136, 1.772.
  ///
  /// - Parameter pairs: `(count + 1) / 2` pairs of Cb and Cr.
  public static func colour(
    _ luma: UnsafePointer<UInt8>, _ pairs: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt32>, count: Int
  ) {
    var x = 0
    while x < count {
      let (cb, cr) = (Int32(pairs[x]) &- 128, Int32(pairs[x &+ 1]) &- 128)
      let red = 91_881 &* cr &+ 32_768
      let green = 32_768 &- 22_554 &* cb &- 46_802 &* cr
      let blue = 116_130 &* cb &+ 32_768
      target[x] = pixel(Int32(luma[x]) &<< 16, red, green, blue)
      if x &+ 1 < count { target[x &+ 1] = pixel(Int32(luma[x &+ 1]) &<< 16, red, green, blue) }
      x &+= 2
    }
  }

  @inline(__always)
  private static func pixel(_ luma: Int32, _ red: Int32, _ green: Int32, _ blue: Int32) -> UInt32 {
    0xFF00_0000 | level(luma &+ red) &<< 16 | level(luma &+ green) &<< 8 | level(luma &+ blue)
  }

  /// A level in 65536ths, clamped to 0…255.
  @inline(__always)
  private static func level(_ value: Int32) -> UInt32 { UInt32(truncatingIfNeeded: min(max(value >> 16, 0), 255)) }

  /// Blends a row of the overlay over a row of opaque pixels.
  public static func lay(_ overlay: UnsafePointer<UInt32>, over target: UnsafeMutablePointer<UInt32>, count: Int) {
    let vectorCount = count & ~7
    for x in stride(from: 0, to: vectorCount, by: 8) {
      let above = UnsafeRawPointer(overlay + x).loadUnaligned(as: SIMD8<UInt32>.self)
      let below = UnsafeRawPointer(target + x).loadUnaligned(as: SIMD8<UInt32>.self)
      UnsafeMutableRawPointer(target + x).storeBytes(of: laid(above, over: below), as: SIMD8<UInt32>.self)
    }
    for x in vectorCount..<count {
      target[x] = laid(SIMD8(repeating: overlay[x]), over: SIMD8(repeating: target[x]))[0]
    }
  }

  /// Multiplies each lower pixel by the upper pixel's transparency, and adds the upper pixel.
  @inline(__always)
  private static func laid(_ above: SIMD8<UInt32>, over below: SIMD8<UInt32>) -> SIMD8<UInt32> {
    let channels = SIMD8<UInt32>(repeating: 0x00FF_00FF)
    let half = SIMD8<UInt32>(repeating: 0x0080_0080)
    let rest = SIMD8<UInt32>(repeating: 255) &- (above &>> 24)
    // Two channels at once, each times `rest`, divided by 255 with rounding.
    let even = (below & channels) &* rest &+ half
    let odd = (below &>> 8 & channels) &* rest &+ half
    let evenPart = (even &+ (even &>> 8 & channels)) &>> 8 & channels
    let oddPart = (odd &+ (odd &>> 8 & channels)) & ~channels
    return (evenPart | oddPart) &+ above
  }
}
