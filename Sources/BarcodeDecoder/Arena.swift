// The decoder's only source of memory: a stack over the workspace's bytes.

/// There is no room in an arena for what was asked for.
struct ArenaFull: Error {}

#if RETICLE_CHECKED
  // The address sanitizer reports each access to bytes between these two calls.
  @_silgen_name("__asan_poison_memory_region") private func forbid(_ address: UnsafeMutableRawPointer, _ byteCount: Int)
  @_silgen_name("__asan_unpoison_memory_region") private func allow(_ address: UnsafeMutableRawPointer, _ byteCount: Int)

  /// Forbidden bytes after each piece.
  private let gapByteCount = 64
#else
  private let gapByteCount = 0
#endif

/// A stack of scratch memory. Readers take what they need and put the stack back to their mark when they are done.
///
/// Copies share the bytes: an arena is passed `inout`.
@safe struct Arena {
  private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  private var used: Int

  /// - Safety: `base` must have `byteCount` writable bytes for as long as the arena is used, aligned to 64 bytes.
  @unsafe init(base: UnsafeMutableRawPointer, byteCount: Int) {
    unsafe self.base = base
    self.byteCount = byteCount
    used = 0
  }

  /// The present height of the stack, to be given to `release(to:)`.
  var mark: Int { used }

  /// Gives back everything taken since `mark` was read.
  mutating func release(to mark: Int) {
    precondition(mark <= used)
    #if RETICLE_CHECKED
      unsafe forbid(base + mark, used - mark)
    #endif
    used = mark
  }

  /// `count` elements of uninitialised memory, aligned to 64 bytes.
  ///
  /// - Safety: the pointer is good until the stack is released below it.
  @unsafe mutating func take<Element: BitwiseCopyable>(
    _ type: Element.Type, count: Int
  ) throws(ArenaFull) -> UnsafeMutablePointer<Element> {
    let need = (count * MemoryLayout<Element>.stride + 63) & ~63 + gapByteCount
    guard count >= 0, need <= byteCount - used else { throw ArenaFull() }
    let place = unsafe base + used
    used += need
    #if RETICLE_CHECKED
      unsafe forbid(place, need)
      unsafe allow(place, count * MemoryLayout<Element>.stride)
    #endif
    return unsafe place.bindMemory(to: Element.self, capacity: count)
  }
}
