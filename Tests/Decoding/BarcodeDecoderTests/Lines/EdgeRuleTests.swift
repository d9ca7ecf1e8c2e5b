// The results of each edge rule for the same bars.

import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct EdgeRuleTests {
  /// Widths of the elements found in a profile, in samples, beginning with the first bar.
  private func widths(_ profile: [Int32], rule: EdgeRule) throws -> [Double] {
    let byteCount = 1 << 20
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    defer { memory.deallocate() }
    var arena = Arena(base: memory, byteCount: byteCount)
    var row = try ElementRow(arena: &arena)
    profile.withUnsafeBufferPointer {
      row.find(in: $0.baseAddress!, sampleCount: $0.count, rule: .vertex)
      if rule != .vertex { row.find(in: $0.baseAddress!, sampleCount: $0.count, rule: rule) }
    }
    return (0..<max(0, row.count - 1)).map { Double(row.width($0)) / 256 }
  }

  /// A profile of bars and spaces on light ground, blurred `passes` times by weights 1, 2, 1; grey times 64.
  private func profile(_ widths: [Int], passes: Int) -> [Int32] {
    var samples = [Int32](repeating: 200 * 64, count: 40)
    for (index, width) in widths.enumerated() {
      samples += [Int32](repeating: (index % 2 == 0 ? 40 : 200) * 64, count: width)
    }
    samples += [Int32](repeating: 200 * 64, count: 40)
    for _ in 0..<passes {
      let before = samples
      for index in 1..<samples.count - 1 {
        samples[index] = (before[index - 1] + 2 * before[index] + before[index + 1]) / 4
      }
    }
    return samples
  }

  /// Under a blur of σ 2.4 samples, a bar of 2 samples loses three quarters of its depth.
  private let elements = [12, 6, 2, 8, 2, 12, 12, 6, 2, 8, 12]

  @Test func `every edge rule measures sharp bars correctly`() throws {
    for rule in [EdgeRule.vertex, .centroid, .crossing, .area] {
      let found = try widths(profile([12, 6, 6, 12, 6, 6, 12], passes: 2), rule: rule)
      try #require(found.count == 7)
      for (width, drawn) in zip(found, [12.0, 6, 6, 12, 6, 6, 12]) { #expect(abs(width - drawn) < 0.6, "\(rule)") }
    }
  }

  @Test func `the area rule keeps the width of bars that blur makes faint`() throws {
    let blurred = profile(elements, passes: 12)
    let byArea = try widths(blurred, rule: .area)
    let byVertex = try widths(blurred, rule: .vertex)
    try #require(byArea.count == elements.count && byVertex.count == elements.count)
    for index in elements.indices { #expect(abs(byArea[index] - Double(elements[index])) < 1.5, "element \(index)") }
    #expect(byVertex[2] > 4, "the same bar by its steepest places is twice as wide as it was drawn")
  }

  @Test func `sharpening separates bars that blur merges`() throws {
    // Two bars and the space between them, 3 samples each, under a blur of σ 2.4 samples.
    let merged = profile([12, 6, 12, 6, 3, 3, 3, 6, 12], passes: 12)
    let byVertex = try widths(merged, rule: .vertex)
    let sharpened = try widths(merged, rule: .sharpenedByOne)
    #expect(byVertex.count < 9)
    try #require(sharpened.count == 9)
    for index in 4...6 { #expect(abs(sharpened[index] - 3) < 1.5, "element \(index)") }
  }
}
