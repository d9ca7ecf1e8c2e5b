// The doctor's view of the machine, as plain values. Inspection and checks are separate, so that tests can simulate every
// fault, and checks open nothing.

import Sinks
public import StationConfiguration

/// The machine's state that concerns a station.
public struct SystemView: Sendable {
  /// The user for whom the checks are made.
  public var user = "reticle"
  /// The configuration file; nil if it does not exist and the defaults apply.
  public var configurationFile: FileView?
  /// Whether this is the service's configuration file.
  public var isServiceFile = false
  /// Seconds since 1970 by the wall clock.
  public var unixSeconds: Int64 = 0
  /// Whether the kernel reports the clock as synchronised; nil if it does not say.
  public var isClockSynchronized: Bool?
  public var board = BoardView()
  public var camera = CameraView()
  public var lines = LinesView()
  public var screen = DisplayView()
  /// By the device's name in the configuration.
  public var serialPorts: [String: SerialView] = [:]
  /// The device files of keyboards and USB scanners, by name; no entry for missing ones.
  public var inputDevices: [String: FileView] = [:]
  public var outbox = OutboxView()
  public var pictures = PicturesView()
  /// Why the changes of set-up codes are not in effect; nil if they are, or without changes.
  public var setupProblem: String?
  /// When each rule last matched, by its name.
  public var rules: [String: RuleMemory.Entry] = [:]
  /// Why a sink cannot be reached, by its name; no entry for reachable sinks.
  public var unreachable: [String: String] = [:]
  /// The programs that listen at the ports of sinks, by the port; an empty name if the program is unknown.
  public var listeners: [Int: String] = [:]
  /// The program that occupies the console's port; nil if it is free, empty if the program is unknown.
  public var consolePortHolder: String?
  /// The console's certificate; nil without TLS, or before the station has made it.
  public var consoleCertificate: CertificateView?
  /// Why the running station is not ready, from its `/readyz`; empty if it is, or does not run.
  public var stationTroubles: [String] = []
  public var hasSpeechProgram = true
  /// `DeviceAllow=` of the installed unit, its first words; nil if no unit is installed.
  public var allowedDevices: [String]?

  public init() {}
}

/// The certificate of a server.
public struct CertificateView: Equatable, Sendable {
  public var file: String
  /// SHA-256, as browsers show it.
  public var fingerprint: String
  /// Seconds since 1970.
  public var validity: ClosedRange<Int64>

  public init(file: String, fingerprint: String, validity: ClosedRange<Int64>) {
    (self.file, self.fingerprint, self.validity) = (file, fingerprint, validity)
  }
}

/// A file, folder or device file, as seen by the user for whom the checks are made.
public struct FileView: Equatable, Sendable {
  public var path: String
  public var mayRead: Bool
  public var mayWrite: Bool
  /// The names of the owner and the group.
  public var owner: String
  public var group: String
  /// The permission bits of chmod(2).
  public var mode: UInt32
  /// Whether it is a character device, like those of cameras and serial ports.
  public var isDevice: Bool
  /// The names of the device's major number in `/proc/devices`, such as `ttyUSB`; empty for other files.
  public var deviceClasses: [String]

  public init(
    path: String, mayRead: Bool = true, mayWrite: Bool = true, owner: String = "root", group: String = "root",
    mode: UInt32 = 0o660, isDevice: Bool = false, deviceClasses: [String] = []
  ) {
    self.path = path
    self.mayRead = mayRead
    self.mayWrite = mayWrite
    self.owner = owner
    self.group = group
    self.mode = mode
    self.isDevice = isDevice
    self.deviceClasses = deviceClasses
  }

  public var mayUse: Bool { mayRead && mayWrite }
}

/// The board.
public struct BoardView: Sendable {
  /// The model in the device tree, such as `Raspberry Pi 5 Model B Rev 1.0`; empty if there is no device tree.
  public var model = ""
  /// The name of the board's file, such as `raspberry-pi-5`.
  public var name = "generic-linux"
  /// The labels of GPIO chips that each known board's file names, by the board's name.
  public var chipsByBoard: [String: Set<String>] = [:]

  public init() {}
}

/// Cameras, as device files and as libcamera lists them.
public struct CameraView: Sendable {
  /// A camera that libcamera lists.
  public struct Camera: Equatable, Sendable {
    public var id: String
    public var model: String

    public init(id: String, model: String) {
      self.id = id
      self.model = model
    }
  }

  /// Device files of cameras: /dev/media* and /dev/video*.
  public var nodes: [FileView] = []
  /// The cameras that libcamera lists, or its error.
  public var cameras: Result<[Camera], Failure> = .success([])
  /// libcamera's version, such as `0.5.2`.
  public var libraryVersion = ""
  /// The device and the program that has locked it, as libcamera locks a camera in use.
  public var holder: (device: String, program: String)?
  /// DMA heaps that exist.
  public var heaps: [FileView] = []
  /// The settings of the running station's sensor, those wished, and the reason; nil if no station reports them.
  public var steering: String?
  /// Why the configured pictures cannot be played; nil if they can.
  public var pictureTrouble: String?

  public init() {}

  /// A library's error.
  public struct Failure: Error, Equatable, Sendable {
    public var words: String
    public init(_ words: String) { self.words = words }
  }
}

/// GPIO lines, and torches that are files of sysfs.
public struct LinesView: Sendable {
  /// A GPIO chip with its lines.
  public struct Chip: Equatable, Sendable {
    public var path: String
    public var label: String
    public var lines: [Line]

    public init(path: String, label: String, lines: [Line]) {
      self.path = path
      self.label = label
      self.lines = lines
    }
  }

  /// A line; its index in `lines` is the offset.
  public struct Line: Equatable, Sendable {
    public var name: String
    /// The holder of the line; nil if it is free, empty for the kernel.
    public var holder: String?

    public init(name: String, holder: String? = nil) {
      self.name = name
      self.holder = holder
    }
  }

  /// Chips that this user may read.
  public var chips: [Chip] = []
  /// Device files of chips.
  public var nodes: [FileView] = []
  /// The file that switches the configured LED or PWM torch; nil if it does not exist.
  public var torchFile: FileView?
  /// Whether the configured LED belongs to a flash driver.
  public var torchHasFlash = false

  public init() {}
}

/// Display controllers, and devices for touches and keys.
public struct DisplayView: Sendable {
  /// A display controller with its connectors.
  public struct Card: Equatable, Sendable {
    public var node: FileView
    public var connectors: [Connector]
    /// A program other than the station that has the card open.
    public var holder: String?

    public init(node: FileView, connectors: [Connector], holder: String? = nil) {
      self.node = node
      self.connectors = connectors
      self.holder = holder
    }
  }

  /// A connector for a panel.
  public struct Connector: Equatable, Sendable {
    /// Such as `HDMI-A-1`.
    public var name: String
    public var isConnected: Bool

    public init(name: String, isConnected: Bool) {
      self.name = name
      self.isConnected = isConnected
    }
  }

  public var cards: [Card] = []
  /// Device files of touch screens and keyboards.
  public var inputs: [FileView] = []
  public var hasFonts = true

  public init() {}
}

/// The device behind the name of a serial device.
public enum SerialView: Equatable, Sendable {
  case missing
  /// Several adapters have this identity.
  case ambiguous
  /// - Parameters:
  ///   - holder: the program other than the station that has it open; nil if none is known.
  ///   - isConsole: whether the kernel writes its messages to it.
  ///   - hasModemManager: whether a service is running that sends modem commands to new serial devices.
  case there(FileView, holder: String?, isConsole: Bool, hasModemManager: Bool)
}

/// The location of the outbox.
public struct OutboxView: Sendable {
  /// The outbox's folder; nil if it does not exist.
  public var folder: FileView?
  /// The database; nil before the first start.
  public var file: FileView?
  /// The content of the outbox's path if that is not an outbox; nil if it is one, or does not exist.
  public var foreign: String?
  /// Why it accepts no new scans although its storage works; nil if it has room.
  public var full: String?
  /// The type of its file system, such as `ext4`.
  public var fileSystem = ""
  /// Whether written data survives a power failure.
  public var survivesPowerOff = true
  public var isReadOnly = false
  public var freeByteCount: Int64 = 0

  public init() {}
}

/// The location of pictures.
public struct PicturesView: Sendable {
  /// The folder of pictures, or the one in which it will be created; nil if that does not exist either.
  public var folder: FileView?
  /// The bytes of all pictures in it.
  public var byteCount: Int64 = 0
  public var freeByteCount: Int64 = 0

  public init() {}
}
