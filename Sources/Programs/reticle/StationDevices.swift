// Creates the devices from the configuration: only this file decides that a torch is a line and a camera is libcamera's.

import Devices
import LinuxDevices
import Logging
import PictureFiles
import ScanLoop
import ScanScreen
import StationConfiguration

/// The devices of a configuration.
struct StationDevices {
  private let configuration: StationConfiguration
  private let logger: Logger

  init(_ configuration: StationConfiguration, _ logger: Logger) {
    self.configuration = configuration
    self.logger = logger
  }

  func makeSource() throws(PictureList.Failure) -> any FrameSource {
    #if Camera
      if configuration.camera.source == .libcamera {
        routeCameraMessages()
        var settings = configuration.camera.settings
        if configuration.screen.output != .none {
          let size = configuration.screen.size ?? ScreenSetup.enoughSize
          settings.screenSize = CameraSettings.Size(width: size.width, height: size.height)
        }
        return LibcameraFrameSource(settings: settings)
      }
    #endif
    var playback = PicturePlayback()
    playback.period = configuration.camera.period
    playback.isLooped = configuration.camera.repetition == .loop
    playback.keepsEveryFrame = configuration.camera.keepsEveryFrame
    playback.isPermitted = configuration.camera.isEnabled
    if configuration.camera.repetition == .watch {
      let folders = try PictureList.folders(of: configuration.camera.pictures)
      return FolderCamera(folders: folders, playback: playback, loader: Picture())
    }
    let paths = try PictureList.paths(of: configuration.camera.pictures)
    return PictureCamera(paths: paths, playback: playback, loader: Picture())
  }

  #if Camera
    /// libcamera's routine messages at each start matter only for troubleshooting.
    private func routeCameraMessages() {
      let logger = logger
      CameraMessages.route { level, message in
        let level: Logger.Level =
          switch level {
          case .debug: .trace
          case .info: .debug
          case .warning: .warning
          case .error, .fatal: .error
          }
        logger.log(level: level, "libcamera", metadata: ["message": "\(message)"])
      }
    }
  #endif

  /// Adds torch, buttons, lamps and voice to the parts of a station.
  func add(to parts: inout ScanParts) {
    let devices = configuration.devices
    let logger = logger
    let trouble: @Sendable (String) -> Void = { logger.error("a line cannot be had", metadata: ["trouble": "\($0)"]) }
    #if Camera
      if configuration.camera.source == .libcamera { parts.arrivals = UdevArrivals() }
    #endif
    parts.torch = StationDevices.makeTorch(devices.torch, strobe: devices.strobe)
    #if Lines
      if let privacy = devices.privacy {
        parts.privacy = LinePrivacySwitch(privacy.line, bias: privacy.bias, trouble: trouble)
      }
      if !devices.buttons.isEmpty { parts.buttons = LineButtons(devices.buttons, trouble: trouble) }
      if !devices.outputs.isEmpty { parts.signals = LineSignals(devices.outputs, trouble: trouble) }
    #endif
    if devices.speech.isEnabled {
      parts.speaker = EspeakSpeaker(voice: devices.speech.voice, limit: devices.speech.limit)
    }
  }

  /// - Parameter strobe: the strobe settings; nil for steady light.
  static func makeTorch(_ settings: TorchSettings, strobe: StrobeSettings? = nil) -> any Torch {
    switch settings {
    case .none: return AbsentTorch()
    case .led(let name):
      if let strobe { return StrobeTorch(led: name, settings: strobe) }
      return SysfsTorch(led: name)
    case .pwm(let pwm):
      if let strobe { return StrobeTorch(pwm: pwm, settings: strobe) }
      return SysfsTorch(pwm: pwm)
    case .line(let line):
      #if Lines
        if let strobe { return StrobeTorch(line: line, settings: strobe) }
        return LineTorch(line)
      #else
        return AbsentTorch()
      #endif
    }
  }
}
