// The configuration as commands read it: from the file of the option and the environment, wrong ones told in full.

import ArgumentParser
import Station

enum ConfigurationLoading {
  /// Reads and validates the configuration.
  ///
  /// - Throws: the exit status 78, everything that is wrong having been told.
  static func load(
    _ path: String?, override: (inout StationConfiguration) -> Void = { _ in }
  ) async throws -> StationConfiguration {
    do throws(ConfigurationError) {
      return try await StationConfiguration.load(path: path, environment: environmentVariables(), override: override)
    } catch {
      StandardOutput.writeError("reticle: \(error.description)\n")
      throw ExitCode(78)
    }
  }
}
