// The board files as part of the program: what a machine needs to know about itself is there before anything is installed.

/// A board, or a camera for boards, that is known.
public struct BoardFile: Equatable, Sendable {
  /// The file's name without its ending, such as `raspberry-pi-5`.
  public let name: String
  /// The file, YAML.
  public let text: String

  /// Every board, the one that fits any machine last.
  public static let all: [BoardFile] = [
    BoardFile("raspberry-pi-zero-2-w", PackageResources.raspberry_pi_zero_2_w_yaml),
    BoardFile("raspberry-pi-3", PackageResources.raspberry_pi_3_yaml),
    BoardFile("raspberry-pi-4", PackageResources.raspberry_pi_4_yaml),
    BoardFile("raspberry-pi-5", PackageResources.raspberry_pi_5_yaml),
    BoardFile("generic-linux", PackageResources.generic_linux_yaml),
  ]

  /// Cameras, whose configuration is added to that of a board.
  public static let cameras: [BoardFile] = [
    BoardFile("camera-module-1", PackageResources.camera_module_1_yaml),
    BoardFile("camera-module-2", PackageResources.camera_module_2_yaml),
    BoardFile("camera-module-3", PackageResources.camera_module_3_yaml),
    BoardFile("camera-hq", PackageResources.camera_hq_yaml),
    BoardFile("camera-global-shutter", PackageResources.camera_global_shutter_yaml),
    BoardFile("camera-usb", PackageResources.camera_usb_yaml),
  ]

  /// The lines below a key, less their indent; the configuration is a file of its own so.
  public func section(_ key: String) -> String {
    var lines: [Substring] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.first != " " {
        isInside = line == key + ":"
      } else if isInside {
        lines.append(line.dropFirst(2))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The value of a key that stands on one line.
  public func value(_ key: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix(key + ": ") }.map { String($0.dropFirst(key.count + 2)) }
  }

  /// The file for a machine, by what its device tree calls it; the general one if none is its own.
  public static func matching(model: String) -> BoardFile {
    all.first { board in
      (board.value("models") ?? "").dropFirst().dropLast().split(separator: ",").contains { name in
        model.hasPrefix(name.drop { $0 == " " })
      }
    } ?? all[all.count - 1]
  }

  private init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    text = String(decoding: bytes, as: UTF8.self)
  }
}
