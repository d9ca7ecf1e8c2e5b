// Arrays of the decoder: a piece of the arena with a length. Every index is checked, so that a hostile symbol can spoil
// nothing but its own result; loops over pixels take the pointer instead.

/// `count` elements of arena memory, not initialised. Copies share the elements.
@safe struct ScratchArray<Element: BitwiseCopyable> {
  let base: UnsafeMutablePointer<Element>
  let count: Int

  /// Nil if the arena is full. Good until the arena is released below it.
  init?(_ count: Int, arena: inout Arena) {
    guard let base = unsafe arena.take(Element.self, count: count) else { return nil }
    unsafe self.base = base
    self.count = count
  }

  @inline(__always) subscript(index: Int) -> Element {
    get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      return unsafe base[index]
    }
    nonmutating set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      unsafe base[index] = newValue
    }
  }

  /// Sets the first `count` elements.
  @inline(__always) func fill(_ value: Element, count: Int) {
    precondition(count >= 0 && count <= self.count)
    unsafe base.update(repeating: value, count: count)
  }
}
