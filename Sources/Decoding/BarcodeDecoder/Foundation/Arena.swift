// The decoder's only source of memory: a stack over the workspace's bytes.

/// The arena has too little room for a request.
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

/// A stack of scratch memory. Readers take what they need and release it down to their mark when they are done.
///
/// Copies share the bytes: an arena is passed `inout`.
@safe struct Arena {
  private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  private var used: Int

  /// - Safety: `base` must have `byteCount` writable bytes, aligned to 64 bytes, for as long as the arena is used.
  @unsafe init(base: UnsafeMutableRawPointer, byteCount: Int) {
    unsafe self.base = base
    self.byteCount = byteCount
    used = 0
  }

  /// The current height of the stack, for a later `release(to:)`.
  var mark: Int { used }

  /// Releases everything taken since `mark` was read.
  mutating func release(to mark: Int) {
    precondition(mark <= used)
    #if RETICLE_CHECKED
      unsafe forbid(base + mark, used - mark)
    #endif
    used = mark
  }

  /// Takes uninitialised memory for `count` elements, aligned to 64 bytes.
  ///
  /// - Safety: the pointer is valid until the stack is released below it.
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
