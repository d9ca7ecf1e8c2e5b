// Pixel access by address. The decoder reads pixels only here, so that every read can be checked in one place.
//
// A release build checks nothing here: each reader proves before its loop that all of its reads are inside the picture.
// Debug builds, and builds with RETICLE_CHECKED such as the fuzz targets, check each read as well.

import BarcodeTypes

/// A pixel of a picture, from which other pixels are read by their distance in bytes.
@unsafe struct PixelPlace {
  private var address: UnsafePointer<UInt8>
  #if RETICLE_CHECKED || DEBUG
    private let view: LumaView
  #endif

  /// Refers to the pixel at (x, y), which may be outside the picture as long as it is not read.
  @inline(__always) init(_ view: LumaView, x: Int, y: Int) {
    unsafe address = view.base + (y &* view.bytesPerRow &+ x)
    #if RETICLE_CHECKED || DEBUG
      self.view = view
    #endif
  }

  /// The pixel at a distance in bytes.
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

  /// The address, for vector instructions; `first` and `last` are the distances of the outermost pixels used.
  @inline(__always) func pointer(first: Int, last: Int) -> UnsafePointer<UInt8> {
    unsafe check(first)
    unsafe check(last)
    return unsafe address
  }

  /// Traps if the pixel at a distance is outside the picture.
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
  /// The pixel at (x, y), as a base for reading others.
  @inline(__always) func place(_ x: Int, _ y: Int) -> PixelPlace { unsafe PixelPlace(self, x: x, y: y) }
}
