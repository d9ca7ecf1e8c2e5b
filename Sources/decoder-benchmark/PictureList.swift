// The pictures to be measured, by name.

import ArgumentParser
import Glibc

enum PictureList {
  /// The most pictures of one run.
  static let fileCountMax = 1_000_000
  /// The deepest nesting of folders that is followed.
  static let depthMax = 16

  /// The files that paths stand for: a folder for all pictures in and below it, in order of their names; - for the lines of
  /// standard input.
  static func files(_ paths: [String]) throws(ValidationError) -> [String] {
    var files: [String] = []
    for path in paths {
      if path == "-" {
        while let line = readLine() { if !line.isEmpty { files.append(line) } }
      } else {
        try add(path, depth: 0, to: &files)
      }
    }
    return files
  }

  private static func add(_ path: String, depth: Int, to files: inout [String]) throws(ValidationError) {
    guard let folder = opendir(path) else {
      // A file, or something that will be told when it is read.
      files.append(path)
      return
    }
    defer { closedir(folder) }
    guard depth < depthMax else { throw ValidationError("'\(path)' is nested deeper than \(depthMax) folders") }
    var names: [(name: String, isFolder: Bool)] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) }
      if name.hasPrefix(".") { continue }
      names.append((name, entry.pointee.d_type == UInt8(DT_DIR)))
    }
    for (name, isFolder) in names.sorted(by: { $0.name < $1.name }) {
      if isFolder {
        try add("\(path)/\(name)", depth: depth + 1, to: &files)
      } else if isPicture(name) {
        files.append("\(path)/\(name)")
      }
    }
    guard files.count <= fileCountMax else { throw ValidationError("there are more than \(fileCountMax) pictures") }
  }

  private static func isPicture(_ name: String) -> Bool {
    [".png", ".jpg", ".jpeg", ".webp", ".pgm"].contains { name.lowercased().hasSuffix($0) }
  }
}
