// The station in the lab, as steps and facts: starting, ending and observing it.

import Testing

extension LabScript {
  /// Writes station.yaml.
  mutating func configure(_ yaml: String, at location: SourceLocation = #_sourceLocation) {
    configurationCount += 1
    let name = "station-\(configurationCount).yaml"
    add(yaml, as: name)
    step(["cp", name, "station.yaml"], at: location)
  }

  /// Starts the station: scans go to the file `scans`, its log to `log`.
  ///
  /// - Parameters:
  ///   - yaml: its configuration; nil for the existing one.
  ///   - program: the program, and what runs it, such as another user or a preloaded library.
  ///   - arguments: further arguments after those that name the configuration.
  mutating func startStation(
    _ yaml: String? = nil, program: [String] = ["reticle"], arguments: [String] = [],
    at location: SourceLocation = #_sourceLocation
  ) {
    if let yaml { configure(yaml, at: location) }
    step(
      ["start", "station", "scans", "log"] + program + ["run", "--config", "station.yaml"] + arguments, at: location)
  }

  /// Starts the station with a library compiled from a file in this folder.
  mutating func startStation(
    _ yaml: String, preloading library: String, at location: SourceLocation = #_sourceLocation
  ) {
    compile(library, at: location)
    startStation(yaml, program: Self.preloading(library) + ["reticle"], at: location)
  }

  /// The words that run a program with a compiled library preloaded.
  static func preloading(_ library: String) -> [String] { ["env", "LD_PRELOAD=./\(library).so"] }

  /// Compiles a library from a file in this folder.
  mutating func compile(_ library: String, at location: SourceLocation = #_sourceLocation) {
    add(source: library + ".c")
    step(["compile", library], at: location)
  }

  /// Ends the station as systemd does; it must end with status 0.
  mutating func stopStation(at location: SourceLocation = #_sourceLocation) {
    step(["stop", "station", "TERM", "0"], at: location)
  }

  /// Sends the station a signal that does not end it, as `systemctl kill -s` does.
  mutating func signalStation(_ signal: String, at location: SourceLocation = #_sourceLocation) {
    step(["signal_station", signal], at: location)
  }

  /// Ends the station with `kill -9`.
  mutating func killStation(at location: SourceLocation = #_sourceLocation) {
    step(["stop", "station", "KILL", "137"], at: location)
  }

  /// Sends a command to the console.
  mutating func post(_ path: String, at location: SourceLocation = #_sourceLocation) {
    step(["post", path], at: location)
  }

  /// Records the station's memory and open files, for `LabRun.measurement`.
  mutating func measure(_ name: String, at location: SourceLocation = #_sourceLocation) {
    step(["measure", name], at: location)
  }

  /// Records the doctor's findings, for `LabRun.troubles`.
  ///
  /// - Parameters:
  ///   - user: words that run it as another user.
  ///   - status: its exit status: 0 without a fault, 1 with one.
  mutating func examine(
    _ name: String, as user: [String] = [], status: Int, at location: SourceLocation = #_sourceLocation
  ) {
    step(["doctor", "\(status)", name] + user, at: location)
  }
}

extension LabFact {
  /// The station's log has lines that contain a text.
  static func log(_ text: String, times: Int? = nil) -> LabFact { .file("log", says: text, times: times) }

  static let stationStarted = LabFact.log("the station starts")

  /// There are scan records that contain a text.
  static func scanned(_ text: String, times: Int? = nil) -> LabFact { .file("scans", says: text, times: times) }

  static let anyScan = LabFact(words: ["has_content", "scans"])

  /// The value of a metric of the console.
  ///
  /// - Parameter name: its name, including labels.
  static func metric(_ name: String, is value: Int) -> LabFact { LabFact(words: ["metric_is", name, "\(value)"]) }

  /// How often users have performed an action.
  static func userAction(_ name: String, times: Int) -> LabFact {
    .metric("reticle_user_actions_total{action=\"\(name)\"}", is: times)
  }

  static func screenState(_ state: String) -> LabFact { .metric("reticle_screen_state{state=\"\(state)\"}", is: 1) }

  /// The doctor finds a trouble; the findings are stored under a name.
  static func doctorFinds(_ trouble: String, _ name: String) -> LabFact {
    LabFact(words: ["doctor_finds", name, trouble])
  }
}
