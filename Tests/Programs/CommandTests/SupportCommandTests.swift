// The file for support: what is in it, in which order pictures are chosen, and what it never does.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct SupportCommandTests {
  private let folder: WorkFolder

  init() throws { folder = try WorkFolder() }

  /// Writes a configuration with pictures; `count` of each kind, numbered by age.
  private func station(_ count: Int) throws -> String {
    let pictures = folder.path("pictures")
    try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
    for kind in ["scan", "no-read", "unread"] {
      for number in 0..<count {
        let name =
          "\(kind)-0198c2b6-7f0\(number)-7abc-8def-\(kind == "scan" ? "0" : kind == "unread" ? "2" : "1")12345678901.webp"
        _ = try folder.write("pictures/\(name)", Array("picture \(kind) \(number)".utf8))
      }
    }
    _ = try folder.write("pictures/holiday.webp", [1])
    try FileManager.default.createSymbolicLink(
      atPath: pictures + "/no-read-0198c2b6-7f0f-7abc-8def-012345678901.webp", withDestinationPath: "/etc/hostname")
    return try folder.write(
      "station.yaml",
      Array(
        """
        camera: {pictures: "\(folder.path("labels"))"}
        outbox: {path: "\(folder.path("outbox.sqlite"))"}
        trigger: {mode: timed}
        console: {port: 9470}
        pictures: {of: [scans, no-reads, unread], folder: "\(pictures)"}
        """.utf8))
  }

  private func tar(_ options: String, _ archive: String, _ member: String? = nil) throws -> CommandRun {
    try CommandRun(arguments: [options, archive] + (member.map { [$0] } ?? []), program: URL(filePath: "/bin/tar"))
  }

  @Test func `it has versions, configuration, doctor's report, notes, and pictures of unread symbols before scans`()
    throws
  {
    let file = try station(4)
    let archive = folder.path("support.tar.gz")
    let run = try CommandRun("support", "--config", file, "--output", archive, "--pictures", "5")
    #expect(run.status == 0 && run.text == "\(archive)\n", "\(run.errors)")
    let names = Set(try tar("-tzf", archive).lines)
    for name in ["README.txt", "versions.txt", "configuration.txt", "doctor.txt", "log.txt"] {
      // Without journalctl there is no log, and the notes say so.
      #expect(names.contains("reticle-support/\(name)") || name == "log.txt", "\(name)")
    }
    let pictures = names.filter { $0.hasSuffix(".webp") }.map { name in
      String(name.split(separator: "/").last ?? "").split(separator: "-7abc")[0]
    }
    // Scans are as new, and wait.
    #expect(
      pictures.sorted() == [
        "no-read-0198c2b6-7f02", "no-read-0198c2b6-7f03", "unread-0198c2b6-7f01", "unread-0198c2b6-7f02",
        "unread-0198c2b6-7f03",
      ])
    #expect(try tar("-xzOf", archive, "reticle-support/versions.txt").text.hasPrefix("reticle "))
    #expect(
      try tar("-xzOf", archive, "reticle-support/configuration.txt").text.contains("pictures.of: [scans, no-reads, unread]"))
    #expect(try tar("-xzOf", archive, "reticle-support/doctor.txt").text.contains("configuration"))
    #expect(try tar("-xzOf", archive, "reticle-support/README.txt").text.contains("5 pictures of"))
    #expect(try FileManager.default.attributesOfItem(atPath: archive)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `with room for all, neither links nor other files are packed`() throws {
    let archive = folder.path("all.tar.gz")
    let run = try CommandRun("support", "--config", try station(2), "--output", archive, "--pictures", "100")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try tar("-tzf", archive).lines.count { $0.hasSuffix(".webp") } == 6)
  }

  @Test func `a wrong configuration is packed as its errors, and an existing file is never replaced`() throws {
    let file = try folder.write("wrong.yaml", Array("pictures: {of: [everything]}\n".utf8))
    let archive = folder.path("wrong.tar.gz")
    #expect(try CommandRun("support", "--config", file, "--output", archive).status == 0)
    #expect(try tar("-xzOf", archive, "reticle-support/configuration.txt").text.contains("pictures.of is \"everything\""))
    let before = try Data(contentsOf: URL(filePath: archive))
    let again = try CommandRun("support", "--config", file, "--output", archive)
    #expect(again.status == 73 && again.errors.contains("File exists; name another file with --output"))
    #expect(try Data(contentsOf: URL(filePath: archive)) == before)
    #expect(try CommandRun("support", "--config", file, "--output", folder.path("no/where.tar.gz")).status == 73)
    #expect(try CommandRun("support", "--pictures", "-1").status == 64)
  }

  @Test func `the notes say that the named configuration is missing, and that the journal has no lines`() throws {
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: true)
    let journal = try folder.write("bin/journalctl", Array("#!/bin/sh\necho '-- No entries --'\n".utf8))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: journal)
    let (config, archive) = (folder.path("none.yaml"), folder.path("notes.tar.gz"))
    let run = try CommandRun(
      arguments: [
        "PATH=\(folder.path("bin")):/usr/bin:/bin", CommandRun.command.path, "support", "--config", config, "--output",
        archive,
      ], program: URL(filePath: "/usr/bin/env"))
    #expect(run.status == 0, "\(run.errors)")
    let notes = try tar("-xzOf", archive, "reticle-support/README.txt").text
    #expect(notes.contains("\(config) is missing, or this user may not reach it: configuration.txt has the defaults."))
    #expect(notes.contains("The log is missing: the journal has no lines of the service"))
  }
}
