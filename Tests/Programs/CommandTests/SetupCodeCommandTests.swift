// `reticle config code` and the station that reads the QR Code: from the drawn picture to the changed setting.

import Foundation
import SetupCodes
import Testing

@Suite("reticle config code", .timeLimit(.minutes(5))) struct SetupCodeCommandTests {
  private let folder: WorkFolder
  private let publicKey: String

  init() throws {
    folder = try WorkFolder()
    let run = try CommandRun("config", "code", "--new-key", folder.path("setup.pem"))
    try #require(run.status == 0, "\(run.errors)")
    publicKey = try #require(run.lines.first)
  }

  private var key: String { folder.path("setup.pem") }
  private var station: String { folder.path("station.yaml") }

  /// Writes the configuration of a station that reads the pictures in `labels` and prints its scans.
  private func configure(allow: String, more: String = "") throws {
    try FileManager.default.createDirectory(atPath: folder.path("labels"), withIntermediateDirectories: true)
    let text = """
      station: {name: before}
      camera: {pictures: ["\(folder.path("labels"))/*.png"], frame_rate: 20}
      repeat: {absence: 50 ms}
      outbox: {path: \(folder.path("outbox.sqlite"))}
      setup: {public_keys: ["\(publicKey)"], allow: [\(allow)]}
      sinks: [stdout]
      \(more)
      """
    _ = try folder.write("station.yaml", Array(text.utf8))
  }

  private func make(_ arguments: String...) throws -> CommandRun {
    try CommandRun(arguments: ["config", "code", "--key", key, "--config", station] + arguments)
  }

  // MARK: The command

  @Test func `a new key is readable by its owner alone, and is never overwritten`() throws {
    let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(SetupPublicKey(publicKey) != nil)
    let before = try Data(contentsOf: URL(filePath: key))
    let run = try CommandRun("config", "code", "--new-key", key)
    #expect(run.status == 73 && run.errors.contains("never overwritten"))
    #expect(try Data(contentsOf: URL(filePath: key)) == before)
    #expect(try CommandRun("config", "code", "--public-key", "--key", key).lines == [publicKey])
  }

  @Test func `the picture and the text are a signed code with the changes, the station and the validity`() throws {
    try configure(allow: "station.name, viewport")
    let arguments = ["station.name=a=b", "viewport=[0.1, 0.1, 0.5, 0.5]", "--station", "bef*", "--valid", "2 h"]
    let text = try CommandRun(arguments: ["config", "code", "--key", key, "--config", station] + arguments)
    #expect(text.status == 0, "\(text.errors)")
    let code = try SetupCode(try #require(text.lines.first), signedByOneOf: [try #require(SetupPublicKey(publicKey))])
    #expect(code.changes.map(\.text) == ["station.name=a=b", "viewport=[0.1, 0.1, 0.5, 0.5]"])
    #expect(code.station == "bef*" && code.validSeconds == 7200)
    #expect(abs(Double(code.madeAt) - Date().timeIntervalSince1970) < 60)
    let drawn = try make("station.name=after", "-o", folder.path("code.png"))
    #expect(drawn.status == 0 && drawn.output.isEmpty)
    let read = try CommandRun("scan", folder.path("code.png"))
    #expect(read.text.contains("\tqr\tRETICLE:1:"))
  }

  @Test func `what the station would refuse is refused with status 78 and the reason`() throws {
    try configure(allow: "station.name, vote")
    for (arguments, reason) in [
      (["vote.frames=99"], "from 1 to 10"), (["vote.frams=3"], "vote.frams"), (["repeat.absence=3 s"], "setup.allow"),
      (["setup.allow=[station]"], "setup.allow does not list"),
      (["station.name=x", "--station", "other"], "station.name is before"),
    ] {
      let run = try CommandRun(arguments: ["config", "code", "--key", key, "--config", station] + arguments)
      #expect(run.status == 78 && run.output.isEmpty && run.errors.contains(reason), "\(arguments): \(run.errors)")
    }
    #expect(try CommandRun("config", "code", "--new-key", folder.path("other.pem")).status == 0)
    let other = try CommandRun("config", "code", "vote.frames=3", "--key", folder.path("other.pem"), "--config", station)
    #expect(other.status == 78 && other.errors.contains("setup.public_keys does not hold"))
    #expect(try make("vote.frames=99", "--unchecked").status == 0)
  }

  @Test func `wrong usage, a missing key, a foreign file and a key that others may read are told apart`() throws {
    try configure(allow: "vote")
    #expect(try make("vote.frames").status == 64)
    #expect(try make("vote.frames=1", "vote.frames=2").status == 64)
    #expect(try make("vote.frames=1", "--valid", "8 d").status == 64)
    #expect(try make("vote.frames=1", "-o", "x.bmp").status == 64)
    #expect(try make().status == 64)
    #expect(try make("station.name=" + String(repeating: "x", count: 500), "--unchecked").status == 64)
    #expect(try CommandRun("config", "code", "vote.frames=1").status == 64)
    let missing = try CommandRun("config", "code", "vote.frames=1", "--key", folder.path("none.pem"))
    #expect(missing.status == 66)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: station)
    #expect(try CommandRun("config", "code", "vote.frames=1", "--key", station).status == 65)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
    let open = try make("vote.frames=1")
    #expect(open.status == 77 && open.errors.contains("chmod 600"))
  }

  // MARK: The station

  /// A library that makes the clock synchronised for the programs that load it.
  private func synchronizedClock() throws -> String {
    let source = try folder.write("clock.c", Array("int adjtimex(void *clock) { return clock ? 0 : -1; }\n".utf8))
    let library = folder.path("clock.so")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["clang", "-shared", "-fPIC", "-fno-builtin", "-o", library, source]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return library
  }

  /// Runs the station until `holds`, which gets its scans and its log; returns both.
  private func run(
    _ arguments: [String] = [], clock: String? = nil, until holds: (_ scans: String, _ log: String) throws -> Bool
  ) async throws -> (scans: String, log: String) {
    let process = Process()
    process.executableURL = CommandRun.command
    process.arguments = ["run", "--config", station] + arguments
    var environment = ProcessInfo.processInfo.environment
    if let clock { environment["LD_PRELOAD"] = clock }
    process.environment = environment
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.write("scans", [])))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.write("log", [])))
    try process.run()
    let guardian = process.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path(name))), as: UTF8.self)
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while process.isRunning, try !holds(text("scans"), text("log")), ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(50))
    }
    process.terminate()
    process.waitUntilExit()
    let (scans, log) = (try text("scans"), try text("log"))
    #expect(try holds(scans, log), "\(log)")
    #expect(process.terminationStatus == 0, "\(log)")
    return (scans, log)
  }

  private func drawLabel() throws {
    #expect(try CommandRun("generate", "LABEL", "-o", folder.path("labels/label.png"), "--scale", "4").status == 0)
  }

  private func shown(_ key: String) throws -> String? {
    let run = try CommandRun("config", "show", "--config", station)
    return run.lines.first { $0.hasPrefix(key + ":") }
  }

  private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

  @Test
  func `B1, B3: a station reads a drawn set-up code, starts over with the change once, and sends only scans`() async throws {
    try configure(allow: "station.name")
    try drawLabel()
    let made = try make("station.name=after", "-o", folder.path("labels/setup.png"))
    #expect(made.status == 0, "\(made.errors)")
    let clock = try synchronizedClock()
    // The code passes the camera again and again, in a loop of two pictures.
    let (scans, log) = try await run(clock: clock) { scans, log in
      count("\"station\":\"after\"", in: scans) >= 20
    }
    #expect(count("a set-up code changes the configuration", in: log) == 1, "\(log)")
    #expect(count("the station has started with the change", in: log) == 1)
    #expect(!log.contains("refused") && !scans.contains("RETICLE") && !log.contains("RETICLE:1"))
    #expect(scans.contains("\"station\":\"before\"") || !scans.isEmpty)
    #expect(try shown("station.name") == "station.name: after  # set-up code")
    // The change outlives the process, and the code is used.
    let (again, refusal) = try await run(clock: clock) { scans, log in
      scans.contains("\"station\":\"after\"") && log.contains("a set-up code was refused")
    }
    #expect(refusal.contains("used") && !again.contains("\"station\":\"before\"") && !again.contains("RETICLE"))
    let cleared = try CommandRun("config", "clear-setup", "--config", station)
    #expect(cleared.status == 0 && cleared.text.contains("is removed"))
    #expect(try shown("station.name")?.hasPrefix("station.name: before") == true)
    #expect(
      try CommandRun("config", "clear-setup", "--config", station).text.contains("no set-up code has changed anything"))
  }

  @Test func `B4: a station that cannot start with a change has its former settings again, and goes on`() async throws {
    try configure(allow: "camera.pictures")
    try drawLabel()
    let made = try make("camera.pictures=[\(folder.path("nowhere"))/*.png]", "-o", folder.path("labels/setup.png"))
    #expect(made.status == 0, "\(made.errors)")
    var countAtRefusal: Int?
    let (_, log) = try await run(clock: try synchronizedClock()) { scans, log in
      guard log.contains("the new configuration cannot be used") else { return false }
      let start = countAtRefusal ?? count("LABEL", in: scans)
      countAtRefusal = start
      return count("LABEL", in: scans) >= start + 5
    }
    #expect(count("a set-up code was refused", in: log) == 1 && log.contains("reason=start"), "\(log)")
    #expect(try shown("camera.pictures")?.contains("set-up code") == false)
    #expect(try CommandRun("config", "check", station).status == 0)
  }

  @Test func `without a synchronised clock a code is refused; with set-up off it is a scan like any other`() async throws {
    try configure(allow: "station.name")
    #expect(try make("station.name=after", "-o", folder.path("labels/setup.png")).status == 0)
    let unset = try folder.write("unset.c", Array("int adjtimex(void *clock) { return clock ? 5 : -1; }\n".utf8))
    let library = folder.path("unset.so")
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["clang", "-shared", "-fPIC", "-o", library, unset]
    try compiler.run()
    compiler.waitUntilExit()
    let (scans, log) = try await run(["--once"], clock: library) { _, log in log.contains("a set-up code was refused") }
    #expect(scans.isEmpty && log.contains("reason=clock"), "\(log)")
    let off = try String(contentsOfFile: station, encoding: .utf8).replacingOccurrences(of: "setup: {", with: "# setup: {")
    _ = try folder.write("station.yaml", Array(off.utf8))
    let (plain, _) = try await run(["--once"]) { scans, _ in scans.contains("\n") }
    #expect(plain.contains("\"text\":\"RETICLE:1:"))
  }

  @Test func `B4: a damaged overlay does not stop the station: it starts with its file, and every command says what to do`()
    async throws
  {
    try configure(allow: "station.name")
    try drawLabel()
    _ = try folder.write("outbox.sqlite-setup.yaml", Array("station.name: [1".utf8))
    let (scans, log) = try await run { scans, _ in scans.contains("LABEL") }
    #expect(scans.contains("\"station\":\"before\"") && log.contains("the changes of set-up codes cannot be used"), "\(log)")
    for arguments in [["config", "check", station], ["config", "show", "--config", station]] {
      let run = try CommandRun(arguments: arguments)
      #expect(run.status == 78 && run.errors.contains("reticle config clear-setup"), "\(run.errors)")
    }
    let doctor = try CommandRun("doctor", "--config", station)
    #expect(doctor.text.contains("the changes of set-up codes are not in effect"))
    #expect(try CommandRun("config", "clear-setup", "--config", station).status == 0)
    #expect(try CommandRun("config", "check", station).status == 0)
  }
}
