// Start reading here: the doctor's checks, in order. Each is a function of the machine's state and the configuration; none
// opens, lights or sends anything.

import Devices
import Sinks
public import StationConfiguration

/// Checks a machine against its configuration.
public enum Doctor {
  /// Every check of a station with a valid configuration.
  public static func examine(_ system: SystemView, _ configuration: StationConfiguration) -> DoctorReport {
    DoctorReport(
      configurationFile(system, configuration) + board(system, configuration) + camera(system, configuration)
        + lines(system, configuration) + torch(system, configuration) + screen(system, configuration)
        + serialPorts(system, configuration) + inputDevices(system, configuration) + outbox(system, configuration)
        + pictures(system, configuration) + rules(system, configuration)
        + setup(system, configuration)
        + clock(system, configuration)
        + network(system, configuration) + console(system, configuration) + speech(system, configuration)
        + service(system, configuration) + station(system))
  }

  /// The report for an invalid configuration: its errors, and nothing that depends on it.
  public static func examine(_ system: SystemView, _ error: ConfigurationError) -> DoctorReport {
    let file = system.configurationFile
    if let file, !file.mayRead { return DoctorReport(configurationFile(system, StationConfiguration())) }
    return DoctorReport(
      error.problems.map { problem in
        Trouble.configurationWrong.found(["problem": "\(error.file): \(problem)", "file": error.file])
      })
  }

  /// The finding for a missing configuration.
  public static func missing(_ file: String, board: String) -> DoctorReport {
    DoctorReport([Trouble.configurationMissing.found(["file": file, "board": board])])
  }

  /// The configuration's name in remedies.
  static func fileName(_ system: SystemView) -> String { system.configurationFile?.path ?? "/etc/reticle/reticle.yaml" }

  /// The group that owns a device file, if joining it gives access.
  static func joinableGroup(_ node: FileView) -> String {
    let isGroupAllowed = node.mode & 0o060 == 0o060
    return isGroupAllowed && node.group != "root" ? node.group : "video"
  }

  // MARK: Small checks

  static func setup(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard configuration.setup.isEnabled else { return [] }
    if let problem = system.setupProblem {
      return [Trouble.setupUnusable.found(["problem": problem, "file": fileName(system)])]
    }
    let count = configuration.setup.overlay.values.count
    return [.ok(.configuration, "set-up codes are accepted, and have changed \(count == 1 ? "1 key" : "\(count) keys")")]
  }

  static func configurationFile(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard let file = system.configurationFile else { return [.ok(.configuration, "none is named: the defaults hold")] }
    guard file.mayRead else { return [Trouble.configurationDenied.found(["file": file.path, "user": system.user])] }
    if system.isServiceFile, let problem = configuration.journalProblem {
      return [Trouble.configurationRefused.found(["file": file.path, "problem": "\(problem)"])]
    }
    if configuration.sinks.contains(where: \.holdsSecrets), file.mode & 0o004 != 0 {
      return [Trouble.configurationExposed.found(["file": file.path])]
    }
    return [.ok(.configuration, "\(file.path) is right, and \(system.user) may read it")]
  }

  static func board(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    let board = system.board
    let model = board.model.isEmpty ? "a machine without a device tree" : board.model
    let mine = board.chipsByBoard[board.name] ?? []
    let others = board.chipsByBoard.filter { $0.key != board.name }.sorted { $0.key < $1.key }
    for chip in configuration.lineUses.compactMap(\.line.address.chip) where !mine.contains(chip) {
      if let other = others.first(where: { $0.value.contains(chip) }) {
        return [Trouble.boardOther.found(["other": other.key, "model": model])]
      }
    }
    return [.ok(.board, "\(model): \(board.name)")]
  }

  static func clock(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    if system.unixSeconds < plausibleUnixSeconds {
      let date = "\(1970 + system.unixSeconds / 31_556_952)"
      return [Trouble.clockUnset.found(["date": date])]
    }
    if configuration.setup.isEnabled, system.isClockSynchronized == false { return [Trouble.setupClock.found([:])] }
    if configuration.sinks.contains(where: \.needsClock), system.isClockSynchronized == false {
      return [Trouble.clockUnsynchronized.found([:])]
    }
    return [.ok(.clock, system.isClockSynchronized == true ? "set, and kept right" : "set")]
  }

  /// The first second of 2025: an earlier time means that the clock was never set.
  static let plausibleUnixSeconds: Int64 = 1_735_689_600

  static func network(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    configuration.sinks.compactMap { sink in
      if let place = sink.listeningPlace { return listeningPort(sink.name, place, system.listeners[place.port]) }
      guard let peer = sink.peer else { return nil }
      guard let problem = system.unreachable[sink.name] else { return .ok(.network, "\(sink.name): \(peer.shown) answers") }
      guard let url = peer.url else {
        return Trouble.hostUnreachable.found([
          "sink": sink.name, "problem": problem, "host": peer.host, "port": "\(peer.port)",
        ])
      }
      return Trouble.sinkUnreachable.found(["sink": sink.name, "problem": problem, "url": url])
    }
  }

  private static func listeningPort(_ sink: String, _ place: TCPPlace, _ holder: String?) -> Finding {
    switch holder {
    case nil: .ok(.network, "\(sink): port \(place.port) is free")
    case "reticle": .ok(.network, "\(sink): port \(place.port) is the station's")
    case let program?:
      Trouble.listeningPortTaken.found([
        "sink": sink, "port": "\(place.port)", "program": program.isEmpty ? "a program" : program,
      ])
    }
  }

  static func inputDevices(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    configuration.sinks.compactMap { sink in
      guard let device = sink.inputDevice else { return nil }
      guard let node = system.inputDevices[device] else {
        let trouble = device == KeyboardSettings.desktopDevice ? Trouble.keyboardAbsent : .gadgetAbsent
        return trouble.found(["sink": sink.name, "device": device])
      }
      guard node.mayUse else {
        return Trouble.keyboardDenied.found(["sink": sink.name, "device": device, "user": system.user])
      }
      return .ok(.keyboard, "\(sink.name): \(device)")
    }
  }

  static func console(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard configuration.console.port > 0 else { return [] }
    let port = "\(configuration.console.port)"
    switch system.consolePortHolder {
    case nil: return [.ok(.console, "port \(port) is free")] + certificate(system, configuration)
    case "reticle": return [.ok(.console, "port \(port) is the station's")] + certificate(system, configuration)
    case let program?:
      return [Trouble.consolePortTaken.found(["port": port, "program": program.isEmpty ? "a program" : program])]
    }
  }

  /// How long before its end a certificate is worth a warning.
  private static let renewalDays: Int64 = 14

  private static func certificate(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard configuration.console.tls != .off else { return [] }
    guard let certificate = system.consoleCertificate else {
      return [.ok(.console, "the station makes its certificate when it starts")]
    }
    let daysLeft = (certificate.validity.upperBound - system.unixSeconds) / 86_400
    let trouble: String? =
      if system.unixSeconds > certificate.validity.upperBound {
        "has ended"
      } else if system.unixSeconds < certificate.validity.lowerBound {
        "is not valid yet"
      } else if daysLeft < renewalDays {
        daysLeft == 1 ? "ends in a day" : "ends in \(daysLeft) days"
      } else { nil }
    let fingerprint = Finding.ok(.console, "the certificate's SHA-256 fingerprint is \(certificate.fingerprint)")
    guard let trouble else { return [fingerprint] }
    return [fingerprint, Trouble.consoleCertificateEnds.found(["file": certificate.file, "when": trouble])]
  }

  static func station(_ system: SystemView) -> [Finding] {
    system.stationTroubles.map { Trouble.stationNotReady.found(["problem": $0]) }
  }

  static func speech(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard configuration.devices.speech.isEnabled else { return [] }
    return [system.hasSpeechProgram ? .ok(.speech, "espeak-ng is installed") : Trouble.speechAbsent.found([:])]
  }
}

extension StationConfiguration {
  /// Every configured line, with the key that names it.
  var lineUses: [(key: String, line: LineSettings)] {
    var uses = devices.buttons.map { ("buttons.\($0.button.rawValue)", $0.line) }
    // Outputs are named by their function; the address distinguishes them.
    uses += devices.outputs.map { ("outputs", $0.line) }
    if let privacy = devices.privacy { uses.append(("camera.privacy_line", privacy.line)) }
    if case .line(let line) = devices.torch { uses.append(("torch", line)) }
    return uses
  }
}
