// The device files of cameras: whether they are there and whether this user may open them. libcamera itself passes over a
// device that it may not open, as if there were none; the operator is to be told the difference.

public import Devices
import Glibc

/// What the device files say.
public enum CameraNodes {
  /// Device files of one kind that are looked at; a Pi has some 30.
  static let nodeCountMax = 256

  /// Whether cameras may be opened: denied if there are device files, and all of one kind, or all DMA heaps, refuse; not determined
  /// while there are none yet and udev is still at work, as it is when a board has just started.
  ///
  /// - Parameters:
  ///   - folder: where device files are, and the folder of the DMA heaps.
  ///   - queue: the file that is there while udev has something to do.
  public static func readPermission(in folder: String = "/dev", queue: String = "/run/udev/queue") -> DevicePermission {
    if names(in: folder).isEmpty, access(queue, F_OK) == 0 { return .notDetermined }
    for kind in ["media", "video"] {
      let nodes = names(in: folder).filter { isNode($0, kind) }
      if !nodes.isEmpty, nodes.allSatisfy({ isRefused(folder + "/" + $0) }) { return .denied }
    }
    let heaps = heapNames.map { folder + "/dma_heap/" + $0 }.filter { access($0, F_OK) == 0 }
    if !names(in: folder).isEmpty, !heaps.isEmpty, heaps.allSatisfy(isRefused) { return .denied }
    return .authorized
  }

  /// The DMA heaps to try, best first: memory that the processor may cache where there is such a heap. On a Pi, reading
  /// what is not cached is 30 times slower.
  public static func heaps(in folder: String = "/dev/dma_heap") -> [String] {
    heapNames.map { folder + "/" + $0 }.filter { access($0, R_OK | W_OK) == 0 }
  }

  private static let heapNames = ["vidbuf_cached", "linux,cma", "system"]

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count < nodeCountMax, let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if isNode(name, "media") || isNode(name, "video") { names.append(name) }
    }
    return names
  }

  private static func isNode(_ name: String, _ kind: String) -> Bool {
    name.hasPrefix(kind) && name.count > kind.count && name.dropFirst(kind.count).allSatisfy(\.isNumber)
  }

  private static func isRefused(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if descriptor >= 0 {
      close(descriptor)
      return false
    }
    return errno == EACCES || errno == EPERM
  }
}
