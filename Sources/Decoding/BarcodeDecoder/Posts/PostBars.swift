// The bars of a symbol whose bars have equal widths and distances, and differ in height: postal codes, and Pharmacode with two
// tracks.

/// The bars of a symbol in one of its two directions. Bit 0 of a bar's state shows that it reaches the top, bit 1 the bottom.
@safe struct PostBars {
  /// The most bars of a symbol.
  static let barCountMax = 256
  static let tracker: UInt8 = 0
  static let ascender: UInt8 = 1
  static let descender: UInt8 = 2
  static let full: UInt8 = 3

  /// The states that the bars of a symbol can have.
  enum Kind: BitwiseCopyable {
    /// All bars end on one side at the same height; the others are long or short.
    case twoStates
    /// All bars have a middle piece, and may extend beyond it on either side.
    case fourStates
    /// A bar fills the upper half, the lower half or both.
    case twoTracks
  }

  private let states: ScratchArray<UInt8>
  let count: Int
  let kind: Kind
  /// Whether bars and spaces are equally wide, the heights are exact and nothing else is near: needed where nothing else protects a
  /// symbol.
  let isExact: Bool
  /// Whether the bars run from left to right in the picture; in one turned by a quarter, from top to bottom.
  private(set) var isUpright: Bool
  private var isReversed = false

  init(states: ScratchArray<UInt8>, count: Int, kind: Kind, isExact: Bool, isUpright: Bool) {
    self.states = states
    self.count = count
    self.kind = kind
    self.isExact = isExact
    self.isUpright = isUpright
  }

  /// The bars as seen from the other side.
  var reversed: PostBars {
    var other = self
    other.isReversed.toggle()
    other.isUpright.toggle()
    return other
  }

  /// The state of a bar.
  subscript(index: Int) -> UInt8 {
    guard isReversed else { return states[index] }
    let state = states[count - 1 - index]
    return state >> 1 | (state & 1) << 1
  }

  /// The bits of `length` bars, the first one uppermost: those that reach the top, or the bottom.
  func bits(at first: Int, _ length: Int, of end: UInt8) -> Int {
    var bits = 0
    for index in first..<(first + length) { bits = bits << 1 | (self[index] & end != 0 ? 1 : 0) }
    return bits
  }
}
