// Things that come into view, beside noise, flickering light and a change of light.

import BarcodeTypes
import ScanControl
import Testing

@testable import ScanLoop

@Suite struct EmptyViewTests {
  private static let (columns, rows) = (80, 50)

  /// Samples of an even view with noise.
  private static func view(level: Int, noise: Int, _ random: inout SystemRandomNumberGenerator) -> [UInt8] {
    (0..<columns * rows).map { _ in
      // The sum of twelve even numbers is nearly a normal one.
      let sum = (0..<12).reduce(0) { sum, _ in sum + Int.random(in: -64...64, using: &random) }
      return UInt8(max(0, min(255, level + sum * noise / 128)))
    }
  }

  /// Draws a label.
  private static func add(level: UInt8, x: Int, y: Int, width: Int, height: Int, to samples: inout [UInt8]) {
    for row in y..<y + height { for column in x..<x + width { samples[row * columns + column] = level } }
  }

  /// Looks at frames one after the other, with the noise measured from them.
  private struct Looking {
    var empty = EmptyView(sampleCount: columns * rows)
    var noise = SampleNoise()
    var former: [UInt8]?
    var count: Int64 = 0
    var settings = SensorSettings(exposure: 1_000, gain: 16_000)

    mutating func look(_ samples: [UInt8], isRead: Bool = false) -> PixelRegion? {
      noise.begin(settings)
      if let former {
        for index in samples.indices { noise.add(Int(samples[index]) - Int(former[index]), at: samples[index]) }
        noise.measure()
      }
      former = samples
      count += 1
      let spreads = [UInt8](repeating: 0, count: samples.count)
      let news = empty.news(in: samples, spreads, columns: EmptyViewTests.columns, settings, noise: noise)
      empty.settle(samples, spreads, settings, isEmpty: !isRead, at: count * 33_000_000)
      return news
    }
  }

  @Test(arguments: [1, 4, 8]) func `noise is no news, and a label in it is`(noise: Int) throws {
    var random = SystemRandomNumberGenerator()
    var looking = Looking()
    for _ in 0..<100 {
      let news = looking.look(Self.view(level: 45, noise: noise, &random))
      #expect(news == nil)
    }
    var samples = Self.view(level: 45, noise: noise, &random)
    Self.add(level: 130, x: 20, y: 10, width: 12, height: 9, to: &samples)
    let found = looking.look(samples)
    let place = try #require(found)
    #expect(abs(place.x - 20) <= 1 && abs(place.y - 10) <= 1 && abs(place.width - 12) <= 2 && abs(place.height - 9) <= 2)
  }

  @Test func `rows that flicker are no news, and a label among them is`() throws {
    var random = SystemRandomNumberGenerator()
    var looking = Looking()
    looking.empty.isFlickering = true
    func banded(_ phase: Int) -> [UInt8] {
      var samples = Self.view(level: 80, noise: 1, &random)
      for row in 0..<Self.rows where (row + phase) % 16 < 8 {
        for column in 0..<Self.columns { samples[row * Self.columns + column] += 60 }
      }
      return samples
    }
    for count in 0..<30 {
      let news = looking.look(banded(count * 5))
      #expect(news == nil)
    }
    var samples = banded(3)
    Self.add(level: 230, x: 30, y: 20, width: 16, height: 10, to: &samples)
    let found = looking.look(samples)
    let place = try #require(found)
    #expect(abs(place.x - 30) <= 1 && abs(place.width - 16) <= 2)
  }

  @Test func `after a change of light frames are passed over, and a label that is read is not taken for the empty view`() {
    var random = SystemRandomNumberGenerator()
    var looking = Looking()
    for _ in 0..<10 { _ = looking.look(Self.view(level: 45, noise: 1, &random)) }
    looking.empty.forget()
    // The torch lights the lower half of this frame.
    var half = Self.view(level: 45, noise: 1, &random)
    Self.add(level: 140, x: 0, y: 25, width: Self.columns, height: 25, to: &half)
    let halfNews = looking.look(half)
    #expect(halfNews == nil)
    for _ in 0..<20 {
      let news = looking.look(Self.view(level: 140, noise: 1, &random))
      #expect(news == nil)
    }
    var label = Self.view(level: 140, noise: 1, &random)
    Self.add(level: 240, x: 30, y: 20, width: 16, height: 10, to: &label)
    for _ in 0..<300 {
      let news = looking.look(label, isRead: true)
      #expect(news != nil)
    }
    let news = looking.look(Self.view(level: 140, noise: 1, &random))
    #expect(news == nil)
  }

  @Test func `noise is measured by level, grows with the gain at once, and what moves does not raise it at once`() {
    var noise = SampleNoise()
    let settings = SensorSettings(exposure: 1_000, gain: 1_000)
    func measure(_ changes: [(change: Int, level: UInt8)]) {
      noise.begin(settings)
      for (change, level) in changes { for _ in 0..<200 { noise.add(change, at: level) } }
      noise.measure()
    }
    // Half of the changes are smaller: a deviation of about six times their mean.
    measure([(0, 10), (4, 10), (8, 10), (0, 200), (1, 200), (2, 200)])
    #expect(noise.deviation(at: 10) > noise.deviation(at: 200))
    let known = noise.deviation(at: 200)
    for _ in 0..<4 { measure([(60, 200)]) }
    #expect(noise.deviation(at: 200) < 60 * 16)
    #expect(noise.deviation(at: 200) > known)
    let former = noise.deviation(at: 200)
    noise.begin(SensorSettings(exposure: 1_000, gain: 4_000))
    #expect(noise.isFresh && abs(noise.deviation(at: 200) - 2 * former) <= 2)
  }
}
