// Where the programs under test are.

public import Foundation

/// The programs of the build that the tests belong to.
public enum BuiltPrograms {
  /// Their folder: that of the test program.
  public static let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
}
