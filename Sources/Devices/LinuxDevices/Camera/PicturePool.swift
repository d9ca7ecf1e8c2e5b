// Memory for pictures converted from a camera's data to luma and colour that a screen shows without a copy. A block is
// reused after the screen has released it.

import Devices

/// Memory blocks for pictures of the same size. Belongs to the capture thread.
struct PicturePool {
  /// One is filled; the screen holds the newest, one on its way to the panel and one on it; and one is spare.
  static let pictureCountMax = 5

  private let makeMemory: (_ byteCount: Int) -> SharedMemory?
  private var pictures: [(frame: SharedFrame, memory: SharedMemory)] = []
  /// Whether memory for a picture of this size is not available.
  private var isRefused = false
  private var size = (width: 0, height: 0)

  init(makeMemory: @escaping (_ byteCount: Int) -> SharedMemory? = { DMAMemory.make(byteCount: $0) }) {
    self.makeMemory = makeMemory
  }

  /// A picture without other holders: NV12 without gaps; nil if all are held, or the memory is not available.
  ///
  /// - Parameters:
  ///   - width: in pixels; odd widths have no such memory, because two columns share a colour.
  ///   - height: in rows; odd heights have none either.
  mutating func next(width: Int, height: Int) -> (frame: SharedFrame, memory: SharedMemory)? {
    if width != size.width || height != size.height {
      size = (width, height)
      pictures.removeAll(keepingCapacity: true)
      isRefused = width % 2 != 0 || height % 2 != 0
    }
    for index in pictures.indices where isKnownUniquelyReferenced(&pictures[index].frame) { return pictures[index] }
    guard !isRefused, pictures.count < Self.pictureCountMax else { return nil }
    guard let memory = makeMemory(width * height * 3 / 2) else {
      isRefused = true
      return nil
    }
    let frame = SharedFrame(
      memory: memory, format: .nv12, width: width, height: height,
      planes: [.init(byteOffset: 0, bytesPerRow: width), .init(byteOffset: width * height, bytesPerRow: width)])
    pictures.append((frame, memory))
    return pictures[pictures.count - 1]
  }
}
