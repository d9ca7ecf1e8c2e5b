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
    var written = WrittenTorch()
    WrittenTorch.keys.read(&reading, into: &written)
    torch = Self.torch(written, &reading)
    strobe = Self.strobe(written, torch, camera, &reading)
    if reading.isWritten("torch.brightness") { strobe?.flashBrightness = written.pwm.brightness }
    for button in Button.allCases {
      if let settings = Self.button(button, &reading) { buttons.append(settings) }
    }
    for name in WrittenOutput.Name.allCases {
      var output = WrittenOutput(name)
      WrittenOutput.keys(of: name).read(&reading, into: &output)
      if let line = Self.line("outputs.\(name.rawValue)", output.line, &reading) {
        outputs.append(OutputSettings(line: line, patterns: output.patterns))
      }
    }
    Speech.keys.read(&reading, into: &speech)
    #if !Lines
      let keys = ["torch.line", "camera.privacy_line"]
      if !buttons.isEmpty || !outputs.isEmpty || keys.contains(where: { reading.isWritten($0) }) {
        reading.report("GPIO lines need a build with the package trait Lines; build it so, or take them out")
      }
    #endif
  }

  private static func privacy(_ reading: inout ConfigurationReading) -> Privacy? {
    var written = WrittenLine()
    WrittenLine.privacyKeys.read(&reading, into: &written)
    if let line = written.settings { return Privacy(line: line, bias: written.bias) }
    for key in ["camera.privacy_active", "camera.privacy_bias"] where reading.isWritten(key) {
      reading.report(
        "\(key) has no effect without camera.privacy_line; add that, or take it out", at: reading.place(of: key))
    }
    return nil
  }

  /// The kind of torch.
  private static func torch(_ written: WrittenTorch, _ reading: inout ConfigurationReading) -> TorchSettings {
    let kinds: [(key: String, torch: TorchSettings?)] = [
      ("torch.line", written.line.map { .line(LineSettings($0, isActiveLow: written.isActiveLow)) }),
      ("torch.led", written.led.map { .led($0) }),
      (
        "torch.pwm_chip",
        written.chip.map { chip in
          var pwm = written.pwm
          pwm.chip = chip
          return .pwm(pwm)
        }
      ),
    ].filter { $0.torch != nil }
    if kinds.count > 1 {
      reading.report(
        "\(kinds.map(\.key).joined(separator: " and ")) are both there; keep the one that the torch is wired to",
        at: reading.place(of: kinds[1].key))
    }
    if written.line == nil, let led = written.led, led.contains("/") {
      reading.report("torch.led is \"\(led)\"; it must be a name under /sys/class/leds", at: reading.place(of: "torch.led"))
    }
    return kinds.first?.torch ?? .none
  }

  /// The strobe settings; refuses a strobe that gains nothing: the lamp must be dark for some of the time.
  private static func strobe(
    _ keys: WrittenTorch, _ torch: TorchSettings, _ camera: StationConfiguration.Camera,
    _ reading: inout ConfigurationReading
  ) -> StrobeSettings? {
    guard keys.isStrobe else { return nil }
    let place = reading.place(of: "torch.strobe")
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
    var settings = keys.strobe
    settings.exposure = exposure
    if let rate = camera.settings.frameRate, settings.pulse >= .seconds(1 / rate) {
      reading.report(
        "torch.strobe would light the torch for \(written(settings.pulse)) of each frame's \(Int(1000 / rate)) ms (lead, "
          + "twice the exposure, lag); shorten camera.exposure_us or torch.strobe_lag, or set torch.strobe to false",
        at: place)
    }
    return settings
  }

  private static func button(_ button: Button, _ reading: inout ConfigurationReading) -> ButtonSettings? {
    var written = WrittenButton()
    let keys = WrittenButton.keys(of: button)
    keys.read(&reading, into: &written)
    guard let line = line(keys.name, written.line, &reading) else { return nil }
    var settings = ButtonSettings(button, line: line, bias: written.line.bias)
    settings.debounce = written.debounce
    return settings
  }

  /// The line of a section; a section without a line is reported, because its keys have no effect.
  private static func line(
    _ section: String, _ written: WrittenLine, _ reading: inout ConfigurationReading
  ) -> LineSettings? {
    if written.line == nil, reading.isThere(section), !reading.isWritten("\(section).line") {
      reading.noteMissing("\(section).line", ConfigurationKind.line.expectation)
    }
    return written.settings
  }
}

extension CameraSettings {
  init(_ written: WrittenCamera) {
    self = written.settings
    focus =
      switch written.focus {
      case .near: .near
      case .full: .full
      case .fixed: .fixed(written.lensPosition)
      case .unchanged: .unchanged
      }
  }
}
