// Finds the files that a picture source plays, from the operator's entries: a folder, a file, or a pattern for file names.

import Glibc

/// Finds picture files.
public enum PictureList {
  /// The most pictures in a list.
  public static let pictureCountMax = 100_000
  /// Name endings of pictures when a folder is played. Files named explicitly are tried regardless of their ending.
  public static let extensions = [
    "png", "jpg", "jpeg", "webp", "gif", "tif", "tiff", "bmp", "ppm", "pgm", "pbm", "pnm", "heic", "heif", "avif", "pdf",
  ]

  /// Why there are no pictures to play.
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    case missing(String)
    case unreadable(String, errno: Int32)
    case noPictures(String)
    case tooMany(String)
    /// For watched folders.
    case noFolder(String)
    case notFolder(String)

    public var description: String {
      switch self {
      case .missing(let path):
        "\(path): there is no such file or folder; write the path of a folder of pictures, a picture, or a pattern such as labels/*.png"
      case .unreadable(let path, let number):
        "\(path): cannot be read (errno \(number)); let the user that runs reticle read it"
      case .noPictures(let path):
        "\(path): no pictures there; put PNG, JPEG, TIFF or other pictures into it, write another path, or wait for them with "
          + "camera.repeat: watch"
      case .tooMany(let path): "\(path): more than \(PictureList.pictureCountMax) pictures; play them in parts"
      case .noFolder(let path): "\(path): there is no such folder; make it, or write the path of one"
      case .notFolder(let path): "\(path): it is no folder; camera.repeat: watch waits for pictures in folders"
      }
    }
  }

  /// The pictures of all entries, in the order of the entries; those of a folder or pattern are sorted by name.
  public static func paths(of entries: [String]) throws(Failure) -> [String] {
    var paths: [String] = []
    for entry in entries {
      paths += try self.paths(of: entry)
      guard paths.count <= pictureCountMax else { throw .tooMany(entry) }
    }
    guard !paths.isEmpty else { throw .noPictures(entries.first ?? "the list of pictures is empty") }
    return paths
  }

  /// Whether a path leads to a folder.
  public static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return FileName.withPath(path) { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The entries, which must all be folders.
  public static func folders(of entries: [String]) throws(Failure) -> [String] {
    for entry in entries where !isFolder(entry) {
      throw FileName.withPath(entry, { access($0, F_OK) }) == 0 ? .notFolder(entry) : .noFolder(entry)
    }
    guard !entries.isEmpty else { throw .noPictures("the list of folders is empty") }
    return entries
  }

  /// Whether a file in a folder counts as a picture, by its name's ending. Hidden files do not: many programs write to one
  /// first.
  static func isPictureName(_ name: String) -> Bool {
    guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return false }
    return extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  static func path(of name: String, inFolder folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  private static func paths(of entry: String) throws(Failure) -> [String] {
    if isFolder(entry) {
      let pictures = try pictures(inFolder: entry)
      guard !pictures.isEmpty else { throw .noPictures(entry) }
      return pictures
    }
    if FileName.withPath(entry, { access($0, F_OK) }) == 0 { return [entry] }
    guard errno == ENOENT || errno == ENOTDIR else { throw .unreadable(entry, errno: errno) }
    guard entry.contains(where: { "*?[".contains($0) }) else { throw .missing(entry) }
    return try matches(of: entry)
  }

  /// The pictures of a folder, sorted by name; may be empty.
  static func pictures(inFolder folder: String) throws(Failure) -> [String] {
    guard let stream = FileName.withPath(folder, { opendir($0) }) else { throw .unreadable(folder, errno: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        FileName.text(bytes.prefix { $0 != 0 })
      }
      if isPictureName(name) { names.append(name) }
      guard names.count <= pictureCountMax else { throw .tooMany(folder) }
    }
    return names.sorted().map { path(of: $0, inFolder: folder) }
  }

  /// Shell patterns: `*`, `?` and `[…]`.
  private static func matches(of pattern: String) throws(Failure) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard FileName.withPath(pattern, { glob($0, 0, nil, &found) }) == 0 else { throw .noPictures(pattern) }
    guard found.gl_pathc <= pictureCountMax else { throw .tooMany(pattern) }
    return (0..<Int(found.gl_pathc)).compactMap { index in found.gl_pathv[index].map { FileName.text(cString: $0) } }
  }
}
