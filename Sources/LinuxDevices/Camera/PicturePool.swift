// Memory for pictures that are made here of what a camera sends, as luma and colour that a screen shows without a copy. A piece
// is filled again when the screen has let go of it.

import Devices

/// Pieces of memory for pictures of one size. Belongs to the capture thread.
struct PicturePool {
  /// One is filled while the screen has the newest, one on its way to the panel and one on it; and one goes between.
  static let pictureCountMax = 5

  private let makeMemory: (_ byteCount: Int) -> SharedMemory?
  private var pictures: [(frame: SharedFrame, memory: SharedMemory)] = []
  /// Whether there was no memory for a picture of this size.
  private var isRefused = false
  private var size = (width: 0, height: 0)

  init(makeMemory: @escaping (_ byteCount: Int) -> SharedMemory? = { DMAMemory.make(byteCount: $0) }) {
    self.makeMemory = makeMemory
  }

  /// A picture that nobody looks at: NV12 without gaps; nil if there is none, or no such memory.
  ///
  /// - Parameters:
  ///   - width: of the picture in pixels; odd sizes have no such memory, for two columns share a colour.
  ///   - height: the same in rows.
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
