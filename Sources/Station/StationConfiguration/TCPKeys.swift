// The keys of TCP connections.

import Sinks

extension SinkKind {
  static let tcp = SinkKind(
    word: "tcp", example: "tcp: {connect: \"host:port\"}",
    keys: [connectKey.row, listenKey.row, allowKey.row] + tcpKeys.rows + [heartbeatKey.row, heartbeatIntervalKey.row]
      + HostLineKeys.tcp.rows
  ) { section, reading in
    let role = role(section, &reading)
    var settings = TCPSettings(role ?? .unset)
    settings.allowed = allowed(section, settings, &reading)
    tcpKeys.read(section, &reading, into: &settings)
    let heartbeat = heartbeatKey.read(&reading, at: "\(section).heartbeat")
    let interval = heartbeatIntervalKey.read(&reading, at: "\(section).heartbeat_interval")
    if !heartbeat.isEmpty { settings.heartbeat = Heartbeat(bytes: heartbeat, interval: interval) }
    HostLineKeys.tcp.read(section, &reading, into: &settings)
    if role != nil { reportUseless(section, settings, &reading) }
    return role == nil ? nil : settings
  }

  private static let tcpKeys = KeySection(
    "sinks[].tcp", TCPSettings(.unset),
    [
      Field(
        "hosts", \.hostCountMax, .integer(1...TCPSettings.hostCountLimit),
        "With listen: the most hosts connected at once."),
      Field(
        "acknowledged_by", \.acknowledger, .choice,
        "With listen: counts a scan as delivered when all connected hosts have it, or when any of them has."),
      Field(
        "connect_timeout", \.connectLimit, .duration(.milliseconds(100) ... .seconds(60)),
        "The time limit for connecting."),
      Field(
        "write_timeout", \.writeLimit, .duration(.milliseconds(100) ... .seconds(60)),
        "The time limit for a host to receive a scan; a slower connection is closed."),
      Field(
        "keep_alive", \.keepAlive, .duration(.seconds(1) ... .seconds(3600)),
        "How long a connection may be silent before the host's system is asked; a dead one is closed after twice this time."),
    ])

  private static let connectKey = Key<TCPPlace?>(
    "sinks[].tcp.connect", .optional(.place(from: 1)), nil,
    "The host to connect to, by name or address and port, such as till.example:9100.")
  private static let listenKey = Key(
    "sinks[].tcp.listen", .optional(.place(from: firstOpenPort)), nil,
    "Instead of connect: the address and port on which the station accepts hosts, such as 0.0.0.0:9100.")
  private static let allowKey = Key(
    "sinks[].tcp.allow", .texts(64), [],
    "With listen: the addresses that may connect, such as [192.168.1.0/24]; required unless the address is a loopback one.")
  private static let heartbeatKey = Key(
    "sinks[].tcp.heartbeat", .bytes(20), [],
    "The text sent while there are no scans, such as \\x05. Default: nothing.")
  private static let heartbeatIntervalKey = Key(
    "sinks[].tcp.heartbeat_interval", .duration(.seconds(1) ... .seconds(3600)), .seconds(30),
    "How long a connection is silent before a heartbeat is sent.")

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
    if reading.isWritten(listen) { return listenKey.read(&reading, at: listen).map { .listens(at: $0) } }
    return connectKey.read(&reading, at: connect).map { .connects(to: $0) }
  }

  /// Ports below this one need a privilege that the service does not have (ip(7), ip_unprivileged_port_start).
  private static let firstOpenPort = 1024

  /// The addresses that may connect. Scans are no secret to programs of this machine; who else gets them has to be said.
  private static func allowed(
    _ section: String, _ settings: TCPSettings, _ reading: inout ConfigurationReading
  ) -> [AddressRange] {
    let name = "\(section).allow"
    var ranges: [AddressRange] = []
    for text in allowKey.read(&reading, at: name) {
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

extension HostLineKeys<TCPSettings> {
  static let tcp = Self(kind: "tcp", TCPSettings(.unset))
}

extension TCPSettings.Role {
  /// No host, while it is not known.
  fileprivate static let unset = TCPSettings.Role.connects(to: TCPPlace(host: "", port: 0))
}

extension ValueForm<TCPPlace> {
  /// - Parameter portMin: the first port of those allowed.
  fileprivate static func place(from portMin: Int) -> Self {
    ValueForm<String>.text(300).refined(
      { text in TCPPlace(text).flatMap { $0.port >= portMin ? $0 : nil } }, write: { "\($0)" },
      refusal: { name, text in
        "\(name) is \"\(text)\"; it must be an address or name and a port from \(portMin) to 65535, such as till.example:9100 or "
          + "[::1]:9100"
      })
  }
}
