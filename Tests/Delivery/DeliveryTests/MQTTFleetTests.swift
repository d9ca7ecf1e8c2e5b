// Many stations on one broker: a process each, with an outbox and a connection of its own.

import Foundation
import TestSupport
import Testing
@testable import DeliveryModel

@Suite(.serialized, .timeLimit(.minutes(10))) struct MQTTFleetTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The scans of each station, and how many it makes per second.
  private let scanCount = 20
  private let rate = 5

  @Test func `stations that share a broker have each scan there once by its id, and each keeps its order`() async throws {
    let stationCount = TestDepth.scaled(10)
    let broker = try Broker(folder)
    let subscriber = Subscriber(port: broker.port, topic: "reticle/+/scan")
    #expect(await eventually { subscriber.connectionCount == 1 })
    let stations = try (0..<stationCount).map { number in
      try Child(try Child.writer(), [folder.file("outbox-\(number).sqlite"), broker.url, "\(scanCount)", "\(rate)"])
    }
    for station in stations {
      var status = station.statusIfEnded()
      while status == nil {
        try await Task.sleep(for: .milliseconds(10))
        status = station.statusIfEnded()
      }
      #expect(status == 0)
    }
    let count = stationCount * scanCount
    #expect(await eventually { subscriber.messages.count >= count })
    subscriber.stop()
    let messages = subscriber.messages
    let byStation = Dictionary(grouping: messages, by: \.topic).mapValues { $0.map(\.recordID) }
    #expect(byStation.count == stationCount)
    for (topic, ids) in byStation {
      #expect(ids.count == scanCount && Set(ids).count == scanCount, "\(topic)")
      #expect(ids == ids.sorted(), "\(topic)")
    }
    report(messages)
  }

  /// Prints the rate, and how long scans took from their capture to the subscriber.
  private func report(_ messages: [Subscriber.Message]) {
    let delays = messages.compactMap { message in
      ScanID(message.recordID).map { message.arrived.unixMilliseconds - $0.unixMilliseconds }
    }.sorted()
    guard let first = messages.first, let last = messages.last, let longest = delays.last else { return }
    let seconds = Double(last.arrived.unixMilliseconds - first.arrived.unixMilliseconds) / 1000
    print(
      "\(messages.count) scans in \(seconds) s, on their way for \(delays[delays.count / 2]) ms (median), "
        + "\(delays[delays.count * 99 / 100]) ms (99 %), \(longest) ms (longest)")
  }
}
