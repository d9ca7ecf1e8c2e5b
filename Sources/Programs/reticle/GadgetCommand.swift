// `reticle gadget`: the board as a USB keyboard, scanner and serial port of the host on its cable; the unit reticle-gadget calls it.

public import ArgumentParser
public import LinuxDevices

struct GadgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gadget",
    abstract: "Make the board a USB device of the host on its cable.",
    subcommands: [Install.self, Status.self, Remove.self])

  struct Install: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set up the USB device; needs root.",
      discussion: """
        Replaces a device that was set up before; the host sees it being pulled out and plugged in. The device lasts until \
        remove or a restart of the board: `systemctl enable --now reticle-gadget` sets it up at each start.

        Exit status: 0 if the device is set up; 1 if not, and then there is none.
        """)

    @Argument(help: "keyboard (/dev/hidg0), hid-pos (/dev/hidg1) and serial (/dev/ttyGS0); all by default.")
    var functions: [USBGadget.Function] = USBGadget.Function.allCases

    @Option(help: "The USB device controller, as in /sys/class/udc; by default the first free one.")
    var controller: String?

    func run() throws {
      try GadgetCommand.carryOut { gadget throws(USBGadget.Failure) in try gadget.install(functions, on: controller) }
      GadgetCommand.show()
    }
  }

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say what the USB device is, and whether a host has it.",
      discussion: "Exit status: 0 if the device is set up and a host has configured it; 1 if not.")

    func run() throws { if !GadgetCommand.show() { throw ExitCode(1) } }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the USB device; needs root.",
      discussion: "The host sees it being pulled out. Exit status: 0 if no device is left; 1 otherwise.")

    func run() throws {
      try GadgetCommand.carryOut { gadget throws(USBGadget.Failure) in try gadget.remove() }
    }
  }

  private static func carryOut(_ change: (USBGadget) throws(USBGadget.Failure) -> Void) throws {
    do throws(USBGadget.Failure) {
      try change(USBGadget())
    } catch {
      StandardOutput.writeError("reticle: \(error)\n")
      throw ExitCode(1)
    }
  }

  /// Prints the device's state; returns whether a host has configured it.
  @discardableResult private static func show() -> Bool {
    guard let status = USBGadget().status else {
      print("not installed")
      return false
    }
    print("\(status.controller.isEmpty ? "no controller" : status.controller): \(status.state)")
    for function in status.functions {
      print("\(function.rawValue)\t\(status.devices[function] ?? "no device file")")
    }
    return status.state == "configured"
  }
}

extension USBGadget.Function: ExpressibleByArgument {}
