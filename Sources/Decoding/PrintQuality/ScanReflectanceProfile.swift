// A line across a linear symbol as a verifier sees it: ISO/IEC 15416:2016 §5, from public descriptions of it.

/// Reflectance along a line through a linear symbol and its quiet zones.
public struct ScanReflectanceProfile: Sendable {
  /// A bar, a space or a quiet zone.
  public struct Element: Sendable, Equatable {
    public let isDark: Bool
    /// Its samples.
    public let samples: Range<Int>
    /// The lowest reflectance of a bar, the highest of a space.
    public let reflectance: Double
    /// The element reflectance non-uniformity: how far the reflectance leaves that of the element and returns.
    public let nonUniformity: Double
  }

  /// Reflectance at equal distances, 0…1.
  public let samples: [Double]
  /// Samples per module.
  public let moduleSamples: Double
  public let maximum: Double
  public let minimum: Double
  /// All elements that the global threshold separates, from the first sample to the last.
  public let elements: [Element]
  /// The places between neighbouring elements, in samples: where the reflectance passes the middle between both.
  public let edges: [Double]
  /// The indices of `edges` at which the symbol begins and ends; nil if none is near.
  public let symbolEdges: ClosedRange<Int>?

  /// Halfway between the least and the greatest reflectance.
  public var globalThreshold: Double { (maximum + minimum) / 2 }
  public var symbolContrast: Double { maximum - minimum }

  /// How far the symbol's outer edges may be from where they are expected, in modules.
  private static let edgeToleranceModules = 2.5

  /// - Parameters:
  ///   - samples: at least two.
  ///   - start: where the symbol is expected to begin, in samples.
  ///   - end: where it is expected to end.
  public init(samples: [Double], moduleSamples: Double, start: Double, end: Double) {
    precondition(samples.count >= 2 && moduleSamples > 0)
    self.samples = samples
    self.moduleSamples = moduleSamples
    let (low, high) = (samples.min() ?? 0, samples.max() ?? 0)
    (minimum, maximum) = (low, high)
    let elements = Self.elements(of: samples, threshold: (low + high) / 2)
    let edges = Self.edges(between: elements, samples)
    func nearest(_ place: Double, isFalling: Bool) -> Int? {
      let candidates = edges.indices.filter { elements[$0].isDark != isFalling }
      guard let best = candidates.min(by: { abs(edges[$0] - place) < abs(edges[$1] - place) }),
        abs(edges[best] - place) <= Self.edgeToleranceModules * moduleSamples
      else { return nil }
      return best
    }
    let (first, last) = (nearest(start, isFalling: true), nearest(end, isFalling: false))
    symbolEdges = first.flatMap { first in last.flatMap { first < $0 ? first...$0 : nil } }
    (self.elements, self.edges) = (elements, edges)
  }

  private static func elements(of samples: [Double], threshold: Double) -> [Element] {
    var elements: [Element] = []
    var start = 0
    while start < samples.count {
      let isDark = samples[start] < threshold
      var end = start + 1
      while end < samples.count, (samples[end] < threshold) == isDark { end += 1 }
      let part = samples[start..<end]
      elements.append(
        Element(
          isDark: isDark, samples: start..<end, reflectance: (isDark ? part.min() : part.max()) ?? 0,
          nonUniformity: nonUniformity(of: part, isDark: isDark)))
      start = end
    }
    return elements
  }

  /// How far the reflectance of a bar rises and falls again: the smaller of the two, so that the slopes of edges, and ripples on
  /// them, count for nothing. The standard counts from the lowest valley.
  private static func nonUniformity(of part: ArraySlice<Double>, isDark: Bool) -> Double {
    let values = isDark ? Array(part) : part.map { -$0 }
    var leastAfter = values
    for index in values.indices.dropLast().reversed() { leastAfter[index] = min(values[index], leastAfter[index + 1]) }
    var leastBefore = Double.infinity
    var greatest = 0.0
    for index in values.indices {
      leastBefore = min(leastBefore, values[index])
      greatest = max(greatest, min(values[index] - leastBefore, values[index] - leastAfter[index]))
    }
    return greatest
  }

  private static func edges(between elements: [Element], _ samples: [Double]) -> [Double] {
    zip(elements, elements.dropFirst()).map { before, after in
      let middle = (before.reflectance + after.reflectance) / 2
      let crossing = after.samples.lowerBound
      // The middle differs from the global threshold: it is passed a little before or after it.
      let range = before.samples.lowerBound + 1..<after.samples.upperBound
      for distance in 0..<max(crossing - range.lowerBound + 1, range.upperBound - crossing) {
        for index in [crossing - distance, crossing + distance] where range.contains(index) {
          let (a, b) = (samples[index - 1], samples[index])
          if a != b, (a < middle) != (b < middle) { return Double(index - 1) + (middle - a) / (b - a) }
        }
      }
      return Double(crossing) - 0.5
    }
  }
}

extension ScanReflectanceProfile {
  /// The widths of the symbol's elements, in samples.
  public var widths: [Double] {
    guard let symbolEdges else { return [] }
    return symbolEdges.dropLast().map { edges[$0 + 1] - edges[$0] }
  }

  /// The light space before the symbol and after it, in samples, and whether the samples end there.
  public var quietZones: (before: (samples: Double, isCut: Bool), after: (samples: Double, isCut: Bool))? {
    guard let symbolEdges else { return nil }
    let (first, last) = (symbolEdges.lowerBound, symbolEdges.upperBound)
    let before = edges[first] - (first > 0 ? edges[first - 1] : 0)
    let after = (last + 1 < edges.count ? edges[last + 1] : Double(samples.count - 1)) - edges[last]
    return ((before, first == 0), (after, last + 1 == edges.count))
  }

  /// The least contrast between neighbouring elements, quiet zones included; nil without a symbol.
  public var edgeContrastMin: Double? {
    guard let symbolEdges else { return nil }
    return symbolEdges.map { abs(elements[$0].reflectance - elements[$0 + 1].reflectance) }.min()
  }

  /// The greatest non-uniformity of an element or quiet zone; nil without a symbol.
  public var nonUniformityMax: Double? {
    guard let symbolEdges else { return nil }
    return elements[symbolEdges.lowerBound...symbolEdges.upperBound + 1].map(\.nonUniformity).max()
  }
}
