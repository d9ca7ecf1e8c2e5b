// Memory that both the processor and display hardware read: a frame in it is shown without a copy.

/// One piece of such memory.
public final class SharedMemory: @unchecked Sendable {
  /// What the processor does with it.
  public enum Access: Sendable { case reading, writing }

  /// Readable as long as this object lives, and writable where it is the station's own.
  public let base: UnsafeMutablePointer<UInt8>
  public let byteCount: Int
  /// The DMA buffer's file descriptor; open as long as this object lives.
  public let descriptor: Int32
  private let synchronise: @Sendable (_ access: Access, _ isBeginning: Bool) -> Void
  private let release: @Sendable () -> Void

  /// - Parameters:
  ///   - synchronise: called when the processor begins and ends to read or to write.
  ///   - release: called once, on any thread, when nobody has the object any more; unmaps and closes.
  public init(
    base: UnsafeMutablePointer<UInt8>, byteCount: Int, descriptor: Int32,
    synchronise: @escaping @Sendable (_ access: Access, _ isBeginning: Bool) -> Void,
    release: @escaping @Sendable () -> Void
  ) {
    self.base = base
    self.byteCount = byteCount
    self.descriptor = descriptor
    self.synchronise = synchronise
    self.release = release
  }

  deinit { release() }

  /// Lets the processor read or write until `end`.
  public func begin(_ access: Access) { synchronise(access, true) }

  /// Makes what was written visible to hardware.
  public func end(_ access: Access) { synchronise(access, false) }
}
