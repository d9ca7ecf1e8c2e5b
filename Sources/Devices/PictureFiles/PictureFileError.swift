// Why a picture file could not be read: one case per cause, each with its remedy.

/// A format of picture files, recognised by a file's first bytes and never by its name.
public enum PictureFormat: String, Sendable, CaseIterable {
  case png = "PNG"
  case jpeg = "JPEG"
  case webp = "WebP"
  case gif = "GIF"
  case tiff = "TIFF"
  case bmp = "BMP"
  case pbm = "PBM"
  case pgm = "PGM"
  case ppm = "PPM"
  /// HEIC and AVIF, too.
  case heif = "HEIF"
  case pdf = "PDF"
}

/// Why a picture file could not be read.
public enum PictureFileError: Error, Equatable, Sendable {
  /// The file does not exist.
  case missing(path: String)
  /// This user may not read the file or a folder in its path.
  case notPermitted(path: String)
  /// The path is a folder.
  case isFolder(path: String)
  /// The path is a device or socket.
  case notAFile(path: String)
  /// The file could not be read for another reason; `errno` is the system's error.
  case unreadable(path: String, errno: Int32)
  /// The file has no bytes.
  case empty
  /// The format is not supported. `recognised` names it, if known.
  case wrongType(recognised: String?)
  /// The bytes end before the picture does.
  case truncated(PictureFormat)
  /// The bytes violate their format; `detail` is the library's own message.
  case corrupt(PictureFormat, detail: String)
  /// The bytes use an unsupported part of their format.
  case unsupported(PictureFormat, detail: String)
  /// The file is longer than `PictureLimits.fileByteCountMax`.
  case fileTooLarge(byteCount: Int)
  /// A side of the picture exceeds `PictureLimits.sidePixelsMax`, or its pixels exceed `PictureLimits.pixelCountMax`.
  case pictureTooLarge(width: Int, height: Int)
  /// The document has more pages than `PictureLimits.pageCountMax`.
  case tooManyPages(count: Int)
  /// Drawing a page takes longer than `PictureLimits.pageSecondsMax`.
  case pageTakesTooLong
  /// Drawing a page takes more memory than `PictureLimits.pageMemoryByteCountMax`.
  case pageTakesTooMuchMemory
  /// The format is read by a library or program that this machine does not have.
  case needs(PictureFormat, package: String)
  /// The system has no memory for the picture.
  case outOfMemory

  /// The error, in a sentence without a full stop.
  public var message: String {
    switch self {
    case .missing: "there is no such file"
    case .notPermitted: "reading it is not permitted"
    case .isFolder: "it is a folder"
    case .notAFile: "it is a device or a socket, not a file"
    case .unreadable(_, let errno): "it cannot be read: \(errorText(errno))"
    case .empty: "the file is empty"
    case .wrongType(nil): "it is not a picture of a known format"
    case .wrongType(let recognised?): "it is \(recognised)"
    case .truncated(let format): "the \(format.rawValue) data end too early"
    case .corrupt(let format, let detail): "the \(format.rawValue) data are damaged" + parenthesis(detail)
    case .unsupported(let format, let detail): "this kind of \(format.rawValue) is not supported" + parenthesis(detail)
    case .fileTooLarge(let byteCount):
      "the file has \(byteCount) bytes, the limit is \(PictureLimits.fileByteCountMax)"
    case .pictureTooLarge(let width, let height):
      "the picture has \(width) by \(height) pixels, the limit is \(PictureLimits.sidePixelsMax) a side and "
        + "\(PictureLimits.pixelCountMax) in all"
    case .tooManyPages(let count): "the document has \(count) pages, the limit is \(PictureLimits.pageCountMax)"
    case .pageTakesTooLong: "a page takes longer to draw than the limit of \(PictureLimits.pageSecondsMax) s"
    case .pageTakesTooMuchMemory:
      "a page takes more memory to draw than the limit of \(PictureLimits.pageMemoryByteCountMax >> 20) MiB"
    case .needs(let format, let package): "\(format.rawValue) is read by the package \(package), which is missing"
    case .outOfMemory: "there is not enough memory for the picture"
    }
  }

  /// The remedy, in a sentence without a full stop.
  public var remedy: String {
    switch self {
    case .missing: "check the name and the folder it is looked for in"
    case .notPermitted: "give this user the right to read it"
    case .isFolder: "name the pictures in it one by one"
    case .notAFile: "save the picture to a file first"
    case .unreadable: "check the disk or the network drive that it is on"
    case .empty, .truncated: "copy or save the picture again"
    case .wrongType, .unsupported: "save it as a still PNG or JPEG picture"
    case .corrupt: "save the picture again, or open it in a picture editor and export it"
    case .fileTooLarge, .pictureTooLarge: "scale the picture down or cut out the part with the code"
    case .tooManyPages: "split it"
    case .pageTakesTooLong, .pageTakesTooMuchMemory: "export its pages as PNG pictures, or print it to a new PDF"
    case .needs(_, let package): "install it with: sudo apt install \(package)"
    case .outOfMemory: "scale the picture down or close other programs"
    }
  }

  private func parenthesis(_ detail: String) -> String { detail.isEmpty ? "" : " (\(detail))" }
}

extension PictureFileError: CustomStringConvertible {
  /// Message and remedy in one line.
  public var description: String { "\(message); \(remedy)" }
}
