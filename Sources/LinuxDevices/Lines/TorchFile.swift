// Where a torch that is a file of sysfs is switched, for whoever looks without switching.

public import Devices
import Glibc

extension TorchSettings {
  /// Whether it is an LED of a flash driver, which can be lit at a moment.
  public func hasFlash(leds: String = "/sys/class/leds") -> Bool {
    guard case .led(let name) = self else { return false }
    return access("\(leds)/\(name)/flash_strobe", F_OK) == 0
  }

  /// The file that is written to light it; nil if the LED or the PWM chip is not there, or the torch is none of these. A PWM
  /// channel that nobody has asked for yet is asked for by the chip's file.
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
