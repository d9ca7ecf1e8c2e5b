// The station's wired devices, as values.

public import Devices
import ScanControl
import ScanScreen

/// The source of frames.
public enum CameraSource: String, CaseIterable, Equatable, Sendable {
  case pictures, libcamera

  /// The default source: a camera, in a build that supports cameras.
  public static var standard: CameraSource {
    #if Camera
      .libcamera
    #else
      .pictures
    #endif
  }
}

/// The behaviour at the end of a list of pictures: start over, end the station, or wait for more pictures.
public enum PictureRepeat: String, CaseIterable, Equatable, Sendable { case loop, once, watch }

/// The devices of a station, except the camera.
public struct DeviceConfiguration: Equatable, Sendable {
  /// Spoken results, and the voice.
  public struct Speech: Equatable, Sendable {
    public var isEnabled = false
    public var voice = "en"
    public var limit = Duration.seconds(8)
  }

  /// The switch that closes the camera: its line and bias.
  public struct Privacy: Equatable, Sendable {
    public var line: LineSettings
    public var bias: LineBias
  }

  /// Nil if no switch closes the camera.
  public var privacy: Privacy?
  public var torch = TorchSettings.none
  /// The strobe settings of the torch; nil if it is lit steadily.
  public var strobe: StrobeSettings?
  public var buttons: [ButtonSettings] = []
  public var outputs: [OutputSettings] = []
  public var speech = Speech()

  public init() {}

  /// - Parameter camera: the camera's settings, which the strobe must fit.
  init(_ reading: inout ConfigurationReading, camera: StationConfiguration.Camera) {
    self.init()
    privacy = Self.privacy(&reading)
    let brightness = Self.readTorch(&torch, &reading)
    strobe = Self.strobe(torch, camera, &reading)
    if reading.isWritten(ConfigurationKey.torchBrightness.name) { strobe?.flashBrightness = brightness }
    for button in Button.allCases {
      if let settings = Self.button(button, &reading) { buttons.append(settings) }
    }
    for output in ConfigurationKey.outputPatterns {
      let section = "outputs.\(output.name)"
      let patterns = [
        StationSignal.goodRead: reading.pattern(
          .goodRead(of: section, output.goodRead), "\(section).good_read"),
        .atRisk: reading.pattern(.atRisk(of: section, output.atRisk), "\(section).at_risk"),
        .noRead: reading.pattern(.noRead(of: section, output.noRead), "\(section).no_read"),
        .refused: reading.pattern(.refused(of: section, output.refused), "\(section).refused"),
        .mismatch: reading.pattern(.mismatch(of: section, output.mismatch), "\(section).mismatch"),
      ]
      if let line = Self.line(section, &reading) { outputs.append(OutputSettings(line: line, patterns: patterns)) }
    }
    speech.isEnabled = reading.flag(.speechEnabled)
    speech.voice = reading.text(.speechVoice) ?? speech.voice
    speech.limit = reading.duration(.speechTimeout) ?? speech.limit
    #if !Lines
      let keys = [ConfigurationKey.torchLine, .cameraPrivacyLine]
      if !buttons.isEmpty || !outputs.isEmpty || keys.contains(where: { reading.isWritten($0.name) }) {
        reading.report("GPIO lines need a build with the package trait Lines; build it so, or take them out")
      }
    #endif
  }

  private static func privacy(_ reading: inout ConfigurationReading) -> Privacy? {
    let isActiveLow = reading.choice(.cameraPrivacyActive) == "low"
    let bias = reading.choice(.cameraPrivacyBias, LineBias.self) ?? .unchanged
    if let address = reading.line(.cameraPrivacyLine) {
      return Privacy(line: LineSettings(address, isActiveLow: isActiveLow), bias: bias)
    }
    for key in [ConfigurationKey.cameraPrivacyActive, .cameraPrivacyBias] where reading.isWritten(key.name) {
      reading.report(
        "\(key.name) has no effect without camera.privacy_line; add that, or take it out", at: reading.place(of: key.name))
    }
    return nil
  }

  /// Reads the kind of torch; returns its brightness in percent.
  private static func readTorch(_ torch: inout TorchSettings, _ reading: inout ConfigurationReading) -> Int {
    let isActiveLow = reading.choice(.torchActive) == "low"
    let line = reading.line(.torchLine).map { LineSettings($0, isActiveLow: isActiveLow) }
    let led = reading.text(.torchLED)
    let chip = reading.text(.torchPWMChip)
    let channel = reading.integer(.torchPWMChannel) ?? 0
    let frequency = reading.integer(.torchPWMFrequency) ?? 20_000
    let brightness = reading.integer(.torchBrightness) ?? 100
    let kinds = [line == nil ? nil : "torch.line", led == nil ? nil : "torch.led", chip == nil ? nil : "torch.pwm_chip"]
    let written = kinds.compactMap { $0 }
    if written.count > 1 {
      reading.report(
        "\(written.joined(separator: " and ")) are both there; keep the one that the torch is wired to",
        at: reading.place(of: written[1]))
    }
    if let line {
      torch = .line(line)
    } else if let led {
      if led.contains("/") {
        reading.report(
          "torch.led is \"\(led)\"; it must be a name under /sys/class/leds", at: reading.place(of: "torch.led"))
      }
      torch = .led(led)
    } else if let chip {
      var pwm = PWMSettings(chip: chip, channel: channel)
      pwm.frequency = frequency
      pwm.brightness = brightness
      torch = .pwm(pwm)
    }
    return brightness
  }

  /// Reads the strobe settings, and refuses a strobe that gains nothing: the lamp must be dark for some of the time.
  private static func strobe(
    _ torch: TorchSettings, _ camera: StationConfiguration.Camera, _ reading: inout ConfigurationReading
  ) -> StrobeSettings? {
    let isWanted = reading.flag(.torchStrobe)
    let lead = reading.duration(.torchStrobeLead)
    let lag = reading.duration(.torchStrobeLag)
    guard isWanted else { return nil }
    let place = reading.place(of: ConfigurationKey.torchStrobe.name)
    if torch == .none {
      reading.report("torch.strobe needs a torch; set torch.line, torch.led or torch.pwm_chip", at: place)
    }
    guard camera.source == .libcamera else {
      reading.report("torch.strobe needs a camera; set camera.source to libcamera, or torch.strobe to false", at: place)
      return nil
    }
    guard let exposure = camera.settings.exposure else {
      reading.report(
        "torch.strobe needs a fixed exposure, for the camera's own may last as long as a frame; set camera.exposure_us, such "
          + "as 500, or torch.strobe to false", at: place)
      return nil
    }
    var settings = StrobeSettings(exposure: exposure)
    settings.lead = lead ?? settings.lead
    settings.lag = lag ?? settings.lag
    if let rate = camera.settings.frameRate, settings.pulse >= .seconds(1 / rate) {
      reading.report(
        "torch.strobe would light the torch for \(written(settings.pulse)) of each frame's \(Int(1000 / rate)) ms (lead, "
          + "twice the exposure, lag); shorten camera.exposure_us or torch.strobe_lag, or set torch.strobe to false",
        at: place)
    }
    return settings
  }

  private static func button(_ button: Button, _ reading: inout ConfigurationReading) -> ButtonSettings? {
    let section = "buttons.\(button.rawValue)"
    let bias = reading.choice(.bias(of: section), LineBias.self) ?? .unchanged
    let debounce = reading.duration(.debounce(of: section))
    guard let line = line(section, &reading) else { return nil }
    var settings = ButtonSettings(button, line: line, bias: bias)
    settings.debounce = debounce ?? settings.debounce
    return settings
  }

  /// The line of a section; a section without a line is reported, because its keys have no effect.
  private static func line(_ section: String, _ reading: inout ConfigurationReading) -> LineSettings? {
    let isActiveLow = reading.choice(.active(of: section)) == "low"
    if let address = reading.line(.line(of: section, "")) { return LineSettings(address, isActiveLow: isActiveLow) }
    if reading.isThere(section), !reading.isWritten("\(section).line") {
      reading.noteMissing("\(section).line", ConfigurationKind.line.expectation)
    }
    return nil
  }
}

extension CameraSettings {
  init(_ reading: inout ConfigurationReading) {
    self.init()
    id = reading.text(.cameraID)
    model = reading.text(.cameraModel)
    if let size = reading.size(.cameraSize) { (width, height) = (size.width, size.height) }
    format = reading.choice(.cameraFormat, Format.self) ?? format
    exposure = reading.integer(.cameraExposure).map { .microseconds($0) }
    gain = reading.decimal(.cameraGain)
    let lensPosition = reading.decimal(.cameraLensPosition) ?? 5
    focus =
      switch reading.choice(.cameraFocus) {
      case "full": .full
      case "fixed": .fixed(lensPosition)
      case "unchanged": .unchanged
      default: .near
      }
    crop = reading.crop(.cameraCrop)
    frameDeadline = reading.duration(.cameraFrameDeadline) ?? frameDeadline
  }
}

extension TriggerMode {
  init(_ reading: inout ConfigurationReading) {
    let limit = reading.duration(.triggerTimeout) ?? .seconds(5)
    self =
      switch reading.choice(.triggerMode) {
      case "presentation": .presentation
      case "level": .level(limit: limit)
      case "edge": .edge(limit: limit)
      case "timed": .timed(limit)
      default: .continuous
      }
  }
}

extension SceneLevels {
  init(_ reading: inout ConfigurationReading) {
    self.init()
    darkBelow = UInt8(clamping: reading.integer(.torchDarkBelow) ?? 50)
    brightAbove = UInt8(clamping: reading.integer(.torchBrightAbove) ?? 200)
    dwell = reading.duration(.torchDwell) ?? dwell
    if brightAbove <= darkBelow {
      reading.report(
        "torch.bright_above is \(brightAbove) and torch.dark_below \(darkBelow); bright_above must be the greater one, by "
          + "more than what the torch adds", at: reading.place(of: ConfigurationKey.torchBrightAbove.name))
    }
  }
}
