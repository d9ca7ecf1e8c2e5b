// From the operator's name for a serial device to the file to open: sysfs shows the current number of a USB adapter. The
// name is resolved at each opening, so that an adapter that returns under another number is found.

public import Devices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SerialDeviceName {
  /// Levels from a tty up to its USB device: the interface, the device, and one more for adapters with a port of their own.
  private static let levelCountMax = 6
  /// Bytes read of an attribute; a USB serial number has at most 126 characters.
  private static let attributeByteCountMax = 256

  /// The file to open.
  ///
  /// - Parameters:
  ///   - ttys: the folder of all ttys in sysfs.
  /// - Throws: `missing` if no adapter has the identity, `ambiguous` if several do.
  public func file(ttys: String = "/sys/class/tty") throws(SerialPortFailure) -> String {
    guard case .usb(let vendor, let product, let serial) = self else {
      if case .path(let path) = self { return path }
      preconditionFailure("a serial device is a path or a USB identity")
    }
    var found: [String] = []
    for tty in Self.names(in: ttys) {
      guard let device = Self.usbDevice(of: "\(ttys)/\(tty)"), Self.attribute("idVendor", of: device) == vendor,
        Self.attribute("idProduct", of: device) == product
      else { continue }
      if let serial, Self.attribute("serial", of: device) != serial { continue }
      found.append(tty)
    }
    let name = ([vendor, product] + (serial.map { [$0] } ?? [])).joined(separator: ":")
    guard let tty = found.first else {
      throw SerialPortFailure(.missing, operation: "find", device: Self.usbPrefix + name)
    }
    guard found.count == 1 else { throw SerialPortFailure(.ambiguous, operation: "find", device: Self.usbPrefix + name) }
    return "/dev/" + tty
  }

  private static func names(in folder: String) -> [String] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The folder of the USB device behind a tty: the nearest parent that has a vendor.
  private static func usbDevice(of tty: String) -> String? {
    guard let real = realpath(tty + "/device", nil) else { return nil }
    defer { free(real) }
    var folder = String(cString: real)
    for _ in 0..<levelCountMax {
      if access(folder + "/idVendor", R_OK) == 0 { return folder }
      guard let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else { return nil }
      folder = String(folder[..<slash])
    }
    return nil
  }

  private static func attribute(_ name: String, of folder: String) -> String? {
    let file = open(folder + "/" + name, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: attributeByteCountMax)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
