// Memory for the sensor's arithmetic.

/// Rows of numbers without gaps. The memory grows as needed and is kept, so that a running sensor allocates nothing.
final class FloatPlane {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var base: UnsafeMutablePointer<Float>
  private var capacity: Int

  init(width: Int = 0, height: Int = 0) {
    capacity = max(1, width * height)
    base = .allocate(capacity: capacity)
    base.initialize(repeating: 0, count: capacity)
    self.width = width
    self.height = height
  }

  deinit { base.deallocate() }

  /// Changes the size; the contents become undefined.
  func resize(width: Int, height: Int) {
    if width * height > capacity {
      base.deallocate()
      capacity = width * height
      base = .allocate(capacity: capacity)
      base.initialize(repeating: 0, count: capacity)
    }
    self.width = width
    self.height = height
  }

  func row(_ y: Int) -> UnsafeMutablePointer<Float> { base + y * width }

  func fill(_ value: Float) { base.update(repeating: value, count: width * height) }

  /// Takes the contents of a plane of the same size.
  func copy(_ other: FloatPlane) { base.update(from: other.base, count: width * height) }

  static func exchange(_ a: inout FloatPlane, _ b: inout FloatPlane) { (a, b) = (b, a) }
}
