// Settings of the keyboard.

public import BarcodeMessage
public import DeliveryModel

/// A keyboard at a host: scans are typed.
public struct KeyboardSettings: SinkSettings {
  /// The treatment of a text that was broken off in the middle.
  public enum Interruption: String, Sendable, CaseIterable {
    /// The suffix keys, so that the host has the broken text as one of its own, and the scan from its beginning.
    case endAndRepeat = "end and repeat"
    /// The scan from its beginning, behind the part that the host has.
    case `repeat`
    /// The sink is parked: someone clears the host's field, and resumes it.
    case park
  }

  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "keyboard"
  /// The device file: `/dev/uinput` for this machine's own desktop, `/dev/hidg0` and so on for the host on the USB cable.
  public var device = Self.desktopDevice
  public var typing = TypingSettings()
  public var controlCharacters = ControlCharacterRule.remove
  /// Whether the AIM symbology identifier, such as `]E0`, comes before the data.
  public var sendsAIMIdentifier = false
  /// The pause after each key that goes up.
  public var pause = Duration.milliseconds(5)
  public var interruption = Interruption.endAndRepeat
  public var retry = RetrySettings.serial

  public init() {}

  public static let desktopDevice = "/dev/uinput"

  /// Whether the device is a function of this board as a USB device.
  public var isOnUSB: Bool { device.wholeMatch(of: /\/dev\/hidg[0-9]/) != nil }
}

extension KeyboardSettings {
  public var target: String { "keyboard \(device)" }

  public var textFraming: FramingSettings? {
    var framing = FramingSettings()
    framing.controlCharacters = controlCharacters
    framing.sendsAIMIdentifier = sendsAIMIdentifier
    return framing
  }

  public var inputDevice: String? { device }

  public func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink {
    try KeyboardSink(settings: self, keyboard: surroundings.keyboard(self))
  }
}
