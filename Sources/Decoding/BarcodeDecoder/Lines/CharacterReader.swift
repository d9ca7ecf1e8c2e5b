// The fallback for symbols of equally wide characters whose edges have merged: they are read from the grey values. Edges give the
// ends; the number of characters is the one for which the beginning of every character shows best. Then characters and the model's
// parameters improve each other for a few rounds.

import BarcodeTypes

/// A symbol as read by the templates of its characters.
struct CharacterReading: BitwiseCopyable {
  /// Ends in samples times 256.
  var start: Int32
  var end: Int32
  /// One less the unexplained share of the template's variance, times 4096, of the symbol and of its worst character.
  var correlation: Int
  var worst: Int
  /// Half the difference in squared misfit to the second best text, in residual variances, times 16.
  var likelihood: Int
  /// The same difference between the best text and the best characters regardless of the check sum.
  var freedom: Int
  var moduleCount: Int32

  /// Whether the reading may be believed if another line agrees.
  var isCredible: Bool { correlation > 3686 && worst > 3072 && likelihood > 15 * 16 && freedom < 4 * 16 }

  /// Whether the reading counts as that of two lines.
  var isCertain: Bool { isCredible && correlation > 3891 && worst > 3686 && likelihood > 45 * 16 }
}

/// Reads symbols of equally wide characters by their templates.
@safe struct CharacterReader {
  /// Modules of the longest symbol.
  private static let moduleCountMax = 400
  /// Rounds of fitting and deciding.
  private static let roundCountMax = 6
  /// Places that are read: those where the beginnings of the characters fit best.
  private static let placeCount = 3
  /// The round in which a symbol must resemble the profile by now, and by which correlation, times 4096.
  private static let doubtRound = 2
  private static let doubtCorrelation = 2400
  /// Instructions per sample: to draw the known modules at three blurs, to compare one with the profile, to refine a model, and to
  /// compare one with a character.
  private static let drawWork = 100
  private static let fitWork = 16
  private static let refineWork = 250
  private static let measureWork = 4

  /// Least squared correlation of the known modules with the profile, times 4096.
  private static let scoreMin = 2200
  /// The correlation from which another strip may read what this one does not, times 4096.
  private static let promisingCorrelation = 3276

  private let memory: TemplateModelMemory
  private let templates: CharacterTemplates
  private var guards: GuardFit
  private var model: TemplateModel
  /// The fit of the best reading of a line.
  private var bestFit = CharacterFit()
  /// Work units that were not charged yet.
  private var work = 0

  init(arena: inout Arena) throws(ArenaFull) {
    memory = try TemplateModelMemory(moduleCountMax: CharacterReader.moduleCountMax, arena: &arena)
    templates = try CharacterTemplates(arena: &arena)
    guards = try GuardFit(sampleCountMax: memory.sampleCountMax, arena: &arena)
    model = TemplateModel(moduleCount: CharacterReader.moduleCountMax, memory: memory)
  }

  /// Reads a line in both directions and counts a credible reading. Returns whether the line looks like a symbol.
  mutating func reads<Symbol: CellCharacters>(
    _ symbol: Symbol.Type, _ line: RegionLine, _ scan: inout RegionScan, _ scene: inout Scene
  ) -> Bool {
    guard Symbol.isWanted(scene.settings) else { return false }
    scan.findEdges(line, by: .vertex)
    let rows = scan.bothDirections(line)
    let sampleCount = line.scan.count
    scan.reverseProfile(sampleCount)
    var looks = CharacterLooks()
    unsafe looks.collect(
      symbol, rows.0.row, scan.profile, reversed: scan.reversedProfile, count: sampleCount,
      moduleCountMax: CharacterReader.moduleCountMax)
    scene.budget.charge(looks.work / 100)
    var fits: [3 of CharacterFit] = .init(repeating: CharacterFit())
    for index in 0..<CharacterLooks.countMax where looks[index].step > 0 && !scene.budget.isExhausted {
      keep(unsafe fit(symbol, looks[index], ratio: Symbol.middleRatio, scan, count: sampleCount), &fits)
    }
    for index in 0..<CharacterReader.placeCount where fits[index].place.score > 0 {
      for ratio in Symbol.ratios where ratio != Symbol.middleRatio {
        let fit = unsafe fit(symbol, fits[index].look, ratio: ratio, scan, count: sampleCount)
        if fit.place.score > fits[index].place.score { fits[index] = fit }
      }
    }
    scene.budget.charge(work / 100)
    work = 0
    var isPromising = false
    var best: CharacterReading?
    for index in 0..<CharacterReader.placeCount
    where fits[index].place.score >= CharacterReader.scoreMin && !scene.budget.isExhausted {
      let fit = fits[index]
      let isReversed = fit.look.isReversed
      begin(symbol, count: fit.look.count, ratio: fit.ratio)
      model.take(fit.place)
      let reading = unsafe improve(
        symbol, isReversed ? scan.reversedProfile : scan.profile, sampleCount: sampleCount, fit)
      scene.budget.charge(work / 100)
      work = 0
      guard let reading else { continue }
      if reading.correlation >= CharacterReader.promisingCorrelation { isPromising = true }
      guard reading.correlation > best?.correlation ?? 0 else { continue }
      best = reading
      bestFit = fit
      templates.keepValues(count: fit.look.count)
    }
    guard let best, var candidate = Symbol.write(templates.kept, count: bestFit.look.count, scene.settings, into: scan.text)
    else {
      return isPromising
    }
    guard best.isCredible else { return isPromising }
    candidate.start = best.start
    candidate.end = best.end
    candidate.moduleCount = best.moduleCount
    candidate.misfit = Int32(truncatingIfNeeded: (4096 - best.correlation) * 32)
    let row = bestFit.look.isReversed ? rows.1 : rows.0
    guard scene.settings.wants(candidate.symbology),
      scene.settings.lengths[candidate.symbology].contains(candidate.limitedCount ?? candidate.byteCount),
      scan.isOnPaper(candidate, row)
    else { return isPromising }
    scan.count(candidate, row)
    guard best.isCertain else { return isPromising }
    let again = RegionLine(id: LineID(.certainStrips, Int(line.id.index)), v: line.v, scan: line.scan)
    scan.count(candidate, DirectedRow(row: row.row, isReversed: row.isReversed, line: again))
    return isPromising
  }

  /// Fits a symbol between the ends of a look.
  @unsafe private mutating func fit<Symbol: CellCharacters>(
    _ symbol: Symbol.Type, _ look: CharacterLook, ratio: Int, _ scan: RegionScan, count sampleCount: Int
  ) -> CharacterFit {
    begin(symbol, count: look.count, ratio: ratio)
    (model.start, model.end, model.perspective) = (look.start, look.end, look.perspective)
    let place = unsafe fit(look.isReversed ? scan.reversedProfile : scan.profile, sampleCount: sampleCount)
    return CharacterFit(place: place, look: look, ratio: ratio)
  }

  private func keep(_ fit: CharacterFit, _ fits: inout [3 of CharacterFit]) {
    var place = CharacterReader.placeCount
    while place > 0, fit.place.score > fits[place - 1].place.score {
      if place < CharacterReader.placeCount { fits[place] = fits[place - 1] }
      place -= 1
    }
    if place < CharacterReader.placeCount { fits[place] = fit }
  }

  /// Begins a model in which only the modules that every symbol has are known.
  private mutating func begin<Symbol: CellCharacters>(_ symbol: Symbol.Type, count: Int, ratio: Int) {
    model = TemplateModel(moduleCount: Symbol.width(count: count, ratio: ratio), inQuarters: true, memory: memory)
    templates.forgetValues(symbol, count: count)
    unsafe templates.draw(symbol, count: count, ratio: ratio, into: model.modules, moduleCount: model.moduleCount)
  }

  /// Fits the ends and the perspective to the known modules.
  @unsafe private mutating func fit(_ profile: UnsafePointer<Int32>, sampleCount: Int) -> GuardPlace {
    guards.removeAll()
    let quiet = TemplateModel.quietModules * EdgeResponse.samplesPerModule
    guards.append(from: 0, count: quiet, step: 2)
    for module in stride(from: 0, to: model.moduleCount, by: 2) where unsafe model.modules[module] != Module.unknown {
      guards.append(from: quiet + module, count: 1)
    }
    guards.append(from: quiet + model.moduleCount, count: quiet, step: 2)
    guards.draw(&model)
    work += model.sampleCount * CharacterReader.drawWork + 11 * guards.count * CharacterReader.fitWork
    var best = GuardPlace()
    let (pitch, start, end) = (model.pitch, model.start, model.end)
    let step = CharacterLooks.perspectives(moduleCount: model.symbolSampleCount / EdgeResponse.samplesPerModule).step
    let perspective = model.perspective
    for place in 0..<9 {
      model.start = start + (place % 3 - 1) * pitch / 2
      model.end = end + (place / 3 - 1) * pitch / 2
      unsafe guards.measure(profile, count: sampleCount, model, &best)
    }
    guard best.score > 0 else { return best }
    model.take(best)
    for side in 0..<2 {
      model.perspective = perspective + (side == 0 ? -step / 2 : step / 2)
      unsafe guards.measure(profile, count: sampleCount, model, &best)
    }
    return best
  }

  /// Lets characters and the model's parameters improve each other until the characters stop changing.
  @unsafe private mutating func improve<Symbol: CellCharacters>(
    _ symbol: Symbol.Type, _ profile: UnsafePointer<Int32>, sampleCount: Int, _ fit: CharacterFit
  ) -> CharacterReading? {
    let (count, ratio) = (fit.look.count, fit.ratio)
    var decision = CharacterDecision()
    var isDecided = false
    for round in 0..<CharacterReader.roundCountMax {
      work +=
        model.sampleCount * CharacterReader.refineWork
        + Symbol.counts.values * model.symbolSampleCount * CharacterReader.measureWork
      unsafe templates.draw(symbol, count: count, ratio: ratio, into: model.modules, moduleCount: model.moduleCount)
      // A refinement needs the samples at the place of the fit.
      if round == 0 { guard unsafe model.sample(profile, count: sampleCount) else { return nil } }
      guard model.refine(), unsafe model.sample(profile, count: sampleCount), model.normalise() else { return nil }
      model.draw()
      if round == CharacterReader.doubtRound {
        let residual = model.residual()
        guard residual.correlation >= CharacterReader.doubtCorrelation else { return nil }
      }
      templates.drawTemplates(symbol, ratio: ratio, model.response)
      templates.measure(symbol, model, count: count, ratio: ratio)
      if isDecided {
        guard let next = templates.decide(symbol, count: count) else { return nil }
        decision = next
        break
      }
      let isChanged = templates.takeBest(count: count)
      if round > 0, !isChanged || round == CharacterReader.roundCountMax - 2 {
        guard let next = templates.decide(symbol, count: count) else { return nil }
        decision = next
        isDecided = true
      }
    }
    unsafe templates.draw(symbol, count: count, ratio: ratio, into: model.modules, moduleCount: model.moduleCount)
    model.draw()
    let residual = model.residual()
    let noise = max(1, 2 * residual.misfit)
    return CharacterReading(
      start: Int32(truncatingIfNeeded: model.start >> 8), end: Int32(truncatingIfNeeded: model.end >> 8),
      correlation: residual.correlation,
      worst: 4096 - worstMisfit(symbol, count: count, ratio: ratio) * 4096 / max(1, residual.variance),
      likelihood: min(1 << 20, (min(decision.second, 1 << 40) - decision.best) * 16 / noise),
      freedom: (decision.best - decision.free) * 16 / noise,
      moduleCount: Int32(truncatingIfNeeded: model.symbolSampleCount / EdgeResponse.samplesPerModule))
  }

  /// The mean squared misfit of the character that fits worst.
  private func worstMisfit<Symbol: CellCharacters>(_ symbol: Symbol.Type, count: Int, ratio: Int) -> Int {
    let width = Symbol.cellWidth(ratio: ratio)
    let start = TemplateModel.quietModules * EdgeResponse.samplesPerModule
    var worst = 0
    for cell in 0..<count {
      var sum = 0
      for sample in (start + cell * width)..<(start + (cell + 1) * width) {
        let error = unsafe Int(model.normal[sample] &- model.template[sample])
        sum += error * error
      }
      worst = max(worst, sum / width)
    }
    return worst
  }
}

/// A number of characters with the place where they fit.
private struct CharacterFit: BitwiseCopyable {
  var place = GuardPlace()
  var look = CharacterLook()
  var ratio = 0
}
