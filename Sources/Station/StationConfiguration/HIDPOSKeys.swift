// The keys of the USB scanner.

import Delivery

extension SinkKind {
  static let hidPOS = SinkKind(
    word: "hid_pos", example: "hid_pos: {device: /dev/hidg1}", keys: [.hidPOSDevice, .hidPOSInterrupted]
  ) { section, reading in
    var settings = HIDPOSSettings()
    settings.device = reading.text(.hidPOSDevice, as: "\(section).device") ?? settings.device
    if settings.device.wholeMatch(of: /\/dev\/hidg[0-9]/) == nil {
      reading.report(
        "\(section).device is \"\(settings.device)\"; it must be /dev/hidg0 to /dev/hidg9, for the host on the USB cable",
        at: reading.place(of: "\(section).device"))
    }
    settings.interruption =
      reading.choice(.hidPOSInterrupted, HIDPOSSettings.Interruption.self, "\(section).interrupted")
      ?? settings.interruption
    return settings
  }
}

extension ConfigurationKey {
  static let hidPOSDevice = Self(
    "sinks[].hid_pos.device", .text(100), HIDPOSSettings().device,
    "The scanner's device, as reticle gadget status shows it: /dev/hidg1 beside a keyboard, otherwise /dev/hidg0.")
  static let hidPOSInterrupted = Self(
    "sinks[].hid_pos.interrupted", .choice(words(HIDPOSSettings.Interruption.self)), "repeat",
    "After a scan that the host may have, whole or in part: sends it again from its beginning, under the same sequence number, or "
      + "parks the sink until reticle outbox retry.")
}
