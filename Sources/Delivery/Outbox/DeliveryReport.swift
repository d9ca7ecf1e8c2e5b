// The state of delivery, for programs.

public import DeliveryModel

/// Delivery's part of the station's status.
public struct DeliveryReport: Sendable, Encodable {
  /// A sink's part of the report.
  public struct Sink: Sendable, Encodable {
    public var name: String
    /// `idle`, `delivering`, `retrying`, `stuck`, `parked` or `stopped`.
    public var phase: String
    /// Scans delivered since the station's start.
    public var deliveredCount: Int
    /// Whether it has made no progress for a while.
    public var isHeldUp: Bool
    /// The problem with its remedy; nil if there is no problem.
    public var problem: String?
    public var remedy: String?

    public init(_ status: SinkStatus, deliveredCount: Int) {
      name = status.name
      self.deliveredCount = deliveredCount
      isHeldUp = status.isHeldUp
      problem = status.problem?.summary
      remedy = status.problem?.remedy
      switch status.phase {
      case .idle: phase = "idle"
      case .delivering: phase = "delivering"
      case .retrying(_, let trouble): (phase, problem, remedy) = ("retrying", trouble.summary, trouble.remedy)
      case .stuck(let trouble): (phase, problem, remedy) = ("stuck", trouble.summary, trouble.remedy)
      case .parked(let trouble): (phase, problem, remedy) = ("parked", trouble.summary, trouble.remedy)
      case .stopped: phase = "stopped"
      }
    }
  }

  public var outbox: OutboxStatus
  public var sinks: [Sink]

  public init(outbox: OutboxStatus, sinks: [Sink]) {
    self.outbox = outbox
    self.sinks = sinks
  }
}
