// The two parts of a GS1 Composite symbol (ISO/IEC 24723): a linear symbol, and the two-dimensional component above it. Both are
// found on their own, and joined when the picture has been read.

import BarcodeTypes

/// The component that a linear symbol announces (ISO/IEC 24723 §7).
enum Linkage: UInt8, BitwiseCopyable {
  case none
  /// EAN and UPC announce nothing.
  case untold
  /// A component of low rows between row addresses: CC-A or CC-B.
  case columns
  /// A component between start and stop patterns: CC-C.
  case rows
}

/// The properties of a linear symbol that show where its component lies.
struct LinearPart: BitwiseCopyable {
  var linkage = Linkage.none
  /// The number of modules of the line, with the guards of GS1 DataBar.
  var moduleCount: Int32 = 0
  /// Whether further rows of bars may lie below the line, and its bars end anywhere above it.
  var isStacked = false
  /// The ends of a line across the symbol, or across the first row of a stacked one, in pixels of the region of interest.
  var start = PixelPoint(x: .zero, y: .zero)
  var end = PixelPoint(x: .zero, y: .zero)
}

extension ResultStore {
  /// The greatest distance between a linear symbol and the component above it, in parts of the linear symbol's width: EAN and UPC
  /// have six modules of 95 between them, and a low symbol's ends are known less well.
  private static let gapShare = 5
  /// Its counterpart for the first row of a stacked symbol, which may be two thirds as high as it is wide.
  private static let stackedGapShare = 1
  /// The frames for which EAN and UPC wait for a component that was seen above them and not read: texture may look like one.
  private static let patientFrameCount = 8

  /// Appends each component to the linear symbol below it, and removes components without one.
  mutating func joinComponents() {
    for component in 0..<count where unsafe symbols[component].isComponent {
      for index in 0..<count where isLinear(index, below: component) {
        join(component, to: index)
        break
      }
    }
    var kept = 0
    for index in 0..<count where unsafe !symbols[index].isComponent && !isPartOfJoined(index) {
      unsafe symbols[kept] = symbols[index]
      kept += 1
    }
    count = kept
    shownCount = count
  }

  /// Whether a symbol repeats the linear part of a joined one, or is a linear reading of its rows of bars.
  private func isPartOfJoined(_ index: Int) -> Bool {
    let own = unsafe symbols[index]
    guard own.symbol.component != .read else { return false }
    for other in 0..<count {
      let joined = unsafe symbols[other]
      if joined.symbol.component == .read, other != index, own.symbol.symbology.family == .linear,
        joined.symbol.corners.contains(own.symbol.corners.center)
      {
        return true
      }
      guard joined.symbol.component == .read, joined.symbol.symbology == own.symbol.symbology,
        joined.ownByteCount == own.ownByteCount, isClose(own.symbol.corners, toBaseOf: joined.symbol.corners)
      else { continue }
      var isSame = true
      for byte in 0..<own.ownByteCount
      where unsafe payload[own.payloadOffset + byte] != payload[joined.payloadOffset + byte] { isSame = false }
      if isSame { return true }
    }
    return false
  }

  /// Whether the middle of a symbol is nearer to the lower edge of another than its ends are.
  private func isClose(_ symbol: Quad, toBaseOf other: Quad) -> Bool {
    let (own, base) = (SubpixelQuad(symbol, from: origin), SubpixelQuad(other, from: origin))
    return (own.center - base.bottomMiddle).length * 2 < (base.bottomRight - base.bottomLeft).length
  }

  /// Whether a symbol is one whose component may be the given one, directly below it.
  private func isLinear(_ index: Int, below component: Int) -> Bool {
    let (linear, other) = unsafe (symbols[index], symbols[component])
    let linkage = linear.linear.linkage
    guard linkage != .none, linear.symbol.component != .read,
      linkage == .untold || (linkage == .rows) == (other.symbol.symbology == .pdf417)
    else { return false }
    let (own, above) = (linear.upper(origin), SubpixelQuad(other.symbol.corners, from: origin))
    let along = own.topRight - own.topLeft
    let width = max(1, along.length)
    let gapMax = width / (linear.linear.isStacked ? Self.stackedGapShare : Self.gapShare)
    let across = above.bottomRight - above.bottomLeft
    // The same direction, the ends of the bars close to the component, and the middle of the narrower one above or below the other.
    let gap = above.bottomMiddle - own.topMiddle
    let (shift, distance) = (gap.along(along), gap.across(along))
    return across.along(along) * 2 > across.length && abs(distance) <= gapMax
      && abs(shift) * 2 <= max(width, across.length) && above.center.isAbove(own)
  }

  /// Appends the element strings of a component after a separator, unless the linear symbol's end without one.
  private mutating func join(_ component: Int, to index: Int) {
    var linear = unsafe symbols[index]
    let other = unsafe symbols[component]
    let needsSeparator = !(linear.symbol.isGS1 && endsWithPredefinedLength(linear))
    let byteCount = linear.payloadByteCount + (needsSeparator ? 1 : 0) + other.payloadByteCount
    guard payloadUsed + byteCount <= DecoderLimits.payloadByteCountMax else { return isFull = true }
    let target = unsafe payload + payloadUsed
    unsafe target.update(from: payload + linear.payloadOffset, count: linear.payloadByteCount)
    if needsSeparator { unsafe target[linear.payloadByteCount] = 0x1D }
    unsafe (target + (byteCount - other.payloadByteCount))
      .update(from: payload + other.payloadOffset, count: other.payloadByteCount)
    linear.payloadOffset = payloadUsed
    linear.payloadByteCount = byteCount
    payloadUsed += byteCount
    linear.symbol.component = .read
    let (own, above) = (linear.symbol.corners, other.symbol.corners)
    linear.symbol.corners = Quad(
      topLeft: above.topLeft, topRight: above.topRight, bottomRight: own.bottomRight, bottomLeft: own.bottomLeft)
    linear.symbol.correctedCodewordCount &+= other.symbol.correctedCodewordCount
    linear.symbol.confidence = min(linear.symbol.confidence, other.symbol.confidence)
    linear.keptCount = 0
    linear.readingCount = 1
    unsafe symbols[index] = linear
  }

  /// Whether a symbol's last element string has a predefined length and so needs no separator (GS1 General Specifications
  /// §7.8.5).
  private func endsWithPredefinedLength(_ linear: StoredSymbol) -> Bool {
    var place = 0
    while place + 2 <= linear.payloadByteCount {
      let (first, second) = unsafe (payload[linear.payloadOffset + place], payload[linear.payloadOffset + place + 1])
      let length = Self.predefinedLength(Int(first) * 10 + Int(second) - 528)
      if length > 0 {
        place += length
        if place == linear.payloadByteCount { return true }
      } else {
        while place < linear.payloadByteCount, unsafe payload[linear.payloadOffset + place] != 0x1D { place += 1 }
      }
      if place < linear.payloadByteCount, unsafe payload[linear.payloadOffset + place] == 0x1D { place += 1 }
    }
    return false
  }

  /// The length of an element string with its identifier, by the identifier's first two digits; 0 if it is not predefined.
  private static func predefinedLength(_ identifier: Int) -> Int {
    switch identifier {
    case 0: 20
    case 4: 18
    case 1...3: 16
    case 11...19: 8
    case 20: 4
    case 31...36: 10
    case 41: 16
    default: 0
    }
  }

  /// Whether a component was read that may be that of a symbol.
  func hasComponent(above index: Int) -> Bool {
    for component in 0..<count where unsafe symbols[component].isComponent && isLinear(index, below: component) {
      return true
    }
    return false
  }

  /// Notes that a component was seen above a symbol, and not read.
  mutating func noteComponent(above index: Int) {
    precondition(index >= 0 && index < count)
    unsafe symbols[index].symbol.component = .unread
  }

  /// Moves symbols that wait for their components behind the others, and reports them as found but not read: those that announce a
  /// component, and for some frames EAN and UPC below what looks like one.
  mutating func holdUnfinished() {
    shownCount = 0
    for index in 0..<count where unsafe !isUnfinished(symbols[index]) {
      let stored = unsafe symbols[index]
      unsafe symbols[index] = symbols[shownCount]
      unsafe symbols[shownCount] = stored
      shownCount += 1
    }
    for index in shownCount..<count {
      let stored = unsafe symbols[index]
      locate(inFrame: stored.symbol.corners, stored.symbol.symbology, moduleCount: Int(max(1, stored.linear.moduleCount)))
    }
  }

  /// Whether a symbol waits for its component.
  func isUnfinished(_ stored: StoredSymbol) -> Bool {
    stored.symbol.component == .unread
      && (stored.linear.linkage != .untold || stored.readingCount + stored.keptCount < Self.patientFrameCount)
  }
}

extension StoredSymbol {
  /// The corners of a linear symbol in 1/256 pixels of the region of interest; the lower part of the first row of a stacked one, whose
  /// outline may include the component.
  ///
  /// - Parameters:
  ///   - origin: the origin of the region of interest.
  ///   - isSquare: whether to take the bars of a stacked symbol to be square to its rows.
  func upper(_ origin: PixelPoint, isSquare: Bool = true) -> SubpixelQuad {
    let corners = SubpixelQuad(symbol.corners, from: origin)
    guard linear.isStacked else { return corners }
    // The line may cross the bars of the row at an angle, and the outline's sides with it. Both edges of the outline together show
    // the direction of the rows; the bars are square to them.
    let (first, last) = (SubpixelPoint(linear.start), SubpixelPoint(linear.end))
    let edges = corners.topRight - corners.topLeft + corners.bottomRight - corners.bottomLeft
    let sides = corners.bottomRight - corners.topRight + corners.bottomLeft - corners.topLeft
    let half = edges.scaled(to: (last - first).along(edges) / 2)
    let middle = SubpixelPoint.middle(first, last)
    let (start, end) = (middle - half, middle + half)
    let side = (isSquare ? edges.quarterTurn(isClockwise: sides.across(edges) > 0) : sides).scaled(to: sides.length / 2)
    return SubpixelQuad(topLeft: start, topRight: end, bottomRight: end + side, bottomLeft: start + side)
  }
}

extension SubpixelQuad {
  /// The corners of a symbol relative to an origin.
  init(_ corners: Quad, from origin: PixelPoint) {
    let origin = SubpixelPoint(origin)
    self.init(
      topLeft: SubpixelPoint(corners.topLeft) - origin, topRight: SubpixelPoint(corners.topRight) - origin,
      bottomRight: SubpixelPoint(corners.bottomRight) - origin, bottomLeft: SubpixelPoint(corners.bottomLeft) - origin)
  }

  fileprivate var topMiddle: SubpixelPoint { .middle(topLeft, topRight) }
  fileprivate var bottomMiddle: SubpixelPoint { .middle(bottomLeft, bottomRight) }
  fileprivate var center: SubpixelPoint { .middle(topMiddle, bottomMiddle) }
}

// Points as vectors. Coordinates have 24 bits, so that products fit.
extension SubpixelPoint {
  fileprivate init(_ point: PixelPoint) { self.init(x: Int(point.x.bits) >> 8, y: Int(point.y.bits) >> 8) }

  fileprivate static func middle(_ a: SubpixelPoint, _ b: SubpixelPoint) -> SubpixelPoint {
    SubpixelPoint(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2)
  }

  static func + (a: SubpixelPoint, b: SubpixelPoint) -> SubpixelPoint { SubpixelPoint(x: a.x + b.x, y: a.y + b.y) }
  static func - (a: SubpixelPoint, b: SubpixelPoint) -> SubpixelPoint { SubpixelPoint(x: a.x - b.x, y: a.y - b.y) }

  var length: Int { Int(integerRoot(UInt64(x * x + y * y))) }

  /// The vector, turned: clockwise on a screen, where y grows downwards.
  fileprivate func quarterTurn(isClockwise: Bool) -> SubpixelPoint {
    isClockwise ? SubpixelPoint(x: -y, y: x) : SubpixelPoint(x: y, y: -x)
  }

  /// The vector with another length.
  fileprivate func scaled(to length: Int) -> SubpixelPoint {
    let own = max(1, self.length)
    return SubpixelPoint(x: x * length / own, y: y * length / own)
  }

  /// The part of the vector along another one, and the part to the right of it, seen along it.
  fileprivate func along(_ other: SubpixelPoint) -> Int { (x * other.x + y * other.y) / max(1, other.length) }
  func across(_ other: SubpixelPoint) -> Int { (y * other.x - x * other.y) / max(1, other.length) }

  /// Whether the point lies on the side of a symbol's upper edge that the symbol does not.
  fileprivate func isAbove(_ symbol: SubpixelQuad) -> Bool {
    let edge = symbol.topRight - symbol.topLeft
    let own = (self - symbol.topLeft).across(edge)
    let inside = (symbol.center - symbol.topLeft).across(edge)
    return own != 0 && (own > 0) != (inside > 0)
  }
}
