// The light that reaches the pixels during a frame: the parts' images, lit by lamps, sun and torch.

import Glibc

/// Draws the light of a scene's frames.
final class SceneRenderer {
  /// Pixels per side of the squares in which scattered light is computed.
  private static let haloCell = 16
  /// The diameter of scattered light, in squares.
  private static let haloCells = 10.0
  /// The share of light that a screen's glass reflects.
  private static let glassReflectance = 0.04
  /// Glare beyond this many standard deviations is not drawn.
  private static let glareReach = 3.5

  let scene: SimulatedScene
  private let traits: SensorTraits
  private let layers: [PartLayer]
  private let lux: FloatPlane
  private var halo: FloatPlane
  private var haloSpare: FloatPlane
  /// The lamps' illuminance on each row.
  private let ambient: UnsafeMutablePointer<Float>
  private let columns: UnsafeMutablePointer<Float>

  init(_ scene: SimulatedScene, traits: SensorTraits) {
    precondition(traits.width % Self.haloCell == 0 && traits.width <= SensorNoise.rowLengthMax && traits.height > 0)
    self.scene = scene
    self.traits = traits
    layers = scene.parts.map { PartLayer($0, traits: traits) }
    lux = FloatPlane(width: traits.width, height: traits.height)
    let cellRows = (traits.height + Self.haloCell - 1) / Self.haloCell
    halo = FloatPlane(width: traits.width / Self.haloCell, height: cellRows)
    haloSpare = FloatPlane(width: traits.width / Self.haloCell, height: cellRows)
    ambient = .allocate(capacity: traits.height)
    columns = .allocate(capacity: traits.width)
  }

  deinit {
    ambient.deallocate()
    columns.deallocate()
  }

  /// The mean light of each pixel during its row's exposure, in lux on white paper; valid until the next call.
  ///
  /// - Parameter start: the beginning of the first row's exposure, in seconds since the scene began.
  func render(from start: Double, _ settings: FrameSettings, isTorchLit: Bool) -> FloatPlane {
    let exposure = Double(settings.exposure) / 1e6
    let rowSeconds = traits.rowMicroseconds / 1e6
    for y in 0..<traits.height {
      ambient[y] = Float(scene.light.lux * scene.light.share(from: start + Double(y) * rowSeconds, seconds: exposure))
    }
    let middle = start + exposure / 2 + Double(traits.height) / 2 * rowSeconds
    lux.fill(0)
    for (part, layer) in zip(scene.parts, layers) where part.shown.contains(middle) {
      let place = part.path.place(after: middle - part.shown.lowerBound)
      guard let view = PartView(part, at: place, lens: settings.lens, exposure: exposure, traits: traits) else { continue }
      layer.draw(view)
      guard layer.isInView else { continue }
      let metres = place.depth / 1000
      let torch = isTorchLit ? traits.torchLux / (metres * metres) : 0
      add(layer, part, constantLux: torch + part.ownLux)
      if let gloss = part.gloss { addGlare(gloss, layer, part, place, torch: torch) }
    }
    addHalo()
    return lux
  }

  private func add(_ layer: PartLayer, _ part: ScenePart, constantLux: Double) {
    let (left, right) = (max(0, layer.left), min(traits.width, layer.left + layer.levels.width))
    for y in max(0, layer.top)..<min(traits.height, layer.top + layer.levels.height) {
      let light = Double(ambient[y]) + constantLux
      let (base, factor): (Float, Float)
      switch part.surface {
      case .print(let black, let white): (base, factor) = (Float(light * black), Float(light * (white - black)))
      case .screen(let screenLux, let black):
        base = Float(screenLux * black + light * Self.glassReflectance)
        factor = Float(screenLux * (1 - black))
      }
      let target = lux.row(y)
      let levels = layer.levels.row(y - layer.top) - layer.left
      if layer.isBackdrop {
        for x in left..<right { target[x] = base + factor * levels[x] }
      } else {
        let coverage = layer.coverage.row(y - layer.top) - layer.left
        for x in left..<right { target[x] += coverage[x] * (base - target[x]) + factor * levels[x] }
      }
    }
  }

  /// Adds the mirror images of the torch and of a lamp.
  private func addGlare(
    _ gloss: SceneGloss, _ layer: PartLayer, _ part: ScenePart, _ place: ScenePath.Place, torch: Double
  ) {
    let focal = traits.focalPixels
    let (middleX, middleY) = (Double(traits.width) / 2, Double(traits.height) / 2)
    if torch > 0 {
      // The lens sees its neighbour where it looks straight at the surface, or half of the way to it.
      addSpot(
        gloss, layer, x: middleX + focal * (traits.torchMillimetres / 2 / place.depth - tan(part.yaw)),
        y: middleY - focal * tan(part.pitch), constantLux: torch, lampShare: 0)
    }
    if let lamp = gloss.lamp {
      // A mirror that rotates moves its image by twice its angle.
      addSpot(
        gloss, layer, x: middleX + focal * tan(lamp.x - 2 * part.yaw), y: middleY + focal * tan(lamp.y - 2 * part.pitch),
        constantLux: 0, lampShare: gloss.lampLux / max(1e-9, scene.light.lux))
    }
  }

  private func addSpot(
    _ gloss: SceneGloss, _ layer: PartLayer, x centreX: Double, y centreY: Double, constantLux: Double, lampShare: Double
  ) {
    let (spreadX, spreadY) = (gloss.spreadX * traits.focalPixels, gloss.spreadY * traits.focalPixels)
    func bounds(_ centre: Double, _ spread: Double, _ first: Int, _ end: Int) -> Range<Int> {
      let start = max(first, Int(max(-1e6, centre - Self.glareReach * spread)))
      return start..<max(start, min(end, Int(min(1e6, centre + Self.glareReach * spread))))
    }
    let xs = bounds(centreX, spreadX, max(0, layer.left), min(traits.width, layer.left + layer.levels.width))
    let ys = bounds(centreY, spreadY, max(0, layer.top), min(traits.height, layer.top + layer.levels.height))
    for x in xs { columns[x] = Float(exp(-pow((Double(x) + 0.5 - centreX) / spreadX, 2) / 2)) }
    for y in ys {
      let light = constantLux + lampShare * Double(ambient[y])
      let strength = Float(gloss.strength * light * exp(-pow((Double(y) + 0.5 - centreY) / spreadY, 2) / 2))
      let target = lux.row(y)
      if layer.isBackdrop {
        for x in xs { target[x] += strength * columns[x] }
      } else {
        let coverage = layer.coverage.row(y - layer.top) - layer.left
        for x in xs { target[x] += strength * columns[x] * coverage[x] }
      }
    }
  }

  /// Adds the light that the lens scatters around bright places.
  private func addHalo() {
    guard traits.haloShare > 0 else { return }
    let cell = Self.haloCell
    let rowStep = cell / 4
    for row in 0..<halo.height {
      let rows = stride(from: row * cell, to: min(traits.height, (row + 1) * cell), by: rowStep)
      let target = halo.row(row)
      for column in 0..<halo.width {
        var sums = SIMD16<Float>.zero
        var count: Float = 0
        for y in rows {
          sums += UnsafeRawPointer(lux.row(y) + column * cell).loadUnaligned(as: SIMD16<Float>.self)
          count += Float(cell)
        }
        target[column] = Float(traits.haloShare) * sums.sum() / count
      }
    }
    PlaneBlur.defocus(&halo, spare: &haloSpare, diameter: Self.haloCells)
    for y in 0..<traits.height {
      let position = max(0, min(Float(halo.height - 1), (Float(y) + 0.5) / Float(cell) - 0.5))
      let row = min(Int(position), halo.height - 1)
      let share = position - Float(row)
      let (upper, lower) = (halo.row(row), halo.row(min(row + 1, halo.height - 1)))
      let target = lux.row(y)
      for column in 0..<halo.width {
        let value = upper[column] + share * (lower[column] - upper[column])
        let next = min(column + 1, halo.width - 1)
        let step = (upper[next] + share * (lower[next] - upper[next]) - value) / Float(cell)
        // A square's own value belongs to its middle; half a square aside is near enough for scattered light.
        for x in 0..<cell { target[column * cell + x] += value + step * Float(x) }
      }
    }
  }
}
