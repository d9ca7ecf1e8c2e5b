// Pixels by address: the decoder reads them here alone, so that one place can check every read.
//
// A release build checks nothing here: each reader proves before its loop that all of its reads lie in the picture. Debug builds, and
// builds with RETICLE_CHECKED such as the fuzz targets', check each read as well.

import BarcodeTypes

/// A pixel of a picture, from which others are read by their distance in bytes.
@unsafe struct PixelPlace {
  private var address: UnsafePointer<UInt8>
  #if RETICLE_CHECKED || DEBUG
    private let view: LumaView
  #endif

  /// The pixel at (x, y). It need not lie in the picture; the pixels that are read must.
  @inline(__always) init(_ view: LumaView, x: Int, y: Int) {
    unsafe address = view.base + (y &* view.bytesPerRow &+ x)
    #if RETICLE_CHECKED || DEBUG
      self.view = view
    #endif
  }

  /// The pixel at a distance.
  @inline(__always) subscript(distance: Int) -> UInt8 {
    unsafe check(distance)
    return unsafe address[distance]
  }

  @inline(__always) static func + (place: PixelPlace, distance: Int) -> PixelPlace {
    var sum = unsafe place
    unsafe sum.address += distance
    return unsafe sum
  }

  @inline(__always) static func += (place: inout PixelPlace, distance: Int) { unsafe place.address += distance }

  /// The address, for vector instructions; the first and the last pixel that count are at these distances.
  @inline(__always) func pointer(first: Int, last: Int) -> UnsafePointer<UInt8> {
    unsafe check(first)
    unsafe check(last)
    return unsafe address
  }

  /// Ends the program unless the pixel at a distance lies in the picture.
  @inline(__always) private func check(_ distance: Int) {
    #if RETICLE_CHECKED || DEBUG
      let offset = unsafe (address + distance) - view.base
      precondition(
        offset >= 0 && offset / view.bytesPerRow < view.height && offset % view.bytesPerRow < view.width,
        "a read outside of the picture")
    #endif
  }
}

extension LumaView {
  /// A pixel to read others from.
  @inline(__always) func place(_ x: Int, _ y: Int) -> PixelPlace { unsafe PixelPlace(self, x: x, y: y) }
}
