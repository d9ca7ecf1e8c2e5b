// The configuration as commands read it: from the file of the option and the environment, wrong ones told in full.

import ArgumentParser
import Glibc
import Station

enum ConfigurationLoading {
  /// Reads and validates the configuration.
  ///
  /// - Throws: the exit status 78, everything that is wrong having been told.
  static func load(
    _ path: String?, override: (inout StationConfiguration) -> Void = { _ in }
  ) async throws -> StationConfiguration {
    do throws(ConfigurationError) {
      return try await StationConfiguration.load(path: path, environment: environment(), override: override)
    } catch {
      StandardOutput.writeError("reticle: \(error.description)\n")
      throw ExitCode(78)
    }
  }

  /// The environment's variables.
  private static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if let equals = text.firstIndex(of: "=") {
        variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      next += 1
    }
    return variables
  }
}
