// The keys of pictures.

import Foundation
import PictureFiles
import Testing

@testable import StationConfiguration

@Suite struct PictureConfigurationTests {
  private func load(_ keys: String) async throws(ConfigurationError) -> StationConfiguration {
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(FileManager.default.createFile(atPath: path, contents: Data("camera: {pictures: a}\n\(keys)\n".utf8)))
    return try await StationConfiguration.load(path: path, environment: [:])
  }

  @Test func `no pictures are kept unless they are asked for`() async throws {
    #expect(try await load("").pictures == nil)
    #expect(try await load("pictures: {of: [], folder: /x}").pictures == nil)
    let settings = try #require(try await load("pictures: {of: [scans]}").pictures)
    #expect(settings == PictureSettings(kinds: [.scan]))
  }

  @Test func `every key of pictures counts`() async throws {
    let settings = try await load(
      "trigger: {mode: timed}\nconsole: {port: 9470}\npictures: {of: [scans, no-reads, unread], folder: /srv/p, format: jpeg, quality: 90, "
        + "area: code, name: \"{station}-\", megabytes: 2, age: forever}")
    var expected = PictureSettings(kinds: [.scan, .noRead, .unread])
    expected.folder = "/srv/p"
    expected.format = .jpeg
    expected.quality = 90
    expected.area = .code
    expected.template = try #require(PictureTemplate("{station}-"))
    expected.byteCountMax = 2 << 20
    expected.ageMax = nil
    #expect(settings.pictures == expected)
  }

  @Test(
    arguments: [
      ("of: [scan]", "pictures.of is \"scan\"; it must be a list chosen from scans, no-reads, unread"),
      ("of: [scans], name: ../x", "pictures.name is \"../x\"; it must be letters, digits, -, _, . and the words {date}"),
      ("of: [scans], name: \"{text}\"", "pictures.name is \"{text}\""),
      ("of: [scans], megabytes: 0", "pictures.megabytes is \"0\"; it must be a whole number from 1 to 1048576"),
      ("of: [scans], age: 1 s", "pictures.age is \"1 s\"; it must be forever, or a time from 1 min to 3650 d"),
      ("of: [no-reads]", "pictures.of names no-reads, which trigger.mode continuous and presentation do not have"),
      ("area: code", "pictures.area has no effect without pictures.of"),
      ("of: [scans], nam: x", "pictures.nam is not a key; did you mean pictures.name?"),
    ])
  func `what is wrong with pictures is reported`(_ keys: String, _ reason: String) async {
    do throws(ConfigurationError) {
      _ = try await load("pictures: {\(keys)}")
      Issue.record("accepted")
    } catch {
      #expect(error.description.contains(reason), "\(error)")
    }
  }
}
