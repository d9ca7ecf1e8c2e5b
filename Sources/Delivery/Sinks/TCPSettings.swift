// Settings of hosts on TCP connections: the station connects to one, or hosts connect to the station.

public import DeliveryModel
import Devices

/// Hosts on TCP connections, with the framing and acknowledgement of serial lines.
public struct TCPSettings: HostLineSettings {
  /// Who connects to whom.
  public enum Role: Equatable, Sendable {
    /// The station connects to the host, and again whenever the connection ends.
    case connects(to: TCPPlace)
    /// The station listens at an address of its own, and hosts connect to it.
    case listens(at: TCPPlace)
  }

  /// Who has to acknowledge a scan before it counts as delivered.
  public enum Acknowledger: String, Sendable, CaseIterable {
    /// Every host that is connected when the scan is sent, and stays so.
    case all
    /// One of them; the others are sent it as well.
    case any
  }

  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "tcp"
  public var role: Role
  public var framing = FramingSettings()
  /// nil: the hosts do not answer, and a frame counts as delivered when TCP has its receipt from the host's system.
  public var acknowledgement: AcknowledgementSettings?
  public var acknowledger = Acknowledger.all
  /// The addresses from which hosts may connect; others are refused.
  public var allowed: [AddressRange] = []
  /// Hosts that may be connected at once, at most `hostCountLimit`.
  public var hostCountMax = 4
  /// Whether hosts may command the station over their connections; see `HostCommand`.
  public var acceptsCommands = false
  public var commandPrefix: UInt8? = HostCommandParser.usualPrefix
  /// Time to connect, the look-up of the name included.
  public var connectLimit = Duration.seconds(5)
  /// Time for the connection to take one write.
  public var writeLimit = Duration.seconds(5)
  /// How long a connection is silent before the host's system is asked whether it is there: one that does not answer for twice
  /// this time has its connection ended.
  public var keepAlive = Duration.seconds(10)
  public var heartbeat: Heartbeat?
  public var retry: RetrySettings

  /// The most hosts that may be connected at once.
  public static let hostCountLimit = 32
  /// The most scans per write if no host answers: one TCP acknowledgement, which a system may delay by 0.2 s, covers all of them.
  static let unansweredCountMax = 16

  public init(_ role: Role) {
    self.role = role
    retry = .serial
    // An attempt waits for a host itself. The pause after it is short, so that a host that connects gets its scans at once.
    if case .listens = role { (retry.firstDelay, retry.delayMax) = (retry.fastDelay, retry.fastDelay) }
  }
}

extension TCPSettings {
  public var target: String {
    switch role {
    case .connects(let place): "tcp to \(place)"
    case .listens(let place): "tcp at \(place)"
    }
  }

  public var isKeptOpen: Bool { true }

  public var batching: BatchSettings {
    var batching = BatchSettings()
    if acknowledgement == nil { batching.countMax = Self.unansweredCountMax }
    return batching
  }

  public var peer: SinkPeer? {
    guard case .connects(let place) = role else { return nil }
    return SinkPeer(host: place.host, port: place.port, shown: "\(place)")
  }

  public var listeningPlace: TCPPlace? {
    guard case .listens(let place) = role else { return nil }
    return place
  }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    switch role {
    case .connects(let place):
      LineSink(
        settings: self, line: TCPLine(to: place, self), logger: surroundings.logger, onRequest: surroundings.onRequest)
    case .listens(let place):
      TCPServerSink(settings: self, at: place, logger: surroundings.logger, onRequest: surroundings.onRequest)
    }
  }

  /// Connects and ends the connection at once: a host that counts its connections sees one more.
  public func reach() async -> DeliveryProblem? {
    guard case .connects(let place) = role else { return nil }
    let line = TCPLine(to: place, self)
    do throws(DeliveryProblem) {
      _ = try await line.open()
      await line.close()
      return nil
    } catch {
      return error
    }
  }
}
