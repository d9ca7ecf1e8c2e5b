// Memory from the kernel's DMA heaps (linux/dma-heap.h, linux/dma-buf.h), which display hardware can read: the heaps of
// cameras' buffers, in the same order.

public import Devices
import Glibc

/// Makes memory that is shared with display hardware.
public enum DMAMemory {
  /// Bytes of one piece: a frame of the largest sensor that is driven here, with its colour.
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
  /// DMA_BUF_SYNC_WRITE, and DMA_BUF_SYNC_END
  private static let (writing, ending): (UInt64, UInt64) = (2, 4)

  /// - Parameter heaps: device files of DMA heaps, best first.
  /// - Returns: nil if there is no heap that gives so much.
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
    let descriptor = Int32(bitPattern: request.descriptor)
    guard let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED else {
      close(descriptor)
      return nil
    }
    let base = mapped.bindMemory(to: UInt8.self, capacity: byteCount)
    let address = UInt(bitPattern: mapped)
    return SharedMemory(base: base, byteCount: byteCount, descriptor: descriptor) { isBeginning in
      var flags = writing | (isBeginning ? 0 : ending)
      while ioctl(descriptor, synchronise, &flags) != 0, errno == EINTR || errno == EAGAIN {}
    } release: {
      munmap(UnsafeMutableRawPointer(bitPattern: address), byteCount)
      close(descriptor)
    }
  }
}
