// The files that an operator's arguments select.

import Foundation
import PictureFiles
import Testing

@Suite struct PictureListTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-list-\(UUID())").path

  private func fill(_ names: [String]) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in names { _ = FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data()) }
  }

  @Test func `a folder gives its pictures by name, without hidden and other files`() throws {
    try fill(["b.png", "a.JPG", "notes.txt", ".hidden.png", "c.webp", "d.pgm", "png"])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let names = ["a.JPG", "b.png", "c.webp", "d.pgm"].map { "\(folder)/\($0)" }
    #expect(try PictureList.paths(of: [folder]) == names)
    #expect(try PictureList.paths(of: [folder + "/"]) == names)
  }

  @Test func `entries play in their order, and the files of a pattern sorted by name`() throws {
    try fill(["2.png", "1.png", "photo"])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(
      try PictureList.paths(of: ["\(folder)/photo", "\(folder)/*.png"])
        == ["photo", "1.png", "2.png"].map { "\(folder)/\($0)" })
  }

  @Test func `missing and empty entries are refused with a remedy`() throws {
    try fill(["notes.txt"])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(throws: PictureList.Failure.missing("/nowhere/labels")) { try PictureList.paths(of: ["/nowhere/labels"]) }
    #expect(throws: PictureList.Failure.noPictures(folder)) { try PictureList.paths(of: [folder]) }
    #expect(throws: PictureList.Failure.noPictures("\(folder)/*.png")) { try PictureList.paths(of: ["\(folder)/*.png"]) }
    #expect("\(PictureList.Failure.noPictures("a"))".contains("put PNG, JPEG, TIFF or other pictures into it"))
  }
}
