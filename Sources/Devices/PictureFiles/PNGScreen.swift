// A screen whose pictures are files: for boards without a panel, for a manual's illustrations, and for tests.

public import Devices
import CPicture
import Glibc

/// Writes a PNG for each state of the screen.
public final class PNGScreen: Screen {
  /// The most files written per run; later pictures are not written.
  public static let pictureCountMax = 2000

  public var name: String { "pictures in \(folder)" }
  public let showsMovement = false
  private let folder: String
  private let screen: SimulatedScreen
  private var pictureCount = 0
  /// The number before this screen's first file; known after it is opened.
  private var firstNumber = 0
  private var isPreviewShown = false

  /// - Parameters:
  ///   - folder: the folder for the files 0001.png and so on; it is created if missing.
  public init(folder: String, mode: ScreenMode) {
    self.folder = folder
    screen = SimulatedScreen(mode: mode, showsMovement: false)
  }

  public func open() throws(ScreenTrouble) -> ScreenMode {
    if mkdir(folder, 0o755) != 0, errno != EEXIST {
      throw ScreenTrouble(
        .missing, "\(folder): the folder cannot be made (\(String(cString: strerror(errno)))); choose one that can")
    }
    if pictureCount == 0 { firstNumber = lastNumber() }
    return try screen.open()
  }

  public func look() throws(ScreenTrouble) { try screen.look() }

  public func close() { screen.close() }

  /// Shows a picture, and writes it if more than the camera's view has changed.
  public func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) {
    let wasPreviewShown = isPreviewShown
    switch preview {
    case .hidden: isPreviewShown = false
    case .unchanged: break
    case .frame: isPreviewShown = true
    }
    try screen.present(preview, overlay)
    if !overlay.changes.isEmpty || isPreviewShown != wasPreviewShown { try write() }
  }

  private func write() throws(ScreenTrouble) {
    guard pictureCount < Self.pictureCountMax else { return }
    pictureCount += 1
    let path = path(firstNumber + pictureCount)
    let file = Self.png(screen.pixels, width: screen.mode.width, height: screen.mode.height)
    guard let file, let stream = fopen(path, "wb") else {
      throw ScreenTrouble(.failed, "\(path) cannot be written (\(String(cString: strerror(errno)))); choose another folder")
    }
    let written = fwrite(file, 1, file.count, stream)
    if fclose(stream) != 0 || written != file.count {
      throw ScreenTrouble(.failed, "\(path) cannot be written whole; make room on its disk")
    }
  }

  private func path(_ number: Int) -> String {
    let digits = String(number)
    return "\(folder)/\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits).png"
  }

  /// The number of the last file that another run, or this station before a reload, left in the folder.
  private func lastNumber() -> Int {
    guard let directory = opendir(folder) else { return 0 }
    defer { closedir(directory) }
    var last = 0
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name.hasSuffix(".png"), let number = Int(name.dropLast(4)), path(number) == "\(folder)/\(name)" {
        last = max(last, number)
      }
    }
    return last
  }

  /// The bytes of a PNG file of opaque pixels; nil if memory is not available.
  public static func png(_ pixels: [UInt32], width: Int, height: Int) -> [UInt8]? {
    var samples: [UInt8] = []
    samples.reserveCapacity(width * height * 3)
    for pixel in pixels {
      samples.append(UInt8(pixel >> 16 & 0xFF))
      samples.append(UInt8(pixel >> 8 & 0xFF))
      samples.append(UInt8(pixel & 0xFF))
    }
    return collectFile { sink, file, detail in
      cpicture_png_write(samples, UInt32(width), UInt32(height), width * 3, 3, sink, file, detail)
    }
  }
}
