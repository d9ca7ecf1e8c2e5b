// The geometry of a lens: where a part of a scene appears in a frame, and how far it is blurred.

import Glibc

/// A part as the lens shows it during one frame.
struct PartView: Equatable {
  /// From the part's millimetres to pixels: rows of a matrix for (x, y, 1).
  var toPixels: Matrix3
  /// From pixels to the part's millimetres.
  var toPart: Matrix3
  /// The diameter of a point's image, in pixels.
  var blur: Double
  /// The way of the part's image during the exposure, in pixels.
  var motionX: Double
  var motionY: Double
  /// The way of the part's image from one row's exposure to the next row's, in pixels.
  var shearX: Double
  var shearY: Double

  /// - Parameters:
  ///   - place: the part in the middle of the frame's exposure.
  ///   - lens: in dioptres.
  ///   - exposure: in seconds.
  init?(_ part: ScenePart, at place: ScenePath.Place, lens: Double, exposure: Double, traits: SensorTraits) {
    let focal = traits.focalPixels
    let (turnCos, turnSin) = (cos(part.rotation), sin(part.rotation))
    let (yawCos, yawSin) = (cos(part.yaw), sin(part.yaw))
    let (pitchCos, pitchSin) = (cos(part.pitch), sin(part.pitch))
    /// The direction of a vector in the part's plane, turned within the plane, then about both axes.
    func direction(_ u: Double, _ v: Double) -> SIMD3<Double> {
      let (x, y) = (u * turnCos - v * turnSin, u * turnSin + v * turnCos)
      return SIMD3(x * yawCos, y * pitchCos - x * yawSin * pitchSin, y * pitchSin + x * yawSin * pitchCos)
    }
    let (across, down) = (direction(1, 0), direction(0, 1))
    let (middleX, middleY) = (Double(traits.width) / 2, Double(traits.height) / 2)
    let depth = SIMD3(across.z, down.z, place.depth)
    toPixels = Matrix3(
      focal * SIMD3(across.x, down.x, place.x) + middleX * depth, focal * SIMD3(across.y, down.y, place.y) + middleY * depth,
      depth)
    guard let inverse = toPixels.inverse else { return nil }
    toPart = inverse
    // The opening's image at the wrong distance: millimetres times dioptres are thousandths.
    blur = traits.apertureMillimetres / 1000 * focal * abs(1000 / place.depth - lens)
    let pixelsPerMillimetre = focal / place.depth
    motionX = place.velocityX * pixelsPerMillimetre * exposure
    motionY = place.velocityY * pixelsPerMillimetre * exposure
    shearX = place.velocityX * pixelsPerMillimetre * traits.rowMicroseconds / 1e6
    shearY = place.velocityY * pixelsPerMillimetre * traits.rowMicroseconds / 1e6
  }

  /// Pixels that blur and motion reach beyond the sharp image, in steps: a lens that moves a little changes nothing.
  var reachX: Int { Self.reach(blur + abs(motionX) / 2) }
  var reachY: Int { Self.reach(blur + abs(motionY) / 2) }

  private static func reach(_ pixels: Double) -> Int {
    (Int(min(reachMax, pixels).rounded(.up)) / reachStep + 1) * reachStep
  }

  private static let reachStep = 16
  /// A larger blur leaves no visible edge.
  private static let reachMax = 400.0

  /// Whether a view needs the same sharp image.
  func showsSame(as other: PartView) -> Bool {
    var view = self
    (view.blur, view.motionX, view.motionY) = (other.blur, other.motionX, other.motionY)
    return view == other && reachX == other.reachX && reachY == other.reachY
  }
}

/// A matrix of three rows.
struct Matrix3: Equatable {
  var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) { rows = (first, second, third) }

  static func == (a: Matrix3, b: Matrix3) -> Bool { a.rows == b.rows }

  /// A point's image.
  func image(x: Double, y: Double) -> (x: Double, y: Double) {
    let point = SIMD3(x, y, 1)
    let scale = (rows.2 * point).sum()
    return ((rows.0 * point).sum() / scale, (rows.1 * point).sum() / scale)
  }

  /// Nil for a matrix without an inverse, as of a part seen edgeways.
  var inverse: Matrix3? {
    let (a, b, c) = rows
    let (first, second, third) = (Self.cross(b, c), Self.cross(c, a), Self.cross(a, b))
    let determinant = (a * first).sum()
    guard abs(determinant) > 1e-9 else { return nil }
    return Matrix3(
      SIMD3(first.x, second.x, third.x) / determinant, SIMD3(first.y, second.y, third.y) / determinant,
      SIMD3(first.z, second.z, third.z) / determinant)
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}
