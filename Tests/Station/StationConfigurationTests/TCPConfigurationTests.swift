// The keys of TCP connections, what must go together in their section, and the page's table of sinks.

import Foundation
import Sinks
import Testing
@testable import StationConfiguration

@Suite struct TCPConfigurationTests {
  private func load(_ keys: String, other: String = "") async throws -> StationConfiguration {
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let yaml = "camera: {pictures: a}\n\(other)\nsinks:\n  - tcp: {\(keys)}\n"
    try yaml.write(toFile: path, atomically: true, encoding: .utf8)
    return try await StationConfiguration.load(path: path, environment: [:])
  }

  private func complaint(_ keys: String, other: String = "") async throws -> String {
    do {
      _ = try await load(keys, other: other)
      return "nothing is wrong"
    } catch let error as ConfigurationError {
      return error.description
    }
  }

  @Test func `every key of a host that the station connects to counts`() async throws {
    let configuration = try await load(
      #"connect: "till.example:9100", connect_timeout: 2 s, write_timeout: 3 s, keep_alive: 20 s, heartbeat: "\\x05","#
        + #" heartbeat_interval: 15 s, prefix: "\\x02", id: true, suffix: lf, acknowledge: true, acknowledge_timeout: 1 s, "#
        + "commands: true")
    var expected = TCPSettings(.connects(to: TCPPlace(host: "till.example", port: 9100)))
    expected.connectLimit = .seconds(2)
    expected.writeLimit = .seconds(3)
    expected.keepAlive = .seconds(20)
    expected.heartbeat = Heartbeat(bytes: [5], interval: .seconds(15))
    expected.framing.prefix = [2]
    expected.framing.sendsID = true
    expected.framing.suffix = .lf
    expected.acknowledgement = AcknowledgementSettings()
    expected.acknowledgement?.limit = .seconds(1)
    expected.acceptsCommands = true
    #expect(expected.isSame(as: configuration.sinks[0]))
  }

  @Test func `every key of hosts that connect counts, and those of this machine may connect to it`() async throws {
    let configuration = try await load(
      #"listen: "0.0.0.0:9100", allow: [192.168.1.0/24, "::1"], hosts: 7, acknowledged_by: any"#)
    var expected = TCPSettings(.listens(at: TCPPlace(host: "0.0.0.0", port: 9100)))
    expected.allowed = ["192.168.1.0/24", "::1"].compactMap { AddressRange($0) }
    expected.hostCountMax = 7
    expected.acknowledger = .any
    #expect(expected.isSame(as: configuration.sinks[0]))
    let local = try await load(#"listen: "127.0.0.1:9100""#).sinks[0] as? TCPSettings
    #expect(local?.allowed == ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) })
  }

  @Test(
    arguments: [
      ("id: true", "sinks.0.tcp must have either connect, the host's address"),
      (#"connect: "a:1", listen: "b:2000""#, "sinks.0.tcp must have either connect, the host's address"),
      ("connect: till", "sinks.0.tcp.connect is \"till\"; it must be an address or name and a port from 1 to 65535"),
      (#"listen: "0.0.0.0:80""#, "sinks.0.tcp.listen is \"0.0.0.0:80\"; it must be an address or name and a port from 1024"),
      (#"listen: "0.0.0.0:9100""#, "sinks.0.tcp.allow is missing; 0.0.0.0:9100 can be reached from other machines"),
      (#"listen: "0.0.0.0:9100", allow: [till]"#, "sinks.0.tcp.allow has \"till\"; it must be an address such as"),
      (#"connect: "a:1", hosts: 3"#, "sinks.0.tcp.hosts has no effect with connect, as there is one host; take it out"),
      (#"listen: "127.0.0.1:9100", connect_timeout: 1 s"#, "sinks.0.tcp.connect_timeout has no effect with listen"),
      (#"connect: "a:1", heartbeat_interval: 1 s"#, "sinks.0.tcp.heartbeat_interval has no effect without heartbeat"),
      (#"connect: "a:1", prefiks: x"#, "sinks.0.tcp.prefiks is not a key; did you mean sinks.0.tcp.prefix?"),
    ])
  func `conflicting keys are reported`(_ keys: String, _ expected: String) async throws {
    let complaint = try await complaint(keys)
    #expect(complaint.contains(expected), "\(complaint)")
  }

  @Test func `a port is listened at once`() async throws {
    let console = try await complaint(#"listen: "127.0.0.1:9470""#, other: "console: {port: 9470}")
    #expect(console.contains("console.port and the sink tcp have the same port, 9470"), "\(console)")
    let own = try await complaint(#"connect: "localhost:9470""#, other: "console: {port: 9470}")
    #expect(own.contains("sends scans to this station's own console"), "\(own)")
  }

  @Test func `the page on delivery has one row for each kind of sink, with all it has to say`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "docs/delivery.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "| `sinks` item | needs | promises | fails |\n|---|---|---|---|\n"))
    let rows = text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false).prefix {
      $0.hasPrefix("|")
    }
    var words: [String] = []
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells.count == 4 && cells.allSatisfy { !$0.isEmpty }, "\(row)")
      words.append(cells[0].trimmingCharacters(in: ["`"]))
    }
    #expect(words == SinkKind.all.map(\.word))
  }
}
