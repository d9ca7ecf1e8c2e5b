// The troubles, one by one, as changes to a healthy machine.

import Devices
import HostText
import Sinks
import StationConfiguration
import Testing
@testable import SetupCodes
@testable import StationDoctor

/// A till on a Raspberry Pi 5 with everything that can be wired to it.
enum HealthyMachine {
  static let serialNode = FileView(
    path: "/dev/ttyUSB0", group: "dialout", isDevice: true, deviceClasses: ["ttyUSB"])

  static var configuration: StationConfiguration {
    var configuration = StationConfiguration()
    configuration.camera.source = .libcamera
    configuration.host.rules = [Rule(name: "samples")]
    configuration.devices.torch = .line(LineSettings(LineAddress(chip: "pinctrl-rp1", line: "GPIO17")))
    configuration.devices.buttons = [
      ButtonSettings(.trigger, line: LineSettings(LineAddress(chip: nil, line: "GPIO22"), isActiveLow: true))
    ]
    configuration.devices.speech.isEnabled = true
    configuration.screen.output = .kms
    configuration.console.port = 9470
    configuration.pictures = PictureSettings(kinds: [.unread])
    var webhook = WebhookSettings(url: "https://till.example/scans")
    webhook.headers = [.init(name: "X-API-Key", value: "c2VjcmV0")]
    configuration.sinks = [SerialSettings(device: "/dev/ttyUSB0"), webhook, KeyboardSettings()]
    return configuration
  }

  static var system: SystemView {
    var system = SystemView()
    system.configurationFile = FileView(path: "/etc/reticle/reticle.yaml", group: "reticle", mode: 0o640)
    system.unixSeconds = 1_800_000_000
    system.rules["samples"] = .init(firstSeen: 1_790_000_000, lastMatched: 1_799_900_000)
    system.isClockSynchronized = true
    system.board.model = "Raspberry Pi 5 Model B Rev 1.0"
    system.board.name = "raspberry-pi-5"
    system.board.chipsByBoard = ["raspberry-pi-4": ["pinctrl-bcm2711"], "raspberry-pi-5": ["pinctrl-rp1"]]
    system.camera.nodes = ["media0", "video0"].map {
      FileView(path: "/dev/\($0)", group: "video", isDevice: true)
    }
    system.camera.cameras = .success([.init(id: "/base/i2c/imx708@1a", model: "imx708")])
    system.camera.libraryVersion = "0.5.2"
    system.camera.heaps = [FileView(path: "/dev/dma_heap/system", group: "video", isDevice: true)]
    system.lines.chips = [
      .init(path: "/dev/gpiochip0", label: "pinctrl-rp1", lines: (0..<54).map { .init(name: "GPIO\($0)") })
    ]
    system.lines.nodes = [FileView(path: "/dev/gpiochip0", group: "gpio", isDevice: true)]
    system.screen.cards = [
      .init(
        node: FileView(path: "/dev/dri/card0", group: "video", isDevice: true),
        connectors: [.init(name: "HDMI-A-1", isConnected: true), .init(name: "HDMI-A-2", isConnected: false)])
    ]
    system.screen.inputs = [FileView(path: "/dev/input/event0", group: "input", isDevice: true)]
    system.serialPorts["/dev/ttyUSB0"] = .there(serialNode, holder: nil, isConsole: false, hasModemManager: false)
    system.outbox.folder = FileView(path: "/var/lib/reticle", owner: "reticle", mode: 0o750)
    system.pictures.folder = FileView(path: "/var/lib/reticle", owner: "reticle", mode: 0o750)
    system.pictures.freeByteCount = 20 << 30
    system.outbox.fileSystem = "ext4"
    system.outbox.freeByteCount = 20 << 30
    system.inputDevices["/dev/uinput"] = FileView(path: "/dev/uinput", group: "reticle", isDevice: true)
    system.allowedDevices = ["char-media", "char-ttyUSB", "/dev/uinput"]
    return system
  }
}

/// A trouble and the change that causes it.
struct PlantedTrouble: Sendable, CustomTestStringConvertible {
  let trouble: Trouble
  let plant: @Sendable (inout SystemView, inout StationConfiguration) -> Void

  var testDescription: String { trouble.id }

  init(_ trouble: Trouble, _ plant: @escaping @Sendable (inout SystemView, inout StationConfiguration) -> Void) {
    self.trouble = trouble
    self.plant = plant
  }

  static let all: [PlantedTrouble] = files + cameras + lines + screens + serialPorts + rest

  private static func refuse(_ node: inout FileView) { (node.mayRead, node.mayWrite) = (false, false) }

  private static func serial(
    _ change: (inout FileView) -> Void, holder: String? = nil, isConsole: Bool = false, modem: Bool = false
  ) -> SerialView {
    var node = HealthyMachine.serialNode
    change(&node)
    return .there(node, holder: holder, isConsole: isConsole, hasModemManager: modem)
  }

  private static let files = [
    PlantedTrouble(.configurationDenied) { system, _ in system.configurationFile?.mayRead = false },
    PlantedTrouble(.configurationRefused) { system, configuration in
      system.isServiceFile = true
      configuration.sinks = [StandardOutputSettings()]
    },
    PlantedTrouble(.configurationExposed) { system, _ in system.configurationFile?.mode = 0o644 },
    PlantedTrouble(.outboxFolderAbsent) { system, _ in system.outbox.folder = nil },
    PlantedTrouble(.outboxDenied) { system, _ in
      system.outbox.file = FileView(path: "/var/lib/reticle/outbox.sqlite", mayWrite: false)
    },
    PlantedTrouble(.outboxForeign) { system, _ in
      system.outbox.foreign = "outbox /home/pi/notes.txt: it is not an outbox, and was not touched: it is no database"
    },
    PlantedTrouble(.outboxReadOnly) { system, _ in system.outbox.isReadOnly = true },
    PlantedTrouble(.outboxForgetful) { system, _ in
      system.outbox.fileSystem = "tmpfs"
      system.outbox.survivesPowerOff = false
    },
    PlantedTrouble(.outboxDiskFull) { system, _ in system.outbox.freeByteCount = 5 << 20 },
    PlantedTrouble(.outboxDiskSmall) { system, _ in system.outbox.freeByteCount = 100 << 20 },
    PlantedTrouble(.picturesFolderAbsent) { system, configuration in
      configuration.pictures?.folder = "/srv/label pictures"
      system.pictures.folder = nil
    },
    PlantedTrouble(.picturesDenied) { system, _ in
      system.pictures.folder.map { system.pictures.folder = FileView(path: $0.path, mayWrite: false) }
    },
    PlantedTrouble(.picturesDiskSmall) { system, _ in
      system.pictures.byteCount = 100 << 20
      system.pictures.freeByteCount = 219 << 20
    },
    PlantedTrouble(.outboxFull) { system, _ in
      system.outbox.full =
        "outbox /var/lib/reticle/outbox.sqlite: it is full and takes no new scans: 100 scans are undelivered"
    },
  ]

  private static let cameras = [
    PlantedTrouble(.cameraOff) { _, configuration in configuration.camera.isEnabled = false },
    PlantedTrouble(.cameraAbsent) { system, _ in system.camera.nodes = [] },
    PlantedTrouble(.cameraDenied) { system, _ in refuse(&system.camera.nodes[1]) },
    PlantedTrouble(.cameraLibraryFailed) { system, _ in system.camera.cameras = .failure(.init("no such device")) },
    PlantedTrouble(.cameraLibraryOld) { system, _ in
      system.camera.cameras = .success([])
      system.camera.libraryVersion = "0.4.0"
    },
    PlantedTrouble(.cameraUnlisted) { system, _ in system.camera.cameras = .success([]) },
    PlantedTrouble(.cameraUnmatched) { _, configuration in configuration.camera.settings.model = "imx219" },
    PlantedTrouble(.cameraHeld) { system, _ in system.camera.holder = ("/dev/media0", "rpicam-hello") },
    PlantedTrouble(.picturesMissing) { system, configuration in
      configuration.camera.source = .pictures
      system.camera.pictureTrouble = "labels: there is no such file or folder"
    },
    PlantedTrouble(.heapAbsent) { system, _ in system.camera.heaps = [] },
    PlantedTrouble(.heapDenied) { system, _ in refuse(&system.camera.heaps[0]) },
  ]

  private static let lines = [
    PlantedTrouble(.boardOther) { system, configuration in
      configuration.devices.torch = .line(LineSettings(LineAddress(chip: "pinctrl-bcm2711", line: "GPIO17")))
      // A USB adapter may have the same name: only the board is in doubt.
      system.lines.chips.append(.init(path: "/dev/gpiochip1", label: "pinctrl-bcm2711", lines: [.init(name: "GPIO17")]))
    },
    PlantedTrouble(.linesDenied) { system, _ in
      system.lines.chips = []
      refuse(&system.lines.nodes[0])
    },
    PlantedTrouble(.lineChipAbsent) { _, configuration in
      configuration.devices.torch = .line(LineSettings(LineAddress(chip: "cp2112_gpio", line: "1")))
    },
    PlantedTrouble(.lineAbsent) { _, configuration in
      configuration.devices.torch = .line(LineSettings(LineAddress(chip: "pinctrl-rp1", line: "54")))
    },
    PlantedTrouble(.lineAmbiguous) { system, _ in
      system.lines.chips.append(.init(path: "/dev/gpiochip1", label: "usb", lines: [.init(name: "GPIO22")]))
    },
    PlantedTrouble(.lineHeld) { system, _ in system.lines.chips[0].lines[17].holder = "spi0 CS0" },
    PlantedTrouble(.torchAbsent) { _, configuration in configuration.devices.torch = .led("torch") },
    PlantedTrouble(.torchDenied) { system, configuration in
      configuration.devices.torch = .led("torch")
      system.lines.torchFile = FileView(path: "/sys/class/leds/torch/brightness", mayWrite: false)
    },
    PlantedTrouble(.torchFlashAbsent) { system, configuration in
      configuration.devices.torch = .led("torch")
      configuration.devices.strobe = StrobeSettings(exposure: .microseconds(500))
      system.lines.torchFile = FileView(path: "/sys/class/leds/torch/brightness")
    },
  ]

  private static let screens = [
    PlantedTrouble(.screenAbsent) { system, _ in system.screen.cards = [] },
    PlantedTrouble(.screenDenied) { system, _ in refuse(&system.screen.cards[0].node) },
    PlantedTrouble(.screenConnectorAbsent) { _, configuration in configuration.screen.connector = "DSI-1" },
    PlantedTrouble(.screenUnplugged) { _, configuration in configuration.screen.connector = "HDMI-A-2" },
    PlantedTrouble(.screenHeld) { system, _ in system.screen.cards[0].holder = "labwc" },
    PlantedTrouble(.inputDenied) { system, _ in refuse(&system.screen.inputs[0]) },
    PlantedTrouble(.fontsAbsent) { system, _ in system.screen.hasFonts = false },
  ]

  private static let serialPorts = [
    PlantedTrouble(.serialAbsent) { system, _ in system.serialPorts["/dev/ttyUSB0"] = .missing },
    PlantedTrouble(.serialAmbiguous) { system, _ in system.serialPorts["/dev/ttyUSB0"] = .ambiguous },
    PlantedTrouble(.serialNoDevice) { system, _ in
      system.serialPorts["/dev/ttyUSB0"] = serial { $0.isDevice = false }
    },
    PlantedTrouble(.serialDenied) { system, _ in system.serialPorts["/dev/ttyUSB0"] = serial { refuse(&$0) } },
    PlantedTrouble(.serialConsole) { system, _ in
      system.serialPorts["/dev/ttyUSB0"] = serial({ _ in }, isConsole: true)
    },
    PlantedTrouble(.serialHeld) { system, _ in system.serialPorts["/dev/ttyUSB0"] = serial({ _ in }, holder: "agetty") },
    PlantedTrouble(.serialModemManager) { system, _ in
      system.serialPorts["/dev/ttyUSB0"] = serial({ _ in }, modem: true)
    },
    PlantedTrouble(.keyboardAbsent) { system, _ in system.inputDevices = [:] },
    PlantedTrouble(.gadgetAbsent) { system, configuration in
      var keyboard = KeyboardSettings()
      keyboard.device = "/dev/hidg0"
      configuration.sinks[2] = keyboard
    },
    PlantedTrouble(.keyboardDenied) { system, _ in system.inputDevices["/dev/uinput"]?.mayWrite = false },
    PlantedTrouble(.deviceClosed) { system, _ in system.allowedDevices = ["char-media", "/dev/ttyUSB1", "/dev/uinput"] },
  ]

  private static let rest = [
    PlantedTrouble(.clockUnset) { system, _ in system.unixSeconds = 120 },
    PlantedTrouble(.clockUnsynchronized) { system, _ in system.isClockSynchronized = false },
    PlantedTrouble(.setupUnusable) { system, configuration in
      configuration.setup.publicKeys = [SetupSigningKey.generate()!.publicKey]
      system.setupProblem =
        "/var/lib/reticle/outbox.sqlite-setup.yaml: it cannot be used: line 2: vote.frames is not one text"
    },
    PlantedTrouble(.setupClock) { system, configuration in
      configuration.setup.publicKeys = [SetupSigningKey.generate()!.publicKey]
      system.isClockSynchronized = false
    },
    PlantedTrouble(.sinkUnreachable) { system, _ in
      system.unreachable["webhook"] = "https://till.example/scans: no connection: connection refused"
    },
    PlantedTrouble(.hostUnreachable) { system, configuration in
      configuration.sinks = [TCPSettings(.connects(to: TCPPlace(host: "till.example", port: 9100)))]
      system.unreachable["tcp"] = "till.example:9100: no connection: connection refused"
    },
    PlantedTrouble(.listeningPortTaken) { system, configuration in
      configuration.sinks = [TCPSettings(.listens(at: TCPPlace(host: "0.0.0.0", port: 9100)))]
      system.listeners[9100] = "printerd"
    },
    PlantedTrouble(.ruleUnused) { system, configuration in
      configuration.host.rules = [Rule(name: "samples"), Rule(name: "lots"), Rule(name: "new")]
      let now = system.unixSeconds
      system.rules = [
        "samples": .init(firstSeen: now - 30 * 86_400, lastMatched: now - 8 * 86_400),
        "lots": .init(firstSeen: now - 30 * 86_400, lastMatched: now - 86_400), "new": .init(firstSeen: now - 86_400),
      ]
    },
    PlantedTrouble(.stationNotReady) { system, _ in
      system.stationTroubles = ["3 scans are in memory only and are lost if the station stops"]
    },
    PlantedTrouble(.consolePortTaken) { system, _ in system.consolePortHolder = "" },
    PlantedTrouble(.consoleCertificateEnds) { system, configuration in
      configuration.console.tls = .own
      let now = system.unixSeconds
      system.consoleCertificate = CertificateView(
        file: "/var/lib/reticle/console.crt", fingerprint: "AB:CD", validity: now - 300...now + 86_400)
    },
    PlantedTrouble(.speechAbsent) { system, _ in system.hasSpeechProgram = false },
  ]
}
