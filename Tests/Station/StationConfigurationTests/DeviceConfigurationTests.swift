// The keys of devices: valid values, their meaning, and the messages for invalid ones.

import BarcodeTypes
import Devices
import Foundation
import ScanControl
import StationConfiguration
import Testing

@Suite struct DeviceConfigurationTests {
  @Test func `a camera needs one line, and weakly protected codes need votes from two frames`() async throws {
    let configuration = try await load("camera: {source: libcamera}\n")
    #expect(configuration.camera.source == .libcamera)
    #expect(configuration.camera.settings == CameraSettings())
    #expect(configuration.scan.votes.frameCount == 2)
    #expect(configuration.devices == DeviceConfiguration())
    #expect(try await load("camera: {source: libcamera}\nvote: {frames: 1}").scan.votes.frameCount == 1)
  }

  @Test func `every device key can be set`() async throws {
    let configuration = try await load(
      """
      camera:
        source: libcamera
        id: "\\\\_SB_.PCI0-1:1.0"
        model: imx708
        size: 1536x864
        format: yuv420
        exposure_us: 500
        gain: 4.5
        frame_rate: 30
        focus: fixed
        lens_position: 6.5
        crop: [100, 200, 1536, 864]
        frame_deadline: 750 ms
      torch: {line: "pinctrl-rp1:GPIO17", active: low, mode: auto, dark_below: 30, bright_above: 220, dwell: 1 s}
      trigger: {mode: timed, timeout: 3 s}
      buttons:
        trigger: {line: "pinctrl-rp1:22", active: low, bias: up, debounce: 5 ms}
        confirm: {line: GPIO23}
      outputs:
        good_read: {line: GPIO24, good_read: 250 ms}
        buzzer: {line: GPIO25, no_read: [100 ms, 50 ms, 100 ms]}
      speech: {enabled: true, voice: de, timeout: 4 s}
      confirm: alphanumeric
      """)
    var camera = CameraSettings()
    camera.id = "\\_SB_.PCI0-1:1.0"
    camera.model = "imx708"
    (camera.width, camera.height) = (1536, 864)
    camera.format = .yuv420
    camera.exposure = .microseconds(500)
    camera.gain = 4.5
    camera.frameRate = 30
    camera.focus = .fixed(6.5)
    camera.crop = .init(x: 100, y: 200, width: 1536, height: 864)
    camera.frameDeadline = .milliseconds(750)
    #expect(configuration.camera.settings == camera)
    #expect(configuration.scan.trigger == .timed(.seconds(3)))
    #expect(configuration.scan.torch == .automatic)
    #expect(configuration.scan.sceneLevels.darkBelow == 30)
    #expect(configuration.scan.sceneLevels.brightAbove == 220)
    #expect(configuration.scan.sceneLevels.dwell == .seconds(1))
    #expect(configuration.scan.isSpoken)
    let devices = configuration.devices
    #expect(devices.torch == .line(LineSettings(LineAddress(chip: "pinctrl-rp1", line: "GPIO17"), isActiveLow: true)))
    var trigger = ButtonSettings(
      .trigger, line: LineSettings(LineAddress(chip: "pinctrl-rp1", line: "22"), isActiveLow: true), bias: .up)
    trigger.debounce = .milliseconds(5)
    let confirm = ButtonSettings(.confirm, line: LineSettings(LineAddress(chip: nil, line: "GPIO23")))
    #expect(devices.buttons == [trigger, confirm])
    #expect(devices.outputs.map(\.line.address.line) == ["GPIO24", "GPIO25"])
    #expect(devices.outputs[0].patterns[.goodRead] == [.milliseconds(250)])
    #expect(devices.outputs[0].patterns[.noRead] == [])
    #expect(devices.outputs[1].patterns[.goodRead] == [.milliseconds(80)])
    #expect(devices.outputs[1].patterns[.noRead] == [.milliseconds(100), .milliseconds(50), .milliseconds(100)])
    #expect(devices.speech.voice == "de")
    #expect(devices.speech.limit == .seconds(4))
  }

  @Test func `S2: the privacy switch is a line with its level and bias; without a line they mean nothing`() async throws {
    let devices = try await load(
      "camera: {source: libcamera, privacy_line: GPIO26, privacy_active: low, privacy_bias: up}"
    ).devices
    let line = LineSettings(LineAddress(chip: nil, line: "GPIO26"), isActiveLow: true)
    #expect(devices.privacy?.line == line && devices.privacy?.bias == .up)
    let wrong = [
      (
        "camera: {source: libcamera, privacy_active: low}", "camera.privacy_active has no effect without camera.privacy_line"
      ),
      ("camera: {source: libcamera, privacy_line: GPIO17}\ntorch: {line: GPIO17}", "torch.line is GPIO17, and so is"),
    ]
    for (yaml, reason) in wrong { #expect(await complaint(yaml).contains(reason)) }
  }

  @Test(arguments: [
    ("torch: {led: torch}", TorchSettings.led("torch")), ("torch: {pwm_chip: 1f00098000.pwm}", pwm(channel: 0)),
    ("torch: {pwm_chip: 1f00098000.pwm, pwm_channel: 2, pwm_frequency: 1000, brightness: 30}", pwm(channel: 2, 1000, 30)),
  ])
  func `the torch may be a kernel LED or dimmed by PWM`(yaml: String, torch: TorchSettings) async throws {
    #expect(try await load("camera: {source: libcamera}\n" + yaml).devices.torch == torch)
  }

  private static func pwm(channel: Int, _ frequency: Int = 20_000, _ brightness: Int = 100) -> TorchSettings {
    var settings = PWMSettings(chip: "1f00098000.pwm", channel: channel)
    settings.frequency = frequency
    settings.brightness = brightness
    return .pwm(settings)
  }

  @Test func `T6: a torch strobes on request, with a fixed exposure`() async throws {
    let devices = try await load(
      """
      camera: {source: libcamera, exposure_us: 300, frame_rate: 30}
      torch: {led: flash, brightness: 40, strobe: true, strobe_lead: 1 ms, strobe_lag: 18 ms}
      """
    ).devices
    var strobe = StrobeSettings(exposure: .microseconds(300))
    (strobe.lead, strobe.lag, strobe.flashBrightness) = (.milliseconds(1), .milliseconds(18), 40)
    #expect(devices.strobe == strobe)
    let plain = try await load("camera: {source: libcamera, exposure_us: 300}\ntorch: {line: GPIO17, strobe: true}").devices
    #expect(plain.strobe == StrobeSettings(exposure: .microseconds(300)))
    #expect(try await load("camera: {source: libcamera}\ntorch: {line: GPIO17}").devices.strobe == nil)
  }

  @Test(arguments: [
    ("camera: {source: libcamera, exposure_us: 300}", "torch: {strobe: true}", "torch.strobe needs a torch"),
    ("camera: {pictures: a}", "torch: {line: GPIO17, strobe: true}", "torch.strobe needs a camera"),
    ("camera: {source: libcamera}", "torch: {line: GPIO17, strobe: true}", "set camera.exposure_us, such as 500"),
    (
      "camera: {source: libcamera, exposure_us: 15000, frame_rate: 30}", "torch: {line: GPIO17, strobe: true}",
      "light the torch for 42 ms of each frame's 33 ms"
    ),
  ])
  func `T6: a strobe that gains nothing is refused with a remedy`(camera: String, torch: String, reason: String)
    async
  {
    #expect(await complaint(camera + "\n" + torch).contains(reason))
  }

  @Test(arguments: [
    ("level", TriggerMode.level(limit: .seconds(5))), ("edge", .edge(limit: .seconds(5))), ("presentation", .presentation),
    ("continuous", .continuous),
  ])
  func `the trigger has five modes`(word: String, mode: TriggerMode) async throws {
    let yaml = "camera: {source: libcamera}\nbuttons: {trigger: {line: GPIO22}}\ntrigger: {mode: \(word)}"
    #expect(try await load(yaml).scan.trigger == mode)
  }

  @Test(arguments: [
    ("torch: {line: GPIO17, led: torch}", "torch.line and torch.led are both there"),
    ("torch: {led: ../x}", "it must be a name under /sys/class/leds"),
    ("torch: {dark_below: 100, bright_above: 90}", "bright_above must be the greater one"),
    ("buttons: {trigger: {active: low}}", "buttons.trigger.line is missing; it must be a line by its chip's label"),
    ("buttons: {triger: {line: GPIO4}}", "buttons.triger.line is not a key; did you mean buttons.trigger.line?"),
    ("torch: {line: gpiochip0:17}", "torch.line is \"gpiochip0:17\"; it must be a line by its chip's label"),
  ])
  func `conflicting and wrong device options are reported`(yaml: String, reason: String) async {
    #expect(await complaint("camera: {source: libcamera}\n" + yaml).contains(reason))
  }

  /// An invalid value for a kind of key; nil if every text is valid.
  private func wrongValue(_ kind: ConfigurationKind) -> String? {
    switch kind {
    case .flag, .choice, .durationOr, .duration, .decimal, .line, .size, .crop, .pattern, .region, .reopening, .symbologies,
      .choices, .lengths, .webAddress, .proxy, .colour, .hours, .pictureName:
      "no such thing"
    case .integer: "-1"
    case .text, .texts, .path, .bytes: String(repeating: "x", count: 5000)
    case .paths, .nothing: nil
    }
  }

  @Test(arguments: ConfigurationKey.all.map(\.name).filter { !$0.contains("[]") })
  func `a wrong value is reported with its key and what is expected`(name: String) async throws {
    let key = try #require(ConfigurationKey.all.first { $0.name == name })
    let wrong = try #require(wrongValue(key.kind))
    let name = name.replacing("<symbology>", with: "ean13")
    let variable = "RETICLE_" + name.uppercased().replacing(".", with: "_")
    let complaint = await complaint("camera: {pictures: a}", [variable: wrong])
    #expect(complaint.contains("\(variable): \(name) is \""))
    #expect(complaint.contains("it must be \(key.kind.expectation)"))
  }

  @Test(arguments: ConfigurationKey.all.map(\.name).filter { $0.hasPrefix("rules[]") || $0.hasPrefix("sets[]") })
  func `a wrong value of a rule or a set is reported with its key and what is expected`(key keyName: String) async throws {
    let key = try #require(ConfigurationKey.all.first { $0.name == keyName })
    let wrong = try #require(wrongValue(key.kind))
    let name = keyName.replacing("[]", with: ".0")
    let variable = "RETICLE_" + name.uppercased().replacing(".", with: "_")
    let complaint = await complaint(

      "camera: {pictures: a}\nrules: [{when: {prefix: x}, then: {flag: x}}]\nsets: [{parts: [x, x]}]", [variable: wrong])
    #expect(complaint.contains("\(variable): \(name) is \""), "\(complaint)")
    #expect(complaint.contains("it must be \(key.kind.expectation)"))
  }

  /// A bare `stdout` cannot be invalid.
  @Test(arguments: ConfigurationKey.all.map(\.name).filter { $0.hasPrefix("sinks[]") && $0 != "sinks[].stdout" })
  func `a wrong value of a sink is reported with its key and what is expected`(key keyName: String) async throws {
    let key = try #require(ConfigurationKey.all.first { $0.name == keyName })
    let wrong =
      switch key.kind {
      case .paths: "/nowhere/secret"
      case .text(let countMax): String(repeating: "x", count: countMax + 1)
      default: try #require(wrongValue(key.kind))
      }
    let name = keyName.replacing("[]", with: ".0").replacing("<name>", with: "X")
    let kind =
      switch keyName.split(separator: ".")[1] {
      case "serial": "serial: {device: /dev/ttyS0}"
      case "mqtt": "mqtt: {broker: 'mqtts://a'}"
      case "tcp": keyName.contains(".connect") ? "tcp: {connect: 'a:1'}" : "tcp: {listen: '127.0.0.1:9100'}"
      case "keyboard": "keyboard: {layout: us}"
      case "hid_pos": "hid_pos: {device: /dev/hidg1}"
      default: "webhook: {url: 'http://a', headers: {X: y}}"
      }
    let variable = "RETICLE_" + name.uppercased().replacing(".", with: "_")
    let complaint = await complaint("camera: {pictures: a}\nsinks: [{\(kind)}]", [variable: wrong])
    #expect(complaint.contains("\(variable): \(name) is \""), "\(complaint)")
    #expect(complaint.contains("it must be \(key.kind.expectation)"), "\(complaint)")
  }
}
