// The keys of the USB scanner.

import Delivery

extension SinkKind {
  static let hidPOS = SinkKind(word: "hid_pos", example: "hid_pos: {device: /dev/hidg1}", keys: hidPOSKeys.rows) {
    section, reading in
    var settings = HIDPOSSettings()
    hidPOSKeys.read(section, &reading, into: &settings)
    if settings.device.wholeMatch(of: /\/dev\/hidg[0-9]/) == nil {
      reading.report(
        "\(section).device is \"\(settings.device)\"; it must be /dev/hidg0 to /dev/hidg9, for the host on the USB cable",
        at: reading.place(of: "\(section).device"))
    }
    return settings
  }

  private static let hidPOSKeys = KeySection(
    "sinks[].hid_pos", HIDPOSSettings(),
    [
      Field(
        "device", \.device, .text(100),
        "The scanner's device, as reticle gadget status shows it: /dev/hidg1 beside a keyboard, otherwise /dev/hidg0."),
      Field(
        "interrupted", \.interruption, .choice,
        "After a scan that the host may have, whole or in part: sends it again from its beginning, under the same "
          + "sequence number, or parks the sink until reticle outbox retry."),
    ])
}
