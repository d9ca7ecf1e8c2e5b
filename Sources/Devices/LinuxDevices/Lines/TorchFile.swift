// The sysfs file that switches a torch, for checks that do not switch it.

public import Devices
import Glibc

extension TorchSettings {
  /// Whether it is an LED of a flash driver, which can be lit at a precise moment.
  public func hasFlash(leds: String = "/sys/class/leds") -> Bool {
    guard case .led(let name) = self else { return false }
    return access("\(leds)/\(name)/flash_strobe", F_OK) == 0
  }

  /// The file that lights the torch when written; nil if the LED or PWM chip does not exist, or the torch is of another
  /// kind. For a PWM channel that is not exported yet, it is the chip's export file.
  public func switchFile(leds: String = "/sys/class/leds", pwm root: String = "/sys/class/pwm") -> String? {
    let lamp: SysfsLamp
    switch self {
    case .none, .line: return nil
    case .led(let name): lamp = .led(folder: leds + "/" + name)
    case .pwm(let settings): lamp = .pwm(settings, root: root)
    }
    return lamp.switchFile
  }
}
