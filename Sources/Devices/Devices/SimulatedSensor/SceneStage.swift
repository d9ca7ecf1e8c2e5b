// A scene in the making: a label before a backdrop, placed within the ranges of its kind.

/// The parts that scenes of the catalogue share.
struct SceneStage {
  var backdrop: ScenePart
  /// Parts between the backdrop and the label.
  var between: [ScenePart] = []
  var label: ScenePart
  var light: SceneLight

  /// The share of the free space around a label within which its centre lies.
  private static let spread = 0.7

  /// - Parameter nearestDepth: where the label must still fit, if it moves towards the camera; nil: where it is.
  init(
    _ ranges: SceneRanges, _ label: SceneLabel, _ traits: SensorTraits, nearestDepth: Double?, _ chance: inout SceneChance
  ) {
    let depth = chance.number(in: ranges.depth)
    let fitDepth = nearestDepth ?? depth
    // The view at the depth where the label must fit, in millimetres.
    let viewWidth = Double(traits.width) / traits.focalPixels * fitDepth
    let viewHeight = Double(traits.height) / traits.focalPixels * fitDepth
    let pixels = (Double(label.picture.width), Double(label.picture.height))
    let wished = chance.number(in: ranges.module) / label.pixelsPerModule
    let scale = min(wished, ranges.fill * viewWidth / pixels.0, ranges.fill * viewHeight / pixels.1)
    var path = ScenePath(depth: depth)
    path.x = (viewWidth - scale * pixels.0) / 2 * Self.spread * chance.number(in: -1...1)
    path.y = (viewHeight - scale * pixels.1) / 2 * Self.spread * chance.number(in: -1...1)
    let print = ScenePart.Surface.print(black: chance.number(in: ranges.black), white: chance.number(in: ranges.white))
    self.label = ScenePart(label.picture, millimetresPerPixel: scale, surface: print, path: path, text: label.text)
    self.label.rotation = ranges.rotation * chance.number(in: -1...1)
    self.label.yaw = ranges.tilt * chance.number(in: -1...1)
    self.label.pitch = ranges.tilt * chance.number(in: -1...1)
    light = SceneLight(lux: chance.ratio(in: ranges.lux), phase: chance.number(in: 0...1))
    backdrop = Self.backdrop(
      depth: depth + chance.number(in: ranges.backdropDistance), white: chance.number(in: ranges.backdrop), traits, &chance)
  }

  /// Makes the label a telephone's screen.
  mutating func showPhone(_ chance: inout SceneChance) {
    label.surface = .screen(
      lux: chance.number(in: CatalogueScene.phoneLux), black: chance.number(in: CatalogueScene.phoneBlack))
    label.gloss = CatalogueScene.phoneGlass
    var body = ScenePart(
      SimulatedPicture(width: 36, height: 74, shade: 255), millimetresPerPixel: CatalogueScene.phoneSize.width / 36,
      surface: .print(black: 0.02, white: 0.03), path: label.path)
    body.rotation = label.rotation
    body.yaw = label.yaw
    body.pitch = label.pitch
    between.append(body)
  }

  /// Puts the label on a bottle that mirrors a lamp as an upright streak.
  mutating func bendLabel(_ chance: inout SceneChance) {
    let width = Double(label.picture.width) * label.millimetresPerPixel
    label.curveRadius = max(chance.number(in: CatalogueScene.bottleRadii), width / 2 / CatalogueScene.bottleAngleMax)
    var gloss = SceneGloss(
      strength: chance.ratio(in: CatalogueScene.glareStrengths), spreadX: chance.number(in: CatalogueScene.glareWidths),
      spreadY: chance.number(in: CatalogueScene.glareHeights))
    let halfAngle = width / 2 / label.path.depth
    gloss.lamp = SceneGloss.Direction(
      x: label.path.x / label.path.depth + 2 * label.yaw + halfAngle * chance.number(in: -0.6...0.6),
      y: label.path.y / label.path.depth + 2 * label.pitch)
    gloss.lampLux = light.lux
    label.gloss = gloss
  }

  /// Lets the label pass from left to right, beginning just outside the view.
  mutating func passLabel(at speed: Double, _ traits: SensorTraits) {
    let viewWidth = Double(traits.width) / traits.focalPixels * label.path.depth
    label.path.x = -(viewWidth + Double(label.picture.width) * label.millimetresPerPixel) / 2
    label.path.velocityX = speed
  }

  // MARK: The backdrop

  /// Pixels of a backdrop.
  private static let backdropWidth = 240
  private static let backdropHeight = 150
  /// The size of a backdrop relative to the view.
  private static let backdropMargin = 1.4

  /// A surface with grain, and things on it.
  private static func backdrop(
    depth: Double, white: Double, _ traits: SensorTraits, _ chance: inout SceneChance
  ) -> ScenePart {
    var luma = [UInt8](repeating: 0, count: backdropWidth * backdropHeight)
    let rowGrain = (0..<backdropHeight).map { _ in Int(chance.number(in: 150...190)) }
    for y in 0..<backdropHeight {
      for x in 0..<backdropWidth { luma[y * backdropWidth + x] = UInt8(rowGrain[y] + Int(chance.next() & 15)) }
    }
    for _ in 0..<Int(chance.number(in: 2...6)) {
      let (left, top) = (Int(chance.number(in: 0...200)), Int(chance.number(in: 0...120)))
      let (width, height) = (Int(chance.number(in: 8...70)), Int(chance.number(in: 8...50)))
      let shade = UInt8(chance.number(in: 20...250))
      for y in top..<min(backdropHeight, top + height) {
        for x in left..<min(backdropWidth, left + width) { luma[y * backdropWidth + x] = shade }
      }
    }
    let view = max(
      Double(traits.width) / Double(backdropWidth), Double(traits.height) / Double(backdropHeight))
    return ScenePart(
      SimulatedPicture(width: backdropWidth, height: backdropHeight, luma: luma),
      millimetresPerPixel: backdropMargin * view / traits.focalPixels * depth, surface: .print(black: 0.02, white: white),
      path: ScenePath(depth: depth))
  }
}
