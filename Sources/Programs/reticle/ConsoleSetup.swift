// Makes the console of a station: who may use it, and what it shows.

#if Console

  import ConsoleServer
  import DeliveryModel
  import Devices
  import FoundationEssentials
  import HTTPServer
  import Outbox
  import SetupCodes
  import Sinks
  import Station
  import StationConfiguration
  import StationConsole
  import StationGrading
  import StationPictures

  enum ConsoleSetup {
    /// Who may use the console.
    static func access(
      _ configuration: StationConfiguration, _ keeping: StationKeeping
    ) throws(StationSetup.Failure) -> ConsoleAccess {
      let console = configuration.console
      guard console.port > 0 else { return ConsoleAccess(tokens: [:]) }
      if let firstSteps = keeping.firstSteps { return firstSteps.access }
      var tokens: [ConsoleRole: String] = [:]
      let files: [(role: ConsoleRole, word: String, path: String?)] = [
        (.configure, "token_file", console.tokenFile), (.operate, "operate_token_file", console.operateTokenFile),
        (.look, "look_token_file", console.lookTokenFile),
      ]
      for (role, word, path) in files {
        guard let path else { continue }
        do throws(DeliveryProblem) {
          tokens[role] = try SecretFile.lines(path)[0]
        } catch {
          throw StationSetup.Failure(status: 78, message: "console.\(word): \(error.description)")
        }
      }
      return ConsoleAccess(tokens: tokens)
    }

    /// The console as a service of a station.
    static func console(
      _ configuration: StationConfiguration, _ access: ConsoleAccess, _ tls: HTTPServer.TLS?,
      _ inspector: StationInspector, _ delivery: StationDelivery, _ pictures: PictureArchive?, _ grading: PrintGrading?,
      _ keeping: StationKeeping
    ) -> Console {
      var sights = ConsoleSights(
        version: ReticleVersion.number, metrics: keeping.metrics, inspector: inspector, delivery: delivery,
        configuration: configuration, history: keeping.history, sessions: keeping.sessions)
      sights.desk = keeping.configurationDesk
      sights.certificateEnds = { ConsoleCertificate.ends(configuration) }
      sights.follow = { followReport(beside: configuration.outbox.path) }
      let onlooker = Onlooker()
      if let file = keeping.configurationFile { sights.examine = { await onlooker.findings(file) } }
      if let grading { sights.print = { grading.report } }
      if let firstSteps = keeping.firstSteps {
        sights.firstStart = { firstSteps.report(cameras: await onlooker.cameras()) }
      }
      if let pictures {
        sights.keepsPicture = { pictures.keeps($0) }
        sights.picture = { id in
          switch await pictures.picture(id) {
          case .file(let bytes, let mediaType): .file(bytes: bytes, mediaType: mediaType)
          case .pending(let reason), .none(let reason): .none(reason)
          }
        }
      }
      return Console(
        address: configuration.console.address, port: configuration.console.port, tls: tls, access: access,
        sights: sights, logger: keeping.logger)
    }
  }

  /// The report that the service reticle-follow leaves in the outbox's folder; nil without one that can be read.
  private func followReport(beside outbox: String) -> FollowReport? {
    let folder = outbox.lastIndex(of: "/").map { String(outbox[...$0]) } ?? ""
    let bytes = try? DurableFile.read(folder + "follow.json", byteCountMax: followByteCountMax)
    return bytes.flatMap { $0 }.flatMap { try? JSONDecoder().decode(FollowReport.self, from: Data($0)) }
  }

  /// The largest report, in bytes.
  private let followByteCountMax = 16 << 10

  /// Looks at the machine in processes of their own: libcamera's list of cameras is there once per process, and the station has it.
  actor Onlooker {
    /// How long a program may take.
    private static let limit = Duration.seconds(20)

    private nonisolated let executor = BlockingExecutor(label: "onlooker")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private struct Report: Decodable { var findings: [ConsoleFinding] }

    /// The findings of `reticle doctor`; if it does not answer, that is the finding.
    func findings(_ file: String) -> [ConsoleFinding] {
      let (text, problem) = answer(["doctor", "--format", "json", "--config", file])
      let object = text.firstIndex(of: "{").map { text[$0...] } ?? ""
      if let report = try? JSONDecoder().decode(Report.self, from: Data(object.utf8)) { return report.findings }
      return [
        ConsoleFinding(
          area: "service", state: "warning", summary: "the doctor does not answer: \(problem ?? "its answer is not whole")",
          remedy: "sudo reticle doctor", id: nil)
      ]
    }

    /// The cameras that `reticle cameras` lists.
    func cameras() -> [FirstStart.Camera] {
      answer(["cameras"]).text.matches(of: /id: "([^"]*)"  model: ([^\n]*)/).map {
        FirstStart.Camera(id: String($0.1), model: String($0.2))
      }
    }

    private func answer(_ words: [String]) -> (text: String, problem: String?) {
      guard let folder = try? SupportCommand.temporaryFolder() else { return ("", "no temporary folder can be made") }
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = "\(folder)/answer"
      let problem = ExternalProgram.run(["/proc/self/exe"] + words, output: path, limit: Self.limit)
      let text = (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
      return (text, problem)
    }
  }

#endif
