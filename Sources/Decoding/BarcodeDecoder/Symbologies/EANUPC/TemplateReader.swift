// The fallback for EAN and UPC symbols whose edges have merged: they are read from the grey values. Edges give the ends, the
// model is fitted to the guards, then digits and parameters improve each other for a few rounds. The same rounds check
// digits that edges gave, but not clearly.

import BarcodeTypes

/// A symbol as read by templates.
struct TemplateReading: BitwiseCopyable {
  var shape: EANShape
  var decision: DigitDecision
  /// Ends in samples times 256.
  var start: Int32
  var end: Int32
  /// One less the unexplained share of the template's variance, times 4096.
  var correlation: Int
  /// Half the difference in squared misfit to the second best code, in residual variances, times 16.
  var likelihood: Int
  /// The same difference between the best code and the best digits regardless of any code.
  var freedom: Int
  var blur: Int32

  /// Least correlation of a useful reading: 0.9.
  static let correlationMin = 3686

  /// Whether the reading may be believed if another line agrees.
  var isCredible: Bool {
    switch shape {
    case .thirteen: correlation > TemplateReading.correlationMin && likelihood > 15 * 16 && freedom < 4 * 16
    case .eight: correlation > TemplateReading.correlationMin && likelihood > 14 * 16 && freedom < 4 * 16 && blur < 287
    case .zeroSuppressed: correlation > 3850 && likelihood > 35 * 16 && freedom < 24 && blur < 287
    // Add-ons are read only by their edges, after a symbol.
    case .addOnOfTwo, .addOnOfFive: false
    }
  }

  /// Whether the reading may be believed alone.
  var isCertain: Bool { isCredible && likelihood > 25 * 16 && (shape == .thirteen || likelihood > 45 * 16) }
}

/// Reads EAN and UPC symbols by their templates.
@safe struct TemplateReader {
  /// Modules of the longest symbol.
  private static let moduleCountMax = 95
  /// Rounds of fitting and deciding.
  private static let roundCountMax = 4
  /// Least pitch: 0.9 pixels per module, in samples times 256.
  private static let pitchMin = 460
  /// Least squared correlation of the guards with their template, times 4096.
  private static let guardFitMin = 3072
  /// Least likelihood for digits that edges have already given.
  private static let shownLikelihoodMin = 20 * 16

  private let digits: TemplateDigits
  private var model: TemplateModel
  private var guards: GuardFit
  private let arenaModel: TemplateModelMemory

  /// Takes the memory.
  init(arena: inout Arena) throws(ArenaFull) {
    digits = try TemplateDigits(arena: &arena)
    arenaModel = try TemplateModelMemory(moduleCountMax: TemplateReader.moduleCountMax, arena: &arena)
    guards = try GuardFit(sampleCountMax: arenaModel.sampleCountMax, arena: &arena)
    model = TemplateModel(moduleCount: TemplateReader.moduleCountMax, memory: arenaModel)
  }

  /// Reads a symbol of one shape from a profile and its edges, or returns nil.
  ///
  /// - Safety: `profile` must hold `count` samples.
  @unsafe mutating func read(
    _ profile: UnsafePointer<Int32>, count: Int, _ row: ElementRow, shape: EANShape
  ) -> TemplateReading? {
    guard let ends = findEnds(row, shape) else { return nil }
    model = TemplateModel(moduleCount: Int(shape.moduleCount), memory: arenaModel)
    unsafe TemplateDigits.drawGuards(shape, into: model.modules)
    unsafe model.start = Int(row.edges[ends.first]) << 8
    unsafe model.end = Int(row.edges[ends.last]) << 8
    guard unsafe fitGuards(profile, count: count, shape), unsafe model.sample(profile, count: count), model.normalise()
    else { return nil }
    model.setResponse()
    digits.measure(model, shape)
    return unsafe improve(digits.decide(shape), profile, count: count, shape)
  }

  /// The verdict of a profile on the digits given by its edges from `first` on.
  ///
  /// - Safety: `profile` must hold `count` samples.
  @unsafe mutating func verdict(
    on told: DigitDecision, _ profile: UnsafePointer<Int32>, count: Int, _ row: ElementRow, from first: Int, shape: EANShape
  ) -> GreyVerdict {
    model = TemplateModel(moduleCount: Int(shape.moduleCount), memory: arenaModel)
    unsafe TemplateDigits.drawGuards(shape, into: model.modules)
    unsafe model.start = Int(row.edges[first]) << 8
    unsafe model.end = Int(row.edges[first + shape.elementCount]) << 8
    unsafe model.setPerspective(
      place: Int(row.edges[first + shape.firstElement(shape.digitCount / 2)]) << 8,
      ofModule: shape.firstModule(shape.digitCount / 2))
    guard unsafe model.sample(profile, count: count), let reading = unsafe improve(told, profile, count: count, shape) else {
      return .unclear
    }
    let isToldSame = TemplateReader.isSame(reading.decision, told)
    if isToldSame, reading.likelihood >= TemplateReader.shownLikelihoodMin { return .shown }
    return reading.correlation > TemplateReading.correlationMin ? .denied : .unclear
  }

  /// Lets digits and the sampled model's parameters improve each other until the digits stop changing.
  @unsafe private mutating func improve(
    _ first: DigitDecision, _ profile: UnsafePointer<Int32>, count: Int, _ shape: EANShape
  ) -> TemplateReading? {
    var decision = first
    for round in 0..<TemplateReader.roundCountMax {
      unsafe TemplateDigits.draw(decision, shape, into: model.modules)
      guard model.refine(), unsafe model.sample(profile, count: count), model.normalise() else { return nil }
      model.setResponse()
      digits.measure(model, shape)
      let next = digits.decide(shape)
      guard next.best < Int.max / 2 else { return nil }
      let isStable = TemplateReader.isSame(decision, next)
      decision = next
      if isStable, round > 0 { break }
    }
    unsafe TemplateDigits.draw(decision, shape, into: model.modules)
    return reading(decision, shape)
  }

  private mutating func reading(_ decision: DigitDecision, _ shape: EANShape) -> TemplateReading {
    model.draw()
    let residual = model.residual()
    let noise = max(1, 2 * residual.misfit)
    return TemplateReading(
      shape: shape, decision: decision, start: Int32(truncatingIfNeeded: model.start >> 8),
      end: Int32(truncatingIfNeeded: model.end >> 8), correlation: residual.correlation,
      likelihood: min(1 << 20, (min(decision.second, 1 << 40) - decision.best) * 16 / noise),
      freedom: (decision.best - decision.free) * 16 / noise, blur: model.blur)
  }

  private static func isSame(_ one: DigitDecision, _ other: DigitDecision) -> Bool {
    for index in 0..<13 where one.digits[index] != other.digits[index] { return false }
    return one.sets == other.sets
  }

  /// The two edges between which a symbol most likely lies: free space on both sides, no wide gap inside, and about as many
  /// edges as the shape has, although blur may have removed more than half.
  private func findEnds(_ row: ElementRow, _ shape: EANShape) -> (first: Int, last: Int)? {
    let edgeCount = shape.elementCount + 1
    let moduleCount = Int(shape.moduleCount)
    var best: (first: Int, last: Int)?
    var bestDistance = Int.max
    var first = row.beginsDark ? 0 : 1
    while first < row.count {
      defer { first += 2 }
      let free = Int(shape == .zeroSuppressed ? row.seenGapBefore(first) : row.gapBefore(first)) * 2
      guard free >= 9 * TemplateReader.pitchMin else { continue }
      var widest = 0
      var last = first + 1
      while last < row.count, last - first < edgeCount + 4 {
        widest = max(widest, Int(row.width(last - 1)))
        if last - first > 1 { widest = max(widest, Int(row.width(last - 2))) }
        let span = unsafe Int(row.edges[last] - row.edges[first])
        // The free space before is below four and a half modules of this span, and a longer span has wider modules.
        if free * moduleCount < span * 9 { break }
        let distance = abs(last - first + 1 - edgeCount)
        if span >= moduleCount * TemplateReader.pitchMin, widest * moduleCount <= span * 7,
          Int(shape == .zeroSuppressed ? row.seenGapAfter(last) : row.gapAfter(last)) * moduleCount * 2 >= span * 9,
          (last - first + 1) * 5 >= edgeCount * 2,
          distance < bestDistance
        {
          bestDistance = distance
          best = (first, last)
        }
        last += 2
      }
    }
    return best
  }

  /// Fits place, perspective, blur, light and contrast to the guards. False if they do not look like guards.
  @unsafe private mutating func fitGuards(_ profile: UnsafePointer<Int32>, count: Int, _ shape: EANShape) -> Bool {
    collectGuardSamples(shape)
    guards.draw(&model)
    var best = GuardPlace()
    let pitch = model.pitch
    let start = model.start
    let end = model.end
    for place in 0..<9 {
      model.start = start + (place % 3 - 1) * pitch / 2
      model.end = end + (place / 3 - 1) * pitch / 2
      unsafe guards.measure(profile, count: count, model, &best)
    }
    model.start = best.start
    model.end = best.end
    for side in 0..<2 {
      model.perspective = side == 0 ? -1311 : 1311
      unsafe guards.measure(profile, count: count, model, &best)
    }
    guard best.score >= TemplateReader.guardFitMin else { return false }
    model.take(best)
    return true
  }

  /// Lists the samples for which the guards determine the module and its neighbours.
  private mutating func collectGuardSamples(_ shape: EANShape) {
    let moduleCount = model.moduleCount
    let quiet = TemplateModel.quietModules
    let right = shape == .zeroSuppressed ? moduleCount - 7 : moduleCount - 4
    guards.removeAll()
    for module in -quiet..<(moduleCount + quiet) {
      let isMiddle = shape != .zeroSuppressed && abs(module - moduleCount / 2) <= 3
      guard module < 4 || module >= right || isMiddle else { continue }
      guards.append(from: (module + quiet) * EdgeResponse.samplesPerModule, count: EdgeResponse.samplesPerModule)
    }
  }
}
