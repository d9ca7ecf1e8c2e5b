// The operator's name for a serial device. The number of a USB adapter depends on the order of plugging in; its vendor,
// product and serial number do not.

/// A serial device by its path, or a USB device by its identity: `usb:0403:6001` or `usb:0403:6001:A50285BI`.
public enum SerialDeviceName: Equatable, Sendable {
  case path(String)
  /// Vendor and product as four hexadecimal digits in lower case, as in sysfs; any serial number if nil.
  case usb(vendor: String, product: String, serial: String?)

  public static let usbPrefix = "usb:"

  /// Nil if the text begins like a USB identity but is not one.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.usbPrefix) else {
      self = .path(text)
      return
    }
    // The serial number may contain colons.
    let parts = text.dropFirst(Self.usbPrefix.count).split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let vendor = Self.number(parts[0]), let product = Self.number(parts[1]) else { return nil }
    let serial = parts.count > 2 ? String(parts[2]) : nil
    guard serial?.isEmpty != true else { return nil }
    self = .usb(vendor: vendor, product: product, serial: serial)
  }

  private static func number(_ text: Substring) -> String? {
    guard text.utf8.count == 4, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    return text.lowercased()
  }
}
