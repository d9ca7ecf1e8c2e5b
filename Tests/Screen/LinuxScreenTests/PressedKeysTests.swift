// Keys pressed by users count; keys typed by a scanner do not.

import Testing

@testable import LinuxScreen

@Suite struct PressedKeysTests {
  private static let (enter, space, t): (UInt32, UInt32, UInt32) = (28, 57, 20)

  @Test func `keys that are pressed one after another count, each after a pause`() {
    var keys = PressedKeys()
    #expect(keys.nextMoment == nil)
    keys.press(Self.enter, of: 1, at: 1_000_000)
    #expect(keys.nextMoment == 1_060_000)
    #expect(keys.take(until: 1_059_999).isEmpty)
    #expect(keys.take(until: 1_060_000) == [Self.enter])
    #expect(keys.take(until: 2_000_000).isEmpty && keys.nextMoment == nil)
    keys.press(Self.space, of: 1, at: 1_080_000)
    #expect(keys.take(until: 1_140_000) == [Self.space])
  }

  @Test(arguments: [1_000, 10_000, 30_000, 59_999] as [UInt64])
  func `keys that a scanner types never count, not even its last one`(pause: UInt64) {
    var keys = PressedKeys()
    var moment: UInt64 = 5_000_000
    for key in [Self.t, Self.space, Self.t, Self.enter] {
      #expect(keys.take(until: moment).isEmpty)
      keys.press(key, of: 1, at: moment)
      moment += pause
    }
    #expect(keys.take(until: moment + 10_000_000).isEmpty)
  }

  @Test func `a typing scanner does not block the keys of another device`() {
    var keys = PressedKeys()
    keys.press(Self.enter, of: 2, at: 1_000_000)
    for step in 0..<20 { keys.press(Self.t, of: 1, at: 1_000_000 + UInt64(step) * 10_000) }
    #expect(keys.take(until: 2_000_000) == [Self.enter])
  }

  @Test func `a device that gets the number of a removed one starts without its keys`() {
    var keys = PressedKeys()
    keys.press(Self.t, of: 1, at: 1_000_000)
    keys.forget(1)
    keys.press(Self.enter, of: 1, at: 1_010_000)
    #expect(keys.take(until: 2_000_000) == [Self.enter])
  }
}
