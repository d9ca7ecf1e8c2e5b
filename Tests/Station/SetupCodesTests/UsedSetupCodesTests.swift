// The list of used codes: what was added stays, in bounds, and a damaged list is never taken for an empty one.

import Foundation
import Testing

@testable import SetupCodes

@Suite struct UsedSetupCodesTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "used-\(UUID())").path
  private var path: String { folder + "/used" }

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func code(madeAt: Int64 = 1000, validSeconds: Int64 = 60) -> SetupCode {
    SetupCode([SetupCode.Change(key: "a", value: "b")], madeAt: madeAt, validSeconds: validSeconds)
  }

  @Test func `B1: a used code is known after a restart, and others are not`() throws {
    let (first, second) = (code(), code())
    var used = try UsedSetupCodes(path: path)
    #expect(!used.contains(first.id))
    try used.add(first, at: 1000)
    #expect(used.contains(first.id) && !used.contains(second.id))
    let again = try UsedSetupCodes(path: path)
    #expect(again.contains(first.id) && !again.contains(second.id))
  }

  @Test func `B1: the list is bounded: it drops only expired codes, and refuses a code if it cannot`() throws {
    var used = try UsedSetupCodes(path: path)
    let first = code(madeAt: 0, validSeconds: 10)
    try used.add(first, at: 5)
    for _ in 1..<UsedSetupCodes.countMax { try used.add(code(), at: 1000) }
    // Expired, and still known while there is room.
    #expect(try UsedSetupCodes(path: path).contains(first.id))
    try used.add(code(), at: 1000)
    #expect(!used.contains(first.id))
    #expect(throws: UsedSetupCodes.Fault.full(path: path)) { try used.add(code(), at: 1060) }
    try used.add(code(), at: 1061)
    let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < UsedSetupCodes.byteCountMax)
  }

  @Test(arguments: ["x\n", "AAAA 7\n", "AAAAAAAAAAAAAAAAAAAAAA x\n", "AAAAAAAAAAAAAAAAAAAAAA 7", "\n", "\0\0\0\0"])
  func `B1: a damaged list is an error`(content: String) throws {
    try Data(content.utf8).write(to: URL(filePath: path))
    #expect(throws: UsedSetupCodes.Fault.damaged(path: path)) { try UsedSetupCodes(path: path) }
  }

  @Test func `B1: a list that cannot be written leaves the former one`() throws {
    var used = try UsedSetupCodes(path: path)
    let (first, second) = (code(), code())
    try used.add(first, at: 1000)
    // A folder has the name of the partial file, so that not even root can write it.
    try FileManager.default.createDirectory(atPath: path + ".new", withIntermediateDirectories: true)
    #expect(throws: UsedSetupCodes.Fault.self) { try used.add(second, at: 1000) }
    #expect(!used.contains(second.id))
    let again = try UsedSetupCodes(path: path)
    #expect(again.contains(first.id) && !again.contains(second.id))
  }
}
