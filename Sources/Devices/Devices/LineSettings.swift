// GPIO lines as an operator writes them: the chip's label and the line's name or offset, never the number of a chip, which
// differs between kernels.

/// The address of a line.
public struct LineAddress: Equatable, Sendable, CustomStringConvertible {
  /// The chip's label, such as `pinctrl-rp1`; nil for the one chip that has a line of this name.
  public var chip: String?
  /// The line's name, such as `GPIO17`, or its offset in the chip.
  public var line: String

  public init(chip: String?, line: String) {
    self.chip = chip
    self.line = line
  }

  /// Reads `pinctrl-rp1:GPIO17`, `pinctrl-rp1:17` or `GPIO17`. An offset needs a chip; a number of a chip is refused.
  public init?(_ text: String) {
    if let colon = text.lastIndex(of: ":") {
      chip = String(text[..<colon])
      line = String(text[text.index(after: colon)...])
    } else {
      line = text
    }
    let words = [chip, line].compactMap { $0 }
    guard words.allSatisfy({ (1...31).contains($0.utf8.count) && !$0.contains(" ") }) else { return nil }
    if chip == nil, offset != nil { return nil }
    if let chip, chip.hasPrefix("gpiochip"), chip.dropFirst(8).allSatisfy(\.isNumber) { return nil }
  }

  /// The offset, if the line is given as a number.
  public var offset: UInt32? { line.allSatisfy { "0" <= $0 && $0 <= "9" } ? UInt32(line) : nil }

  public var description: String { chip.map { "\($0):\(line)" } ?? line }
}

/// The bias of an input that nothing drives.
public enum LineBias: String, CaseIterable, Equatable, Sendable { case unchanged, none, up, down }

/// A line with its polarity.
public struct LineSettings: Equatable, Sendable {
  public var address: LineAddress
  /// Whether the line is active when it is low.
  public var isActiveLow: Bool

  public init(_ address: LineAddress, isActiveLow: Bool = false) {
    self.address = address
    self.isActiveLow = isActiveLow
  }
}

/// The driver of the torch.
public enum TorchSettings: Equatable, Sendable {
  case none
  /// A GPIO line, through a transistor.
  case line(LineSettings)
  /// An LED of the kernel's LED class, by its name in /sys/class/leds.
  case led(String)
  /// A channel of a PWM chip, which is identified by its device's name.
  case pwm(PWMSettings)
}

/// A dimmed lamp.
public struct PWMSettings: Equatable, Sendable {
  /// The name of the chip's device, such as `1f00098000.pwm`.
  public var chip: String
  public var channel: Int
  /// Cycles per second: above the frequencies that a rolling shutter shows as stripes.
  public var frequency = 20_000
  /// Duty cycle in percent while the torch is on.
  public var brightness = 100

  public init(chip: String, channel: Int) {
    self.chip = chip
    self.channel = channel
  }
}

/// A button on a line.
public struct ButtonSettings: Equatable, Sendable {
  public var button: Button
  public var line: LineSettings
  public var bias: LineBias
  /// How long a contact must be stable before a change counts. Switches bounce for up to about 5 ms.
  public var debounce = Duration.milliseconds(10)

  public init(_ button: Button, line: LineSettings, bias: LineBias = .unchanged) {
    self.button = button
    self.line = line
    self.bias = bias
  }
}

/// A lamp or buzzer on a line, with its pattern for each signal.
public struct OutputSettings: Equatable, Sendable {
  public var line: LineSettings
  /// Durations of on, off, on, …; empty for no reaction.
  public var patterns: [StationSignal: [Duration]]

  public init(line: LineSettings, patterns: [StationSignal: [Duration]]) {
    self.line = line
    self.patterns = patterns
  }
}
