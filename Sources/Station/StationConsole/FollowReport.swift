// The report of the service that takes the station's configuration from its fleet's repository.

/// The outcome for the configuration that the repository has for this station.
public struct FollowReport: Equatable, Sendable, Decodable {
  /// The commit, in hexadecimal digits; empty before the first.
  public var commit: String
  /// `kept`: the station runs with it. `rolledBack`: the station was not well with it, and took it back. `refused`: it is wrong, or
  /// holds secrets. `unverified`: its signature is missing or unknown, or it is older than one that was taken. `unreachable`: the
  /// repository or the station does not answer. `missing`: the repository has no file for this station.
  public var state: String
  /// Whether the station's file differs from the one last taken from the repository.
  public var drift: Bool
  /// When the repository was last asked, in seconds since 1970.
  public var checked: Int64
}
