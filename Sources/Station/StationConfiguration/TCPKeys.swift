// The keys of TCP connections.

import Delivery

extension SinkKind {
  static let tcp = SinkKind(
    word: "tcp", example: "tcp: {connect: \"host:port\"}",
    keys: [
      .tcpConnect, .tcpListen, .tcpAllow, .tcpHosts, .tcpAcknowledgedBy, .tcpConnectTimeout, .tcpWriteTimeout, .tcpKeepAlive,
      .tcpHeartbeat, .tcpHeartbeatInterval,
    ] + HostLineKeys.tcp.all
  ) { section, reading in
    let role = role(section, &reading)
    var settings = TCPSettings(role ?? .connects(to: TCPPlace(host: "", port: 0)))
    settings.allowed = allowed(section, settings, &reading)
    settings.hostCountMax = reading.integer(.tcpHosts, "\(section).hosts") ?? settings.hostCountMax
    settings.acknowledger =
      reading.choice(.tcpAcknowledgedBy, TCPSettings.Acknowledger.self, "\(section).acknowledged_by")
      ?? settings.acknowledger
    settings.connectLimit = reading.duration(.tcpConnectTimeout, "\(section).connect_timeout") ?? settings.connectLimit
    settings.writeLimit = reading.duration(.tcpWriteTimeout, "\(section).write_timeout") ?? settings.writeLimit
    settings.keepAlive = reading.duration(.tcpKeepAlive, "\(section).keep_alive") ?? settings.keepAlive
    let heartbeat = reading.bytes(.tcpHeartbeat, "\(section).heartbeat") ?? []
    let interval = reading.duration(.tcpHeartbeatInterval, "\(section).heartbeat_interval")
    if !heartbeat.isEmpty, let interval { settings.heartbeat = Heartbeat(bytes: heartbeat, interval: interval) }
    HostLineKeys.tcp.read(section, &reading, into: &settings)
    if role != nil { reportUseless(section, settings, &reading) }
    return role == nil ? nil : settings
  }

  /// Who connects to whom; nil if that is not said, or wrong.
  private static func role(_ section: String, _ reading: inout ConfigurationReading) -> TCPSettings.Role? {
    let (connect, listen) = ("\(section).connect", "\(section).listen")
    guard reading.isWritten(connect) != reading.isWritten(listen) else {
      reading.takeOver(section)
      reading.report(
        "\(section) must have either connect, the host's address such as till.example:9100, or listen, an address of this machine "
          + "such as 0.0.0.0:9100", at: reading.place(of: section))
      return nil
    }
    if reading.isWritten(listen) { return place(.tcpListen, listen, &reading).map { .listens(at: $0) } }
    return place(.tcpConnect, connect, &reading).map { .connects(to: $0) }
  }

  private static func place(
    _ key: ConfigurationKey, _ name: String, _ reading: inout ConfigurationReading
  ) -> TCPPlace? {
    guard let text = reading.text(key, as: name) else { return nil }
    guard let place = TCPPlace(text), key.name != ConfigurationKey.tcpListen.name || place.port >= firstOpenPort else {
      let ports = key.name == ConfigurationKey.tcpListen.name ? "\(firstOpenPort) to 65535" : "1 to 65535"
      reading.report(
        "\(name) is \"\(text)\"; it must be an address or name and a port from \(ports), such as till.example:9100 or [::1]:9100",
        at: reading.place(of: name))
      return nil
    }
    return place
  }

  /// Ports below this one need a privilege that the service does not have (ip(7), ip_unprivileged_port_start).
  private static let firstOpenPort = 1024

  /// The addresses that may connect. Scans are no secret to programs of this machine; who else gets them has to be said.
  private static func allowed(
    _ section: String, _ settings: TCPSettings, _ reading: inout ConfigurationReading
  ) -> [AddressRange] {
    let name = "\(section).allow"
    var ranges: [AddressRange] = []
    for text in reading.texts(.tcpAllow, at: name) {
      guard let range = AddressRange(text) else {
        reading.report(
          "\(name) has \"\(text)\"; it must be an address such as 192.168.1.20, or a range such as 192.168.1.0/24",
          at: reading.place(of: name))
        continue
      }
      ranges.append(range)
    }
    guard let place = settings.listeningPlace, !reading.isWritten(name) else { return ranges }
    if place.isLoopback { return ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) } }
    reading.report(
      "\(name) is missing; \(place) can be reached from other machines, so write the addresses that may connect, such as "
        + "[192.168.1.0/24], or [0.0.0.0/0, \"::/0\"] for all", at: reading.place(of: section))
    return ranges
  }

  /// Reports keys that belong to the other role, and heartbeat_interval without heartbeat.
  private static func reportUseless(
    _ section: String, _ settings: TCPSettings, _ reading: inout ConfigurationReading
  ) {
    func report(_ word: String, _ reason: String) {
      let name = "\(section).\(word)"
      guard reading.isWritten(name) else { return }
      reading.report("\(name) has no effect \(reason); take it out", at: reading.place(of: name))
    }
    if settings.listeningPlace == nil {
      for word in ["allow", "hosts", "acknowledged_by"] { report(word, "with connect, as there is one host") }
    } else {
      report("connect_timeout", "with listen, as hosts connect")
    }
    if settings.heartbeat == nil { report("heartbeat_interval", "without heartbeat") }
  }
}

extension HostLineKeys {
  static let tcp = Self(kind: "tcp")
}

extension ConfigurationKey {
  static let tcpConnect = Self(
    "sinks[].tcp.connect", .text(300), "", "The host to connect to, by name or address and port, such as till.example:9100.")
  static let tcpListen = Self(
    "sinks[].tcp.listen", .text(300), "",
    "Instead of connect: the address and port on which the station accepts hosts, such as 0.0.0.0:9100.")
  static let tcpAllow = Self(
    "sinks[].tcp.allow", .texts(64), "",
    "With listen: the addresses that may connect, such as [192.168.1.0/24]; required unless the address is a loopback one.")
  static let tcpHosts = Self(
    "sinks[].tcp.hosts", .integer(1...TCPSettings.hostCountLimit), "4", "With listen: the most hosts connected at once.")
  static let tcpAcknowledgedBy = Self(
    "sinks[].tcp.acknowledged_by", .choice(words(TCPSettings.Acknowledger.self)), "all",
    "With listen: counts a scan as delivered when all connected hosts have it, or when any of them has.")
  static let tcpConnectTimeout = Self(
    "sinks[].tcp.connect_timeout", .duration(.milliseconds(100) ... .seconds(60)), "5 s", "The time limit for connecting.")
  static let tcpWriteTimeout = Self(
    "sinks[].tcp.write_timeout", .duration(.milliseconds(100) ... .seconds(60)), "5 s",
    "The time limit for a host to receive a scan; a slower connection is closed.")
  static let tcpKeepAlive = Self(
    "sinks[].tcp.keep_alive", .duration(.seconds(1) ... .seconds(3600)), "10 s",
    "How long a connection may be silent before the host's system is asked; a dead one is closed after twice this time.")
  static let tcpHeartbeat = Self(
    "sinks[].tcp.heartbeat", .bytes(20), "", "The text sent while there are no scans, such as \\x05. Default: nothing.")
  static let tcpHeartbeatInterval = Self(
    "sinks[].tcp.heartbeat_interval", .duration(.seconds(1) ... .seconds(3600)), "30 s",
    "How long a connection is silent before a heartbeat is sent.")
}
