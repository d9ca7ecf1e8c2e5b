// A configuration file from a text, or the report of what is wrong with it.

import Foundation
import StationConfiguration

/// Reads a configuration as the file `reticle.yaml`.
func load(_ yaml: String, _ environment: [String: String] = [:]) async throws(ConfigurationError)
  -> StationConfiguration
{
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID()).yaml").path
  defer { try? FileManager.default.removeItem(atPath: path) }
  try? yaml.write(toFile: path, atomically: true, encoding: .utf8)
  do {
    return try await StationConfiguration.load(path: path, environment: environment)
  } catch {
    var renamed = error
    renamed.file = "reticle.yaml"
    throw renamed
  }
}

/// The message for an invalid file.
func complaint(_ yaml: String, _ environment: [String: String] = [:]) async -> String {
  do {
    _ = try await load(yaml, environment)
    return "nothing is wrong"
  } catch {
    return error.description
  }
}
