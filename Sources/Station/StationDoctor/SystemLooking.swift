// Reads this machine's state for the doctor. Inspection changes nothing: no line is requested, no port opened, no screen
// acquired.

import Boards
import CLinux
import Devices
import FoundationEssentials
import Glibc
import LinuxDevices
import Outbox
import PictureFiles
import Sinks
package import StationConfiguration

#if Camera
  import CLibcamera
#endif

/// Inspects the parts of a machine that a configuration needs.
package struct SystemLooking {
  let configuration: StationConfiguration
  let configurationPath: String?
  /// Read before the process drops its privileges.
  let programs: ProgramTable

  package init(configuration: StationConfiguration, configurationPath: String?, programs: ProgramTable) {
    self.configuration = configuration
    self.configurationPath = configurationPath
    self.programs = programs
  }

  package func view() -> SystemView {
    var system = SystemView()
    system.user = FileLooking.userName(geteuid())
    system.configurationFile = configurationPath.flatMap(FileLooking.view)
    system.unixSeconds = Int64(time(nil))
    let synchronized = clinux_clock_is_synchronized()
    system.isClockSynchronized = synchronized < 0 ? nil : synchronized == 1
    system.board = Self.board()
    system.camera = camera()
    system.lines = lines()
    system.screen = screen()
    for device in configuration.sinks.compactMap(\.serialDevice) { system.serialPorts[device] = serialPort(device) }
    for device in configuration.sinks.compactMap(\.inputDevice) {
      system.inputDevices[device] = FileLooking.view(device)
    }
    system.outbox = outbox()
    if let settings = configuration.pictures { system.pictures = Self.pictures(settings) }
    if configuration.console.port > 0 { system.consolePortHolder = programs.listener(port: configuration.console.port) }
    for place in configuration.sinks.compactMap(\.listeningPlace) {
      system.listeners[place.port] = programs.listener(port: place.port)
    }
    let speakers: [String] = ["/usr/bin/espeak-ng", "/usr/local/bin/espeak-ng"]
    system.rules = RuleMemory.read(RuleMemory.path(outbox: configuration.outbox.path))
    system.hasSpeechProgram = speakers.contains { access($0, X_OK) == 0 }
    system.allowedDevices = Self.allowedDevices()
    return system
  }

  static func board() -> BoardView {
    var view = BoardView()
    view.model = deviceTreeModel()
    view.name = BoardFile.matching(model: view.model).name
    for board in BoardFile.all {
      let labels = board.section("configuration").matches(of: /line: "([^:"]+):/).map { String($0.1) }
      view.chipsByBoard[board.name] = Set(labels)
    }
    return view
  }

  // MARK: Devices

  private func camera() -> CameraView {
    var view = CameraView()
    guard configuration.camera.source == .libcamera else {
      do throws(PictureList.Failure) {
        let entries = configuration.camera.pictures
        if configuration.camera.repetition == .watch {
          _ = try PictureList.folders(of: entries)
        } else {
          _ = try PictureList.paths(of: entries)
        }
      } catch {
        view.pictureTrouble = error.description
      }
      return view
    }
    let media = FileLooking.numbered("/dev", "media")
    view.nodes = media + FileLooking.numbered("/dev", "video")
    let heaps = ["vidbuf_cached", "linux,cma", "system"]
    view.heaps = heaps.compactMap { FileLooking.view("/dev/dma_heap/\($0)") }
    #if Camera
      var version = [CChar](repeating: 0, count: 128)
      if clibcamera_version(&version, version.count) == 0 {
        view.libraryVersion = String(decoding: version.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
      guard view.nodes.contains(where: \.mayUse) else { return view }
      do {
        view.cameras = .success(try listCameras().map { CameraView.Camera(id: $0.id, model: $0.model) })
      } catch {
        view.cameras = .failure(.init("\(error)"))
      }
    #endif
    for node in media where node.mayRead {
      if let program = Self.lockHolder(node.path) { view.holder = (node.path, program) }
    }
    return view
  }

  /// libcamera locks the media device of a camera in use.
  private static func lockHolder(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let process = clinux_lock_holder(descriptor)
    return process > 0 ? ProgramTable.name(of: process) : nil
  }

  private func lines() -> LinesView {
    var view = LinesView()
    view.nodes = FileLooking.numbered("/dev", "gpiochip")
    view.torchFile = configuration.devices.torch.switchFile().flatMap(FileLooking.view)
    view.torchHasFlash = configuration.devices.torch.hasFlash()
    #if Lines
      view.chips = ((try? GPIOLines.chips()) ?? []).map { chip in
        LinesView.Chip(
          path: chip.path, label: chip.label,
          lines: chip.lines.map { LinesView.Line(name: $0.name, holder: $0.isUsed ? $0.consumer : nil) })
      }
    #endif
    return view
  }

  /// Read from sysfs: the first program that opens a free card acquires its screen, which the doctor must not do.
  private func screen() -> DisplayView {
    var view = DisplayView()
    let names = folderNames("/sys/class/drm")
    var cards = FileLooking.numbered("/dev/dri", "card")
    if let card = configuration.screen.card {
      let wanted = realpath(card, nil).map { path in
        defer { free(path) }
        return String(cString: path)
      }
      cards = cards.filter { $0.path == wanted }
    }
    for node in cards {
      let card = node.path.split(separator: "/").last.map(String.init) ?? ""
      let connectors = names.filter { $0.hasPrefix(card + "-") }.map { name in
        let status = fileBytes("/sys/class/drm/\(name)/status", countMax: 32)
        return DisplayView.Connector(
          name: String(name.dropFirst(card.count + 1)),
          // A connector that was never probed reports unknown; the screen will probe it.
          isConnected: !String(decoding: status, as: UTF8.self).hasPrefix("disconnected"))
      }
      view.cards.append(.init(node: node, connectors: connectors, holder: programs.holders[node.path]))
    }
    view.inputs = FileLooking.numbered("/dev/input", "event")
    view.hasFonts = ["/usr/share/fonts", "/usr/local/share/fonts"].contains { Self.hasFont($0, depth: 0) }
    return view
  }

  private static func hasFont(_ folder: String, depth: Int) -> Bool {
    guard depth < 5 else { return false }
    for name in folderNames(folder, countMax: 4096) {
      if [".ttf", ".otf", ".ttc"].contains(where: name.hasSuffix) || hasFont("\(folder)/\(name)", depth: depth + 1) {
        return true
      }
    }
    return false
  }

  private func serialPort(_ device: String) -> SerialView {
    guard let name = SerialDeviceName(device) else { return .missing }
    let path: String
    do throws(SerialPortFailure) {
      path = try name.file()
    } catch {
      return error.cause == .ambiguous ? .ambiguous : .missing
    }
    guard let resolved = realpath(path, nil) else { return .missing }
    defer { free(resolved) }
    guard let node = FileLooking.view(String(cString: resolved)) else { return .missing }
    let consoles = String(decoding: fileBytes("/sys/class/tty/console/active", countMax: 4096), as: UTF8.self)
    let tty = node.path.split(separator: "/").last.map(String.init) ?? ""
    let isConsole = consoles.split(whereSeparator: \.isWhitespace).contains(Substring(tty))
    return .there(
      node, holder: programs.holders[node.path], isConsole: isConsole,
      hasModemManager: programs.names.contains("ModemManager"))
  }

  // MARK: The rest

  private func outbox() -> OutboxView {
    var view = OutboxView()
    let path = configuration.outbox.path
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    view.folder = FileLooking.view(folder)
    view.file = FileLooking.view(path)
    view.foreign = Outbox.foreignFile(at: path)?.description
    if view.file?.mayRead == true, view.foreign == nil {
      view.full = (try? OutboxReader(settings: configuration.outbox).fullness(configuration.outbox))?.description
    }
    let storage = Storage(path: path)
    view.fileSystem = storage.fileSystem
    view.survivesPowerOff = storage.survivesPowerOff
    var status = statvfs()
    if statvfs(folder, &status) == 0 {
      view.isReadOnly = status.f_flag & UInt(ST_RDONLY) != 0
      view.freeByteCount = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }
    return view
  }

  private static func pictures(_ settings: PictureSettings) -> PicturesView {
    var view = PicturesView()
    let folder = settings.folder
    let above = folder.lastIndex(of: "/").map { $0 == folder.startIndex ? "/" : String(folder[..<$0]) } ?? "."
    view.folder = FileLooking.view(folder) ?? FileLooking.view(above)
    for name in folderNames(folder, countMax: PictureSettings.fileCountMax) where PictureTemplate.parse(name) != nil {
      var status = stat()
      if lstat("\(folder)/\(name)", &status) == 0 { view.byteCount += Int64(status.st_size) }
    }
    var status = statvfs()
    if let path = view.folder?.path, statvfs(path, &status) == 0 {
      view.freeByteCount = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
    }
    return view
  }

  /// `DeviceAllow=` of the unit and its drop-ins; nil if no unit is installed.
  private static func allowedDevices() -> [String]? {
    let folders = ["/lib/systemd/system", "/usr/lib/systemd/system", "/etc/systemd/system"]
    var files: [String] = folders.map { $0 + "/reticle.service" }
    for folder in folders {
      let additions = folderNames(folder + "/reticle.service.d", countMax: 256).filter { $0.hasSuffix(".conf") }
      files += additions.map { "\(folder)/reticle.service.d/\($0)" }
    }
    var allowed: [String] = []
    var isInstalled = false
    for file in files {
      let text = String(decoding: fileBytes(file, countMax: 256 << 10), as: UTF8.self)
      isInstalled = isInstalled || text.contains("ExecStart=")
      for line in text.split(separator: "\n") where line.hasPrefix("DeviceAllow=") {
        let device = line.dropFirst("DeviceAllow=".count).prefix { $0 != " " }
        // An empty assignment resets all earlier ones (systemd.resource-control(5)).
        if device.isEmpty { allowed.removeAll() } else { allowed.append(String(device)) }
      }
    }
    return isInstalled ? allowed : nil
  }
}
