// A setting that acts some frames after it was wished.

/// A value per frame, with changes that are known in advance.
struct DelayedValue<Value> {
  private var current: Value
  /// Changes to come, in the order of their frames.
  private var changes: [(frame: UInt64, value: Value)] = []

  init(_ value: Value) { current = value }

  /// The value after all changes.
  var last: Value { changes.last?.value ?? current }

  /// Wishes a value from a frame on.
  mutating func set(_ value: Value, from frame: UInt64) {
    changes.removeAll { $0.frame >= frame }
    changes.append((frame, value))
  }

  /// Makes all changes at once.
  mutating func settle() {
    current = last
    changes = []
  }

  /// The value of a frame; frames are asked for in order.
  mutating func value(of frame: UInt64) -> Value {
    while let change = changes.first, change.frame <= frame {
      current = change.value
      changes.removeFirst()
    }
    return current
  }
}
