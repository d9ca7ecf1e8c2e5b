// Checks for a panel to show the screen, fonts, and input devices.

import StationConfiguration

extension Doctor {
  static func screen(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard configuration.screen.output != .none else { return [] }
    var findings: [Finding] = []
    if !system.screen.hasFonts { findings.append(Trouble.fontsAbsent.found([:])) }
    guard configuration.screen.output == .kms else { return findings }
    return [panel(system, configuration)] + findings + inputs(system)
  }

  private static func panel(_ system: SystemView, _ configuration: StationConfiguration) -> Finding {
    let wanted = configuration.screen.card
    // A card may be named by a link in /dev/dri/by-path, which the inspection has resolved.
    let cards = system.screen.cards
    guard !cards.isEmpty else { return Trouble.screenAbsent.found(["card": wanted ?? "/dev/dri/card0"]) }
    let usable = cards.filter(\.node.mayUse)
    guard !usable.isEmpty else {
      let node = cards[0].node
      return Trouble.screenDenied.found(["device": node.path, "user": system.user, "group": joinableGroup(node)])
    }
    // A card may have no connectors, like the 3D engine of a Raspberry Pi 4.
    let connectors = usable.flatMap { card in card.connectors.map { (card: card, connector: $0) } }
    let names = connectors.map(\.connector.name).joined(separator: ", ")
    let wished = configuration.screen.connector
    let candidates = connectors.filter { wished == nil || $0.connector.name == wished }
    if let wished, candidates.isEmpty {
      return Trouble.screenConnectorAbsent.found([
        "connector": wished, "connectors": names.isEmpty ? "none" : names, "file": fileName(system),
      ])
    }
    guard let panel = candidates.first(where: \.connector.isConnected) else {
      return Trouble.screenUnplugged.found(["connectors": wished ?? (names.isEmpty ? usable[0].node.path : names)])
    }
    if let holder = panel.card.holder, holder != "reticle" {
      return Trouble.screenHeld.found(["device": panel.card.node.path, "program": holder])
    }
    return .ok(.screen, "\(panel.connector.name) on \(panel.card.node.path)")
  }

  private static func inputs(_ system: SystemView) -> [Finding] {
    guard let node = system.screen.inputs.first, system.screen.inputs.allSatisfy({ !$0.mayRead }) else { return [] }
    let group = node.group == "root" ? "input" : node.group
    return [Trouble.inputDenied.found(["device": node.path, "user": system.user, "group": group])]
  }
}
