// Loads the configuration for commands, from the option's file and the environment, and reports every error in it.

import ArgumentParser
import Glibc
import StationConfiguration

enum ConfigurationLoading {
  /// The service's configuration file.
  static let installedFile = StationConfiguration.installedFile
  /// The folder whose files the unit passes to the service as credentials.
  private static let credentialsFolder = "/etc/reticle/credentials"
  static let help = ArgumentHelp(
    "The configuration, a YAML file; without it \(installedFile), if it is there.", valueName: "file")

  /// The file for commands other than the station: the named one, else the service's; nil if neither exists.
  static func file(_ named: String?) -> String? {
    named ?? (access(installedFile, F_OK) == 0 ? installedFile : nil)
  }

  /// Whether a path is the service's configuration file.
  static func isInstalled(_ path: String) -> Bool {
    guard path != installedFile else { return true }
    var (named, installed) = (stat(), stat())
    guard stat(path, &named) == 0, stat(installedFile, &installed) == 0 else { return false }
    return named.st_dev == installed.st_dev && named.st_ino == installed.st_ino
  }

  /// The service's environment: systemd passes the files of a folder as credentials.
  static func serviceEnvironment() -> [String: String] {
    var variables = environmentVariables()
    variables["CREDENTIALS_DIRECTORY"] = variables["CREDENTIALS_DIRECTORY"] ?? credentialsFolder
    return variables
  }

  /// The hint after an error if no file was read.
  static func hint(_ file: String?) -> String { file == nil ? "\n  a file is named with --config" : "" }

  /// Reads and validates the configuration of `file`.
  ///
  /// - Throws: the exit status 78 after all errors were reported.
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
