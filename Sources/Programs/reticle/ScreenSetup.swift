// Sets up a station's screen from its configuration.

import ArgumentParser
import Devices
import LinuxDevices
import Logging
import PictureFiles
import ScanScreen
import StationConfiguration
import StationScreen
import SymbolPrinter

#if Screen
  import LinuxScreen
  import ScreenPainter
#endif

/// The values of --screen.
struct ScreenChoice: ExpressibleByArgument {
  let output: ScreenConfiguration.Output
  let folder: String?

  init?(argument: String) {
    if argument.hasPrefix("png:"), argument.count > 4 {
      output = .png
      folder = String(argument.dropFirst(4))
    } else if let output = ScreenConfiguration.Output(rawValue: argument), output != .png {
      self.output = output
      folder = nil
    } else {
      return nil
    }
  }

  func apply(to configuration: inout ScreenConfiguration) {
    configuration.output = output
    configuration.folder = folder ?? configuration.folder
  }
}

enum ScreenSetup {
  /// The default size of pictures in files: that of the smallest common kiosk panel.
  static let fileSize = ScreenSize(width: 800, height: 480)

  /// The camera picture's size for a panel whose mode is unknown until it is opened: at a user's distance, more detail is
  /// not visible.
  static let enoughSize = ScreenSize(width: 1280, height: 720)

  static func make(_ configuration: StationConfiguration, _ logger: Logger) -> ScreenParts? {
    #if Screen
      let screen: any Devices.Screen
      var input: (any ScreenInput)?
      switch configuration.screen.output {
      case .none: return nil
      case .png:
        let size = configuration.screen.size ?? fileSize
        screen = PNGScreen(
          folder: configuration.screen.folder ?? ".", mode: ScreenMode(width: size.width, height: size.height))
      case .kms:
        screen = kmsScreen(configuration.screen)
        input = LibinputDevices(keyboards: configuration.screen.inputDevices) { reason in
          logger.warning("there are no touches and keys", metadata: ["reason": "\(reason)"])
        }
      }
      var settings = configuration.screen.settings
      // Files do not show a user where to hold a code: unless a viewport is configured, they do not change what is scanned.
      if configuration.screen.output == .png, !configuration.screen.isViewportWritten { settings.viewport = .whole }
      var parts = ScreenParts(
        screen: screen, settings: settings, stationName: configuration.stationName,
        makePainter: { CairoPainter(panel: $0) })
      parts.input = input
      parts.buttons = Set(configuration.devices.buttons.map(\.button))
      parts.makeSymbol = { text in
        let request = SymbolRequest(text, correction: .low)
        guard let symbol = try? SymbolPrinter.print(request), symbol.rows.count == Int(symbol.width) else { return nil }
        return ModuleGrid(side: symbol.rows.count, isDark: symbol.rows.flatMap(\.modules))
      }
      if configuration.screen.output == .kms { parts.makeMemory = { DMAMemory.make(byteCount: $0) } }
      return parts
    #else
      return nil
    #endif
  }

  #if Screen
    private static func kmsScreen(_ configuration: ScreenConfiguration) -> KMSScreen {
      var settings = KMSSettings()
      settings.card = configuration.card
      settings.connector = configuration.connector
      settings.size = configuration.size
      return KMSScreen(settings: settings, terminal: configuration.terminal.map { KernelTerminal(path: $0) })
    }
  #endif
}
