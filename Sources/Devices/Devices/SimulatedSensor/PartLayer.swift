// A part of a scene as the lens images it, before any light falls on it. Nothing is drawn again while neither the part nor the
// lens moves.

import Glibc

/// A part's image.
final class PartLayer {
  /// Levels 0…1, times coverage.
  private(set) var levels = FloatPlane()
  /// The share of each pixel that the part covers; unused if `isBackdrop`.
  private(set) var coverage = FloatPlane()
  /// Whether the part fills the frame.
  private(set) var isBackdrop = false
  /// The frame's pixel at the planes' top left.
  private(set) var left = 0
  private(set) var top = 0
  /// Whether any of the part is in view.
  private(set) var isInView = false

  private let part: ScenePart
  private let pictures: PictureLevels
  private let traits: SensorTraits
  /// The image without blur, kept for frames in which only the lens moves.
  private let sharpLevels = FloatPlane()
  private let sharpCoverage = FloatPlane()
  private var spare = FloatPlane()
  private var drawn: PartView?

  /// - Parameter part: its path and times may change later; the view tells where it is.
  init(_ part: ScenePart, traits: SensorTraits) {
    self.part = part
    self.traits = traits
    pictures = PictureLevels(part)
  }

  func draw(_ view: PartView) {
    guard view != drawn else { return }
    let isSharpKept = drawn.map { $0.showsSame(as: view) } ?? false
    drawn = view
    if !isSharpKept { drawSharp(view) }
    guard isInView else { return }
    blur(sharpLevels, into: &levels, view)
    if !isBackdrop { blur(sharpCoverage, into: &coverage, view) }
  }

  private func drawSharp(_ view: PartView) {
    let halfWidth = width / 2
    let halfHeight = Double(part.picture.height) * part.millimetresPerPixel / 2
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map {
      view.toPixels.image(x: $0.0 * halfWidth, y: $0.1 * halfHeight)
    }
    let (reachX, reachY) = (view.reachX, view.reachY)
    // Rows are exposed before and after the frame's middle.
    let shiftX = abs(view.shearX) * Double(traits.height) / 2
    let shiftY = abs(view.shearY) * Double(traits.height) / 2
    let (xs, ys) = (Self.bounds(corners.map(\.x), shiftX), Self.bounds(corners.map(\.y), shiftY))
    left = max(0, xs.lowerBound) - reachX
    top = max(0, ys.lowerBound) - reachY
    let right = min(traits.width, xs.upperBound) + reachX
    let bottom = min(traits.height, ys.upperBound) + reachY
    isInView = left < min(right, traits.width) && top < min(bottom, traits.height) && right > 0 && bottom > 0
    guard isInView else { return }
    isBackdrop = fillsFrame(view, halfWidth, halfHeight)
    sharpLevels.resize(width: right - left, height: bottom - top)
    sharpCoverage.resize(width: right - left, height: bottom - top)
    sample(view, halfWidth, halfHeight)
  }

  /// The whole pixels that coordinates reach.
  private static func bounds(_ values: [Double], _ margin: Double) -> Range<Int> {
    // Parts far outside the view need no exact place.
    let far = 1e6
    let least = max(-far, min(far, values.reduce(far, min) - margin))
    let greatest = max(least, min(far, values.reduce(-far, max) + margin))
    return Int(least.rounded(.down))..<Int(greatest.rounded(.down)) + 1
  }

  /// The part's visible width in millimetres.
  private var width: Double {
    let picture = pictures.level(forStep: 1)
    return Double(picture.plane.width) * part.millimetresPerPixel
  }

  private func blur(_ sharp: FloatPlane, into plane: inout FloatPlane, _ view: PartView) {
    plane.resize(width: sharp.width, height: sharp.height)
    spare.resize(width: sharp.width, height: sharp.height)
    plane.copy(sharp)
    PlaneBlur.smear(&plane, spare: &spare, x: view.motionX, y: view.motionY)
    PlaneBlur.defocus(&plane, spare: &spare, diameter: view.blur)
  }

  private func fillsFrame(_ view: PartView, _ halfWidth: Double, _ halfHeight: Double) -> Bool {
    guard view.motionX == 0, view.motionY == 0 else { return false }
    let xs = [Double(-view.reachX), Double(traits.width + view.reachX)]
    let ys = [Double(-view.reachY), Double(traits.height + view.reachY)]
    return xs.allSatisfy { x in
      ys.allSatisfy { y in
        let point = view.toPart.image(x: x, y: y)
        return abs(point.x) < halfWidth && abs(point.y) < halfHeight
      }
    }
  }

  /// Takes the sharp image from the picture, one sample per pixel from the resolution that fits.
  private func sample(_ view: PartView, _ halfWidth: Double, _ halfHeight: Double) {
    // The distance of neighbouring pixels in the middle of the part, in the picture's pixels.
    let centre = view.toPixels.image(x: 0, y: 0)
    let here = view.toPart.image(x: centre.x, y: centre.y)
    let across = view.toPart.image(x: centre.x + 1, y: centre.y)
    let down = view.toPart.image(x: centre.x, y: centre.y + 1)
    let area = abs((across.x - here.x) * (down.y - here.y) - (across.y - here.y) * (down.x - here.x))
    let step = sqrt(area) / part.millimetresPerPixel
    let level = pictures.level(forStep: step)
    let (scaleX, scaleY) = (part.millimetresPerPixel * level.scaleX, part.millimetresPerPixel * level.scaleY)
    let rows = view.toPart.rows
    // From pixels to the level's pixels.
    let toLevel = Matrix3(
      (rows.0 + halfWidth * rows.2) / scaleX, (rows.1 + halfHeight * rows.2) / scaleY, rows.2)
    let sampler = LevelSampler(
      level.plane, toLevel, pixelsX: Float(level.scaleX / max(step, 1e-3)), pixelsY: Float(level.scaleY / max(step, 1e-3)))
    let middle = Double(traits.height) / 2
    for y in 0..<sharpLevels.height {
      let frameY = Double(top + y) + 0.5
      let x = Double(left) + 0.5 - view.shearX * (frameY - middle)
      sampler.sample(
        x: x, y: frameY - view.shearY * (frameY - middle), count: sharpLevels.width, to: sharpLevels.row(y),
        coverage: sharpCoverage.row(y))
    }
  }
}

/// Reads a picture along a row of pixels.
private struct LevelSampler {
  private let base: UnsafePointer<Float>
  private let width: Int
  private let height: Int
  private let matrix: Matrix3
  /// Frame pixels per picture pixel.
  private let pixelsX: Float
  private let pixelsY: Float

  init(_ plane: FloatPlane, _ matrix: Matrix3, pixelsX: Float, pixelsY: Float) {
    base = UnsafePointer(plane.base)
    width = plane.width
    height = plane.height
    self.matrix = matrix
    self.pixelsX = pixelsX
    self.pixelsY = pixelsY
  }

  func sample(
    x: Double, y: Double, count: Int, to levels: UnsafeMutablePointer<Float>, coverage: UnsafeMutablePointer<Float>
  ) {
    let start = SIMD3(x, y, 1)
    var (u, v) = (Float((matrix.rows.0 * start).sum()), Float((matrix.rows.1 * start).sum()))
    var w = Float((matrix.rows.2 * start).sum())
    let (stepU, stepV, stepW) = (Float(matrix.rows.0.x), Float(matrix.rows.1.x), Float(matrix.rows.2.x))
    let (widthF, heightF) = (Float(width), Float(height))
    let (lastX, lastY) = (width - 1, height - 1)
    for index in 0..<count {
      let scale = 1 / w
      let (pictureX, pictureY) = (u * scale, v * scale)
      u += stepU
      v += stepV
      w += stepW
      // Pixels at the edge are covered in part.
      let insideX = min(pictureX, widthF - pictureX) * pixelsX + 0.5
      let insideY = min(pictureY, heightF - pictureY) * pixelsY + 0.5
      guard insideX > 0, insideY > 0 else {
        levels[index] = 0
        coverage[index] = 0
        continue
      }
      let share = min(1, insideX) * min(1, insideY)
      let (centreX, centreY) = (max(0, pictureX - 0.5), max(0, pictureY - 0.5))
      let (column, row) = (min(lastX, Int(centreX)), min(lastY, Int(centreY)))
      let (shareX, shareY) = (centreX - Float(column), centreY - Float(row))
      let upper = base + row * width
      let lower = row < lastY ? upper + width : upper
      let next = column < lastX ? column + 1 : column
      let top = upper[column] + shareX * (upper[next] - upper[column])
      let bottom = lower[column] + shareX * (lower[next] - lower[column])
      levels[index] = (top + shareY * (bottom - top)) * share
      coverage[index] = share
    }
  }
}
