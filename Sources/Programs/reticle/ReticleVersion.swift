// The versions of this program and of its libraries.

#if Camera
  import CLibcamera
#endif
#if Screen
  import CLibdrm
#endif
#if Lines
  import CLibgpiod
#endif

enum ReticleVersion {
  static let number = "0.1.0"

  /// The version, then one line per system library that the build's traits brought in, with its version at run time.
  static var text: String {
    var lines = ["reticle \(number)"]
    #if Camera
      lines.append("libcamera \(read(clibcamera_version))")
    #endif
    #if Lines
      lines.append("libgpiod \(read(clibgpiod_version))")
    #endif
    #if Screen
      lines.append("libdrm \(read(clibdrm_version))")
    #endif
    return lines.joined(separator: "\n")
  }

  private static func read(_ version: (UnsafeMutablePointer<CChar>?, Int) -> CInt) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard version(&text, text.count) == 0 else { return "of unknown version" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
