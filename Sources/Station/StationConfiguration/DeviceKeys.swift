// The keys of wired devices: camera, torch, buttons, lamps, voice; and of the trigger.

import Devices
import ScanControl
import ScanScreen

/// The camera's settings while they are read.
struct WrittenCamera {
  enum Focus: String, CaseIterable { case near, full, fixed, unchanged }

  var settings = CameraSettings()
  var focus = Focus.near
  /// Dioptres, for `fixed`.
  var lensPosition = 5.0

  static let keys = KeySection(
    "camera", WrittenCamera(),
    [
      Field(
        "id", \.settings.id, .optional(.text(255)),
        "The camera's id, as `reticle cameras` prints it. Default: any camera."),
      Field(
        "model", \.settings.model, .optional(.text(127)),
        "Part of the camera's model name, such as imx708. Default: any model."),
      Field(
        "size", \.settings.frameSize, .size,
        "The requested frame size; the camera may deliver the nearest size that it supports.", isCommon: true),
      Field(
        "format", \.settings.format, .choice,
        "The requested pixel format; automatic prefers the first with luma that needs no copy."),
      Field(
        "exposure_us", \.settings.exposure, .optional(.microseconds(10...1_000_000)),
        "A fixed exposure in microseconds, for moving labels. Default: the camera decides."),
      Field("gain", \.settings.gain, .optional(.decimal(1...64)), "A fixed gain. Default: the camera decides."),
      Field(
        "focus", \.focus, .choice,
        "The autofocus range, if the lens moves; fixed uses camera.lens_position.", isCommon: true),
      Field(
        "lens_position", \.lensPosition, .decimal(0...30), "The lens position for fixed focus, in dioptres: 5 is 0.2 m."),
      Field("crop", \.settings.crop, .crop, "The part of the sensor to read. Default: all of it."),
      Field(
        "frame_deadline", \.settings.frameDeadline, .duration(.milliseconds(200) ... .seconds(60)),
        "The time without a frame after which the camera counts as silent and is restarted."),
    ])
}

extension CameraSettings {
  /// Pixels.
  fileprivate var frameSize: ScreenSize {
    get { ScreenSize(width: width, height: height) }
    set { (width, height) = (newValue.width, newValue.height) }
  }
}

extension WrittenStation {
  static let lightKeys = KeySection(
    "", WrittenStation(),
    [
      Field(
        "torch.mode", \.scan.torch, .choice,
        "Switches the torch by the user, in every session, or by the brightness of the scene.", isCommon: true),
      Field(
        "torch.dark_below", \.scan.sceneLevels.darkBelow, .integer(1...254),
        "The mean luma of a scene below which the automatic torch turns on."),
      Field(
        "torch.bright_above", \.scan.sceneLevels.brightAbove, .integer(1...254),
        "The mean luma of a lit scene above which the automatic torch turns off."),
      Field(
        "torch.dwell", \.scan.sceneLevels.dwell, .duration(.zero ... .seconds(60)),
        "How long a scene must stay dark or bright before the torch switches."),
      Field(
        "trigger.mode", \.trigger, .choice,
        "How a trigger begins and ends sessions: no trigger, per presentation, while it is held, with a press, or for a "
          + "time after a press.", isCommon: true),
      Field(
        "trigger.timeout", \.triggerLimit, .duration(.milliseconds(50) ... .seconds(600)),
        "The duration of a session with an edge or timed trigger, or with a level trigger pulled by a key or a command; "
          + "without a scan it ends with a no-read."),
    ])
}

/// A line with its polarity and bias, while it is read.
struct WrittenLine {
  var line: LineAddress?
  var isActiveLow = false
  var bias = LineBias.unchanged

  /// Nil without a line.
  var settings: LineSettings? { line.map { LineSettings($0, isActiveLow: isActiveLow) } }

  /// The keys of the camera's privacy switch.
  static let privacyKeys = KeySection(
    "camera", WrittenLine(),
    [
      Field("privacy_line", \.line, .optional(.line), "The GPIO line of a switch with which people can close the camera."),
      Field(
        "privacy_active", \.isActiveLow, .words([("high", false), ("low", true)]),
        "The level of the privacy line that closes the camera."),
      Field("privacy_bias", \.bias, .choice, "The bias of the privacy line while nothing drives it."),
    ])
}

/// The torch's keys, while they are read.
struct WrittenTorch {
  var line: LineAddress?
  var isActiveLow = false
  var led: String?
  var chip: String?
  var pwm = PWMSettings(chip: "", channel: 0)
  var isStrobe = false
  var strobe = StrobeSettings(exposure: .zero)

  static let keys = KeySection(
    "torch", WrittenTorch(),
    [
      Field("line", \.line, .optional(.line), "The GPIO line that switches the torch."),
      Field(
        "active", \.isActiveLow, .words([("high", false), ("low", true)]),
        "The level of the torch line that turns the torch on."),
      Field("led", \.led, .optional(.text(63)), "Instead of a line: an LED, by its name in /sys/class/leds."),
      Field(
        "pwm_chip", \.chip, .optional(.text(63)),
        "Instead of a line: a PWM chip, by the name of its device, such as 1f00098000.pwm."),
      Field("pwm_channel", \.pwm.channel, .integer(0...31), "The channel of the PWM chip."),
      Field(
        "pwm_frequency", \.pwm.frequency, .integer(100...100_000),
        "PWM cycles per second; too low a frequency shows as stripes."),
      Field(
        "brightness", \.pwm.brightness, .integer(1...100),
        "Percent of full brightness, if PWM or a flash LED's driver can dim the torch."),
      Field("strobe", \.isStrobe, .flag, "Lights the torch only while frames are exposed; requires camera.exposure_us."),
      Field(
        "strobe_lead", \.strobe.lead, .duration(.zero ... .milliseconds(50)),
        "How long before the exposure the light comes on: the delay of the lamp and the board."),
      Field(
        "strobe_lag", \.strobe.lag, .duration(.zero ... .milliseconds(100)),
        "How long after the exposure the light stays on: the readout time of a rolling shutter; 1 ms for a global shutter."),
    ])
}

extension DeviceConfiguration.Speech {
  static let keys = KeySection(
    "speech", DeviceConfiguration.Speech(),
    [
      Field("enabled", \.isEnabled, .flag, "Announces results that need confirmation, with espeak-ng."),
      Field("voice", \.voice, .text(31), "The language or voice of espeak-ng."),
      Field(
        "timeout", \.limit, .duration(.milliseconds(100) ... .seconds(9)),
        "The longest announcement; a longer one is cut off."),
    ])
}

/// A button's keys, while they are read.
struct WrittenButton {
  var line = WrittenLine()
  var debounce = ButtonSettings(.trigger, line: LineSettings(LineAddress(chip: nil, line: ""))).debounce

  static func keys(of button: Button) -> KeySection<WrittenButton> {
    KeySection(
      "buttons.\(button.rawValue)", WrittenButton(),
      [
        Field("line", \.line.line, .optional(.line), "The GPIO line of the \(button.rawValue) button."),
        Field(
          "active", \.line.isActiveLow, .words([("high", false), ("low", true)]), "The level at which the line is active."),
        Field("bias", \.line.bias, .choice, "The bias of the line while nothing drives it."),
        Field(
          "debounce", \.debounce, .duration(.zero ... .seconds(1)),
          "How long a contact must be stable before a change counts."),
      ])
  }
}

/// A lamp's or buzzer's keys, while they are read; at first with its default patterns.
struct WrittenOutput {
  /// The outputs that a station can have.
  enum Name: String, CaseIterable {
    case goodRead = "good_read"
    case noRead = "no_read"
    case buzzer
  }

  var line = WrittenLine()
  /// Durations of on, off, on, … by signal.
  var patterns: [StationSignal: [Duration]]

  init(_ name: Name) {
    let milliseconds: [StationSignal: [Int]] =
      switch name {
      case .goodRead: [.goodRead: [100], .atRisk: [50, 50, 50, 50, 50, 50, 50]]
      case .noRead: [.noRead: [400], .refused: [200, 100, 200, 100, 200, 100, 200], .mismatch: [800]]
      case .buzzer:
        [
          .goodRead: [80], .atRisk: [80, 80, 400], .noRead: [80, 80, 80], .refused: [600, 200, 600], .mismatch: [800],
        ]
      }
    patterns = Dictionary(
      uniqueKeysWithValues: StationSignal.allCases.map { ($0, (milliseconds[$0] ?? []).map { .milliseconds($0) }) })
  }

  subscript(signal: StationSignal) -> [Duration] {
    get { patterns[signal] ?? [] }
    set { patterns[signal] = newValue }
  }

  static func keys(of name: Name) -> KeySection<WrittenOutput> {
    KeySection(
      "outputs.\(name.rawValue)", WrittenOutput(name),
      [
        Field("line", \.line.line, .optional(.line), "The GPIO line of the \(name.rawValue) output."),
        Field(
          "active", \.line.isActiveLow, .words([("high", false), ("low", true)]), "The level at which the line is active."),
        pattern("good_read", .goodRead, "when a scan is safe"),
        pattern("at_risk", .atRisk, "when a scan is held only in memory because storage has trouble"),
        pattern("no_read", .noRead, "when a triggered session found nothing"),
        pattern("refused", .refused, "when a scan could not be stored and must be repeated"),
        pattern("mismatch", .mismatch, "when a scan does not match the code it is compared with"),
      ])
  }

  private static func pattern(_ word: String, _ signal: StationSignal, _ when: String) -> Field<WrittenOutput> {
    Field(
      word, \.[signal], .pattern, "The pattern \(when): durations of on, off, on.")
  }
}

extension DeviceConfiguration {
  /// The rows of these keys in the table.
  static var rows: [ConfigurationKey] {
    let named =
      Button.allCases.map { WrittenButton.keys(of: $0).rows }
      + WrittenOutput.Name.allCases.map { WrittenOutput.keys(of: $0).rows }
    let others = [
      WrittenCamera.keys.rows, WrittenSteering.keys.rows, WrittenLine.privacyKeys.rows, WrittenTorch.keys.rows,
      WrittenStation.lightKeys.rows,
      Speech.keys.rows,
    ]
    return (others + named).flatMap { $0 }
  }
}

extension ValueForm<LineAddress> {
  /// A GPIO line, which no other key may use.
  static let line = Self(
    .line,
    read: { reading, key, name in
      guard let address = reading.value(key, name, { LineAddress($0) }) else { return nil }
      reading.claim(address, for: name)
      return address
    }, write: { "\($0)" })
}
