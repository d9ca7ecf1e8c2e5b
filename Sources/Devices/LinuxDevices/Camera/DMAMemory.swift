// Memory in DMA buffers (linux/dma-heap.h, linux/dma-buf.h), which display hardware can read: allocated here from the
// kernel's heaps, in the same order as for cameras' buffers, or a camera's own.

public import Devices
import Glibc

/// Allocates and maps memory that is shared with display hardware.
public enum DMAMemory {
  /// The largest block in bytes: a frame of the largest supported sensor, with its colour.
  static let byteCountMax = 96 << 20

  /// struct dma_heap_allocation_data
  private struct Allocation {
    var length: UInt64
    var descriptor: UInt32 = 0
    var flags = UInt32(O_RDWR | O_CLOEXEC)
    var heapFlags: UInt64 = 0
  }

  /// DMA_HEAP_IOCTL_ALLOC, _IOWR('H', 0, struct dma_heap_allocation_data)
  private static let allocate: UInt = 0xC018_4800
  /// DMA_BUF_IOCTL_SYNC, _IOW('b', 0, struct dma_buf_sync), whose only field are flags
  private static let synchronise: UInt = 0x4008_6200
  /// DMA_BUF_SYNC_READ, DMA_BUF_SYNC_WRITE, and DMA_BUF_SYNC_END
  private static let (reading, writing, ending): (UInt64, UInt64, UInt64) = (1, 2, 4)

  /// - Parameter heaps: device files of DMA heaps, best first.
  /// - Returns: nil if no heap provides enough memory.
  public static func make(byteCount: Int, heaps: [String] = CameraNodes.heaps()) -> SharedMemory? {
    guard byteCount > 0, byteCount <= byteCountMax else { return nil }
    for heap in heaps {
      if let memory = make(byteCount: byteCount, heap: heap) { return memory }
    }
    return nil
  }

  private static func make(byteCount: Int, heap path: String) -> SharedMemory? {
    let heap = open(path, O_RDWR | O_CLOEXEC)
    guard heap >= 0 else { return nil }
    defer { close(heap) }
    let pageMask = Int(sysconf(Int32(_SC_PAGESIZE))) - 1
    var request = Allocation(length: UInt64((byteCount + pageMask) & ~pageMask))
    guard ioctl(heap, allocate, &request) == 0 else { return nil }
    return mapped(Int32(bitPattern: request.descriptor), byteCount: byteCount, isWritable: true)
  }

  /// Maps an existing DMA buffer for reading.
  ///
  /// - Parameter descriptor: the buffer's; it is duplicated, and the duplicate is closed with the memory.
  /// - Returns: nil if the processor cannot read this many bytes of it.
  public static func reading(_ descriptor: Int32, byteCount: Int) -> SharedMemory? {
    guard byteCount > 0, byteCount <= byteCountMax else { return nil }
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { return nil }
    guard lseek(own, 0, Int32(SEEK_END)) >= byteCount else {
      close(own)
      return nil
    }
    return mapped(own, byteCount: byteCount, isWritable: false)
  }

  /// Maps a buffer and takes ownership of the descriptor.
  private static func mapped(_ descriptor: Int32, byteCount: Int, isWritable: Bool) -> SharedMemory? {
    let protection = PROT_READ | (isWritable ? PROT_WRITE : 0)
    guard let mapped = mmap(nil, byteCount, protection, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED else {
      close(descriptor)
      return nil
    }
    let base = mapped.bindMemory(to: UInt8.self, capacity: byteCount)
    let address = UInt(bitPattern: mapped)
    return SharedMemory(base: base, byteCount: byteCount, descriptor: descriptor) { access, isBeginning in
      var flags = (access == .reading ? reading : writing) | (isBeginning ? 0 : ending)
      while ioctl(descriptor, synchronise, &flags) != 0, errno == EINTR || errno == EAGAIN {}
    } release: {
      munmap(UnsafeMutableRawPointer(bitPattern: address), byteCount)
      close(descriptor)
    }
  }
}
