// `reticle doctor`: checks everything that a station needs, and gives remedies.

import ArgumentParser
import Boards
import DeliveryModel
import Glibc
import HTTPClient
import Sinks
import StationConfiguration
import StationDoctor

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look at everything that the station needs, and say what to do.",
    discussion: """
      Devices, permissions, GPIO lines, screen, serial ports, disk, clock, and the way to each sink: a line each, ok, warning \
      or fault, with a command to paste where something is wrong. Run by root, it looks as the user that the service runs as. \
      Nothing is changed: no torch is lit, nothing is sent on a serial line.

      Exit status: 0 if there is no fault, 1 if there is one, 77 if the configuration may not be read.
      """)

  /// The user under which the service runs.
  static let serviceUser = "reticle"

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Option(help: ArgumentHelp("The configuration, a YAML file.", valueName: "file"))
  var config = ConfigurationLoading.installedFile

  @Option(help: "How to say it.")
  var format = Format.text

  @Flag(help: "Print the page of all troubles, in Markdown, and look at nothing.")
  var reference = false

  func run() async throws {
    if reference { return try StandardOutput.write(TroubleshootingPage.text) }
    let report = try await examine()
    try StandardOutput.write(format == .json ? report.json : report.text)
    if report.faultCount > 0 { throw ExitCode(1) }
  }

  private func examine() async throws -> DoctorReport {
    guard access(config, F_OK) == 0 || errno != ENOENT else {
      return Doctor.missing(config, board: BoardFile.matching(model: deviceTreeModel()).name)
    }
    let loaded: StationConfiguration.Loaded
    do throws(ConfigurationError) {
      loaded = try await StationConfiguration.loadWithOrigins(
        path: config, environment: ConfigurationLoading.serviceEnvironment())
    } catch {
      if geteuid() != 0, access(config, R_OK) != 0 {
        StandardOutput.writeError("reticle: \(config) may not be read by this user; run `sudo reticle doctor`\n")
        throw ExitCode(77)
      }
      var system = SystemView()
      system.configurationFile = FileLooking.view(config)
      return Doctor.examine(system, error)
    }
    let configuration = loaded.configuration
    // The user did not ask for libcamera's messages.
    setenv("LIBCAMERA_LOG_LEVELS", "*:FATAL", 0)
    let programs = ProgramTable()
    // Before privileges are dropped: certificates and keys may belong to root, which passes them to the service as
    // credentials.
    let unreachable = await Self.unreachable(configuration)
    let stationTroubles = await Self.stationTroubles(configuration)
    let steering = await Self.steering(configuration)
    #if Console
      let certificate = ConsoleCertificate.view(configuration)
    #endif
    Self.becomeServiceUser()
    let looking = SystemLooking(configuration: configuration, configurationPath: config, programs: programs)
    var system = looking.view()
    system.unreachable = unreachable
    system.stationTroubles = stationTroubles
    system.camera.steering = steering
    #if Console
      system.consoleCertificate = certificate
    #endif
    system.setupProblem = loaded.overlayError.map { "\($0.file): \($0.problems.map(\.description).joined(separator: "; "))" }
    system.isServiceFile = ConfigurationLoading.isInstalled(config)
    return Doctor.examine(system, configuration)
  }

  /// How long a station may take to report its state.
  private static let stationLimit = Duration.seconds(2)

  /// The troubles that the running station reports; empty if it has no console, or does not answer.
  private static func stationTroubles(_ configuration: StationConfiguration) async -> [String] {
    guard let answer = await answer("/readyz", configuration), answer.status == 503 else { return [] }
    return String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The settings of the running station's sensor and those wished; nil if no station reports them.
  private static func steering(_ configuration: StationConfiguration) async -> String? {
    guard let answer = await answer("/status", configuration), answer.status == 200 else { return nil }
    return SteeringReport(json: answer.body)?.text
  }

  /// The running station's answer to a question.
  private static func answer(_ path: String, _ configuration: StationConfiguration) async -> HTTPAnswer? {
    guard configuration.console.port > 0 else { return nil }
    let isEncrypted = configuration.console.tls != .off
    var settings = HTTPSettings(
      url: "\(isEncrypted ? "https" : "http")://127.0.0.1:\(configuration.console.port)\(path)")
    #if Console
      settings.tls.authorityFile = ConsoleCertificate.files(configuration)?.certificate
    #endif
    settings.connectLimit = stationLimit
    guard let connection = HTTPConnection(settings) else { return nil }
    defer { connection.close() }
    var fields: [HTTPField] = []
    if let file = configuration.console.tokenFile, let token = try? SecretFile.lines(file).first {
      fields.append(HTTPField("authorization", "Bearer \(token)"))
    }
    return try? await connection.send(HTTPRequest(.get, fields: fields), within: stationLimit)
  }

  /// The problem on the way to each sink, by the sink's name. All are checked concurrently; each has its own time limit.
  private static func unreachable(_ configuration: StationConfiguration) async -> [String: String] {
    await withTaskGroup(of: (String, DeliveryProblem?).self) { group in
      for settings in configuration.sinks { group.addTask { (settings.name, await settings.reach()) } }
      var problems: [String: String] = [:]
      for await (name, problem) in group {
        if let problem { problems[name] = problem.description }
      }
      return problems
    }
  }

  /// Gives this process the service's permissions from here on; if the service's user does not exist, it keeps root's.
  private static func becomeServiceUser() {
    guard geteuid() == 0, let user = getpwnam(serviceUser)?.pointee else { return }
    guard initgroups(serviceUser, user.pw_gid) == 0, setgid(user.pw_gid) == 0, setuid(user.pw_uid) == 0 else {
      StandardOutput.writeError("reticle: this process cannot become \(serviceUser); it looks as root\n")
      return
    }
  }
}
