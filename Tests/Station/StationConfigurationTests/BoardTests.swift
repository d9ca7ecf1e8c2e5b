// The board files are data that a station must accept unchanged.

import Boards
import Devices
import Foundation
import ScanControl
import StationConfiguration
import Testing

@Suite struct BoardTests {
  @Test(arguments: BoardFile.all.map(\.name))
  func `every key and value of a board's configuration is valid`(name: String) async throws {
    let board = try #require(BoardFile.all.first { $0.name == name })
    let path = FileManager.default.temporaryDirectory.appending(path: "board-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try board.section("configuration").write(toFile: path, atomically: true, encoding: .utf8)
    let configuration = try await StationConfiguration.load(path: path, environment: [:])
    #expect(configuration.camera.source == .libcamera)
    // Every line has a chip by label, and no two uses share one.
    var lines = configuration.devices.buttons.map(\.line) + configuration.devices.outputs.map(\.line)
    if case .line(let torch) = configuration.devices.torch { lines.append(torch) }
    #expect(lines.allSatisfy { $0.address.chip != nil })
    #expect(Set(lines.map(\.address.description)).count == lines.count)
    if name != "generic-linux" { #expect(lines.count == 8) }
  }

  @Test(arguments: BoardFile.cameras.map(\.name))
  func `a camera's limits are valid with every board's configuration, and are marked as not seen on hardware`(
    name: String
  ) async throws {
    let camera = try #require(BoardFile.cameras.first { $0.name == name })
    let path = FileManager.default.temporaryDirectory.appending(path: "camera-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try camera.section("configuration").write(toFile: path, atomically: true, encoding: .utf8)
    let steering = try await StationConfiguration.load(path: path, environment: [:]).camera.steering
    #expect(steering.exposure == .automatic && steering.exposureMax <= 30_000 && steering.gainMax <= 16_000)
    #expect(camera.value("models") == "[]" && camera.section("not_seen_on_hardware").contains("documentation"))
  }

  @Test(arguments: BoardFile.all.map(\.name))
  func `a board's starting file explains every key and means the same as the board's file`(name: String) async throws {
    let board = try #require(BoardFile.all.first { $0.name == name })
    let folder = FileManager.default.temporaryDirectory.appending(path: "board-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (short, long) = (folder.appending(path: "short.yaml").path, folder.appending(path: "long.yaml").path)
    try board.section("configuration").write(toFile: short, atomically: true, encoding: .utf8)
    let text = ConfigurationReference.startingFile(like: board.section("configuration"), isWhole: true)
    try text.write(toFile: long, atomically: true, encoding: .utf8)
    let meant = try await StationConfiguration.load(path: short, environment: [:])
    let written = try await StationConfiguration.load(path: long, environment: [:])
    #expect(written == meant)
    for key in ConfigurationKey.all where !key.name.contains("[]") { #expect(text.contains(key.summary), "\(key.name)") }
  }

  @Test(arguments: (BoardFile.all + BoardFile.cameras).map(\.name))
  func `a board file states its models, its wiring, its facts and what was not checked on hardware`(name: String) throws {
    let board = try #require((BoardFile.all + BoardFile.cameras).first { $0.name == name })
    let keys = board.text.split(separator: "\n").filter { $0.first != " " }.map { $0.prefix { $0 != ":" } }
    #expect(keys == ["board", "models", "configuration", "wiring", "facts", "not_seen_on_hardware"])
    for key in ["wiring", "facts", "not_seen_on_hardware"] { #expect(board.section(key).hasPrefix("- ")) }
  }

  @Test(arguments: [
    ("Raspberry Pi 5 Model B Rev 1.0", "raspberry-pi-5"), ("Raspberry Pi 4 Model B Rev 1.4", "raspberry-pi-4"),
    ("Raspberry Pi 3 Model B Plus Rev 1.3", "raspberry-pi-3"), ("Raspberry Pi Zero 2 W Rev 1.0", "raspberry-pi-zero-2-w"),
    ("Raspberry Pi 400 Rev 1.0", "raspberry-pi-4"), ("Raspberry Pi 500 Rev 1.0", "raspberry-pi-5"),
    ("Radxa ROCK 5B", "generic-linux"), ("", "generic-linux"),
  ])
  func `the device tree's model selects the board`(model: String, name: String) {
    #expect(BoardFile.matching(model: model).name == name)
  }

  @Test func `the program holds the files of the boards folder`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "boards")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
    let known = BoardFile.all + BoardFile.cameras
    #expect(Set(files) == Set(known.map { $0.name + ".yaml" }))
    for board in known {
      #expect(try String(contentsOf: folder.appending(path: board.name + ".yaml"), encoding: .utf8) == board.text)
    }
  }
}
