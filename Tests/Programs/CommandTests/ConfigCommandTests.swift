import Foundation
import Testing

@Suite("reticle config") struct ConfigCommandTests {
  @Test func `init writes a file and never overwrites one`() throws {
    let folder = try WorkFolder()
    let path = folder.path("reticle.yaml")
    #expect(try CommandRun("config", "init", "--stdout", "-o", path).status == 0)
    let written = try String(contentsOfFile: path, encoding: .utf8)
    #expect(written.contains("sinks:\n  - stdout\n"))
    let again = try CommandRun("config", "init", "--stdout", "-o", path)
    #expect(again.status == 73)
    #expect(again.errors.contains("move it away or name another file"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == written)
  }

  @Test(
    arguments: ["this", "raspberry-pi-5"],
    [
      ["--webhook", "http://localhost:8080/scans"], ["--serial", "usb:0403:6001", "--tcp", "till.example:9100"],
      ["--mqtt", "mqtts://broker.example"],
    ])
  func `init for a board writes what the service accepts`(board: String, sink: [String]) throws {
    let folder = try WorkFolder()
    let path = folder.path("reticle.yaml")
    let written = try CommandRun(arguments: ["config", "init", "--board", board, "-o", path] + sink)
    #expect(written.status == 0, "\(written.errors)")
    let check = try CommandRun("config", "check", "--service", path)
    #expect(check.text == "\(path) is right\n", "\(check.errors)")
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains(sink[1]))
  }

  @Test(
    arguments: [
      ([], "a station needs to know where scans go: give --webhook URL, --serial DEVICE, --tcp HOST:PORT or --mqtt BROKER"),
      (["--webhook", "till.example/scans"], "--webhook: it is \"till.example/scans\"; it must be"),
      (["--tcp", "till.example"], "--tcp: it is \"till.example\"; it must be a host and a port such as till.example:9100"),
      (["--mqtt", "broker.example"], "--mqtt: it is not a broker's address; write mqtts://host or mqtt://host"),
      (["--serial", "usb:403"], "--serial: it is \"usb:403\"; it must be a device such as /dev/ttyUSB0"),
    ] as [([String], String)])
  func `init asks for the settings that a station needs`(sink: [String], told: String) throws {
    let run = try CommandRun(arguments: ["config", "init", "--board", "this"] + sink)
    #expect(run.status == 64)
    #expect(run.text.isEmpty)
    #expect(run.errors.contains(told), "\(run.errors)")
  }

  @Test func `check --service refuses what the service refuses, in the same words, and check warns of it`() throws {
    let folder = try WorkFolder()
    let path = folder.path("reticle.yaml")
    #expect(try CommandRun("config", "init", "--stdout", "-o", path).status == 0)
    let words = "sinks sends scans to standard output, which is the system's journal for a service; name a webhook"
    let service = try CommandRun("config", "check", "--service", "--config", path)
    #expect(service.status == 78)
    #expect(service.errors.contains(words))
    let terminal = try CommandRun("config", "check", path)
    #expect(terminal.status == 0)
    #expect(terminal.text.hasPrefix("\(path) is right for a terminal; the service would refuse it: \(words)"))
    // As a service: standard output is the journal, as JOURNAL_STREAM declares.
    let run = Process()
    run.executableURL = URL(filePath: "/bin/sh")
    run.arguments = [
      "-c", "exec 1>\"$2\"; export JOURNAL_STREAM=$(stat -c %d:%i \"$2\"); exec \"$0\" run --config \"$1\"",
      CommandRun.command.path, path, folder.path("journal"),
    ]
    let errors = Pipe()
    run.standardError = errors
    try run.run()
    let guardian = run.endsWithin(CommandRun.limit)
    defer { guardian.cancel() }
    let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    run.waitUntilExit()
    #expect(run.terminationStatus == 78)
    #expect(told.contains(words), "\(told)")
  }

  @Test func `check reports every error with status 78, and confirms a valid file`() throws {
    let folder = try WorkFolder()
    let sinks = "sinks: [{webhook: {url: http://localhost:8080/scans}}]\n"
    let right = try folder.write("right.yaml", Array("camera: {pictures: [labels]}\n\(sinks)".utf8))
    let run = try CommandRun("config", "check", right)
    #expect(run.status == 0)
    #expect(run.text == "\(right) is right\n")
    let wrong = try folder.write("wrong.yaml", Array("camera: {frame_rate: fast, pictures: [a]}\nconfirm: maybe\n".utf8))
    let refused = try CommandRun("config", "check", wrong)
    #expect(refused.status == 78)
    #expect(refused.errors.contains("2 errors"))
    #expect(refused.errors.contains("camera.frame_rate is \"fast\"; it must be a number from 0.1 to 1000"))
    #expect(refused.errors.contains("confirm is \"maybe\""))
  }

  @Test func `init shows the keys that many stations set, and with --all every key`() throws {
    let short = try CommandRun("config", "init", "--stdout").text
    #expect(short.contains("  # symbologies: [") && !short.contains("pwm_channel"))
    let whole = try CommandRun("config", "init", "--stdout", "--all").text
    #expect(whole.contains("  # symbologies: [") && whole.contains("  # pwm_channel: "))
  }

  @Test func `explain prints a key's purpose and values, and suggests the nearest key`() throws {
    let run = try CommandRun("config", "explain", "decoder.addons")
    #expect(run.text.hasPrefix("decoder.addons\n  "))
    #expect(run.text.contains("\n  Default: ignore\n  Environment: RETICLE_DECODER_ADDONS\n"))
    let section = try CommandRun("config", "explain", "console")
    #expect(section.text.contains("console.port\n") && section.text.contains("\n\nconsole.address\n"))
    let wrong = try CommandRun("config", "explain", "decoder.add_ons")
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("no key or section is named decoder.add_ons; do you mean decoder.addons?"))
  }

  @Test func `show prints every value with its source`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("a.yaml", Array("camera: {pictures: [labels]}\n".utf8))
    let run = try CommandRun("config", "show", "--config", file)
    #expect(run.status == 0)
    #expect(run.text.contains("camera.pictures: [labels]  # line 1\n"))
    #expect(run.text.contains("confirm: never  # default\n"))
  }
}
