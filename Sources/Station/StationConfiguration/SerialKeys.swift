// The keys of a serial line.

import Delivery
import Devices

extension SinkKind {
  static let serial = SinkKind(
    word: "serial", example: "serial: {device: /dev/…}",
    keys: [.serialDevice, .serialBaud, .serialDataBits, .serialParity, .serialStopBits, .serialFlowControl]
      + HostLineKeys.serial.all
  ) { section, reading in
    let device = reading.required(.serialDevice, "\(section).device") { $0.serialDevice($1) }
    var settings = SerialSettings(device: device ?? "")
    settings.line = line(section, &reading)
    HostLineKeys.serial.read(section, &reading, into: &settings)
    return device == nil ? nil : settings
  }

  private static func line(_ section: String, _ reading: inout ConfigurationReading) -> SerialLineSettings {
    var line = SerialLineSettings()
    line.baudRate = reading.choice(.serialBaud, "\(section).baud").flatMap { Int($0) } ?? line.baudRate
    line.dataBits = reading.choice(.serialDataBits, "\(section).data_bits").flatMap { Int($0) } ?? line.dataBits
    line.parity = reading.choice(.serialParity, SerialLineSettings.Parity.self, "\(section).parity") ?? line.parity
    line.stopBits = reading.choice(.serialStopBits, "\(section).stop_bits").flatMap { Int($0) } ?? line.stopBits
    line.flowControl =
      reading.choice(.serialFlowControl, SerialLineSettings.FlowControl.self, "\(section).flow_control")
      ?? line.flowControl
    return line
  }
}

extension HostLineKeys {
  static let serial = Self(kind: "serial")
}

extension ConfigurationKey {
  static let serialDevice = Self(
    "sinks[].serial.device", .text(4096), "",
    "The serial device: a path, preferably in /dev/serial/by-path, or a USB adapter as usb:0403:6001 or "
      + "usb:0403:6001:SERIAL.")
  static let serialBaud = Self(
    "sinks[].serial.baud", .choice(SerialLineSettings.supportedBaudRates.map { "\($0)" }), "9600", "Bits per second.")
  static let serialDataBits = Self("sinks[].serial.data_bits", .choice(["7", "8"]), "8", "Bits per character.")
  static let serialParity = Self(
    "sinks[].serial.parity", .choice(words(SerialLineSettings.Parity.self)), "none", "The parity bit.")
  static let serialStopBits = Self("sinks[].serial.stop_bits", .choice(["1", "2"]), "1", "Stop bits.")
  static let serialFlowControl = Self(
    "sinks[].serial.flow_control", .choice(words(SerialLineSettings.FlowControl.self)), "none",
    "How the host can pause the line: by RTS and CTS, or by XON and XOFF.")
}
