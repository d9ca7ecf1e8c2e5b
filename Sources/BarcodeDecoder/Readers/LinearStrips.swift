// Fallback when single lines fail: strips of many lines each. Their edges stand out of more noise, and their grey values are
// compared with templates where blur has merged the edges.

import BarcodeTypes

extension LinearReader {
  /// Reads a region by strips of many lines each: first by their edges, then by their grey values.
  mutating func readStrips(_ region: StripeRegion, _ luma: LumaView, _ scene: inout Scene) {
    let height = region.vMax - region.vMin
    let overhang = max(LinearReader.overhangMin, (region.uMax - region.uMin) / 4)
    let rowCount = max(2, min(24, height >> 17))
    for strip in 0..<(scene.effort == .still ? 4 : 2) {
      guard !scene.budget.isExhausted else { return }
      let place = strip == 1 ? 1 : (strip == 2 ? -1 : 0)
      let v = (region.vMin + region.vMax) / 2 + place * height / 4
      let line = ScanLine(
        region, v: v, slope: strip < 3 ? region.slope : 0, from: region.uMin - overhang, to: region.uMax + overhang,
        rowCount: rowCount, in: luma)
      guard let scan = sample(line, luma, &scene) else { continue }
      readEdges(scan, line: 100 + strip, v: v, &scene)
      accept(isLast: strip == 3)
      if hasAccepted { return }
      readTemplates(scan, line: 100 + strip, v: v, &scene)
      accept(isLast: false)
      if hasAccepted { return }
    }
  }

  /// Reads the profile by templates in both directions and counts the credible readings.
  private mutating func readTemplates(_ scan: ScanLine, line: Int, v: Int, _ scene: inout Scene) {
    unsafe row.find(in: profile, sampleCount: scan.count, rule: .vertex)
    reversed.setReversed(row)
    reverseProfile(scan.count)
    var best: TemplateReading?
    var isReversed = false
    for shape in 0..<3 {
      let shape: EANShape = shape == 0 ? .thirteen : (shape == 1 ? .eight : .zeroSuppressed)
      guard wants(shape) else { continue }
      for direction in 0..<2 {
        guard scene.budget.spend(400) else { return }
        let reading =
          direction == 0
          ? unsafe templates.read(profile, count: scan.count, row, shape: shape)
          : unsafe templates.read(reversedProfile, count: scan.count, reversed, shape: shape)
        guard let reading else { continue }
        scene.budget.charge(10_000)
        guard reading.isCredible, reading.likelihood > (best?.likelihood ?? 0) else { continue }
        best = reading
        isReversed = direction == 1
      }
      if best != nil { break }
    }
    guard let best, let candidate = unsafe candidate(best) else { return }
    vote(candidate, isReversed ? reversed : row, isReversed: isReversed, scan, line: line, v: v)
    if best.isCertain { vote(candidate, isReversed ? reversed : row, isReversed: isReversed, scan, line: line + 50, v: v) }
  }

  /// Fills the reversed profile, so that its samples are at the same places as in a reversed row.
  func reverseProfile(_ count: Int) {
    unsafe reversedProfile[0] = profile[count &- 1]
    for index in 1..<count { unsafe reversedProfile[index] = profile[count &- index] }
  }

  private func wants(_ shape: EANShape) -> Bool {
    switch shape {
    case .thirteen: settings.wants(.ean13) || settings.wants(.upca)
    case .eight: settings.wants(.ean8)
    case .zeroSuppressed: settings.wants(.upce)
    case .addOnOfTwo, .addOnOfFive: false
    }
  }

  /// The text of a template reading.
  @unsafe private func candidate(_ reading: TemplateReading) -> LinearCandidate? {
    var candidate: LinearCandidate
    switch reading.shape {
    case .thirteen: candidate = LinearCandidate(.ean13, aimModifier: 0x30)
    case .eight: candidate = LinearCandidate(.ean8, aimModifier: 0x34)
    case .zeroSuppressed: candidate = LinearCandidate(.upce, aimModifier: 0x30)
    case .addOnOfTwo, .addOnOfFive: return nil
    }
    candidate.byteCount = reading.shape == .thirteen ? 13 : 8
    for index in 0..<candidate.byteCount { unsafe text[index] = 0x30 + reading.decision.digits[index] }
    candidate.start = reading.start
    candidate.end = reading.end
    candidate.moduleCount = reading.shape.moduleCount
    candidate.misfit = Int32(truncatingIfNeeded: (4096 - reading.correlation) * 32)
    // If the edges cannot tell a UPC-E of number system 1 from half an EAN-13, templates cannot either.
    if reading.shape == .zeroSuppressed, unsafe text[0] == 0x31 { return nil }
    return reading.shape == .thirteen ? unsafe asUPCA(candidate) : candidate
  }

  /// An EAN-13 that begins with 0 is a UPC-A with 12 digits.
  @unsafe func asUPCA(_ found: LinearCandidate) -> LinearCandidate? {
    guard settings.wants(.upca), unsafe text[0] == 0x30 else { return settings.wants(.ean13) ? found : nil }
    var candidate = found
    candidate.symbology = .upca
    candidate.byteCount = 12
    for index in 0..<12 { unsafe text[index] = text[index + 1] }
    return candidate
  }
}
