// Memory that both the processor and display hardware read, so that frames in it are shown without a copy.

/// A block of such memory.
public final class SharedMemory: @unchecked Sendable {
  /// The processor's kind of access.
  public enum Access: Sendable { case reading, writing }

  /// Readable while this object lives; writable if the station allocated it.
  public let base: UnsafeMutablePointer<UInt8>
  public let byteCount: Int
  /// The DMA buffer's file descriptor; open while this object lives.
  public let descriptor: Int32
  private let synchronise: @Sendable (_ access: Access, _ isBeginning: Bool) -> Void
  private let release: @Sendable () -> Void

  /// - Parameters:
  ///   - synchronise: called when the processor begins and when it ends reading or writing.
  ///   - release: called once, on any thread, when the last reference goes away; unmaps and closes.
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

  /// Makes written data visible to hardware.
  public func end(_ access: Access) { synchronise(access, false) }
}
