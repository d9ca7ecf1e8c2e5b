// Settings of the USB scanner.

import BarcodeMessage
public import DeliveryModel

/// A USB scanner at a host (HID-POS): scans are sent as input reports, without a keyboard layout.
public struct HIDPOSSettings: SinkSettings {
  /// The treatment of a scan that was broken off.
  public enum Interruption: String, Sendable, CaseIterable {
    /// The scan from its beginning, once the host listens again.
    case `repeat`
    /// The sink is parked: someone looks what the host has, and resumes it.
    case park
  }

  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "hid_pos"
  /// The device file, `/dev/hidg0` to `/dev/hidg9`.
  public var device = "/dev/hidg1"
  public var interruption = Interruption.repeat
  public var retry = RetrySettings.serial

  public init() {}
}

extension HIDPOSSettings {
  public var target: String { "hid_pos \(device)" }

  public var textFraming: FramingSettings? {
    var framing = FramingSettings()
    framing.controlCharacters = .send
    framing.sendsAIMIdentifier = true
    return framing
  }

  public var inputDevice: String? { device }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    HIDPOSSink(settings: self, scanner: surroundings.scanner(self))
  }
}
