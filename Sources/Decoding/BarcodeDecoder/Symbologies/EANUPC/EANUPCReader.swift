// EAN and UPC symbols beyond their edges: grey values confirm digits that the edges leave in doubt, and show digits whose
// edges blur has merged. Add-ons have a search of their own.

import BarcodeTypes

/// Reads the EAN and UPC symbols of a region.
@safe struct EANUPCReader {
  /// Work units for comparing a text with the grey values: half of those for reading it from them.
  private static let checkWork = 5_000
  /// Work units for placing the template of a symbol, and for reading it.
  private static let placeWork = 400
  private static let readWork = 10_000

  let settings: DecoderSettings
  private var templates: TemplateReader
  /// Whether a symbol of the current region is followed by elements that may be an add-on.
  var followsSomething = false

  init(_ scene: inout Scene) throws(ArenaFull) {
    settings = scene.settings
    templates = try TemplateReader(arena: &scene.arena)
  }

  /// The verdict of the grey values on digits that the edges leave in doubt; `unclear` only if the edges fit well. It is
  /// `denied` where the time does not allow for a verdict.
  mutating func verdict(
    on candidate: LinearCandidate, _ row: DirectedRow, from first: Int, _ scan: RegionScan, _ scene: inout Scene
  ) -> GreyVerdict {
    guard let shape = EANShape(candidate.symbology) else { return .denied }
    return verdict(on: candidate, shape, row, from: first, scan, &scene)
  }

  mutating func verdict(
    on candidate: LinearCandidate, _ shape: EANShape, _ row: DirectedRow, from first: Int, _ scan: RegionScan,
    _ scene: inout Scene
  ) -> GreyVerdict {
    guard scene.budget.spend(EANUPCReader.checkWork) else { return .denied }
    var count = row.line.scan.count
    let isBent = row.row.bend != nil
    if isBent {
      guard let unrolled = scan.unrollProfile(row) else { return .denied }
      count = unrolled
    } else if row.isReversed {
      scan.reverseProfile(count)
    }
    let verdict = unsafe templates.verdict(
      on: DigitDecision(candidate, scan.text, shape), isBent || row.isReversed ? scan.reversedProfile : scan.profile,
      count: count,
      row.row, from: first, shape: shape)
    let fitsWell = !shape.isAddOn && !candidate.hasTwoDoubts && candidate.misfit < RegionScan.loneMisfitMax
    return verdict == .unclear && !fitsWell ? .denied : verdict
  }

  /// Reads a line by its grey values in both directions, and counts a credible reading; twice if it is certain.
  mutating func readGreyValues(_ line: RegionLine, _ scan: inout RegionScan, _ scene: inout Scene) {
    scan.findEdges(line, by: .vertex)
    let rows = scan.bothDirections(line)
    scan.reverseProfile(line.scan.count)
    var best: TemplateReading?
    var row = rows.0
    for index in EANShape.symbols.indices where isWanted(EANShape.symbols[index]) {
      let shape = EANShape.symbols[index]
      for direction in 0..<2 {
        guard scene.budget.spend(EANUPCReader.placeWork) else { return }
        let reading =
          direction == 0
          ? unsafe templates.read(scan.profile, count: line.scan.count, rows.0.row, shape: shape)
          : unsafe templates.read(scan.reversedProfile, count: line.scan.count, rows.1.row, shape: shape)
        guard let reading else { continue }
        scene.budget.charge(EANUPCReader.readWork)
        guard reading.isCredible, reading.likelihood > (best?.likelihood ?? 0) else { continue }
        best = reading
        row = direction == 0 ? rows.0 : rows.1
      }
      if best != nil { break }
    }
    guard let best, var candidate = candidate(best, scan.text), settings.wants(candidate.symbology) else { return }
    candidate.isDoubtful = !best.isCertain
    scan.count(candidate, row)
    guard best.isCertain else { return }
    let again = RegionLine(id: LineID(.certainStrips, Int(line.id.index)), v: line.v, scan: line.scan)
    scan.count(candidate, DirectedRow(row: row.row, isReversed: row.isReversed, line: again))
  }

  private func isWanted(_ shape: EANShape) -> Bool {
    switch shape {
    case .thirteen: settings.wants(.ean13) || settings.wants(.upca)
    case .eight: settings.wants(.ean8)
    case .zeroSuppressed: settings.wants(.upce)
    case .addOnOfTwo, .addOnOfFive: false
    }
  }

  /// The text of a template reading.
  private func candidate(_ reading: TemplateReading, _ text: ScratchArray<UInt8>) -> LinearCandidate? {
    var candidate: LinearCandidate
    switch reading.shape {
    case .thirteen: candidate = LinearCandidate(.ean13, aimModifier: 0x30)
    case .eight: candidate = LinearCandidate(.ean8, aimModifier: 0x34)
    case .zeroSuppressed: candidate = LinearCandidate(.upce, aimModifier: 0x30)
    case .addOnOfTwo, .addOnOfFive: return nil
    }
    candidate.byteCount = reading.shape == .thirteen ? 13 : 8
    for index in 0..<candidate.byteCount { text[index] = 0x30 + reading.decision.digits[index] }
    candidate.start = reading.start
    candidate.end = reading.end
    candidate.moduleCount = reading.shape.moduleCount
    candidate.misfit = Int32(truncatingIfNeeded: (4096 - reading.correlation) * 32)
    // If the edges cannot tell a UPC-E of number system 1 from half an EAN-13, templates cannot either.
    if reading.shape == .zeroSuppressed, text[0] == 0x31 { return nil }
    return reading.shape == .thirteen ? EANUPC.named(candidate, settings, text) : candidate
  }
}
