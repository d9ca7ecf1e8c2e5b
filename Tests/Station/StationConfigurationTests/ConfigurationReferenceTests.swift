// The pages generated from the table of keys, and the origin of each value.

import Foundation
import StationConfiguration
import Testing

@Suite struct ConfigurationReferenceTests {
  /// The checkout that contains this file.
  private var checkout: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  @Test func `the reference page matches the table of keys`() throws {
    let page = try String(contentsOf: checkout.appending(path: "docs/configuration.md"), encoding: .utf8)
    #expect(
      page == ConfigurationReference.page,
      "write the page again: swift run reticle config reference > docs/configuration.md")
  }

  @Test func `every key has exactly one row on the page`() {
    for key in ConfigurationKey.all {
      #expect(ConfigurationReference.page.components(separatedBy: "| `\(key.name)` |").count == 2, "\(key.name)")
    }
  }

  @Test(arguments: [false, true])
  func `a starting file is a valid configuration and shows the defaults of its keys`(isWhole: Bool) async throws {
    let text = ConfigurationReference.startingFile(["camera.pictures": "[labels]"], isWhole: isWhole)
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let loaded = try await StationConfiguration.loadWithOrigins(path: path, environment: [:])
    let plain = try await StationConfiguration.loadWithOrigins(
      path: nil, environment: ["RETICLE_CAMERA_PICTURES": "labels"])
    #expect(loaded.configuration == plain.configuration)
    #expect(loaded.values.filter { $0.place != nil }.map(\.name) == ["camera.pictures"])
    for key in ConfigurationKey.all where !key.name.contains("[]") && (isWhole || key.isCommon) {
      #expect(text.contains("# \(key.name.split(separator: ".").last!): ") || key.name == "camera.pictures", "\(key.name)")
    }
    #expect(ConfigurationKey.all.count(where: \.isCommon) == 22)
    #expect(isWhole || text.split(separator: "\n").count < 80)
  }

  @Test func `a name means a key, as a file or the page writes it, or a section`() {
    #expect(ConfigurationKey.named("decoder.addons").map(\.name) == ["decoder.addons"])
    #expect(ConfigurationKey.named("sinks.0.webhook.url").map(\.name) == ["sinks[].webhook.url"])
    #expect(ConfigurationKey.named("sinks[].webhook.url").map(\.name) == ["sinks[].webhook.url"])
    #expect(ConfigurationKey.named("text.ean13.prefix").map(\.name) == ["text.<symbology>.prefix"])
    #expect(ConfigurationKey.named("repeat").map(\.name) == ["repeat.absence"])
    #expect(ConfigurationKey.named("decoder").count > 10)
    #expect(ConfigurationKey.named("decoder.add_ons").isEmpty)
    #expect(ConfigurationKey.similar(to: "decoder.add_ons") == "decoder.addons")
  }

  @Test func `a value shows where it comes from, and a secret is hidden`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let yaml = """
      camera:
        pictures: [labels]
      sinks:
        - webhook:
            url: https://till.example/c2VjcmV0
            headers: {X-API-Key: c2VjcmV0}
      """
    try yaml.write(toFile: path, atomically: true, encoding: .utf8)
    let values = try await StationConfiguration.loadWithOrigins(
      path: path, environment: ["RETICLE_CAMERA_FRAME_RATE": "5"]
    ).values.map(\.description)
    #expect(values.contains("camera.pictures: [labels]  # line 2"))
    #expect(values.contains("camera.frame_rate: 5  # RETICLE_CAMERA_FRAME_RATE"))
    #expect(values.contains("camera.repeat: loop  # default"))
    #expect(values.contains("sinks.0.webhook.url: https://till.example/…  # line 5"))
    #expect(values.contains("sinks.0.webhook.headers.X-API-Key: (hidden)  # line 6"))
    #expect(!values.contains { $0.contains("c2VjcmV0") })
  }
}
