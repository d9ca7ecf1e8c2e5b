// How delivery is doing, for programs.

/// What the station's status says about delivery.
public struct DeliveryReport: Sendable, Encodable {
  /// One sink's part of it.
  public struct Sink: Sendable, Encodable {
    public var name: String
    /// `idle`, `delivering`, `retrying`, `stuck`, `parked` or `stopped`.
    public var phase: String
    /// Scans delivered since the station's start.
    public var deliveredCount: Int
    /// Whether it has been getting nowhere for a while.
    public var isHeldUp: Bool
    /// What is wrong and what to do; nil when nothing is.
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
