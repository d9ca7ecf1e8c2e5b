// Pictures of scans and of what could not be read: which are kept, and for how long.

import Delivery
import PictureFiles

extension ConfigurationKey {
  static let picturesOf = Self(
    "pictures.of", .choices(words(PictureKind.self)), "",
    "The pictures to keep: of each scan, each no-read, and each symbol that is found and cannot be read. Pictures may show "
      + "people. Default: none.", isCommon: true)
  static let picturesFolder = Self(
    "pictures.folder", .path(isPresent: false), "/var/lib/reticle/pictures",
    "The folder for pictures, which the station creates. It deletes only files with names of its own form there.")
  static let picturesFormat = Self(
    "pictures.format", .choice(words(WrittenFormat.self)), "webp", "The format of the files.")
  static let picturesQuality = Self(
    "pictures.quality", .integer(1...100), "75", "The quality of the files: higher is sharper and larger.")
  static let picturesArea = Self(
    "pictures.area", .choice(words(PictureSettings.Area.self)), "frame",
    "The part of the frame in a picture: all of it, or the code with its surroundings. A no-read always shows all of it.")
  static let picturesName = Self(
    "pictures.name", .pictureName, "{date}-{time}-",
    "The beginning of a file's name, followed by the kind of picture (scan, no-read or unread), the id of the scan, and the "
      + "ending. Date and time are in UTC.")
  static let picturesSize = Self(
    "pictures.megabytes", .integer(1...1_048_576), "256",
    "The most space for pictures, in megabytes; the oldest are deleted first.")
  static let picturesAge = Self(
    "pictures.age", .durationOr("forever", .seconds(60) ... .seconds(3650 * 86_400)), "7 d",
    "How long pictures are kept.")

  /// The keys of this file.
  static let pictures = [
    picturesOf, picturesFolder, picturesFormat, picturesQuality, picturesArea, picturesName, picturesSize, picturesAge,
  ]
}

extension PictureSettings {
  /// Nil if no pictures are kept.
  init?(_ reading: inout ConfigurationReading) {
    let kinds = Set(reading.choices(.picturesOf, PictureKind.self))
    self.init(kinds: kinds)
    folder = reading.path(.picturesFolder) ?? folder
    format = reading.choice(.picturesFormat, WrittenFormat.self) ?? format
    quality = reading.integer(.picturesQuality) ?? quality
    area = reading.choice(.picturesArea, Area.self) ?? area
    template = reading.pictureTemplate(.picturesName) ?? template
    byteCountMax = (reading.integer(.picturesSize) ?? 256) << 20
    ageMax = reading.duration(.picturesAge)
    guard kinds.isEmpty else { return }
    if !reading.isWritten(ConfigurationKey.picturesOf.name) {
      for key in ConfigurationKey.pictures where reading.isWritten(key.name) {
        reading.report(
          "\(key.name) has no effect without pictures.of; write which pictures to keep, such as pictures.of: [unread]",
          at: reading.place(of: key.name))
      }
    }
    return nil
  }
}
