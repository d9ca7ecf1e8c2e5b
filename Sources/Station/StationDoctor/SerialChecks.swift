// Checks whether the host's serial line exists and no other program uses it. A port is never opened: that would move its
// control lines, which some hosts interpret as a start.

import DeliveryModel
import Sinks
import StationConfiguration

extension Doctor {
  static func serialPorts(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    configuration.sinks.compactMap { sink in
      sink.serialDevice.map { serialPort(sink.name, $0, system.serialPorts[$0] ?? .missing, system) }
    }
  }

  private static func serialPort(
    _ sink: String, _ device: String, _ port: SerialView, _ system: SystemView
  ) -> Finding {
    switch port {
    case .missing: return Trouble.serialAbsent.found(["sink": sink, "device": device])
    case .ambiguous:
      return Trouble.serialAmbiguous.found(["sink": sink, "device": device, "file": fileName(system)])
    case .there(let node, let holder, let isConsole, let hasModemManager):
      guard node.isDevice else { return Trouble.serialNoDevice.found(["sink": sink, "device": node.path]) }
      guard node.mayUse else {
        let isGroupAllowed = node.mode & 0o060 == 0o060 && node.group != "root"
        return Trouble.serialDenied.found([
          "sink": sink, "device": node.path, "user": system.user, "group": isGroupAllowed ? node.group : "dialout",
        ])
      }
      if isConsole { return Trouble.serialConsole.found(["sink": sink, "device": node.path]) }
      if let holder, holder != "reticle" {
        return Trouble.serialHeld.found(["sink": sink, "device": node.path, "program": holder])
      }
      let isAdapter = !node.deviceClasses.filter { ["ttyUSB", "ttyACM"].contains($0) }.isEmpty
      if hasModemManager, isAdapter { return Trouble.serialModemManager.found(["sink": sink, "device": node.path]) }
      return .ok(.serial, "\(sink): \(node.path)" + (holder == nil ? "" : ", which the station uses"))
    }
  }

  /// Checks whether the unit allows the service to open the configured devices.
  static func service(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard let allowed = system.allowedDevices else { return [] }
    var nodes: [FileView] = []
    for device in configuration.sinks.compactMap(\.serialDevice) {
      if case .there(let node, _, _, _) = system.serialPorts[device], node.isDevice { nodes.append(node) }
    }
    nodes += configuration.sinks.compactMap(\.inputDevice).compactMap { system.inputDevices[$0] }
    let closed = nodes.filter { node in
      !allowed.contains {
        $0 == node.path || $0 == "char-*" || $0.hasPrefix("char-") && node.deviceClasses.contains(String($0.dropFirst(5)))
      }
    }
    if closed.isEmpty { return [.ok(.service, "the unit is installed")] }
    return closed.map { Trouble.deviceClosed.found(["device": $0.path]) }
  }
}
