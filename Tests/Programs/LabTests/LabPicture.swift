// Pictures for the lab's camera, each drawn once per test run.

import BarcodeTypes
import Synchronization
import TestScenes

/// A picture, drawn in the size of the camera that shows it.
enum LabPicture: Hashable {
  struct Size: Hashable {
    let width: Int
    let height: Int

    init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }
  }

  /// A label with one symbol, large enough to be read immediately.
  case label(String, Symbology = .qr, modulePixels: Double? = nil)
  /// A uniform grey level, with nothing to read.
  case grey(UInt8)
  /// Luma of the camera's size, row by row.
  case luma(String, [UInt8])

  /// A counter without a label.
  static let empty = LabPicture.grey(130)

  private struct Key: Hashable {
    let picture: LabPicture
    let size: Size
  }

  private static let drawn = Mutex<[Key: [UInt8]]>([:])

  /// The name of its file.
  func name(_ size: Size) -> String {
    let name =
      switch self {
      case .label(let text, let symbology, _): "\(symbology)-\(text.replacing("/", with: "_"))"
      case .grey(let level): "grey-\(level)"
      case .luma(let name, _): name
      }
    return "\(name)-\(size.width)x\(size.height).pgm"
  }

  /// The picture's luma, row by row.
  func luma(_ size: Size) throws -> [UInt8] {
    switch self {
    case .label(let text, let symbology, let modulePixels):
      let key = Key(picture: self, size: size)
      if let luma = Self.drawn.withLock({ $0[key] }) { return luma }
      var scene = CameraScene(symbology, text)
      (scene.width, scene.height) = (size.width, size.height)
      scene.modulePixels = modulePixels ?? (size.height < 480 ? 4 : symbology == .qr ? 6 : 3)
      let luma = try scene.draw()
      Self.drawn.withLock { $0[key] = luma }
      return luma
    case .grey(let level): return [UInt8](repeating: level, count: size.width * size.height)
    case .luma(_, let luma): return luma
    }
  }

  /// The picture as a PGM file.
  func file(_ size: Size) throws -> [UInt8] { try Array("P5 \(size.width) \(size.height) 255\n".utf8) + luma(size) }
}
