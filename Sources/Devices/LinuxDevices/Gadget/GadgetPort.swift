// The device file of a function of the USB gadget, opened when it is first used.

import Devices

/// A function's device file. Belongs to one actor.
struct GadgetPort {
  let name: String
  let function: USBGadget.Function
  /// Nil while it is closed.
  private(set) var file: GadgetFile?

  init(_ name: String, _ function: USBGadget.Function) {
    self.name = name
    self.function = function
  }

  /// Opens the file, unless it is open.
  ///
  /// - Throws: also that the device belongs to another function, which would take these reports for its own.
  mutating func open() throws(InputFailure) -> GadgetFile {
    if let file { return file }
    let devices = USBGadget().status?.devices ?? [:]
    if let other = devices.first(where: { $0.value == name && $0.key != function })?.key {
      throw InputFailure(
        "\(name): it is the \(other)",
        remedy: devices[function].map { "set the sink's device to \($0)" } ?? "sudo reticle gadget install keyboard hid-pos")
    }
    let opened = try GadgetFile(name)
    file = opened
    return opened
  }

  mutating func close() { file = nil }
}
