// The characters of a symbol in a normalised profile: how well each one fits into each cell, and the text that fits best among those
// with a right check character. Trust depends less on the misfit than on the distance to the second best text.

import BarcodeTypes

/// Misfits of the texts of a profile: squared misfits in 4096² units, summed over the modules.
struct CharacterDecision: BitwiseCopyable {
  /// Of the best and the second best text with a right check sum, and of the best characters regardless of it.
  var best = Int.max
  var second = Int.max
  var free = 0
}

/// The templates of a symbology's characters, and their misfits in the cells of a symbol.
@safe struct CharacterTemplates {
  /// The most characters of a symbol, and the most values of a character.
  static let cellCountMax = 40
  static let valueCountMax = 107
  /// The greatest width of a character, in quarters of a module: Code 39 with a ratio of 3 has 16 modules.
  static let cellWidthMax = 64
  /// The greatest modulus of a check sum.
  static let modulusMax = 103
  /// The best values of a cell that are kept: a text with a worse one is not the second best.
  static let rankCount = 6
  /// The value of a character that is not known yet.
  static let unknown = UInt8(CharacterTemplates.valueCountMax)

  /// Templates by value, the last one of an unknown character.
  private let templates: UnsafeMutablePointer<Int32>
  private let corrected: UnsafeMutablePointer<Int32>
  /// The best values of each cell and their misfits, by rank.
  private let ranked: ScratchArray<UInt8>
  private let misfits: ScratchArray<Int>
  private let ways: ScratchArray<UInt8>
  /// The value of each cell.
  let values: ScratchArray<UInt8>
  /// The values of the text that `keepValues` kept.
  let kept: ScratchArray<UInt8>

  init(arena: inout Arena) throws(ArenaFull) {
    unsafe templates = try arena.take(
      Int32.self, count: (CharacterTemplates.valueCountMax + 1) * CharacterTemplates.cellWidthMax)
    unsafe corrected = try arena.take(Int32.self, count: CharacterTemplates.cellWidthMax)
    ranked = try ScratchArray(CharacterTemplates.cellCountMax * CharacterTemplates.rankCount, arena: &arena)
    misfits = try ScratchArray(CharacterTemplates.cellCountMax * CharacterTemplates.rankCount, arena: &arena)
    ways = try ScratchArray(CharacterTemplates.cellCountMax * CharacterTemplates.modulusMax, arena: &arena)
    values = try ScratchArray(CharacterTemplates.cellCountMax, arena: &arena)
    kept = try ScratchArray(CharacterTemplates.cellCountMax, arena: &arena)
  }

  /// Keeps the current values.
  func keepValues(count: Int) {
    for cell in 0..<count { kept[cell] = values[cell] }
  }

  /// Forgets the values of `count` cells, except for those that only one value can have.
  func forgetValues<Symbol: CellCharacters>(_ symbol: Symbol.Type, count: Int) {
    for cell in 0..<count {
      let range = Symbol.range(at: cell, of: count)
      values[cell] = range.count == 1 ? UInt8(truncatingIfNeeded: range.lowerBound) : CharacterTemplates.unknown
    }
  }

  /// Draws the modules of the current values, and those that every symbol has.
  func draw<Symbol: CellCharacters>(
    _ symbol: Symbol.Type, count: Int, ratio: Int, into modules: UnsafeMutablePointer<UInt8>, moduleCount: Int
  ) {
    var place = 0
    func append(_ width: Int, _ module: UInt8) {
      for _ in 0..<width where place < moduleCount {
        unsafe modules[place] = module
        place += 1
      }
    }
    let narrow = EdgeResponse.samplesPerModule
    for cell in 0..<count {
      let value = values[cell]
      if value == CharacterTemplates.unknown {
        append(narrow, Module.dark)
        append(Symbol.cellWidth(ratio: ratio) - 2 * narrow, Module.unknown)
        append(narrow, Module.light)
        continue
      }
      for element in 0..<Symbol.counts.elements {
        append(Symbol.width(of: element, in: Int(value), ratio: ratio), element & 1 == 0 ? Module.dark : Module.light)
      }
    }
    append(Symbol.lastBar, Module.dark)
  }

  /// Draws the templates of all characters at a response.
  func drawTemplates<Symbol: CellCharacters>(_ symbol: Symbol.Type, ratio: Int, _ response: EdgeResponse) {
    let width = Symbol.cellWidth(ratio: ratio)
    let narrow = EdgeResponse.samplesPerModule
    for value in 0..<Symbol.counts.values {
      let target = unsafe begin(value, width, response)
      var boundary = 0
      for element in 0..<Symbol.counts.elements {
        boundary += Symbol.width(of: element, in: value, ratio: ratio)
        unsafe add(at: boundary, element & 1 == 0 ? 1 : -1, shift: 0, width, response, target)
      }
    }
    let target = unsafe begin(Int(CharacterTemplates.unknown), width, response)
    unsafe add(at: narrow, 1, shift: 1, width, response, target)
    unsafe add(at: width - narrow, 1, shift: 1, width, response, target)
    unsafe add(at: width, -1, shift: 0, width, response, target)
  }

  /// Begins a template: light, and the edge of the first bar.
  private func begin(_ value: Int, _ width: Int, _ response: EdgeResponse) -> UnsafeMutablePointer<Int32> {
    let target = unsafe templates + value * CharacterTemplates.cellWidthMax
    unsafe target.update(repeating: 4096, count: width)
    unsafe add(at: 0, -1, shift: 0, width, response, target)
    return unsafe target
  }

  /// Adds an edge of the height 4096 >> shift, to light if `sign` is 1.
  @unsafe private func add(
    at boundary: Int, _ sign: Int32, shift: Int32, _ width: Int, _ response: EdgeResponse,
    _ target: UnsafeMutablePointer<Int32>
  ) {
    let from = max(0, boundary - response.reach)
    let end = min(width, boundary + response.reach)
    let values = unsafe sign < 0 ? response.darkening : response.lightening
    for sample in from..<max(from, end) {
      unsafe target[sample] &+= sign &* (values[EdgeResponse.reachMax &+ sample &- boundary] >> shift)
    }
    for sample in max(from, end)..<max(from, width) { unsafe target[sample] &+= sign &* (4096 >> shift) }
  }

  /// Measures the misfits of all characters in the cells of a model whose template shows the current values.
  func measure<Symbol: CellCharacters>(_ symbol: Symbol.Type, _ model: TemplateModel, count: Int, ratio: Int) {
    let width = Symbol.cellWidth(ratio: ratio)
    // The last character's gap lies beyond the end, in the quiet zone.
    let start = TemplateModel.quietModules * EdgeResponse.samplesPerModule
    for cell in 0..<count {
      let first = start + cell * width
      let own = unsafe templates + Int(values[cell]) * CharacterTemplates.cellWidthMax
      for sample in 0..<width {
        unsafe corrected[sample] = model.normal[first + sample] &- model.template[first + sample] &+ own[sample]
      }
      let base = cell * CharacterTemplates.rankCount
      for rank in 0..<CharacterTemplates.rankCount { misfits[base + rank] = Int.max / 2 }
      for value in Symbol.range(at: cell, of: count) {
        let template = unsafe templates + value &* CharacterTemplates.cellWidthMax
        var sum = 0
        for sample in 0..<width {
          let error = unsafe Int(corrected[sample] &- template[sample])
          sum &+= error &* error
        }
        insert(value, misfit: sum / EdgeResponse.samplesPerModule, base)
      }
    }
  }

  /// Inserts a value among the best ones of a cell.
  private func insert(_ value: Int, misfit: Int, _ base: Int) {
    var rank = CharacterTemplates.rankCount
    while rank > 0, misfit < misfits[base + rank - 1] {
      if rank < CharacterTemplates.rankCount {
        misfits[base + rank] = misfits[base + rank - 1]
        ranked[base + rank] = ranked[base + rank - 1]
      }
      rank -= 1
    }
    guard rank < CharacterTemplates.rankCount else { return }
    misfits[base + rank] = misfit
    ranked[base + rank] = UInt8(truncatingIfNeeded: value)
  }

  /// Takes the best value of each cell. Returns whether one has changed.
  func takeBest(count: Int) -> Bool {
    var isChanged = false
    for cell in 0..<count where values[cell] != ranked[cell * CharacterTemplates.rankCount] {
      values[cell] = ranked[cell * CharacterTemplates.rankCount]
      isChanged = true
    }
    return isChanged
  }

  /// Takes the values of the best text with a right check sum; nil if none is right.
  ///
  /// Dynamic programming over the characters and their check sum, with the two best ways to each sum.
  func decide<Symbol: CellCharacters>(_ symbol: Symbol.Type, count: Int) -> CharacterDecision? {
    let unreached = Int.max / 4
    let modulus = Symbol.modulus
    var best: [103 of Int] = .init(repeating: unreached)
    var second: [103 of Int] = .init(repeating: unreached)
    best[0] = 0
    var decision = CharacterDecision()
    for cell in 0..<count {
      let weight = Symbol.weight(at: cell, of: count)
      let base = cell * CharacterTemplates.rankCount
      decision.free += misfits[base]
      var nextBest: [103 of Int] = .init(repeating: unreached)
      var nextSecond: [103 of Int] = .init(repeating: unreached)
      for rank in 0..<CharacterTemplates.rankCount where misfits[base + rank] < unreached {
        let misfit = misfits[base + rank]
        let step = weight * Int(ranked[base + rank]) % modulus
        for sum in 0..<modulus where best[sum] < unreached {
          let next = sum &+ step < modulus ? sum &+ step : sum &+ step &- modulus
          let total = best[sum] &+ misfit
          if total < nextBest[next] {
            nextSecond[next] = nextBest[next]
            nextBest[next] = total
            ways[cell * CharacterTemplates.modulusMax + next] = UInt8(truncatingIfNeeded: rank)
          } else if total < nextSecond[next] {
            nextSecond[next] = total
          }
          nextSecond[next] = min(nextSecond[next], second[sum] &+ misfit)
        }
      }
      best = nextBest
      second = nextSecond
    }
    guard best[0] < unreached else { return nil }
    decision.best = best[0]
    decision.second = second[0]
    var sum = 0
    for cell in stride(from: count - 1, through: 0, by: -1) {
      let value = ranked[cell * CharacterTemplates.rankCount + Int(ways[cell * CharacterTemplates.modulusMax + sum])]
      values[cell] = value
      let step = Symbol.weight(at: cell, of: count) * Int(value) % modulus
      sum = (sum + modulus - step) % modulus
    }
    return decision
  }
}
