// The rows of the table for wired devices: camera, torch, buttons, lamps, voice.

import Devices
import ScanControl

extension ConfigurationKey {
  static let cameraID = Self(
    "camera.id", .text(255), "", "The camera's id, as `reticle cameras` prints it. Default: any camera.")
  static let cameraModel = Self(
    "camera.model", .text(127), "", "Part of the camera's model name, such as imx708. Default: any model.")
  static let cameraSize = Self(
    "camera.size", .size, "1280x720", "The requested frame size; the camera may deliver the nearest size that it supports.",
    isCommon: true)
  static let cameraFormat = Self(
    "camera.format", .choice(CameraSettings.Format.allCases.map(\.rawValue)), "automatic",
    "The requested pixel format; automatic prefers the first with luma that needs no copy.")
  static let cameraExposure = Self(
    "camera.exposure_us", .integer(10...1_000_000), "",
    "A fixed exposure in microseconds, for moving labels. Default: the camera decides.")
  static let cameraGain = Self(
    "camera.gain", .decimal(1...64), "", "A fixed gain. Default: the camera decides.")
  static let cameraFocus = Self(
    "camera.focus", .choice(["near", "full", "fixed", "unchanged"]), "near",
    "The autofocus range, if the lens moves; fixed uses camera.lens_position.", isCommon: true)
  static let cameraLensPosition = Self(
    "camera.lens_position", .decimal(0...30), "5", "The lens position for fixed focus, in dioptres: 5 is 0.2 m.")
  static let cameraCrop = Self(
    "camera.crop", .crop, "", "The part of the sensor to read. Default: all of it.")
  static let cameraFrameDeadline = Self(
    "camera.frame_deadline", .duration(.milliseconds(200) ... .seconds(60)), "3 s",
    "The time without a frame after which the camera counts as silent and is restarted.")

  static let cameraPrivacyLine = Self(
    "camera.privacy_line", .line, "", "The GPIO line of a switch with which people can close the camera.")
  static let cameraPrivacyActive = Self(
    "camera.privacy_active", .choice(levels), "high", "The level of the privacy line that closes the camera.")
  static let cameraPrivacyBias = Self(
    "camera.privacy_bias", .choice(LineBias.allCases.map(\.rawValue)), "unchanged",
    "The bias of the privacy line while nothing drives it.")
  static let torchLine = Self("torch.line", .line, "", "The GPIO line that switches the torch.")
  static let torchActive = Self(
    "torch.active", .choice(levels), "high",
    "The level of the torch line that turns the "
      + "torch on.")
  static let torchLED = Self("torch.led", .text(63), "", "Instead of a line: an LED, by its name in /sys/class/leds.")
  static let torchPWMChip = Self(
    "torch.pwm_chip", .text(63), "", "Instead of a line: a PWM chip, by the name of its device, such as 1f00098000.pwm.")
  static let torchPWMChannel = Self("torch.pwm_channel", .integer(0...31), "0", "The channel of the PWM chip.")
  static let torchPWMFrequency = Self(
    "torch.pwm_frequency", .integer(100...100_000), "20000", "PWM cycles per second; too low a frequency shows as stripes.")
  static let torchBrightness = Self(
    "torch.brightness", .integer(1...100), "100",
    "Percent of full brightness, if PWM or a flash LED's driver can dim the "
      + "torch.")
  static let torchStrobe = Self(
    "torch.strobe", .flag, "false",
    "Lights the torch only while frames are exposed; requires camera.exposure_us.")
  static let torchStrobeLead = Self(
    "torch.strobe_lead", .duration(.zero ... .milliseconds(50)), "2 ms",
    "How long before the exposure the light comes on: the delay of the lamp and the board.")
  static let torchStrobeLag = Self(
    "torch.strobe_lag", .duration(.zero ... .milliseconds(100)), "10 ms",
    "How long after the exposure the light stays on: the readout time of a rolling shutter; 1 ms for a global shutter.")
  static let torchMode = Self(
    "torch.mode", .choice(TorchMode.allCases.map(\.rawValue)), "manual",
    "Switches the torch by the user, in every session, or by the brightness of the scene.", isCommon: true)
  static let torchDarkBelow = Self(
    "torch.dark_below", .integer(1...254), "50", "The mean luma of a scene below which the automatic torch turns on.")
  static let torchBrightAbove = Self(
    "torch.bright_above", .integer(1...254), "200",
    "The mean luma of a lit scene above which the automatic torch turns "
      + "off.")
  static let torchDwell = Self(
    "torch.dwell", .duration(.zero ... .seconds(60)), "600 ms",
    "How long a scene must stay dark or bright before the "
      + "torch switches.")

  static let buttonDebounce = Self(
    "buttons.<name>.debounce", .duration(.zero ... .seconds(1)), "10 ms",
    "How long a contact must be stable before a change counts.")

  static let triggerMode = Self(
    "trigger.mode", .choice(["continuous", "presentation", "level", "edge", "timed"]), "continuous",
    "How a trigger begins and ends sessions: no trigger, per presentation, while it is held, with a press, or for a time "
      + "after a press.", isCommon: true)
  static let triggerTimeout = Self(
    "trigger.timeout", .duration(.milliseconds(50) ... .seconds(600)), "5 s",
    "The duration of a session with an edge or timed trigger, or with a level trigger pulled by a key or a command; "
      + "without a scan it ends with a no-read."
  )

  static let goodReadPattern = Self(
    "outputs.<name>.good_read", .pattern, "", "The pattern when a scan is safe: durations of on, off, on.")
  static let atRiskPattern = Self(
    "outputs.<name>.at_risk", .pattern, "",
    "The pattern when a scan is held only in memory because storage has trouble: durations of on, off, on.")
  static let refusedPattern = Self(
    "outputs.<name>.refused", .pattern, "",
    "The pattern when a scan could not be stored and must be repeated: durations of on, off, on.")
  static let mismatchPattern = Self(
    "outputs.<name>.mismatch", .pattern, "",
    "The pattern when a scan does not match the code it is compared with: durations of on, off, on.")
  static let noReadPattern = Self(
    "outputs.<name>.no_read", .pattern, "", "The pattern when a triggered session found nothing: durations of on, off, on.")

  static let speechEnabled = Self(
    "speech.enabled", .flag, "false", "Announces results that need confirmation, with espeak-ng.")
  static let speechVoice = Self("speech.voice", .text(31), "en", "The language or voice of espeak-ng.")
  static let speechTimeout = Self(
    "speech.timeout", .duration(.milliseconds(100) ... .seconds(9)), "8 s",
    "The longest announcement; a longer one is "
      + "cut off.")

  static let levels = ["high", "low"]

  /// The default patterns of a lamp.
  static let outputPatterns:
    [(name: String, goodRead: String, atRisk: String, noRead: String, refused: String, mismatch: String)] = [
      ("good_read", "100 ms", "50 ms, 50 ms, 50 ms, 50 ms, 50 ms, 50 ms, 50 ms", "", "", ""),
      ("no_read", "", "", "400 ms", "200 ms, 100 ms, 200 ms, 100 ms, 200 ms, 100 ms, 200 ms", "800 ms"),
      ("buzzer", "80 ms", "80 ms, 80 ms, 400 ms", "80 ms, 80 ms, 80 ms", "600 ms, 200 ms, 600 ms", "800 ms"),
    ]

  /// The keys of every button and output, with every valid name.
  static func active(of section: String) -> Self {
    Self("\(section).active", .choice(levels), "high", "The level at which the line is active.")
  }

  static func line(of section: String, _ summary: String) -> Self { Self("\(section).line", .line, "", summary) }

  static func bias(of section: String) -> Self {
    Self(
      "\(section).bias", .choice(LineBias.allCases.map(\.rawValue)), "unchanged",
      "The bias of the line while nothing drives it.")
  }

  static func debounce(of section: String) -> Self {
    Self("\(section).debounce", buttonDebounce.kind, buttonDebounce.fallback, buttonDebounce.summary)
  }

  static func goodRead(of section: String, _ fallback: String) -> Self {
    Self("\(section).good_read", .pattern, fallback, goodReadPattern.summary)
  }

  static func atRisk(of section: String, _ fallback: String) -> Self {
    Self("\(section).at_risk", .pattern, fallback, atRiskPattern.summary)
  }

  static func refused(of section: String, _ fallback: String) -> Self {
    Self("\(section).refused", .pattern, fallback, refusedPattern.summary)
  }

  static func mismatch(of section: String, _ fallback: String) -> Self {
    Self("\(section).mismatch", .pattern, fallback, mismatchPattern.summary)
  }

  static func noRead(of section: String, _ fallback: String) -> Self {
    Self("\(section).no_read", .pattern, fallback, noReadPattern.summary)
  }

  /// The keys of devices.
  static let devices: [ConfigurationKey] =
    [
      cameraID, cameraModel, cameraSize, cameraFormat, cameraExposure, cameraGain, cameraFocus, cameraLensPosition,
      cameraCrop, cameraFrameDeadline, cameraPrivacyLine, cameraPrivacyActive, cameraPrivacyBias, torchLine, torchActive,
      torchLED, torchPWMChip, torchPWMChannel, torchPWMFrequency,
      torchBrightness, torchStrobe, torchStrobeLead, torchStrobeLag, torchMode, torchDarkBelow, torchBrightAbove, torchDwell,
      triggerMode, triggerTimeout, speechEnabled,
      speechVoice, speechTimeout,
    ]
    + Button.allCases.flatMap { button in
      let section = "buttons.\(button.rawValue)"
      return [
        line(of: section, "The GPIO line of the \(button.rawValue) button."), active(of: section), bias(of: section),
        debounce(of: section),
      ]
    }
    + outputPatterns.flatMap { output in
      let section = "outputs.\(output.name)"
      return [
        line(of: section, "The GPIO line of the \(output.name) output."), active(of: section),
        goodRead(of: section, output.goodRead), atRisk(of: section, output.atRisk),
        noRead(of: section, output.noRead), refused(of: section, output.refused),
        mismatch(of: section, output.mismatch),
      ]
    }
}
