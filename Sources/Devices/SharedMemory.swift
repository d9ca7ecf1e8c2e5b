// Memory that both the processor and display hardware read: a copy of a frame in it is shown without a second one.

/// One piece of such memory.
public final class SharedMemory: @unchecked Sendable {
  /// Readable and writable as long as this object lives; quick to read.
  public let base: UnsafeMutablePointer<UInt8>
  public let byteCount: Int
  /// The DMA buffer's file descriptor; open as long as this object lives.
  public let descriptor: Int32
  private let synchronise: @Sendable (_ isBeginning: Bool) -> Void
  private let release: @Sendable () -> Void

  /// - Parameters:
  ///   - synchronise: called when the processor begins and ends to write.
  ///   - release: called once, on any thread, when nobody has the object any more; unmaps and closes.
  public init(
    base: UnsafeMutablePointer<UInt8>, byteCount: Int, descriptor: Int32,
    synchronise: @escaping @Sendable (_ isBeginning: Bool) -> Void, release: @escaping @Sendable () -> Void
  ) {
    self.base = base
    self.byteCount = byteCount
    self.descriptor = descriptor
    self.synchronise = synchronise
    self.release = release
  }

  deinit { release() }

  /// Lets the processor write until `endWriting`.
  public func beginWriting() { synchronise(true) }

  /// Makes what was written visible to hardware.
  public func endWriting() { synchronise(false) }
}
