// Marks for the next process: whether a process ended while it read a frame.

import Devices
import Foundation
import Testing

@testable import ScanLoop

@Suite struct ReadingMarkTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-mark-\(UUID().uuidString)")
  private let time = SimulatedTime(nanoseconds: 5_000_000_000)

  private func withFolder(_ body: (String) throws -> Void) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test func `a station reads at once if its predecessor ended between frames`() throws {
    try withFolder { folder in
      for _ in 0..<3 {
        let mark = try #require(ReadingMark(folder: folder, time: time))
        #expect(!mark.wasLeft && mark.wait(at: time.now()) <= 0)
        #expect(mark.whileSet { 7 } == 7)
      }
    }
  }

  /// The second mark sees what a new process would see if the first one ended at this point.
  @Test func `a station waits once if its predecessor ended inside a frame`() throws {
    try withFolder { folder in
      let first = try #require(ReadingMark(folder: folder, time: time))
      try first.whileSet {
        let second = try #require(ReadingMark(folder: folder, time: time))
        #expect(second.wasLeft)
        #expect(second.wait(at: time.now()) == 10_000_000_000)
        time.advance(by: ReadingMark.pause)
        #expect(second.wait(at: time.now()) == 0)
        let third = try #require(ReadingMark(folder: folder, time: time))
        #expect(!third.wasLeft && third.wait(at: time.now()) <= 0)
      }
    }
  }

  @Test func `without a folder, or with a link in its place, there is no mark`() throws {
    #expect(ReadingMark(folder: "/nonexistent/folder", time: time) == nil)
    try withFolder { folder in
      let other = folder + "/other"
      try Data([0]).write(to: URL(fileURLWithPath: other))
      try FileManager.default.createSymbolicLink(atPath: folder + "/reading", withDestinationPath: other)
      #expect(ReadingMark(folder: folder, time: time) == nil)
    }
  }
}
