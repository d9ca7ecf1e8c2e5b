// Torches that the kernel drives: an LED of the LED class, which has a stable name and keeps its setting, or a PWM channel,
// which can dim. Both are files to write words to, and to read back.

public import Devices
import Glibc

/// A torch controlled through files of /sys.
public actor SysfsTorch: Torch {
  private nonisolated let executor = BlockingExecutor(label: "torch")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let lamp: SysfsLamp

  /// An LED by its name in /sys/class/leds.
  public init(led name: String, root: String = "/sys/class/leds") { lamp = .led(folder: root + "/" + name) }

  public init(pwm settings: PWMSettings, root: String = "/sys/class/pwm") { lamp = .pwm(settings, root: root) }

  public func readFacts() async -> TorchFacts { lamp.readFacts() }

  public func set(isOn: Bool) async -> TorchOutcome {
    let trouble = lamp.prepare() ?? lamp.drive(isOn)
    let observed = lamp.isLit
    if let trouble { return TorchOutcome(isOn: observed ?? false, trouble: trouble) }
    return TorchOutcome(
      isOn: observed ?? false, trouble: observed == isOn ? nil : "\(lamp.name): the lamp does not respond")
  }

  public func readState() async -> Bool? { lamp.isLit }
}

/// The files of a lamp.
enum SysfsLamp: Equatable {
  case led(folder: String)
  case pwm(PWMSettings, root: String)

  var name: String {
    switch self {
    case .led(let folder): folder
    case .pwm(let settings, _): "\(settings.chip):\(settings.channel)"
    }
  }

  var isPresent: Bool {
    switch self {
    case .led(let folder): access(folder + "/brightness", F_OK) == 0
    case .pwm(let settings, let root): SysfsLamp.pwmChip(settings.chip, root) != nil
    }
  }

  func readFacts() -> TorchFacts {
    let trouble = prepare()
    let isPresent = isPresent
    var facts = TorchFacts(
      isPresent: isPresent, isAvailable: isPresent && trouble == nil, supportsOn: true, supportsOff: true)
    facts.trouble = trouble
    return facts
  }

  /// The file that lights the lamp when written; nil if the lamp does not exist.
  var switchFile: String? {
    switch self {
    case .led(let folder): return isPresent ? folder + "/brightness" : nil
    case .pwm(let settings, let root):
      guard let chip = SysfsLamp.pwmChip(settings.chip, root) else { return nil }
      let enable = chip + "/pwm\(settings.channel)/enable"
      return access(enable, F_OK) == 0 ? enable : chip + "/export"
    }
  }

  /// Whether it is lit; nil if the files cannot be read, like those of a channel that has not been exported.
  var isLit: Bool? {
    switch self {
    case .led(let folder):
      return number(folder + "/brightness").map { $0 > 0 || (number(folder + "/flash_strobe") ?? 0) > 0 }
    case .pwm(let settings, let root):
      guard let folder = channel(settings, root), let isEnabled = number(folder + "/enable"),
        let lit = number(folder + "/duty_cycle")
      else { return nil }
      return isEnabled > 0 && lit > 0
    }
  }

  /// Prepares the lamp; returns the obstacle, or nil.
  func prepare() -> String? {
    switch self {
    case .led(let folder): return write("", to: nil, check: folder + "/brightness")
    case .pwm(let settings, let root):
      guard let chip = SysfsLamp.pwmChip(settings.chip, root) else {
        return "\(name): there is no such PWM chip; see the device links in \(root)"
      }
      let folder = chip + "/pwm\(settings.channel)"
      if access(folder + "/enable", F_OK) != 0, let trouble = write("\(settings.channel)", to: chip + "/export") {
        return trouble
      }
      return write("", to: nil, check: folder + "/enable")
    }
  }

  /// Lights the lamp or turns it off; returns the failure, or nil.
  func drive(_ isOn: Bool) -> String? {
    switch self {
    case .led(let folder):
      let full = number(folder + "/max_brightness") ?? 255
      let flash = folder + "/flash_strobe"
      // A flash started by a killed station may last until its driver's timeout.
      if !isOn, access(flash, F_OK) == 0, let trouble = write("0", to: flash) { return trouble }
      return write("\(isOn ? full : 0)", to: folder + "/brightness")
    case .pwm(let settings, let root):
      guard let folder = channel(settings, root) else { return "\(name): the PWM chip has gone" }
      let period = 1_000_000_000 / settings.frequency
      let lit = period * settings.brightness / 100
      // The kernel refuses a period below the duty cycle, so the lamp goes dark first.
      let steps =
        isOn
        ? [("duty_cycle", 0), ("period", period), ("duty_cycle", lit), ("enable", 1)]
        : [("duty_cycle", 0), ("enable", 0)]
      for (file, value) in steps {
        if let trouble = write("\(value)", to: folder + "/" + file) { return trouble }
      }
      return nil
    }
  }

  private func channel(_ settings: PWMSettings, _ root: String) -> String? {
    SysfsLamp.pwmChip(settings.chip, root).map { $0 + "/pwm\(settings.channel)" }
  }

  /// The folder of the chip with this device name.
  private static func pwmChip(_ device: String, _ root: String) -> String? {
    for number in 0..<64 {
      let folder = "\(root)/pwmchip\(number)"
      guard let resolved = realpath(folder + "/device", nil) else { continue }
      defer { free(resolved) }
      if String(cString: resolved).split(separator: "/").last.map(String.init) == device { return folder }
    }
    return nil
  }

  func number(_ path: String) -> Int? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return Int(String(decoding: bytes.prefix(count).prefix { $0 > 0x20 }, as: UTF8.self))
  }

  /// Writes a word to a file, or only checks whether that is allowed; returns the failure, or nil.
  func write(_ word: String, to path: String?, check: String? = nil) -> String? {
    guard let target = path ?? check else { return nil }
    let descriptor = open(target, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return refusal(target, errno) }
    defer { close(descriptor) }
    guard path != nil else { return nil }
    let written = Glibc.write(descriptor, word, word.utf8.count)
    return written == word.utf8.count ? nil : refusal(target, errno)
  }

  private func refusal(_ path: String, _ code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "\(path): it may not be written; add the user to the group that owns it, by a udev rule"
    case ENOENT: "\(path): there is no such file; check the name of the LED or PWM chip"
    default: "\(path): \(String(cString: strerror(code)))"
    }
  }
}
