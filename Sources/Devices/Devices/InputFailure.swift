// Why a host did not get keys or reports.

/// The reason why a keyboard or a scanner at a host did not carry out a request.
public struct InputFailure: Error, Equatable, Sendable {
  /// The event, such as `/dev/uinput: open failed: permission denied`.
  public var summary: String
  public var remedy: String
  /// Whether the host may have received a part of what was sent, or all of it.
  public var mayHaveArrived: Bool

  public init(_ summary: String, remedy: String, mayHaveArrived: Bool = false) {
    self.summary = summary
    self.remedy = remedy
    self.mayHaveArrived = mayHaveArrived
  }
}
