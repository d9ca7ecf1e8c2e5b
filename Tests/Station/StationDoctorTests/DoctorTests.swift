// A healthy machine, and each trouble introduced into it.

import Devices
import Foundation
import Sinks
import Testing
@testable import StationConfiguration
@testable import StationDoctor

@Suite struct DoctorTests {
  @Test func `on a healthy machine, every finding is in order`() {
    let report = Doctor.examine(HealthyMachine.system, HealthyMachine.configuration)
    #expect(report.findings.allSatisfy { $0.state == .ok && $0.remedy == nil && $0.id == nil }, "\(report.text)")
    #expect(Set(report.findings.map(\.area)) == Set(DoctorArea.allCases).subtracting([.torch]))
    #expect(report.text.hasSuffix("all is well\n"))
  }

  @Test(arguments: PlantedTrouble.all)
  func `each planted trouble is found, alone, with a command to paste`(planted: PlantedTrouble) throws {
    var (system, configuration) = (HealthyMachine.system, HealthyMachine.configuration)
    planted.plant(&system, &configuration)
    let found = Doctor.examine(system, configuration).findings.filter { $0.state != .ok }
    let finding = try #require(found.first)
    #expect(found.count == 1, "\(found)")
    #expect(finding.id == planted.trouble.id)
    #expect(finding.area == planted.trouble.area)
    #expect(finding.state == (planted.trouble.severity == .fault ? .fault : .warning))
    let remedy = try #require(finding.remedy)
    #expect(!finding.summary.contains("{") && !remedy.contains("{"), "\(finding)")
    #expect(try isShell(remedy), "\(remedy)")
  }

  @Test func `every trouble can be found`() {
    // These need no machine: the tests below find them.
    let elsewhere = [Trouble.configurationMissing, .configurationWrong]
    #expect(Set((PlantedTrouble.all.map(\.trouble) + elsewhere).map(\.id)) == Set(Trouble.all.map(\.id)))
    #expect(Set(Trouble.all.map(\.id)).count == Trouble.all.count)
  }

  @Test func `for a missing configuration, the remedy writes one for the board`() {
    let finding = Doctor.missing("/etc/reticle/reticle.yaml", board: "raspberry-pi-5").findings[0]
    #expect(finding.id == "configuration-missing")
    #expect(
      finding.remedy
        == "sudo reticle config init --board raspberry-pi-5 --webhook http://localhost:8080/scans --output /etc/reticle/reticle.yaml"
    )
  }

  @Test func `each error of a wrong configuration is a finding`() async {
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = FileManager.default.createFile(
      atPath: path, contents: Data("confirm: maybe\ncamera: {pictures: [a], pace: slow}\n".utf8))
    do throws(ConfigurationError) {
      _ = try await StationConfiguration.load(path: path, environment: [:])
      Issue.record("it is wrong and was taken")
    } catch {
      var system = SystemView()
      system.configurationFile = FileView(path: path)
      let report = Doctor.examine(system, error)
      #expect(report.findings.map(\.id) == ["configuration-wrong", "configuration-wrong"])
      #expect(report.findings[0].summary.contains("line 1: confirm is \"maybe\""))
      system.configurationFile?.mayRead = false
      #expect(Doctor.examine(system, error).findings.map(\.id) == ["configuration-denied"])
    }
  }

  @Test func `a hostile device name harms neither the terminal, nor JSON, nor the shell of a pasted remedy`()
    throws
  {
    var (system, configuration) = (HealthyMachine.system, HealthyMachine.configuration)
    let hostile = "evil\u{1B}[2J\n'; touch /tmp/pwned; echo '$(reboot)`reboot`\u{202E}"
    system.camera.cameras = .success([.init(id: hostile, model: hostile)])
    configuration.camera.settings.model = hostile + "2"
    configuration.sinks = [SerialSettings(device: hostile)]
    let report = Doctor.examine(system, configuration)
    #expect(report.faultCount == 2)
    #expect(!report.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
    let objects = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
    #expect((objects?["findings"] as? [[String: Any]])?.count == report.findings.count)
    // The shell sees a remedy as words: nothing in them is expanded or executed.
    let word = shellWord(hostile)
    let run = Process()
    run.executableURL = URL(filePath: "/bin/sh")
    run.arguments = ["-c", "printf %s \(word)"]
    let output = Pipe()
    run.standardOutput = output
    try run.run()
    let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    run.waitUntilExit()
    #expect(printed == "evil[2J'; touch /tmp/pwned; echo '$(reboot)`reboot`")
  }

  @Test func `devices that the station itself holds are in order`() {
    var (system, configuration) = (HealthyMachine.system, HealthyMachine.configuration)
    system.camera.holder = ("/dev/media0", "reticle")
    system.lines.chips[0].lines[17].holder = "reticle"
    system.screen.cards[0].holder = "reticle"
    system.consolePortHolder = "reticle"
    system.serialPorts["/dev/ttyUSB0"] = .there(
      HealthyMachine.serialNode, holder: "reticle", isConsole: false, hasModemManager: false)
    configuration.camera.settings.model = "imx708"
    #expect(Doctor.examine(system, configuration).findings.allSatisfy { $0.state == .ok })
  }

  @Test func `the fingerprint of the console's certificate is shown, with a warning before the certificate ends`() {
    var (system, configuration) = (HealthyMachine.system, HealthyMachine.configuration)
    configuration.console.tls = .own
    func summaries() -> [String] {
      Doctor.examine(system, configuration).findings.filter { $0.area == .console }.map(\.summary)
    }
    #expect(summaries().contains("the station makes its certificate when it starts"))
    let now = system.unixSeconds
    for (validity, trouble) in [
      (now - 9...now + 15 * 86_400, nil), (now - 9...now + 3 * 86_400 + 5, "ends in 3 days"),
      (now - 9...now - 1, "has ended"),
      (now + 1...now + 86_400, "is not valid yet"),
    ] {
      system.consoleCertificate = CertificateView(file: "/c.crt", fingerprint: "AB:CD", validity: validity)
      #expect(summaries().contains("the certificate's SHA-256 fingerprint is AB:CD"))
      #expect(
        summaries().last == trouble.map { "the console's certificate /c.crt \($0)" }
          ?? "the certificate's SHA-256 fingerprint is AB:CD")
    }
  }

  @Test func `versions are compared by their numbers`() {
    for (version, isOlder) in [
      ("0.4.0", true), ("0.0.3", true), ("v0.3.2+rpt", true), ("0.5.0", false), ("0.10.1", false), ("1.0", false),
      ("?", false),
    ] { #expect(Doctor.isOlder(version, than: [0, 5]) == isOlder, "\(version)") }
  }

  @Test func `the troubleshooting page matches the table of troubles`() throws {
    let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: checkout.appending(path: "docs/troubleshooting.md"), encoding: .utf8)
    #expect(
      page == TroubleshootingPage.text,
      "write the page again: swift run reticle doctor --reference > docs/troubleshooting.md")
    for trouble in Trouble.all { #expect(page.contains("\n### \(trouble.id)\n")) }
  }

  /// Whether a shell can parse a command; does not run it.
  private func isShell(_ command: String) throws -> Bool {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-n", "-c", command]
    try shell.run()
    shell.waitUntilExit()
    return shell.terminationStatus == 0
  }
}
