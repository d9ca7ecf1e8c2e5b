// Settings of the serial sink.

public import Devices

/// A host on a serial line.
public struct SerialSettings: HostLineSettings {
  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "serial"
  /// The device: a path (those under `/dev/serial/by-path` keep their meaning when adapters are swapped) or `usb:` and the
  /// adapter's vendor, product and serial number.
  public var device: String
  public var line = SerialLineSettings()
  public var framing = FramingSettings()
  /// nil: the host does not answer, and a frame counts as delivered when the line has taken it.
  public var acknowledgement: AcknowledgementSettings?
  /// Whether the host may command the station over the line; see `HostCommand`.
  public var acceptsCommands = false
  /// The byte before each of the host's commands, which no scan contains: an echo of a label is then never a command. nil: a command
  /// counts only if nothing was sent for as long as an echo may take.
  public var commandPrefix: UInt8? = HostCommandParser.usualPrefix
  /// Time for the line to take one frame.
  public var writeLimit = Duration.seconds(5)
  public var retry = RetrySettings.serial

  public init(device: String) { self.device = device }
}

extension SerialSettings {
  public var target: String { "serial \(device)" }
  public var serialDevice: String? { device }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    LineSink(
      settings: self, port: surroundings.serialPort(self), logger: surroundings.logger, onRequest: surroundings.onRequest)
  }
}
