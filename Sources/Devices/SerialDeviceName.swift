// What an operator calls a serial device. USB adapters are numbered in the order in which they were plugged in; their
// vendor, product and serial number stay.

/// A serial device by its path, or a USB device by its identity: `usb:0403:6001` or `usb:0403:6001:A50285BI`.
public enum SerialDeviceName: Equatable, Sendable {
  case path(String)
  /// Vendor and product as four hexadecimal digits in lower case, as sysfs writes them; any serial number when nil.
  case usb(vendor: String, product: String, serial: String?)

  public static let usbPrefix = "usb:"

  /// nil when it begins as a USB identity and is none.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.usbPrefix) else {
      self = .path(text)
      return
    }
    // The serial number may have colons of its own.
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
