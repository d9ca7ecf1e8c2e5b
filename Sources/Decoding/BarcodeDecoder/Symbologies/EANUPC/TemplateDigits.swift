// The digits in a normalised profile: the misfit of every digit's template at every place, and the best code with valid
// number sets and check digit. Trust depends less on the misfit than on the distance to the second best code.

import BarcodeTypes

/// The best reading of a profile's digits, and its rivals.
struct DigitDecision: BitwiseCopyable {
  /// Misfits of the best and the second best code, and of the best digits regardless of sets and check digit. Squared
  /// misfits in 4096² units, summed over the modules.
  var best = Int.max
  var second = Int.max
  var free = 0
  /// The digits as printed, including the leading one of an EAN-13 and the last of a UPC-E.
  var digits: [13 of UInt8] = .init(repeating: 0)
  /// The number set of each drawn digit, 1 for B, the first drawn digit in the highest of `digitCount` bits.
  var sets: UInt32 = 0

  init() {}

  /// The digits of a text that was already read.
  init(_ candidate: LinearCandidate, _ text: ScratchArray<UInt8>, _ shape: EANShape) {
    // A UPC-A is an EAN-13 without its leading 0.
    let offset = candidate.symbology == .upca ? 1 : 0
    for index in 0..<candidate.byteCount { digits[index + offset] = text[index] - 0x30 }
    switch shape {
    case .thirteen: sets = UInt32(leadingDigitSets[Int(digits[0])]) << 6
    case .eight: break
    case .zeroSuppressed: sets = UInt32(checkDigitSets[Int(digits[7])]) ^ (digits[0] == 1 ? 0b111111 : 0)
    case .addOnOfTwo, .addOnOfFive: sets = UInt32(EANUPC.addOnSets(text, shape))
    }
  }
}

/// Misfits of digit templates.
@safe struct TemplateDigits {
  static let sampleCount = 7 * EdgeResponse.samplesPerModule

  /// Misfits by drawn digit, set (A, B or C) and value.
  private let costs: UnsafeMutablePointer<Int>
  /// Templates by set and value, with a single boundary on either side.
  private let templates: UnsafeMutablePointer<Int32>
  private let corrected: UnsafeMutablePointer<Int32>

  /// Takes the memory.
  init(arena: inout Arena) throws(ArenaFull) {
    unsafe costs = try arena.take(Int.self, count: 12 * 30)
    unsafe templates = try arena.take(Int32.self, count: 30 * TemplateDigits.sampleCount)
    unsafe corrected = try arena.take(Int32.self, count: TemplateDigits.sampleCount)
  }

  /// Draws the modules that every symbol of a shape has: guards, and the ends of the digits.
  static func drawGuards(_ shape: EANShape, into modules: UnsafeMutablePointer<UInt8>) {
    let count = Int(shape.moduleCount)
    for module in 0..<count { unsafe modules[module] = Module.unknown }
    for module in 0..<3 { unsafe modules[module] = module & 1 == 0 ? Module.dark : Module.light }
    if shape.isAddOn {
      // 1011 before the first digit, and 01 between digits.
      for index in 0..<shape.digitCount {
        unsafe modules[shape.firstModule(index) - 2] = index == 0 ? Module.dark : Module.light
        unsafe modules[shape.firstModule(index) - 1] = Module.dark
      }
    } else if shape == .zeroSuppressed {
      for module in 0..<6 { unsafe modules[count - 6 + module] = module & 1 == 0 ? Module.light : Module.dark }
    } else {
      for module in 0..<3 { unsafe modules[count - 3 + module] = module & 1 == 0 ? Module.dark : Module.light }
      for module in 0..<5 { unsafe modules[count / 2 - 2 + module] = module & 1 == 0 ? Module.light : Module.dark }
    }
    for index in 0..<shape.digitCount {
      let first = shape.firstModule(index)
      let isRight = shape.isRight(index)
      unsafe modules[first] = isRight ? Module.dark : Module.light
      unsafe modules[first + 6] = isRight ? Module.light : Module.dark
    }
  }

  /// Draws the digits of a decision.
  static func draw(_ decision: DigitDecision, _ shape: EANShape, into modules: UnsafeMutablePointer<UInt8>) {
    let offset = shape.leadingCount
    for index in 0..<shape.digitCount {
      let isRight = shape.isRight(index)
      let isB = decision.sets >> UInt32(shape.digitCount - 1 - index) & 1 == 1
      let row = (Int(decision.digits[index + offset]) + (isB ? 10 : 0)) * 4
      var module = shape.firstModule(index)
      for element in 0..<4 {
        let isDark = (element & 1 == 0) == isRight
        for _ in 0..<digitWidths[row + element] {
          unsafe modules[module] = isDark ? Module.dark : Module.light
          module += 1
        }
      }
    }
  }

  /// Measures all misfits for the response that a model has set, with the neighbouring modules that it knows.
  func measure(_ model: TemplateModel, _ shape: EANShape) {
    let response = model.response
    for set in 0..<3 {
      for value in 0..<10 { drawDigit(set: set, value: value, response) }
    }
    for index in 0..<shape.digitCount {
      let isRight = shape.isRight(index)
      correct(model, firstModule: shape.firstModule(index), isRight: isRight, response)
      let firstSet = isRight ? 2 : 0
      for set in firstSet..<(firstSet + shape.setCount(index)) {
        for value in 0..<10 {
          let template = unsafe templates + (set &* 10 &+ value) &* TemplateDigits.sampleCount
          var sum = 0
          for sample in 0..<TemplateDigits.sampleCount {
            let error = unsafe Int(corrected[sample] &- template[sample])
            sum &+= error &* error
          }
          // Four samples per module.
          unsafe costs[index &* 30 &+ set &* 10 &+ value] = sum >> 2
        }
      }
    }
  }

  /// Draws one digit between boundaries; the modules beyond them extend indefinitely.
  private func drawDigit(set: Int, value: Int, _ response: EdgeResponse) {
    let row = (set == 1 ? value + 10 : value) * 4
    let target = unsafe templates + (set * 10 + value) * TemplateDigits.sampleCount
    // Sets A and B begin with a space after a bar, set C with a bar after a space.
    var isDark = set != 2
    for sample in 0..<TemplateDigits.sampleCount { unsafe target[sample] = isDark ? 0 : 4096 }
    var boundary = 0
    for element in 0...4 {
      unsafe addEdge(at: boundary, isDarkening: !isDark, response, shift: 12, into: target)
      isDark.toggle()
      if element < 4 { boundary += Int(digitWidths[row + element]) }
    }
  }

  /// Adds an edge at a module boundary, 2^shift high.
  private func addEdge(
    at boundary: Int, isDarkening: Bool, _ response: EdgeResponse, shift: Int32, into target: UnsafeMutablePointer<Int32>
  ) {
    let start = EdgeResponse.reachMax &- boundary &* EdgeResponse.samplesPerModule
    for sample in 0..<TemplateDigits.sampleCount {
      let step = start &+ sample
      let value: Int32
      if step < EdgeResponse.reachMax &- response.reach {
        value = 0
      } else if step >= EdgeResponse.reachMax &+ response.reach {
        value = 4096
      } else {
        value = unsafe isDarkening ? response.darkening[step] : response.lightening[step]
      }
      let height = (value << shift) >> 12
      unsafe target[sample] &+= isDarkening ? 0 &- height : height
    }
  }

  /// The model's profile over a digit, less the contribution of the second modules beyond its ends.
  private func correct(_ model: TemplateModel, firstModule: Int, isRight: Bool, _ response: EdgeResponse) {
    let first = (TemplateModel.quietModules + firstModule) * EdgeResponse.samplesPerModule
    for sample in 0..<TemplateDigits.sampleCount { unsafe corrected[sample] = 0 }
    // The adjacent modules are dark before and light after a digit in the left half, and the other way round in the right
    // half.
    let before = unsafe model.modules[firstModule - 2]
    if before != (isRight ? Module.light : Module.dark) {
      // The module before that is different from the template's: take back what the template has there.
      addEdgeBefore(isRight: isRight, isHalf: before == Module.unknown, response)
    }
    let after = unsafe firstModule + 8 < model.moduleCount ? model.modules[firstModule + 8] : Module.light
    if after != (isRight ? Module.dark : Module.light) {
      unsafe addEdge(at: 8, isDarkening: !isRight, response, shift: after == Module.unknown ? 11 : 12, into: corrected)
    }
    for sample in 0..<TemplateDigits.sampleCount {
      unsafe corrected[sample] = model.normal[first + sample] &- corrected[sample]
    }
  }

  /// Adds the contribution of an edge one module before a digit to a template without it: everything before that edge is
  /// inverted.
  private func addEdgeBefore(isRight: Bool, isHalf: Bool, _ response: EdgeResponse) {
    let start = EdgeResponse.reachMax &+ EdgeResponse.samplesPerModule
    for sample in 0..<TemplateDigits.sampleCount where start &+ sample < EdgeResponse.reachMax &+ response.reach {
      let step = start &+ sample
      // A left digit follows dark; before that it is light, so the edge darkens, and one minus its response is added.
      let value = unsafe isRight ? response.lightening[step] : response.darkening[step]
      let rest = isHalf ? (4096 &- value) >> 1 : 4096 &- value
      unsafe corrected[sample] &+= isRight ? 0 &- rest : rest
    }
  }

  /// The misfit of a digit.
  @inline(__always) private func cost(_ index: Int, _ set: Int, _ value: Int) -> Int {
    unsafe costs[index &* 30 &+ set &* 10 &+ value]
  }

  /// The least misfit of a digit in one set.
  private func least(_ index: Int, _ set: Int) -> Int {
    var least = Int.max
    for value in 0..<10 { least = min(least, cost(index, set, value)) }
    return least
  }

  /// Finds the best code of a shape with valid number sets and check digit.
  func decide(_ shape: EANShape) -> DigitDecision {
    var decision = DigitDecision()
    for index in 0..<shape.digitCount {
      if shape.isRight(index) {
        decision.free += least(index, 2)
      } else if shape.setCount(index) == 1 {
        decision.free += least(index, 0)
      } else {
        decision.free += min(least(index, 0), least(index, 1))
      }
    }
    switch shape {
    case .thirteen:
      for leading in 0..<10 {
        let sets = UInt32(leadingDigitSets[leading]) << 6
        consider(DigitPattern(shape: shape, sets: sets, offset: leading, leading: UInt8(leading)), &decision)
      }
    case .eight:
      consider(DigitPattern(shape: shape, sets: 0, offset: 0, leading: 0), &decision)
    case .zeroSuppressed:
      for check in 0..<10 {
        for system in 0..<2 {
          let sets = UInt32(checkDigitSets[check]) ^ (system == 1 ? 0b111111 : 0)
          for last in 0..<10 {
            var pattern = DigitPattern(shape: shape, sets: sets, offset: check + 3 * system, leading: UInt8(system))
            pattern.lastDigit = last
            pattern.check = UInt8(check)
            consider(pattern, &decision)
          }
        }
      }
    case .addOnOfTwo:
      for remainder in 0..<4 {
        consider(DigitPattern(shape: shape, sets: UInt32(remainder), offset: 4 - remainder, leading: 0), &decision)
      }
    case .addOnOfFive:
      for check in 0..<10 {
        consider(
          DigitPattern(shape: shape, sets: UInt32(addOnDigitSets[check]), offset: 10 - check, leading: 0), &decision)
      }
    }
    return decision
  }

  /// Searches the digits for one pattern of number sets, unless even its best digits are worse than the second best code.
  private func consider(_ pattern: DigitPattern, _ decision: inout DigitDecision) {
    var bound = 0
    for index in 0..<pattern.shape.digitCount {
      let set = pattern.set(index)
      bound += pattern.isFixed(index) ? cost(index, set, pattern.lastDigit) : least(index, set)
      if bound >= decision.second { return }
    }
    search(pattern, &decision)
  }

  /// Dynamic programming over digits and their weighted sum modulo the pattern's modulus, with the two best ways to each
  /// sum.
  private func search(_ pattern: DigitPattern, _ decision: inout DigitDecision) {
    let unreached = Int.max / 2
    var best: [10 of Int] = .init(repeating: unreached)
    var second: [10 of Int] = .init(repeating: unreached)
    var ways: [120 of UInt8] = .init(repeating: 0)
    let modulus = pattern.modulus
    best[pattern.offset % modulus] = 0
    let count = pattern.shape.digitCount
    for index in 0..<count {
      let set = pattern.set(index)
      let weight = pattern.weight(index)
      var nextBest: [10 of Int] = .init(repeating: unreached)
      var nextSecond: [10 of Int] = .init(repeating: unreached)
      for value in 0..<10 {
        if pattern.isFixed(index), value != pattern.lastDigit { continue }
        let cost = cost(index, set, value)
        let step = weight &* value
        for sum in 0..<modulus where best[sum] < unreached {
          let next = (sum &+ step) % modulus
          let total = best[sum] &+ cost
          if total < nextBest[next] {
            nextSecond[next] = nextBest[next]
            nextBest[next] = total
            ways[index &* 10 &+ next] = UInt8(truncatingIfNeeded: value)
          } else if total < nextSecond[next] {
            nextSecond[next] = total
          }
          nextSecond[next] = min(nextSecond[next], second[sum] &+ cost)
        }
      }
      best = nextBest
      second = nextSecond
    }
    guard best[0] < unreached else { return }
    if best[0] < decision.best {
      decision.second = min(decision.best, second[0])
      decision.best = best[0]
      keep(pattern, ways, &decision)
    } else {
      decision.second = min(decision.second, best[0])
    }
  }

  /// Traces the best way back from the sum 0.
  private func keep(_ pattern: DigitPattern, _ ways: [120 of UInt8], _ decision: inout DigitDecision) {
    let offset = pattern.shape.leadingCount
    var sum = 0
    for index in stride(from: pattern.shape.digitCount - 1, through: 0, by: -1) {
      let value = ways[index * 10 + sum]
      decision.digits[index + offset] = value
      sum = (sum + 100 - pattern.weight(index) * Int(value)) % pattern.modulus
    }
    decision.sets = pattern.sets
    if offset == 1 { decision.digits[0] = pattern.leading }
    if pattern.shape == .zeroSuppressed { decision.digits[7] = pattern.check }
  }
}

/// A hypothesis for the search of the digits: number sets and the digits that they encode.
private struct DigitPattern {
  var shape: EANShape
  /// One bit per drawn digit, the first uppermost, 1 for set B.
  var sets: UInt32
  /// The contribution to the weighted sum of the digits that are not drawn.
  var offset: Int
  var leading: UInt8
  /// UPC-E: the last drawn digit, which decides the weights of the others.
  var lastDigit = -1
  var check: UInt8 = 0

  func set(_ index: Int) -> Int {
    if shape.isRight(index) { return 2 }
    return sets >> UInt32(shape.digitCount - 1 - index) & 1 == 1 ? 1 : 0
  }

  /// The weighted sum of all digits is a multiple of this.
  var modulus: Int { shape == .addOnOfTwo ? 4 : 10 }

  func isFixed(_ index: Int) -> Bool { lastDigit >= 0 && index == 5 }

  /// The weight of a drawn digit in the check sum.
  func weight(_ index: Int) -> Int {
    switch shape {
    case .thirteen, .eight: index & 1 == 0 ? 3 : 1
    case .addOnOfTwo: index == 0 ? 10 : 1
    case .addOnOfFive: index & 1 == 0 ? 3 : 9
    case .zeroSuppressed: EANUPC.expandedWeight(index, lastDigit: lastDigit)
    }
  }
}
