// The sinks of a starting file, for `reticle config init`.

import Devices
import MQTT
import Sinks

/// A sink in a starting file.
public struct StartingSink: Equatable, Sendable {
  /// Scans on standard output: for a terminal, not for a service.
  public static let standardOutput = StartingSink(lines: ["  - stdout"])

  let lines: [String]

  /// Scans posted to an address.
  ///
  /// - Throws: the requirement that the address does not meet.
  public init(webhook url: String) throws(ConfigurationProblem) {
    guard ConfigurationParsing.webAddress(url) != nil else {
      throw Self.problem(url, ConfigurationKind.webAddress.expectation)
    }
    lines = ["  - webhook:", "      url: \(ConfigurationReference.quoted(url))"]
  }

  /// Scans written to a serial device.
  ///
  /// - Throws: the requirement that the device does not meet.
  public init(serial device: String) throws(ConfigurationProblem) {
    guard !device.isEmpty, SerialDeviceName(device) != nil else {
      throw Self.problem(device, "a device such as /dev/ttyUSB0, or a USB adapter such as usb:0403:6001, as lsusb shows it")
    }
    lines = ["  - serial:", "      device: \(ConfigurationReference.quoted(device))"]
  }

  /// Scans sent to a host that the station connects to.
  ///
  /// - Throws: what would be right.
  public init(tcp place: String) throws(ConfigurationProblem) {
    guard TCPPlace(place) != nil else {
      throw Self.problem(place, "a host and a port such as till.example:9100 or [::1]:9100")
    }
    lines = ["  - tcp:", "      connect: \(ConfigurationReference.quoted(place))"]
  }

  /// Scans published to a broker.
  ///
  /// - Throws: what would be right. It does not repeat the address, which may name a user with a password.
  public init(mqtt broker: String) throws(ConfigurationProblem) {
    guard MQTTAddress(broker) != nil else { throw ConfigurationProblem("it \(SinkKind.brokerRefusal)") }
    lines = ["  - mqtt:", "      broker: \(ConfigurationReference.quoted(broker))"]
  }

  private init(lines: [String]) { self.lines = lines }

  private static func problem(_ text: String, _ expectation: String) -> ConfigurationProblem {
    ConfigurationProblem("it is \"\(text)\"; it must be \(expectation)")
  }
}
