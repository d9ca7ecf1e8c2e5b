// Checks whether pictures of scans can be kept.

import StationConfiguration

extension Doctor {
  static func pictures(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard let settings = configuration.pictures else { return [] }
    let view = system.pictures
    guard let folder = view.folder else {
      return [Trouble.picturesFolderAbsent.found(["folder": settings.folder, "user": system.user])]
    }
    guard folder.mayWrite else { return [Trouble.picturesDenied.found(["folder": folder.path, "user": system.user])] }
    let limit = Int64(settings.byteCountMax)
    guard view.freeByteCount + view.byteCount >= limit + PictureSettings.freeByteCountMin else {
      return [
        Trouble.picturesDiskSmall.found([
          "folder": folder.path, "free": size(view.freeByteCount), "limit": size(limit), "file": fileName(system),
        ])
      ]
    }
    return [.ok(.pictures, "\(folder.path): \(size(view.byteCount)) of \(size(limit)) used")]
  }
}
