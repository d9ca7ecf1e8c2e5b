// Lines as an operator writes them: by the chip's label and the line's name or offset, never by the number of a chip, which
// moves from one kernel to the next.

/// Where a line is.
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

  /// The offset, if the line is not named.
  public var offset: UInt32? { line.allSatisfy { "0" <= $0 && $0 <= "9" } ? UInt32(line) : nil }

  public var description: String { chip.map { "\($0):\(line)" } ?? line }
}

/// What holds an input that nothing drives.
public enum LineBias: String, CaseIterable, Equatable, Sendable { case unchanged, none, up, down }

/// A line with its sense.
public struct LineSettings: Equatable, Sendable {
  public var address: LineAddress
  /// Whether the line is active when it is low.
  public var isActiveLow: Bool

  public init(_ address: LineAddress, isActiveLow: Bool = false) {
    self.address = address
    self.isActiveLow = isActiveLow
  }
}

/// What drives the torch.
public enum TorchSettings: Equatable, Sendable {
  case none
  /// A GPIO line, by way of a transistor.
  case line(LineSettings)
  /// An LED of the kernel's LED class, by its name under /sys/class/leds.
  case led(String)
  /// A channel of a PWM chip, the chip by the name of its device.
  case pwm(PWMSettings)
}

/// A dimmed lamp.
public struct PWMSettings: Equatable, Sendable {
  /// The name of the chip's device, such as `1f00098000.pwm`.
  public var chip: String
  public var channel: Int
  /// Cycles a second: above what a rolling shutter shows as stripes.
  public var frequency = 20_000
  /// Percent of the time that the lamp is lit when the torch is on.
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
  /// How long a contact must be quiet before it counts. Switches bounce for up to some 5 ms.
  public var debounce = Duration.milliseconds(10)

  public init(_ button: Button, line: LineSettings, bias: LineBias = .unchanged) {
    self.button = button
    self.line = line
    self.bias = bias
  }
}

/// A lamp or buzzer on a line, and what it does for each signal.
public struct OutputSettings: Equatable, Sendable {
  public var line: LineSettings
  /// On, off, on, … for so long each; empty for nothing.
  public var patterns: [StationSignal: [Duration]]

  public init(line: LineSettings, patterns: [StationSignal: [Duration]]) {
    self.line = line
    self.patterns = patterns
  }
}
