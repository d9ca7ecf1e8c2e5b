// The keys of a serial line.

import Devices
import Sinks

extension SinkKind {
  static let serial = SinkKind(
    word: "serial", example: "serial: {device: /dev/…}", keys: serialKeys.rows + HostLineKeys.serial.rows
  ) { section, reading in
    var settings = SerialSettings(device: "")
    serialKeys.read(section, &reading, into: &settings)
    HostLineKeys.serial.read(section, &reading, into: &settings)
    return settings.device.isEmpty ? nil : settings
  }

  private static let serialKeys = KeySection(
    "sinks[].serial", SerialSettings(device: ""),
    [
      Field(
        "device", \.device, .serialDevice,
        "The serial device: a path, preferably in /dev/serial/by-path, or a USB adapter as usb:0403:6001 or "
          + "usb:0403:6001:SERIAL.", isRequired: true),
      Field("baud", \.line.baudRate, .choice(from: SerialLineSettings.supportedBaudRates), "Bits per second."),
      Field("data_bits", \.line.dataBits, .choice(from: [7, 8]), "Bits per character."),
      Field("parity", \.line.parity, .choice, "The parity bit."),
      Field("stop_bits", \.line.stopBits, .choice(from: [1, 2]), "Stop bits."),
      Field(
        "flow_control", \.line.flowControl, .choice,
        "How the host can pause the line: by RTS and CTS, or by XON and XOFF."),
    ])
}

extension HostLineKeys<SerialSettings> {
  static let serial = Self(kind: "serial", SerialSettings(device: ""))
}

extension ValueForm<String> {
  /// A serial device by path or by USB identity.
  fileprivate static let serialDevice = text(4096).refined(
    { SerialDeviceName($0) == nil ? nil : $0 }, write: { $0 },
    refusal: { name, text in
      "\(name) is \"\(text)\"; a USB adapter is written as usb:0403:6001 or usb:0403:6001:SERIAL, as lsusb shows it"
    })
}
