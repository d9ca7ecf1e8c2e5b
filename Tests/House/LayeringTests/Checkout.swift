// The checkout that contains these tests, and its targets: each has a folder in an area of Sources.

import Foundation

enum Checkout {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let sources = folder.appending(path: "Sources")

  static func text(_ path: String) throws -> String {
    try String(contentsOf: folder.appending(path: path), encoding: .utf8)
  }

  /// The names of the folders in a folder, in order.
  static func folders(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
      .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
      .map(\.lastPathComponent).sorted()
  }

  /// The folder of `Sources` whose Swift only deploy/library compiles, against the modules that it names.
  private static let library = "Library"

  /// The areas of `Sources`, in order of their names.
  static var areaNames: [String] {
    get throws { try folders(in: sources).filter { $0 != library } }
  }

  /// The area of each target in `Sources`.
  static let areas: [String: String] = {
    var areas: [String: String] = [:]
    for area in (try? areaNames) ?? [] {
      for target in (try? folders(in: sources.appending(path: area))) ?? [] { areas[target] = area }
    }
    return areas
  }()

  /// The path of a file or folder, below `Sources` and its areas, that begins with the name of a target.
  static func source(_ path: some StringProtocol) -> URL {
    let target = String(path.prefix { $0 != "/" })
    return sources.appending(path: "\(areas[target] ?? "")/\(path)")
  }
}
