// The decoder's arrays: a piece of the arena with a length. Every index is checked, so that a malicious symbol can damage
// only its own result; loops over pixels use the pointer instead.

/// `count` elements of uninitialised arena memory. Copies share the elements.
@safe struct ScratchArray<Element: BitwiseCopyable> {
  let base: UnsafeMutablePointer<Element>
  let count: Int

  /// Valid until the arena is released below it.
  init(_ count: Int, arena: inout Arena) throws(ArenaFull) {
    unsafe base = try arena.take(Element.self, count: count)
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

  /// Inserts an element into the sorted first `count` elements, after those equal to it. If there is no room, the last
  /// element is dropped.
  @inline(__always) func insert(_ element: Element, count: inout Int, precedes: (Element, Element) -> Bool) {
    if count == self.count {
      guard precedes(element, self[count - 1]) else { return }
      count -= 1
    }
    var place = count
    while place > 0, precedes(element, self[place - 1]) {
      self[place] = self[place - 1]
      place -= 1
    }
    self[place] = element
    count += 1
  }
}
