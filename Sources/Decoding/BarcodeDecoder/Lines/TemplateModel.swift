// A formula for the picture of a symbol: where its ends lie, how light and contrast change along it, how blurred it is and
// how much its ink has spread. Fitted to a grey profile, it distinguishes characters long after their edges have merged.
//
// Linear least squares with the derivatives of the template fits all parameters together; searching them one by one takes
// fifty times as long for the same readings.

/// The known colour of a module.
enum Module {
  static let light: UInt8 = 0
  static let dark: UInt8 = 1
  static let unknown: UInt8 = 2
}

/// The memory of one model at a time.
@safe struct TemplateModelMemory {
  /// The most samples of a model, with its quiet modules.
  let sampleCountMax: Int
  fileprivate let modules: UnsafeMutablePointer<UInt8>
  fileprivate let samples: UnsafeMutablePointer<Int32>
  fileprivate let response: EdgeResponse

  /// - Parameter moduleCountMax: modules of the longest symbol.
  init(moduleCountMax: Int, arena: inout Arena) throws(ArenaFull) {
    sampleCountMax = (moduleCountMax + 2 * TemplateModel.quietModules) * EdgeResponse.samplesPerModule
    unsafe modules = try arena.take(UInt8.self, count: sampleCountMax)
    unsafe samples = try arena.take(Int32.self, count: 6 * sampleCountMax)
    response = try EdgeResponse(arena: &arena)
  }
}

/// The mean squared misfit of a template, and its variance, in 4096² units.
struct TemplateResidual {
  let misfit: Int
  let variance: Int

  /// One less the unexplained share of the variance, times 4096.
  var correlation: Int { 4096 - misfit * 4096 / max(1, variance) }
}

/// A linear symbol as a model of its grey profile. Grey levels are times 16, templates are 4096 for light and 0 for dark.
@safe struct TemplateModel {
  /// Quiet modules on either side that the model includes.
  static let quietModules = 4

  /// The greatest perspective term: 0.15.
  private static let perspectiveMax = 9830

  /// Number of `modules`.
  let moduleCount: Int
  /// Samples of each of them: those of a module, or one where they are quarters of modules.
  private let moduleSampleCount: Int
  /// Samples from the symbol's start to its end, four per module, and those with the quiet modules.
  let symbolSampleCount: Int
  let sampleCount: Int
  /// The ends of the symbol, in samples of the profile times 65536.
  var start = 0
  var end = 0
  /// The perspective term, times 65536: it moves a place at the share τ of the symbol by q · τ · (1 - τ) of its length.
  var perspective = 0
  /// Blur and ink spread, in modules times 256.
  var blur: Int32 = 128
  var spread: Int32 = 0
  /// The grey of dark at τ = 0 and its coefficients of τ and τ²; the contrast at τ = 0 and its coefficient of τ.
  var level: (Int, Int, Int) = (0, 0, 0)
  var gain: (Int, Int) = (0, 0)

  /// The `Module` value of each module.
  let modules: UnsafeMutablePointer<UInt8>
  /// The profile at the places of the model's samples.
  let grey: UnsafeMutablePointer<Int32>
  /// The profile normalised by the model: 4096 for light, 0 for dark.
  let normal: UnsafeMutablePointer<Int32>
  let template: UnsafeMutablePointer<Int32>
  private let blurred: UnsafeMutablePointer<Int32>
  private let spreadOut: UnsafeMutablePointer<Int32>
  private let shares: UnsafeMutablePointer<Int32>
  private(set) var response: EdgeResponse

  /// - Parameter inQuarters: whether `modules` are quarters of modules, for symbologies whose wide elements are not a whole number
  ///   of narrow ones.
  init(moduleCount: Int, inQuarters: Bool = false, memory: TemplateModelMemory) {
    self.moduleCount = moduleCount
    moduleSampleCount = inQuarters ? 1 : EdgeResponse.samplesPerModule
    symbolSampleCount = moduleCount * moduleSampleCount
    sampleCount = symbolSampleCount + 2 * TemplateModel.quietModules * EdgeResponse.samplesPerModule
    precondition(moduleCount > 0 && sampleCount <= memory.sampleCountMax)
    unsafe modules = memory.modules
    unsafe grey = memory.samples
    unsafe normal = memory.samples + memory.sampleCountMax
    unsafe template = memory.samples + 2 * memory.sampleCountMax
    unsafe blurred = memory.samples + 3 * memory.sampleCountMax
    unsafe spreadOut = memory.samples + 4 * memory.sampleCountMax
    unsafe shares = memory.samples + 5 * memory.sampleCountMax
    response = memory.response
    let quiet = TemplateModel.quietModules * EdgeResponse.samplesPerModule
    for index in 0..<sampleCount {
      let place = (2 &* (index &- quiet) &+ 1) << 16
      unsafe shares[index] = Int32(truncatingIfNeeded: place / (2 &* symbolSampleCount))
    }
  }

  /// The width of a module, in samples of the profile times 65536.
  var pitch: Int { (end - start) * EdgeResponse.samplesPerModule / symbolSampleCount }

  /// The share τ of the symbol at a sample, times 4096.
  @inline(__always) func share(_ sample: Int) -> Int { unsafe Int(shares[sample] >> 4) }

  /// The place of a sample in the profile, in samples times 65536.
  @inline(__always) func place(_ sample: Int) -> Int {
    let tau = unsafe Int(shares[sample])
    let bent = tau &+ (((tau &* (65536 &- tau)) >> 16) &* perspective) >> 16
    return start &+ ((end &- start) &* bent) >> 16
  }

  /// Sets the perspective for which a module begins at a place between the ends, in samples of the profile times 65536.
  mutating func setPerspective(place: Int, ofModule module: Int) {
    let tau = (module << 12) / moduleCount
    let share = ((place &- start) << 12) / max(1, end &- start)
    let reach = (tau * (4096 - tau)) >> 12
    perspective = max(
      -TemplateModel.perspectiveMax, min(TemplateModel.perspectiveMax, ((share - tau) << 16) / max(1, reach)))
  }

  /// Reads the profile at the model's places; false if one of them lies outside it.
  ///
  /// - Safety: `profile` must hold `count` samples of grey times 64.
  @unsafe func sample(_ profile: UnsafePointer<Int32>, count: Int) -> Bool {
    for index in 0..<sampleCount {
      let place = place(index)
      let whole = place >> 16
      guard whole >= 0, whole &+ 1 < count else { return false }
      let left = unsafe Int(profile[whole])
      let right = unsafe Int(profile[whole &+ 1])
      unsafe grey[index] = Int32(truncatingIfNeeded: (left << 16 &+ (right &- left) &* (place & 0xFFFF)) >> 18)
    }
    return true
  }

  /// Draws the template of the current modules; unknown modules are half-way between light and dark.
  func draw(_ response: EdgeResponse, into target: UnsafeMutablePointer<Int32>) {
    let quiet = TemplateModel.quietModules &* EdgeResponse.samplesPerModule
    let reach = response.reach
    // First fill in the level of every sample after the responses before it have ended.
    var before = Module.light
    var filled = 0
    var level: Int32 = 4096
    for module in 0...moduleCount {
      let here = module < moduleCount ? unsafe modules[module] : Module.light
      guard here != before else { continue }
      let settled = min(sampleCount, quiet &+ module &* moduleSampleCount &+ reach)
      while filled < settled {
        unsafe target[filled] = level
        filled &+= 1
      }
      before = here
      level = TemplateModel.level(here)
    }
    while filled < sampleCount {
      unsafe target[filled] = level
      filled &+= 1
    }
    before = Module.light
    for module in 0...moduleCount {
      let here = module < moduleCount ? unsafe modules[module] : Module.light
      guard here != before else { continue }
      let height = TemplateModel.level(here) &- TemplateModel.level(before)
      before = here
      let first = quiet &+ module &* moduleSampleCount &- reach
      let from = max(0, 0 &- first)
      let to = min(2 &* reach, sampleCount &- first)
      let skipped = EdgeResponse.reachMax &- reach
      unsafe TemplateModel.add(
        (height < 0 ? response.darkening : response.lightening) + skipped, height, from: from, to: to, target + first)
    }
  }

  /// Adds a response of a given height to the samples from..<to.
  @unsafe @inline(__always) private static func add(
    _ response: UnsafeMutablePointer<Int32>, _ height: Int32, from: Int, to: Int, _ target: UnsafeMutablePointer<Int32>
  ) {
    guard from < to else { return }
    let shift: Int32 = height == 4096 || height == -4096 ? 0 : 1
    if height < 0 {
      for step in from..<to { unsafe target[step] &-= response[step] >> shift }
    } else {
      for step in from..<to { unsafe target[step] &+= response[step] >> shift }
    }
  }

  @inline(__always) private static func level(_ module: UInt8) -> Int32 {
    module == Module.light ? 4096 : (module == Module.dark ? 0 : 2048)
  }

  /// Sets the response to edges to the current blur and spread.
  mutating func setResponse() { response.set(blur: blur, spread: spread) }

  /// Draws the template of the current parameters.
  mutating func draw() {
    setResponse()
    unsafe draw(response, into: template)
  }

  /// Normalises the profile by the model's light and contrast; false if there is no contrast.
  func normalise() -> Bool {
    for index in 0..<sampleCount {
      let tau = share(index)
      let contrast = gain.0 &+ (gain.1 &* tau) >> 12
      guard contrast >= 32 else { return false }
      let dark = level.0 &+ ((level.1 &+ (level.2 &* tau) >> 12) &* tau) >> 12
      let value = unsafe ((Int(grey[index]) &- dark) << 12) / contrast
      unsafe normal[index] = Int32(truncatingIfNeeded: max(-8192, min(12_288, value)))
    }
    return true
  }

  /// The response to edges, set for a blur and a spread.
  private mutating func response(_ blur: Int32, _ spread: Int32) -> EdgeResponse {
    response.set(blur: blur, spread: spread)
    return response
  }

  /// Makes one step of the fit of all ten parameters to the current modules; false if it fails.
  mutating func refine() -> Bool {
    let blurStep: Int32 = 13
    let spreadStep: Int32 = 26
    unsafe draw(response(blur, spread + spreadStep), into: spreadOut)
    unsafe draw(response(blur + blurStep, spread), into: blurred)
    unsafe draw(response(blur, spread), into: template)
    var equations = NormalEquations(unknownCount: 10)
    var row: [10 of Int32] = .init(repeating: 0)
    for index in 0..<sampleCount {
      let tau = Int32(truncatingIfNeeded: share(index))
      let value = unsafe template[index]
      let next = unsafe template[min(index &+ 1, sampleCount &- 1)]
      let last = unsafe template[max(index &- 1, 0)]
      // The slope per module: the difference spans half a module.
      let slope = (next &- last) &* 2
      row[0] = 4096
      row[1] = tau
      row[2] = (tau &* tau) >> 12
      row[3] = value
      row[4] = (value &* tau) >> 12
      row[5] = 0 &- (slope &* (4096 &- tau)) >> 12
      row[6] = 0 &- (slope &* tau) >> 12
      // Per 64th of the length, so that the column is about as long as the others.
      row[7] = 0 &- ((slope &* ((tau &* (4096 &- tau)) >> 12)) >> 12) &* Int32(truncatingIfNeeded: symbolSampleCount) / 256
      row[8] = unsafe (blurred[index] &- value) &* 20
      row[9] = unsafe (spreadOut[index] &- value) &* 10
      unsafe equations.add(row, grey[index])
    }
    var damping: [10 of Int64] = .init(repeating: 1 << 14)
    for index in 5..<10 { damping[index] = 1 << 21 }
    guard let solution = equations.solve(damping: damping) else { return false }
    return apply(solution)
  }

  /// Applies a solution with its steps clamped; false if a parameter left its range.
  private mutating func apply(_ solution: [10 of Int64]) -> Bool {
    // Columns of 4096 times x/65536 are grey levels times 16.
    level = (Int(solution[0] >> 4), Int(solution[1] >> 4), Int(solution[2] >> 4))
    gain = (Int(solution[3] >> 4), Int(solution[4] >> 4))
    let contrast = gain.0 + gain.1 / 2
    guard contrast >= 64 else { return false }
    func step(_ index: Int, _ limit: Int) -> Int {
      // x · 4096 / contrast is the step in units of its column, times 65536.
      max(-limit, min(limit, Int(solution[index]) * 4096 / contrast))
    }
    start += (step(5, 1 << 15) * pitch) >> 16
    end += (step(6, 1 << 15) * pitch) >> 16
    perspective += step(7, 1 << 16) / 64
    blur += Int32(step(8, 9830) >> 8)
    spread += Int32(step(9, 13_107) >> 8)
    perspective = max(-TemplateModel.perspectiveMax, min(TemplateModel.perspectiveMax, perspective))
    blur = max(EdgeResponse.blurMin, min(EdgeResponse.blurMax, blur))
    spread = max(-160, min(160, spread))
    return true
  }

  /// How the template differs from the profile.
  func residual() -> TemplateResidual {
    var squares = 0
    var sum = 0
    var squaredTemplate = 0
    for index in 0..<sampleCount {
      let value = unsafe Int(template[index])
      let error = unsafe Int(normal[index]) &- value
      squares &+= error &* error
      sum &+= value
      squaredTemplate &+= value &* value
    }
    let mean = sum / sampleCount
    return TemplateResidual(misfit: squares / sampleCount, variance: squaredTemplate / sampleCount - mean * mean)
  }
}
