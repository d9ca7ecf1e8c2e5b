// The board as a USB device with functions of Reticle, through the kernel's configfs (Documentation/usb/gadget_configfs.rst).

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The USB device that the board is to the host on its cable. Changing it needs root.
public struct USBGadget {
  /// A function of the device.
  public enum Function: String, CaseIterable, Sendable {
    /// A boot keyboard, `/dev/hidg0`.
    case keyboard
    /// A bar code scanner, usage page 0x8C: `/dev/hidg1` if there is a keyboard, otherwise `/dev/hidg0`.
    case scanner = "hid-pos"
    /// A serial port, `/dev/ttyGS0`: CDC ACM, for which hosts have a driver.
    case serial
  }

  /// The state of the device.
  public struct Status: Equatable, Sendable {
    public var functions: [Function]
    /// The device file of each function, where it is there.
    public var devices: [Function: String]
    /// The USB device controller in use; empty if the device is not connected to one.
    public var controller: String
    /// The controller's word, such as `configured`, `suspended` or `not attached` (Documentation/ABI/stable/sysfs-class-udc).
    public var state: String
  }

  /// The reason why a change failed.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    public var summary: String
    public var remedy: String
    public var description: String { "\(summary); \(remedy)" }
  }

  private let configuration: String
  private let controllers: String
  private var gadget: String { configuration + "/usb_gadget/reticle" }

  /// - Parameters:
  ///   - configuration: where configfs is mounted.
  ///   - controllers: the kernel's class of USB device controllers.
  public init(configuration: String = "/sys/kernel/config", controllers: String = "/sys/class/udc") {
    self.configuration = configuration
    self.controllers = controllers
  }

  /// The USB device controllers of the board.
  public var controllerNames: [String] { names(in: controllers) }

  /// The device's state; nil if it is not installed.
  public var status: Status? {
    guard access(gadget, F_OK) == 0 else { return nil }
    let functions = Function.allCases.filter { access("\(gadget)/configs/c.1/\($0.folder)", F_OK) == 0 }
    let controller = read("\(gadget)/UDC") ?? ""
    var devices: [Function: String] = [:]
    for function in functions { devices[function] = device(of: function) }
    return Status(
      functions: functions, devices: devices, controller: controller,
      state: controller.isEmpty ? "not connected" : read("\(controllers)/\(controller)/state") ?? "unknown")
  }

  /// Installs the device, and replaces one that is installed.
  ///
  /// - Parameter controller: its name; nil takes the board's only free one.
  /// - Throws: the first file that could not be written. The device is then removed again.
  public func install(_ functions: [Function], on controller: String? = nil) throws(Failure) {
    guard access(configuration + "/usb_gadget", F_OK) == 0 else {
      throw Failure(
        summary: "\(configuration)/usb_gadget does not exist",
        remedy: "sudo modprobe libcomposite; without root, nothing here can be changed")
    }
    let controller = try chooseController(controller)
    try remove()
    do throws(Failure) {
      try make(functions)
      try write(controller, to: "\(gadget)/UDC")
    } catch {
      try? remove()
      throw error
    }
  }

  /// Removes the device; hosts see it being pulled out. Does nothing if it is not installed.
  public func remove() throws(Failure) {
    guard access(gadget, F_OK) == 0 else { return }
    if let controller = read("\(gadget)/UDC"), !controller.isEmpty { try write("\n", to: "\(gadget)/UDC") }
    // configfs removes a folder's files with it, and wants links and folders removed from the inside out.
    for name in names(in: "\(gadget)/configs/c.1") where Function.allCases.contains(where: { $0.folder == name }) {
      try check(unlink("\(gadget)/configs/c.1/\(name)"), "\(gadget)/configs/c.1/\(name)")
    }
    for folder in ["configs/c.1/strings/0x409", "configs/c.1"] + names(in: "\(gadget)/functions").map({ "functions/\($0)" })
      + ["strings/0x409", ""]
    {
      let path = folder.isEmpty ? gadget : "\(gadget)/\(folder)"
      if access(path, F_OK) == 0 { try check(rmdir(path), path) }
    }
  }

  private func chooseController(_ wanted: String?) throws(Failure) -> String {
    let all = controllerNames
    if let wanted {
      guard all.contains(wanted) else {
        throw Failure(
          summary: "\(wanted) is no USB device controller of this board",
          remedy: all.isEmpty ? "it has none" : "choose one of " + all.joined(separator: ", "))
      }
      return wanted
    }
    let used = names(in: configuration + "/usb_gadget").filter { $0 != "reticle" }.compactMap {
      read("\(configuration)/usb_gadget/\($0)/UDC")
    }
    guard let free = all.first(where: { !used.contains($0) }) else {
      guard all.isEmpty else {
        throw Failure(
          summary: "another gadget uses \(all.joined(separator: ", "))", remedy: "remove it from \(configuration)/usb_gadget"
        )
      }
      throw Failure(
        summary: "the board has no USB device controller",
        remedy: "on a Raspberry Pi, add dtoverlay=dwc2,dr_mode=peripheral to config.txt and restart")
    }
    return free
  }

  private func make(_ functions: [Function]) throws(Failure) {
    for folder in ["", "/strings", "/strings/0x409", "/configs", "/configs/c.1", "/configs/c.1/strings/0x409"] {
      if access(gadget + folder, F_OK) != 0 { try check(mkdir(gadget + folder, 0o755), gadget + folder) }
    }
    // The Linux Foundation's vendor and its product for composite devices (usb.ids), a class per function.
    let attributes = [
      ("idVendor", "0x1d6b"), ("idProduct", "0x0104"), ("bcdUSB", "0x0200"), ("bcdDevice", "0x0100"),
      ("bDeviceClass", "0xef"), ("bDeviceSubClass", "0x02"), ("bDeviceProtocol", "0x01"),
      ("strings/0x409/manufacturer", "Reticle"), ("strings/0x409/product", "Scanner"),
      ("strings/0x409/serialnumber", serialNumber), ("configs/c.1/MaxPower", "500"),
      ("configs/c.1/strings/0x409/configuration", "Scanner"),
    ]
    for (file, value) in attributes { try write(value, to: "\(gadget)/\(file)") }
    for function in Function.allCases where functions.contains(function) {
      let folder = "\(gadget)/functions/\(function.folder)"
      try check(mkdir(folder, 0o755), folder)
      for (file, value) in function.attributes {
        // Older kernels lack no_out_endpoint, and have an endpoint instead.
        if access("\(folder)/\(file)", F_OK) == 0 { try write(value, to: "\(folder)/\(file)") }
      }
      let link = "\(gadget)/configs/c.1/\(function.folder)"
      try check(symlink(folder, link), link)
    }
  }

  /// The machine's id, hashed by FNV-1a (draft-eastlake-fnv) so that hosts do not learn it.
  private var serialNumber: String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in (read("/etc/machine-id") ?? "reticle").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  private func device(of function: Function) -> String? {
    let folder = "\(gadget)/functions/\(function.folder)"
    switch function {
    case .keyboard, .scanner:
      guard let numbers = read("\(folder)/dev"), let minor = numbers.split(separator: ":").last else { return nil }
      return "/dev/hidg\(minor)"
    case .serial: return read("\(folder)/port_num").map { "/dev/ttyGS\($0)" }
    }
  }

  // MARK: Files

  private func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// The first line of a short file; nil if it cannot be read.
  private func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  private func write(_ value: String, to path: String) throws(Failure) { try write(Array(value.utf8), to: path) }

  private func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    try check(descriptor, path)
    defer { _ = Glibc.close(descriptor) }
    let count = Glibc.write(descriptor, bytes, bytes.count)
    try check(count == bytes.count ? 0 : -1, path)
  }

  private func check(_ result: Int32, _ path: String) throws(Failure) {
    guard result < 0 else { return }
    let code = errno
    let remedy =
      switch code {
      case EACCES, EPERM: "run it as root: sudo reticle gadget"
      case EBUSY: "another program uses the device; stop the station first"
      default: "see the kernel log (dmesg)"
      }
    throw Failure(summary: "\(path): \(String(cString: strerror(code)).lowercased())", remedy: remedy)
  }
}

extension USBGadget.Function {
  /// Its folder in configfs: the kernel's function and a name.
  var folder: String {
    switch self {
    case .keyboard: "hid.keyboard"
    case .scanner: "hid.scanner"
    case .serial: "acm.serial"
    }
  }

  /// Its files in configfs with what is written to them.
  var attributes: [(String, [UInt8])] {
    switch self {
    case .keyboard:
      [
        ("protocol", Array("1".utf8)), ("subclass", Array("1".utf8)), ("report_length", Array("8".utf8)),
        // Hosts that set lights over the control endpoint alone find it.
        ("no_out_endpoint", Array("1".utf8)), ("report_desc", Self.keyboardDescriptor),
      ]
    case .scanner:
      [
        ("protocol", Array("0".utf8)), ("subclass", Array("0".utf8)), ("report_length", Array("64".utf8)),
        ("no_out_endpoint", Array("1".utf8)), ("report_desc", Self.scannerDescriptor),
      ]
    case .serial: []
    }
  }

  /// The scanner's report descriptor, for the reports of `ScannerReport` (HID Point of Sale Usage Tables 1.02, section 3).
  private static let scannerDescriptor: [UInt8] = [
    0x05, 0x8C, 0x09, 0x02, 0xA1, 0x01,  // Bar code scanner page, bar code scanner, application
    0x09, 0x12, 0xA1, 0x02, 0x85, 0x02,  // Scanned data report, logical, report 2
    0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08,  // Bytes
    0x95, 0x01, 0x05, 0x01, 0x09, 0x3B, 0x81, 0x02,  // Generic desktop: byte count
    0x95, 0x03, 0x05, 0x8C, 0x09, 0xFB, 0x09, 0xFC, 0x09, 0xFD, 0x81, 0x02,  // Symbology identifier 1 to 3
    0x95, 0x38, 0x09, 0xFE, 0x82, 0x02, 0x01,  // Decoded data: 56 buffered bytes
    0x95, 0x02, 0x06, 0x00, 0xFF, 0x09, 0x01, 0x82, 0x02, 0x01,  // Vendor-defined: the scan's number, 2 buffered bytes
    0x95, 0x01, 0x05, 0x8C, 0x25, 0x01, 0x75, 0x01, 0x09, 0xFF, 0x81, 0x02,  // Decode data continued: 1 bit
    0x75, 0x07, 0x81, 0x03,  // 7 bits unused
    0xC0, 0xC0,
  ]

  /// The boot keyboard's report descriptor (Device Class Definition for HID 1.11, appendix E.6).
  private static let keyboardDescriptor: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xA1, 0x01,  // Generic desktop, keyboard, application
    0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01,  // Key codes: the modifiers, 0 or 1
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02,  // 8 × 1 bit
    0x95, 0x01, 0x75, 0x08, 0x81, 0x01,  // A reserved byte
    0x95, 0x05, 0x75, 0x01, 0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x91, 0x02,  // Lights: 5 × 1 bit out
    0x95, 0x01, 0x75, 0x03, 0x91, 0x01,  // 3 bits unused
    0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x05, 0x07, 0x19, 0x00, 0x2A, 0xFF, 0x00, 0x81, 0x00,  // 6 keys
    0xC0,
  ]
}
