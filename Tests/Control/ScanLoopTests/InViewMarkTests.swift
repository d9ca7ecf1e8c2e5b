// Marks for the next process: which codes were in view.

import BarcodeTypes
import Foundation
import ScanControl
import Testing

@testable import ScanLoop

@Suite struct InViewMarkTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-in-view-\(UUID().uuidString)")

  @Test func `the next process knows the codes that were last in view, and no more`() throws {
    #expect(InViewMark(folder: folder.path) == nil)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try #require(InViewMark(folder: folder.path))
    #expect(first.left.isEmpty)
    let marks = (1...UInt64(ScanController.codeInViewCountMax)).map { CodeMark(value: $0) }
    first.write(marks)
    #expect(try #require(InViewMark(folder: folder.path)).left == Set(marks))
    first.write([marks[7], marks[9]])
    #expect(try #require(InViewMark(folder: folder.path)).left == [marks[7], marks[9]])
    first.write([])
    #expect(try #require(InViewMark(folder: folder.path)).left.isEmpty)
  }
}
