// Reads the modules of a matrix symbol out of the picture: a regular grid under a projective map.

import BarcodeTypes

/// Where the modules of a square symbol lie in the picture.
///
/// Module coordinates are in 1/256 modules from the symbol's top left corner; the centre of the first module is (128, 128).
struct ModuleGrid: BitwiseCopyable {
  /// Modules in a row and in a column.
  let size: Int
  /// The places of the four reference points in the picture, at `inset` from the symbol's sides.
  let quad: SubpixelQuad
  private let homography: Homography
  /// Distance of the reference points from the symbol's sides.
  private let inset: Int
  /// Units of the homography's plane for a module coordinate, times 65536.
  private let scale: Int

  /// Nil if the reference points are no convex quadrilateral.
  init?(size: Int, quad: SubpixelQuad, inset: Int) {
    guard let homography = Homography(quad) else { return nil }
    self.size = size
    self.quad = quad
    self.homography = homography
    self.inset = inset
    scale = (Homography.unit << 16) / (size * 256 - 2 * inset)
  }

  /// The place in the picture of a module coordinate.
  @inline(__always) func place(_ u: Int, _ v: Int) -> SubpixelPoint {
    homography.map(((u &- inset) &* scale) >> 16, ((v &- inset) &* scale) >> 16)
  }

  /// The level of the pyramid at which a module is some three to six pixels wide.
  var samplingLevel: Int {
    let across = abs(quad.topRight.x - quad.topLeft.x) + abs(quad.topRight.y - quad.topLeft.y)
    let down = abs(quad.bottomLeft.x - quad.topLeft.x) + abs(quad.bottomLeft.y - quad.topLeft.y)
    let module = min(across, down) * 256 / (size * 256 - 2 * inset)
    var level = 0
    while level < LumaPyramid.levelMax, module >> level > 6 * 256 { level += 1 }
    return level
  }

  /// The symbol's own corners.
  var corners: Quad {
    let far = size * 256
    return Quad(
      topLeft: place(0, 0).pixelPoint, topRight: place(far, 0).pixelPoint,
      bottomRight: place(far, far).pixelPoint, bottomLeft: place(0, far).pixelPoint)
  }
}

/// The value of `view`, a picture at `level` of the pyramid, at a place given in full-size coordinates.
@inline(__always) func sample(_ view: LumaView, level: Int, _ place: SubpixelPoint) -> Int {
  let shift = ((1 << level) - 1) * 128
  return interpolated(view, (place.x &- shift) >> level, (place.y &- shift) >> level)
}

/// Reads all modules at their centres into `modules`, row by row; at least size · size elements.
func sampleModules(_ grid: ModuleGrid, _ view: LumaView, level: Int, into modules: ScratchArray<UInt8>) {
  var index = 0
  for row in 0..<grid.size {
    for column in 0..<grid.size {
      let place = grid.place(column &* 256 &+ 128, row &* 256 &+ 128)
      modules[index] = UInt8(truncatingIfNeeded: sample(view, level: level, place))
      index += 1
    }
  }
}
