// Checks whether the lines of torch, buttons and lamps are available: the chip, the line, and no other holder.

import Devices
import StationConfiguration

extension Doctor {
  static func lines(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    let uses = configuration.lineUses
    guard !uses.isEmpty else { return [] }
    let view = system.lines
    if view.chips.isEmpty, let node = view.nodes.first(where: { !$0.mayUse }) {
      let group = node.mode & 0o060 == 0o060 && node.group != "root" ? node.group : "gpio"
      return [Trouble.linesDenied.found(["device": node.path, "user": system.user, "group": group])]
    }
    return uses.map { line($0.key, $0.line.address, system) }
  }

  private static func line(_ use: String, _ address: LineAddress, _ system: SystemView) -> Finding {
    let view = system.lines
    let chips = view.chips.filter { address.chip == nil || $0.label == address.chip }
    guard !chips.isEmpty else {
      let names = view.chips.map(\.label).joined(separator: ", ")
      return Trouble.lineChipAbsent.found([
        "use": use, "chip": address.chip ?? "", "chips": names.isEmpty ? "none" : names, "file": fileName(system),
      ])
    }
    var matches: [(chip: LinesView.Chip, line: LinesView.Line)] = []
    for chip in chips {
      if let offset = address.offset {
        if Int(offset) < chip.lines.count { matches.append((chip, chip.lines[Int(offset)])) }
      } else {
        matches += chip.lines.filter { $0.name == address.line }.map { (chip, $0) }
      }
    }
    guard let match = matches.first else { return Trouble.lineAbsent.found(["use": use, "line": "\(address)"]) }
    // If two chips share a label, a line's offset refers to the first chip, as in the station.
    guard matches.count == 1 || address.offset != nil else {
      let names = matches.map(\.chip.label).joined(separator: ", ")
      return Trouble.lineAmbiguous.found(["use": use, "line": address.line, "chips": names, "file": fileName(system)])
    }
    switch match.line.holder {
    case nil: return .ok(.lines, "\(use): \(address) is free")
    case "reticle": return .ok(.lines, "\(use): the station holds \(address)")
    case let holder?:
      return Trouble.lineHeld.found([
        "use": use, "holder": holder.isEmpty ? "the kernel" : holder, "line": "\(address)", "device": match.chip.path,
      ])
    }
  }

  static func torch(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    let name: String
    switch configuration.devices.torch {
    case .none, .line: return []
    case .led(let led): name = "/sys/class/leds/\(led)"
    case .pwm(let pwm): name = "PWM \(pwm.chip):\(pwm.channel)"
    }
    guard let file = system.lines.torchFile else { return [Trouble.torchAbsent.found(["file": name])] }
    guard file.mayWrite else { return [Trouble.torchDenied.found(["file": file.path, "user": system.user])] }
    if case .led = configuration.devices.torch, configuration.devices.strobe != nil, !system.lines.torchHasFlash {
      return [Trouble.torchFlashAbsent.found(["file": name])]
    }
    return [.ok(.torch, "\(name) can be switched")]
  }
}
