import Foundation
import Testing

@Suite("reticle config") struct ConfigCommandTests {
  @Test func `init writes a file and never overwrites one`() throws {
    let folder = try WorkFolder()
    let path = folder.path("reticle.yaml")
    #expect(try CommandRun("config", "init", "-o", path).status == 0)
    let written = try String(contentsOfFile: path, encoding: .utf8)
    #expect(written.contains("sinks:\n  - stdout\n"))
    let again = try CommandRun("config", "init", "-o", path)
    #expect(again.status == 73)
    #expect(again.errors.contains("move it away or name another file"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == written)
  }

  @Test func `check reports every error with status 78, and confirms a valid file`() throws {
    let folder = try WorkFolder()
    let right = try folder.write("right.yaml", Array("camera: {pictures: [labels]}\n".utf8))
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

  @Test func `show prints every value with its source`() throws {
    let folder = try WorkFolder()
    let file = try folder.write("a.yaml", Array("camera: {pictures: [labels]}\n".utf8))
    let run = try CommandRun("config", "show", "--config", file)
    #expect(run.status == 0)
    #expect(run.text.contains("camera.pictures: [labels]  # line 1\n"))
    #expect(run.text.contains("confirm: never  # default\n"))
  }
}
