// Modules known in advance: bullseye, orientation marks, reference grid (ISO/IEC 24778 §7.3).

/// The roles of the modules in a square around a symbol's centre.
@safe struct AztecLayout {
  /// The `ModuleRole` of each module, row by row, `size` per row.
  let modules: ScratchArray<UInt8>
  private(set) var size = 0
  private var isCompact = false
  private var hasMarks = false

  init(arena: inout Arena) throws(ArenaFull) {
    modules = try ScratchArray(AztecFormat.sizeMax * AztecFormat.sizeMax, arena: &arena)
  }

  /// Lays out a square of `size` modules, an odd number, unless it is already laid out.
  ///
  /// - Parameter hasMarks: whether the square's top left is the symbol's, so that the orientation marks are known.
  mutating func prepare(size: Int, isCompact: Bool, hasMarks: Bool) {
    if size == self.size, isCompact == self.isCompact, hasMarks == self.hasMarks { return }
    self.size = size
    self.isCompact = isCompact
    self.hasMarks = hasMarks
    let center = size / 2
    for row in 0..<size {
      for column in 0..<size {
        modules[row * size + column] = AztecLayout.role(x: column - center, y: row - center, isCompact: isCompact)
      }
    }
    if hasMarks { mark(reach: isCompact ? 5 : 7) }
  }

  /// The role of a module by its offset from the centre, apart from orientation marks.
  static func role(x: Int, y: Int, isCompact: Bool) -> UInt8 {
    let ring = max(abs(x), abs(y))
    let reach = isCompact ? 5 : 7
    if ring < reach { return ring & 1 == 0 ? ModuleRole.dark : ModuleRole.light }
    // Lines of the reference grid alternate, dark where they cross the centre lines.
    if !isCompact, x & 15 == 0 { return y & 1 == 0 ? ModuleRole.dark : ModuleRole.light }
    if !isCompact, y & 15 == 0 { return x & 1 == 0 ? ModuleRole.dark : ModuleRole.light }
    return ring == reach ? ModuleRole.information : ModuleRole.data
  }

  /// Marks three modules at each corner of the ring around the bullseye: clockwise, three, two, one and none of them are
  /// dark.
  private func mark(reach: Int) {
    for corner in 0..<4 {
      for place in 0..<3 {
        let (x, y) = AztecLayout.markOffset(corner: corner, place: place, reach: reach)
        let isDark = AztecLayout.isMarkDark(corner: corner, place: place)
        modules[(size / 2 + y) * size + size / 2 + x] = isDark ? ModuleRole.dark : ModuleRole.light
      }
    }
  }

  /// The offset of an orientation mark's module from the centre; corners and places run clockwise from the top left, the
  /// corner itself is place 1.
  static func markOffset(corner: Int, place: Int, reach: Int) -> (x: Int, y: Int) {
    // For the top left: the module below the corner, the corner, the module to its right.
    var x = -reach + (place == 2 ? 1 : 0)
    var y = -reach + (place == 0 ? 1 : 0)
    for _ in 0..<corner {
      let kept = x
      x = -y
      y = kept
    }
    return (x, y)
  }

  /// Top left: all dark. Top right: the corner and the module after it. Bottom right: the module before it. Bottom left: all
  /// light.
  static func isMarkDark(corner: Int, place: Int) -> Bool {
    switch corner {
    case 0: true
    case 1: place >= 1
    case 2: place == 0
    default: false
    }
  }

  /// The offset of a module of the mode message from the centre. `index` counts clockwise from the left of the upper side, 7
  /// modules per side of a compact symbol, 10 of a full one, skipping the reference grid (§7.2.3).
  static func modeOffset(_ index: Int, isCompact: Bool) -> (x: Int, y: Int) {
    let reach = isCompact ? 5 : 7
    let perSide = isCompact ? 7 : 10
    var along = index % perSide - reach + 2
    if !isCompact, along >= 0 { along += 1 }
    var x = along
    var y = -reach
    for _ in 0..<(index / perSide) {
      let kept = x
      x = -y
      y = kept
    }
    return (x, y)
  }
}
