import DeliveryModel
import Foundation
import Testing

@testable import ScanControl
@testable import StationConsole

@Suite struct StationHealthTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "health-\(UInt32.random(in: .min ... .max))")

  private func plant(_ path: String, _ text: String) throws {
    let file = folder.appending(path: "sys/" + path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func pairs(_ health: StationHealth, at now: CaptureTime) -> [String: String] {
    let report = DeliveryReport(outbox: OutboxStatus(path: "", fileSystem: ""), sinks: [])
    let pairs = health.words(report, at: now).split(separator: " ").map { $0.split(separator: "=").map(String.init) }
    return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
  }

  @Test func `health reports known values, with times by the present wall clock`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let history = ReadHistory()
    let start = CaptureTime(unixMilliseconds: 0, bootNanoseconds: 30_000_000_000, bootID: "")
    let root = folder.path
    let health = StationHealth(version: "1.2", history: history, start: start) { MachineSensors(root: root) }
    // The clock was set after the start.
    let now = CaptureTime(unixMilliseconds: 1_764_385_200_000, bootNanoseconds: 630_000_000_000, bootID: "")
    let bare = ["version": "1.2", "since": "1764384600", "scans": "0", "no-reads": "0"]
    #expect(pairs(health, at: now) == bare)
    history.note(.reportNoRead(.noSymbol), at: 600_000_000_000)
    history.noteUnread(at: 610_000_000_000)
    history.note(.forward([]), at: 620_000_000_000)
    try plant("class/thermal/thermal_zone0/temp", "48712\n")
    try plant("devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    try plant("block/mmcblk0/device/life_time", "0x02 0x03\n")
    try plant("block/mmcblk1/device/life_time", "0x00 0x00\n")
    let known = ["last-scan": "1764385190", "no-reads": "2", "temperature": "49", "throttled": "yes", "worn": "30"]
    #expect(pairs(health, at: now) == bare.merging(known) { $1 })
  }
}
