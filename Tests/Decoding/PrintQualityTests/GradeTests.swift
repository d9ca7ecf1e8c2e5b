import PrintQuality
import Testing

@Suite struct GradeTests {
  /// "ISO committee releases barcode verifier grading update", barcode-test.com: modulation or symbol contrast in percent, and its
  /// grade under ISO/IEC 15416:2016.
  @Test(arguments: [
    (59, "2.9"), (60, "3.0"), (61, "3.1"), (62, "3.2"), (63, "3.3"), (64, "3.4"), (65, "3.5"), (66, "3.6"), (67, "3.7"),
    (68, "3.8"), (69, "3.9"), (70, "4.0"),
  ])
  func `modulation has the grades of the published example`(percent: Int, grade: String) {
    #expect(GradeScale.modulation.grade(Double(percent) / 100).text == grade)
  }

  /// "Interpretation of results – Fractional grading (continuous grading)", axicon.com: the ends of each range.
  @Test(
    arguments: [
      (
        GradeScale.symbolContrast,
        [
          (70, 40...40), (69, 30...39), (55, 30...30), (54, 20...29), (40, 20...20), (38, 10...19),
          (20, 10...10), (19, 1...9), (14, 0...0),
        ]
      ),
      (
        GradeScale.modulation,
        [(70, 40...40), (60, 30...30), (59, 20...29), (50, 20...20), (40, 10...10), (39, 1...9), (29, 0...0)]
      ),
      (
        GradeScale.decodability,
        [
          (62, 40...40), (61, 30...39), (50, 30...30), (49, 20...29), (37, 20...20), (36, 10...19),
          (25, 10...10), (24, 1...9), (19, 0...0),
        ]
      ),
      (
        GradeScale.defects,
        [
          (15, 40...40), (16, 30...39), (20, 30...30), (21, 20...29), (25, 20...20), (26, 10...19), (30, 10...10),
          (31, 0...0),
        ]
      ),
    ] as [(GradeScale, [(Int, ClosedRange<Int>)])])
  func `parameters reach the ranges of the published table`(scale: GradeScale, rows: [(Int, ClosedRange<Int>)]) {
    for (percent, tenths) in rows { #expect(tenths.contains(scale.grade(Double(percent) / 100).tenths), "\(percent) %") }
  }

  /// CogIDProcessControlMetricsISO15415, Cognex VisionPro: axial and grid non-uniformity.
  @Test func `non-uniformities reach the published grades`() {
    #expect(
      [0, 0.06, 0.08, 0.10, 0.12, 0.13].map { GradeScale.axialNonUniformity.grade($0).tenths } == [40, 40, 30, 20, 10, 0])
    #expect(
      [0.2, 0.38, 0.50, 0.63, 0.75, 0.76].map { GradeScale.gridNonUniformity.grade($0).tenths } == [40, 40, 30, 20, 10, 0])
  }

  @Test func `no grade falls as its measure improves`() {
    let scales = [
      GradeScale.symbolContrast, .modulation, .defects, .decodability, .matrixContrast, .moduleModulation,
      .unusedErrorCorrection, .axialNonUniformity, .gridNonUniformity,
    ]
    for scale in scales {
      let grades = (0...1000).map { scale.grade(Double($0) / 1000) }
      #expect(grades == grades.sorted() || grades == grades.sorted(by: >))
    }
  }

  @Test func `a symbol's grade is the mean of its profiles', and has a letter`() {
    // Nine profiles of 4 and one of 0.
    #expect(Grade(meanOf: [Grade](repeating: .best, count: 9) + [.fail]).text == "3.6")
    #expect(Grade(meanOf: []).tenths == 0)
    #expect(
      [40, 35, 34, 25, 24, 15, 14, 5, 4, 0].map { Grade(tenths: $0).letter } == [
        "A", "A", "B", "B", "C", "C", "D", "D", "F", "F",
      ])
  }
}
