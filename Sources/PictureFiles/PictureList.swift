// Which files a source of pictures plays, from what the operator wrote: a folder, a file, or a pattern for file names.

import Glibc

/// Finds picture files.
public enum PictureList {
  /// The most pictures in a list.
  public static let pictureCountMax = 100_000
  /// Name endings that are pictures when a folder is played. Files that are named are tried whatever they are called.
  public static let extensions = ["png", "jpg", "jpeg", "webp", "pgm"]

  /// Why there is no list of pictures to play.
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    case missing(String)
    case unreadable(String, errno: Int32)
    case noPictures(String)
    case tooMany(String)

    public var description: String {
      switch self {
      case .missing(let path):
        "\(path): there is no such file or folder; write the path of a folder of pictures, a picture, or a pattern such as labels/*.png"
      case .unreadable(let path, let number):
        "\(path): cannot be read (errno \(number)); let the user that runs reticle read it"
      case .noPictures(let path):
        "\(path): no pictures there; put PNG, JPEG, WebP or PGM files into it, or write another path"
      case .tooMany(let path): "\(path): more than \(PictureList.pictureCountMax) pictures; play them in parts"
      }
    }
  }

  /// The pictures of all entries, in the order of the entries, those of a folder or pattern sorted by name.
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
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func paths(of entry: String) throws(Failure) -> [String] {
    if isFolder(entry) { return try pictures(inFolder: entry) }
    if access(entry, F_OK) == 0 { return [entry] }
    guard errno == ENOENT || errno == ENOTDIR else { throw .unreadable(entry, errno: errno) }
    guard entry.contains(where: { "*?[".contains($0) }) else { throw .missing(entry) }
    return try matches(of: entry)
  }

  private static func pictures(inFolder folder: String) throws(Failure) -> [String] {
    guard let stream = opendir(folder) else { throw .unreadable(folder, errno: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { continue }
      if extensions.contains(name[name.index(after: dot)...].lowercased()) { names.append(name) }
      guard names.count <= pictureCountMax else { throw .tooMany(folder) }
    }
    guard !names.isEmpty else { throw .noPictures(folder) }
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    return names.sorted().map { base + $0 }
  }

  /// Shell patterns: `*`, `?` and `[…]`.
  private static func matches(of pattern: String) throws(Failure) -> [String] {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(pattern, 0, nil, &found) == 0 else { throw .noPictures(pattern) }
    guard found.gl_pathc <= pictureCountMax else { throw .tooMany(pattern) }
    return (0..<Int(found.gl_pathc)).compactMap { index in found.gl_pathv[index].map { String(cString: $0) } }
  }
}
