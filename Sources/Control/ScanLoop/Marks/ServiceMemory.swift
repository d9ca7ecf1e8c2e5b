// Memory for notes from one process to the next, in the folder that a service manager keeps between starts of a service.

import Glibc

/// Memory that outlives the process, even one that is killed, but not a reboot.
final class ServiceMemory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer

  /// - Parameters:
  ///   - folder: the service's folder, such as `/run/reticle`.
  ///   - name: the file's name in it. A link of that name is refused.
  ///   - byteCount: at least 1. New bytes are 0.
  /// - Returns: nil if there is no writable folder of that name.
  init?(folder: String, name: String, byteCount: Int) {
    let descriptor = open(folder + "/" + name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard ftruncate(descriptor, off_t(byteCount)) == 0,
      let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
    else { return nil }
    bytes = UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
  }

  deinit { munmap(bytes.baseAddress, bytes.count) }
}
