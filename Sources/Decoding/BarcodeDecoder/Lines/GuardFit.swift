// The place of a symbol's model in a profile, before any character is known: where the modules that every such symbol has agree
// best with the grey values.

/// A place of a model, and how well the known modules agree there.
struct GuardPlace: BitwiseCopyable {
  /// The squared correlation of the known modules with the profile, times 4096.
  var score = 0
  fileprivate(set) var start = 0
  fileprivate(set) var end = 0
  fileprivate(set) var perspective = 0
  fileprivate(set) var blur: Int32 = 0
  fileprivate(set) var gain = 0
  fileprivate(set) var level = 0
  fileprivate(set) var levelSlope = 0
}

extension TemplateModel {
  /// Takes a place, with its light and contrast.
  mutating func take(_ place: GuardPlace) {
    start = place.start
    end = place.end
    perspective = place.perspective
    blur = place.blur
    gain = (place.gain, 0)
    level = (place.level, place.levelSlope, 0)
  }
}

/// The samples of a model whose modules are known, and their templates at three blurs.
@safe struct GuardFit {
  /// Samples of the model, and their values in the basis of light and light gradient.
  private let samples: UnsafeMutablePointer<Int>
  private let bases: UnsafeMutablePointer<Int>
  private let countMax: Int
  private(set) var count = 0
  private var sums: [3 of GuardSums] = .init(repeating: GuardSums())

  init(sampleCountMax: Int, arena: inout Arena) throws(ArenaFull) {
    unsafe samples = try arena.take(Int.self, count: sampleCountMax)
    unsafe bases = try arena.take(Int.self, count: 4 * sampleCountMax)
    countMax = sampleCountMax
  }

  mutating func removeAll() { count = 0 }

  /// Adds every `step`-th of some samples of the model.
  mutating func append(from first: Int, count added: Int, step: Int = 1) {
    for sample in stride(from: first, to: first + added, by: step) where count < countMax {
      unsafe samples[count] = sample
      count += 1
    }
  }

  /// Standard deviations of the blurs that are tried, in modules times 256: 0.3, 0.6 and 0.9.
  private static func blur(_ index: Int) -> Int32 { Int32(77 + 77 * index) }

  /// Draws the templates of a model's known modules, half grey where a module is not known.
  mutating func draw(_ model: inout TemplateModel) {
    model.spread = 0
    for blur in 0..<3 {
      model.blur = GuardFit.blur(blur)
      model.draw()
      sums[blur] = sums(model, blur)
    }
  }

  /// The template without its mean and its slope along the symbol, and the slope without its mean.
  private func sums(_ model: TemplateModel, _ blur: Int) -> GuardSums {
    var sums = GuardSums()
    var sumShare = 0
    var sumTemplate = 0
    for index in 0..<count {
      sumShare += unsafe model.share(samples[index])
      sumTemplate += unsafe Int(model.template[samples[index]])
    }
    sums.meanShare = sumShare / max(1, count)
    sums.meanTemplate = sumTemplate / max(1, count)
    var mixed = 0
    for index in 0..<count {
      let share = unsafe model.share(samples[index]) - sums.meanShare
      sums.shareSquares += share * share
      mixed += unsafe share * (Int(model.template[samples[index]]) - sums.meanTemplate)
    }
    sums.lean = (mixed << 12) / max(1, sums.shareSquares)
    for index in 0..<count {
      let share = unsafe model.share(samples[index]) - sums.meanShare
      let template = unsafe Int(model.template[samples[index]]) - sums.meanTemplate - (sums.lean * share) >> 12
      sums.templateSquares += template * template
      unsafe bases[4 * index] = share
      unsafe bases[4 * index + 1 + blur] = template
    }
    return sums
  }

  /// Correlates the profile at a model's place with the templates, and keeps the best fit with its light and contrast.
  ///
  /// - Safety: `profile` must hold `profileCount` samples of grey times 64.
  @unsafe func measure(
    _ profile: UnsafePointer<Int32>, count profileCount: Int, _ model: TemplateModel, _ best: inout GuardPlace
  ) {
    var sum = 0
    var squares = 0
    var withShare = 0
    var sharp = 0
    var medium = 0
    var wide = 0
    for index in 0..<count {
      let basis = unsafe bases + 4 &* index
      let place = unsafe model.place(samples[index])
      let whole = place >> 16
      guard whole >= 0, whole &+ 1 < profileCount else { return }
      let left = unsafe Int(profile[whole])
      let grey = unsafe (left << 16 &+ (Int(profile[whole &+ 1]) &- left) &* (place & 0xFFFF)) >> 18
      sum &+= grey
      squares &+= grey &* grey
      withShare &+= unsafe grey &* basis[0]
      sharp &+= unsafe grey &* basis[1]
      medium &+= unsafe grey &* basis[2]
      wide &+= unsafe grey &* basis[3]
    }
    let shareCoefficient = (withShare << 12) / max(1, sums[0].shareSquares)
    let rest = squares - sum / max(1, count) * sum - (shareCoefficient * withShare) >> 12
    for blur in 0..<3 {
      let withTemplate = blur == 0 ? sharp : (blur == 1 ? medium : wide)
      let sums = sums[blur]
      guard withTemplate > 0, sums.templateSquares > 4096 else { continue }
      let explained = (withTemplate / 64) * (withTemplate / 64) / (sums.templateSquares / 4096)
      let score = (explained << 12) / max(1, rest)
      guard score > best.score else { continue }
      best.score = score
      best.gain = (withTemplate << 12) / sums.templateSquares
      best.levelSlope = shareCoefficient - (best.gain * sums.lean) >> 12
      best.level = sum / count - (best.gain * sums.meanTemplate) >> 12 - (best.levelSlope * sums.meanShare) >> 12
      best.start = model.start
      best.end = model.end
      best.perspective = model.perspective
      best.blur = GuardFit.blur(blur)
    }
  }
}

/// Sums over the known samples that do not depend on the profile.
private struct GuardSums: BitwiseCopyable {
  var meanShare = 0
  var meanTemplate = 0
  var shareSquares = 0
  var templateSquares = 0
  /// The slope of the template along the symbol, times 4096.
  var lean = 0
}
