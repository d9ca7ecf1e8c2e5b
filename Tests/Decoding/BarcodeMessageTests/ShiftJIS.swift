import Glibc

/// Converts text to Shift JIS with the C library.
enum ShiftJIS {
  static func bytes(_ text: String) -> [UInt8] {
    guard let converter = iconv_open("CP932", "UTF-8"), Int(bitPattern: converter) != -1 else { return [] }
    defer { iconv_close(converter) }
    var source = text.utf8.map { CChar(bitPattern: $0) }
    var target = [CChar](repeating: 0, count: 2 * source.count + 1)
    var sourceLeft = source.count
    var targetLeft = target.count
    let isWhole = source.withUnsafeMutableBufferPointer { from in
      target.withUnsafeMutableBufferPointer { to in
        var fromPlace = from.baseAddress
        var toPlace = to.baseAddress
        return iconv(converter, &fromPlace, &sourceLeft, &toPlace, &targetLeft) != -1
      }
    }
    precondition(isWhole, "\(text) has no Shift JIS")
    return target.prefix(target.count - targetLeft).map { UInt8(bitPattern: $0) }
  }
}
