import BarcodeDecoder
import BarcodeTypes
import SymbolPrinter
import Testing
import WornSymbols

@testable import PrintQuality

@Suite struct MatrixTests {
  /// A reading of one module per codeword, in a row.
  private static func reading(_ codewordCount: Int, checkCount: Int) -> MatrixReading {
    MatrixReading(
      pattern: MatrixPattern(
        rows: 1, columns: codewordCount, roles: [MatrixPattern.Role](repeating: .data, count: codewordCount)),
      isDark: [Bool](repeating: true, count: codewordCount), codewords: (0..<codewordCount).map { $0 },
      blocks: [.init(codewords: Array(0..<codewordCount), checkCount: checkCount, reservedCount: 0, wrongCount: 0)])
  }

  /// The overlay of ISO/IEC 15415:2011 with 120 codewords of which 60 check: 40 with a modulation of A, the others of B to F. For
  /// each level, the codewords below it are the errors of a notional unused error correction, and the best lower one of both counts.
  @Test func `the overlay takes the best level that error correction supports`() {
    let reading = Self.reading(120, checkCount: 60)
    func grade(_ counts: [(Double, Int)]) -> Grade {
      MatrixGrading.overlaid(reading, counts.flatMap { [Double](repeating: $0.0, count: $0.1) })
    }
    #expect(grade([(0.6, 120)]).tenths == 40)
    // 11 errors of 60 check codewords leave 0.63.
    #expect(grade([(0.6, 109), (0.0, 11)]).tenths == 40)
    // 12 leave 0.60, which is 3.8.
    #expect(grade([(0.6, 108), (0.0, 12)]).tenths == 38)
    // All at 0.42: 3.2.
    #expect(grade([(0.42, 120)]).tenths == 32)
    // Level 2.0 costs 15 errors, which leave 0.50: 3.0; a higher level costs 35 and fails.
    #expect(grade([(0.6, 85), (0.30, 20), (0.1, 15)]).tenths == 20)
    #expect(grade([(0.1, 120)]).tenths == 0)
  }

  /// The thresholds that Cognex VisionPro's documentation of CogIDProcessControlMetricsISO15415 gives for the mean of segments.
  @Test func `fixed patterns are as good as their worst segment and their mean`() {
    func damage(_ tenths: [Int]) -> Int {
      MatrixGrading.damage(
        tenths.map { PatternSegment(name: "", grade: Grade(tenths: $0), wrongCount: 0, moduleCount: 1) }
      ).tenths
    }
    #expect(damage([40, 40, 40, 40, 40]) == 40)
    #expect(damage([40, 40, 40, 40, 10]) == 10)
    // The mean is 3.2, for 2.4.
    #expect(damage([30, 30, 30, 30, 40]) == 24)
    #expect(damage([30, 30, 20, 20, 20]) == 0)
  }

  @Test func `errors in a segment cost grades by their share or number`() {
    func grade(_ scale: DamageScale, _ wrong: Int, of count: Int) -> Int {
      scale.grade((0..<count).map { $0 < wrong }).tenths
    }
    #expect([0, 1, 2, 3, 4, 9].map { grade(.count, $0, of: 64) } == [40, 30, 20, 10, 0, 0])
    #expect([0, 9, 13, 17, 18].map { grade(.share(9, 13, 17), $0, of: 100) } == [40, 30, 20, 10, 0])
    #expect(DamageScale.patterns(10, 20, 30, moduleCount: 2).grade([false, false, true, true]).tenths == 0)
  }

  @Test(arguments: [Symbology.datamatrix, .qr])
  func `structure and codewords are those of the symbol that libzint draws`(symbology: Symbology) throws {
    let kind = try #require(MatrixKind(symbology))
    for length in [3, 20, 90, 400] {
      let text = String(repeating: "Reticle", count: length).prefix(length)
      let picture = try SymbolPrinter.print(SymbolRequest(String(text), symbology: symbology))
      let modules = picture.rows.flatMap(\.modules)
      let size = try #require(
        kind.patterns.first { $0.rows == picture.rows.count && $0.columns == picture.rows[0].modules.count })
      var values = modules.map { Int16($0 ? 100 : -100) }
      let clean = try #require(kind.read(values, size.index))
      #expect(clean.isDark == modules)
      #expect(clean.blocks.allSatisfy { $0.wrongCount == 0 })
      // One wrong module is one wrong codeword, and corrected.
      let place = try #require(clean.codewords.firstIndex { $0 != nil })
      values[place] = -values[place]
      let damaged = try #require(kind.read(values, size.index))
      #expect(damaged.isDark == modules)
      #expect(damaged.blocks.map(\.wrongCount).reduce(0, +) == 1)
    }
  }

  @Test(arguments: [Symbology.datamatrix, .qr])
  func `a clean symbol has 4.0 in everything, and growth is measured`(symbology: Symbology) throws {
    let picture = try SymbolPrinter.print(SymbolRequest("https://example.org/12345", symbology: symbology))
    let clean = try #require(try WornSymbol(picture).graded())
    #expect(clean.grade == .best, "\(clean.limitingParameters)")
    let grown = try #require(try WornSymbol(picture, .growth, strength: 0.5).graded())
    // Half of 0.45 modules on either side together.
    for kind in [QualityParameter.Kind.printGrowth, .printGrowthAcross] {
      let measure = try #require(grown.parameters.first { $0.kind == kind }?.measure)
      #expect(abs(measure - 0.225) < 0.03, "\(kind): \(measure)")
    }
  }

  @Test func `a stretched symbol is non-uniform by its stretch`() throws {
    let picture = try SymbolPrinter.print(SymbolRequest("https://example.org/12345", symbology: .datamatrix))
    let quality = try #require(try WornSymbol(picture, .stretch, strength: 0.5).graded())
    let axial = try #require(quality.parameters.first { $0.kind == .axialNonUniformity })
    // 8 % in width: 0.08 / 1.04.
    #expect(abs((axial.measure ?? 0) - 0.0769) < 0.004)
    #expect(quality.limitingParameters == [axial])
  }

  @Test func `direct marks are graded by cell contrast, which needs no calibrated white`() throws {
    let picture = try SymbolPrinter.print(SymbolRequest("PART 4711", symbology: .datamatrix))
    var options = GradingOptions()
    let pale = WornSymbol(picture, .fading, strength: 0.7)
    #expect(try #require(try pale.graded(options)).grade.tenths < 20)
    options.isDirectMark = true
    let quality = try #require(try pale.graded(options))
    #expect(quality.grade.tenths == 30 && quality.standard == "ISO/IEC 29158:2020", "\(quality.parameters)")
  }

  /// Five pixels per module and four levels of noise: the grid of a flat symbol must not look bent.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a flat grid is even in spite of noise`(seed: UInt64) throws {
    let picture = try SymbolPrinter.print(SymbolRequest("https://example.org/12345", symbology: .qr))
    let quality = try #require(
      try WornSymbol(picture, scale: 5, seed: seed, noise: 4, noiseSeed: seed).graded())
    let deviation = try #require(quality.parameters.first { $0.kind == .gridNonUniformity }?.measure)
    #expect(deviation < 0.1, "\(deviation)")
  }

  @Test func `what cannot be graded is refused`() throws {
    let aztec = try SymbolPrinter.print(SymbolRequest("TEXT", symbology: .aztec))
    #expect(throws: GradingRefusal.symbology(.aztec)) { try WornSymbol(aztec).graded() }
    let tiny = try SymbolPrinter.print(SymbolRequest("TEXT", symbology: .qr))
    #expect { try WornSymbol(tiny, scale: 1.8).graded() } throws: { error in
      if case GradingRefusal.tooSmall(let module) = error { return abs(module - 1.8) < 0.1 }
      return false
    }
  }
}
