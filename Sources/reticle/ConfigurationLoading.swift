// The configuration as commands read it: from the file of the option and the environment, wrong ones told in full.

import ArgumentParser
import Glibc
import StationConfiguration

enum ConfigurationLoading {
  /// The service's own configuration.
  static let installedFile = "/etc/reticle/reticle.yaml"
  static let help = ArgumentHelp(
    "The configuration, a YAML file; without it \(installedFile), if it is there.", valueName: "file")

  /// The file that commands beside the station read: the one that is named, else the service's; nil if there is neither.
  static func file(_ named: String?) -> String? {
    named ?? (access(installedFile, F_OK) == 0 ? installedFile : nil)
  }

  /// What to say after an error where no file was read.
  static func hint(_ file: String?) -> String { file == nil ? "\n  a file is named with --config" : "" }

  /// Reads and validates the configuration of `file`.
  ///
  /// - Throws: the exit status 78, everything that is wrong having been told.
  static func load(
    _ path: String?, override: (inout StationConfiguration) -> Void = { _ in }
  ) async throws -> StationConfiguration {
    do throws(ConfigurationError) {
      return try await StationConfiguration.load(path: file(path), environment: environmentVariables(), override: override)
    } catch {
      StandardOutput.writeError("reticle: \(error.description)\(hint(file(path)))\n")
      throw ExitCode(78)
    }
  }
}
