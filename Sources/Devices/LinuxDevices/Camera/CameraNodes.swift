// The device files of cameras: whether they exist and whether this user may open them. libcamera ignores a device that it
// may not open, as if it did not exist; the operator needs to know the difference.

public import Devices
import Glibc

/// Checks of the device files.
public enum CameraNodes {
  /// The most device files checked per kind; a Pi has about 30.
  static let nodeCountMax = 256

  /// Whether cameras may be opened: `denied` if there are device files, and every file of a kind, or every DMA heap, refuses;
  /// `notDetermined` if none exist yet and udev is still at work, as it is on a board that has just booted.
  ///
  /// - Parameters:
  ///   - folder: the folder of device files, which contains the folder of DMA heaps.
  ///   - queue: the file that exists while udev is busy.
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

  /// The DMA heaps to try, best first: cached memory if there is such a heap. On a Pi, reading uncached memory is 30 times
  /// slower.
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
