// From votes to symbols: how many lines must agree, which texts are believed, and where they lie in the picture.

import BarcodeTypes

extension RegionScan {
  /// Mean misfit below which a single line is believed if no other contradicts it: 0.12 square modules.
  static let loneMisfitMax: Int32 = 7864
  /// Its counterpart for a text with characters in doubt, 0.06 square modules: glare narrows bars so that they fit other digits.
  private static let loneDoubtfulMisfitMax: Int32 = 3932

  /// Accepts the texts that have enough lines.
  mutating func accept(isLast: Bool) {
    for index in 0..<votes.count {
      var vote = votes[index]
      guard !vote.isAccepted, votes.isOpen(index) else { continue }
      let opposition = votes.oppositionCount(to: index)
      // Light bars on dark ground are rare, and the space between two labels looks like them.
      let needed = RegionScan.lineCountMin(vote.candidate) + (isInverted ? 1 : 0)
      let isLone =
        isLast && !isInverted && (isOnlyLine || RegionScan.isBelievedAlone(vote.candidate)) && opposition == 0
        && vote.candidate.misfit
          < (vote.candidate.isDoubtful ? RegionScan.loneDoubtfulMisfitMax : RegionScan.loneMisfitMax)
      guard vote.lineCount >= needed + opposition || isLone else { continue }
      vote.isAccepted = true
      votes[index] = vote
      hasAccepted = true
    }
  }

  /// The number of lines that must agree: more for texts with less protection.
  private static func lineCountMin(_ candidate: LinearCandidate) -> Int {
    let protection = candidate.symbology.protection
    let isUnchecked = protection.hasOptionalCheckDigit && !candidate.hasCheckDigit
    return candidate.isPerhapsPiece || isUnchecked || candidate.byteCount < protection.shortByteCount
      ? Protection.weakLineCount : protection.lineCount
  }

  /// Whether a single line with a small misfit can be believed if no other line was read.
  private static func isBelievedAlone(_ candidate: LinearCandidate) -> Bool {
    guard let least = candidate.symbology.protection.loneByteCount else { return false }
    return candidate.byteCount >= least
  }

  /// Reports an accepted text.
  mutating func report(_ index: Int, _ scene: inout Scene) {
    let vote = votes[index]
    let candidate = vote.candidate
    var symbol = DecodedSymbol(
      symbology: candidate.symbology, aimModifier: candidate.aimModifier, corners: corners(index, &scene))
    symbol.isGS1 = candidate.isGS1
    symbol.lineCount = UInt8(min(255, vote.lineCount))
    symbol.confidence = confidence(vote)
    symbol.isInverted = isInverted
    symbol.component = candidate.linkage == .none ? .none : .unread
    if vote.addOn >= 0 { symbol.addOnByteCount = UInt8(addOns[vote.addOn].candidate.byteCount) }
    for offset in 0..<candidate.byteCount where !scene.results.append(votes.byte(offset, of: index)) {
      return scene.results.drop()
    }
    for offset in 0..<Int(symbol.addOnByteCount) where !scene.results.append(addOns.byte(offset, of: vote.addOn)) {
      return scene.results.drop()
    }
    scene.results.commit(symbol, linear: linearPart(vote))
    symbolCount += 1
  }

  /// The properties of an accepted text that show where its component lies.
  private func linearPart(_ vote: LinearVote) -> LinearPart {
    let candidate = vote.candidate
    var part = LinearPart()
    part.linkage = candidate.symbology.isRetail ? .untold : candidate.linkage
    part.moduleCount = candidate.moduleCount
    part.isStacked = candidate.isPerhapsStacked
    part.start = point((vote.startX, vote.startY))
    part.end = point((vote.endX, vote.endY))
    return part
  }

  /// A place in the region's picture, in pixels times 65536, as one in the region of interest.
  private func point(_ place: (x: Int, y: Int)) -> PixelPoint {
    PixelPoint(
      x: Fixed16(bits: Int32(clamping: place.x * scale + (scale - 1) << 15)),
      y: Fixed16(bits: Int32(clamping: place.y * scale + (scale - 1) << 15)))
  }

  /// Reports a text of bars that differ in height.
  ///
  /// - Parameters:
  ///   - corners: in pixels of the region's picture times 65536, from the upper left in the order of the bars.
  ///   - turned: whether the text is read from the other side.
  mutating func report(_ candidate: LinearCandidate, corners: [4 of (x: Int, y: Int)], turned: Bool, _ scene: inout Scene) {
    func corner(_ index: Int) -> PixelPoint { point(corners[turned ? index ^ 2 : index]) }
    var symbol = DecodedSymbol(
      symbology: candidate.symbology, aimModifier: candidate.aimModifier,
      corners: Quad(topLeft: corner(0), topRight: corner(1), bottomRight: corner(2), bottomLeft: corner(3)))
    symbol.lineCount = 1
    for offset in 0..<candidate.byteCount where !scene.results.append(text[offset]) { return scene.results.drop() }
    scene.results.commit(symbol)
    symbolCount += 1
    hasAccepted = true
  }

  /// 100 for a perfect fit on two or more lines; falls with the misfit, and is half for a single line.
  private func confidence(_ vote: LinearVote) -> UInt8 {
    let fit = 100 - min(60, Int(vote.candidate.misfit) * 60 / 39_322)
    return UInt8(vote.lineCount > 1 ? fit : fit / 2)
  }

  /// The symbol's corners, where its bars end, measured from its first line. They lie on that line if it is too short to
  /// follow.
  private func corners(_ index: Int, _ scene: inout Scene) -> Quad {
    let vote = votes[index]
    let (start, end) = ((x: vote.startX, y: vote.startY), (x: vote.endX, y: vote.endY))
    guard
      var outline = BarOutline(
        luma, outlines, ends: (start, end), moduleCount: Int(vote.candidate.moduleCount),
        bars: (region.bars(at: start), region.bars(at: end)),
        isStacked: vote.candidate.isPerhapsStacked)
    else {
      return Quad(topLeft: point(start), topRight: point(end), bottomRight: point(end), bottomLeft: point(start))
    }
    // If the symbol is read along u, its top lies towards lower v.
    let cosine = Int(region.direction.cosine.bits)
    let sine = Int(region.direction.sine.bits)
    let isAlong = (end.x - start.x) >> 8 * cosine + (end.y - start.y) >> 8 * sine > 0
    let (before, behind) = (vote.v - vote.vMin, vote.vMax - vote.v)
    let corners = outline.corners(above: isAlong ? before : behind, below: isAlong ? behind : before)
    scene.budget.charge(outline.work)
    return Quad(
      topLeft: point(corners.topLeft), topRight: point(corners.topRight), bottomRight: point(corners.bottomRight),
      bottomLeft: point(corners.bottomLeft))
  }
}
