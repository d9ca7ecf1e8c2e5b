// Where a torch that is a file of sysfs is switched, for whoever looks without switching.

public import Devices

extension TorchSettings {
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
