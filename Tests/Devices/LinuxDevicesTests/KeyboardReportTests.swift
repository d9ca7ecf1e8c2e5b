// The reports of a USB keyboard.

import Devices
import Testing

@testable import LinuxDevices

@Suite struct KeyboardReportTests {
  private func report(_ events: [(UInt16, Bool)]) -> [UInt8] {
    var report = KeyboardReport()
    for (key, isDown) in events { report.apply(KeyEvent(key: key, isDown: isDown)) }
    return report.bytes
  }

  @Test func `a report has the modifiers and keys that are down`() {
    #expect(report([]) == [0, 0, 0, 0, 0, 0, 0, 0])
    // Left Shift, AltGr, A, Q.
    #expect(report([(42, true), (100, true), (30, true), (16, true)]) == [0x42, 0, 0x04, 0x14, 0, 0, 0, 0])
    #expect(report([(42, true), (30, true), (42, false), (30, false)]) == [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(report([(30, true), (30, true)]) == [0, 0, 0x04, 0, 0, 0, 0, 0])
  }

  @Test func `a seventh key changes nothing`() {
    #expect(report((16...22).map { ($0, true) }) == [0, 0, 0x14, 0x1A, 0x08, 0x15, 0x17, 0x1C])
  }

  @Test func `every key of a plan has a usage of its own`() {
    let keys: [UInt16] = Array(1...13) + Array(15...68) + Array(71...83) + [86, 87, 88, 89, 97, 100]
    let usages = keys.compactMap { KeyboardReport.usage(of: $0) }
    #expect(Set(usages).count == keys.count)
    for key in [0, 84, 85, 90, 101, 65535] as [UInt16] { #expect(KeyboardReport.usage(of: key) == nil) }
  }
}
