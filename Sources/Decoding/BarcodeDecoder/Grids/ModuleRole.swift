// Prior knowledge of a matrix symbol's modules.

/// The function of a module in a symbol.
enum ModuleRole {
  /// Holds a bit of a codeword.
  static let data: UInt8 = 0
  /// Always light or dark: a finder, separator, timing, alignment or reference pattern.
  static let light: UInt8 = 1
  static let dark: UInt8 = 2
  /// Holds a bit that describes the symbol, such as format and version information.
  static let information: UInt8 = 3
}
