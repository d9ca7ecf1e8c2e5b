// Pictures of scans and of what could not be read: which are kept, and for how long.

import DeliveryModel
import PictureFiles

extension PictureSettings {
  static let keys = KeySection(
    "pictures", PictureSettings(kinds: []),
    [
      Field(
        "of", \.kinds, .pictureKinds,
        "The pictures to keep: of each scan, each no-read, and each symbol that is found and cannot be read. Pictures "
          + "may show people. Default: none.", isCommon: true),
      Field(
        "folder", \.folder, .path(isPresent: false),
        "The folder for pictures, which the station creates. It deletes only files with names of its own form there."),
      Field("format", \.format, .choice, "The format of the files."),
      Field("quality", \.quality, .integer(1...100), "The quality of the files: higher is sharper and larger."),
      Field(
        "area", \.area, .choice,
        "The part of the frame in a picture: all of it, or the code with its surroundings. A no-read always shows all of "
          + "it."),
      Field(
        "name", \.template, .pictureName,
        "The beginning of a file's name, followed by the kind of picture (scan, no-read or unread), the id of the scan, "
          + "and the ending. Date and time are in UTC."),
      Field(
        "megabytes", \.byteCountMax, .megabytes(1...1_048_576),
        "The most space for pictures, in megabytes; the oldest are deleted first."),
      Field(
        "age", \.ageMax, .duration(.seconds(60) ... .seconds(3650 * 86_400), or: "forever"), "How long pictures are kept."),
    ])

  /// Nil if no pictures are kept.
  init?(_ reading: inout ConfigurationReading) {
    self.init(kinds: [])
    Self.keys.read(&reading, into: &self)
    guard kinds.isEmpty else { return }
    if !reading.isWritten("pictures.of") {
      for key in Self.keys.rows where reading.isWritten(key.name) {
        reading.report(
          "\(key.name) has no effect without pictures.of; write which pictures to keep, such as pictures.of: [unread]",
          at: reading.place(of: key.name))
      }
    }
    return nil
  }
}

extension ValueForm<Set<PictureKind>> {
  fileprivate static let pictureKinds = Self(
    ValueForm<[PictureKind]>.choices().kind, read: { ValueForm<[PictureKind]>.choices().read(&$0, $1, $2).map { Set($0) } },
    write: { $0.map(\.rawValue).sorted().joined(separator: ", ") })
}
