// `reticle torch`: switches the torch manually, also after a station was killed: the unit's ExecStopPost turns it off.

import ArgumentParser
import Devices
import LinuxDevices
import StationConfiguration

struct TorchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "torch",
    abstract: "Switch the torch, or say what it does.",
    discussion: """
      The torch is the one of the configuration. While a station runs it holds a torch on a line; then only the station \
      switches it.

      Exit status: 0 if the torch does what was asked for, or was told; 1 if not; 78 if the configuration is wrong.
      """)

  enum Order: String, ExpressibleByArgument, CaseIterable { case on, off, status }

  @Argument(help: "on, off or status.")
  var order: Order

  @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"]))
  var config: String?

  func run() async throws {
    let settings = try await ConfigurationLoading.load(config).devices.torch
    guard settings != .none else {
      // Without a lamp, the torch counts as off: an ExecStopPost must not fail for that.
      StandardOutput.writeError(
        "reticle: there is no torch; set torch.line, torch.led or torch.pwm_chip"
          + ConfigurationLoading.hint(ConfigurationLoading.file(config)) + "\n")
      if order == .off { return }
      throw ExitCode(1)
    }
    switch order {
    case .status: try await tell(settings)
    case .on, .off: try await drive(settings, isOn: order == .on)
    }
  }

  private func drive(_ settings: TorchSettings, isOn: Bool) async throws {
    let outcome = await StationDevices.makeTorch(settings).set(isOn: isOn)
    if let trouble = outcome.trouble {
      StandardOutput.writeError("reticle: \(trouble)\n")
      throw ExitCode(1)
    }
    print(outcome.isOn ? "on" : "off")
  }

  private func tell(_ settings: TorchSettings) async throws {
    switch settings {
    case .none: return
    case .line(let line):
      #if Lines
        switch LineTorch.look(at: line) {
        case .success(let isOn): print(isOn ? "on" : "off")
        case .failure(let failure):
          StandardOutput.writeError("reticle: \(failure)\n")
          throw ExitCode(1)
        }
      #endif
    case .led(let name): try tell(await SysfsTorch(led: name).readState(), name)
    case .pwm(let pwm): try tell(await SysfsTorch(pwm: pwm).readState(), "\(pwm.chip):\(pwm.channel)")
    }
  }

  private func tell(_ isOn: Bool?, _ name: String) throws {
    guard let isOn else {
      StandardOutput.writeError("reticle: \(name): what it does cannot be read\n")
      throw ExitCode(1)
    }
    print(isOn ? "on" : "off")
  }
}
