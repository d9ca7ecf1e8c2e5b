// What the doctor looks at: the machine as plain values, read once by whoever has the devices. Looking and judging are apart,
// so that every fault can be planted in a test, and so that judging opens nothing.

public import Delivery

/// The machine as it concerns a station.
public struct SystemView: Sendable {
  /// The user that the checks are made for.
  public var user = "reticle"
  /// The file of the configuration; nil if there is none and the defaults are meant.
  public var configurationFile: FileView?
  /// Whether that file is the service's own.
  public var isServiceFile = false
  /// Seconds since 1970 by the wall clock.
  public var unixSeconds: Int64 = 0
  /// Whether the kernel says that somebody keeps the clock right; nil if it does not say.
  public var isClockSynchronized: Bool?
  public var board = BoardView()
  public var camera = CameraView()
  public var lines = LinesView()
  public var screen = DisplayView()
  /// By the device as the configuration names it.
  public var serialPorts: [String: SerialView] = [:]
  public var outbox = OutboxView()
  /// When each rule matched last, by its name.
  public var rules: [String: RuleMemory.Entry] = [:]
  /// What is wrong on the way to a sink, by its name; nothing for sinks that can be reached.
  public var unreachable: [String: String] = [:]
  /// The program that holds the console's port; nil if it is free, empty if nobody knows who.
  public var consolePortHolder: String?
  /// Why the station that runs is not ready, as it says itself behind `/readyz`; nothing if it is, or does not run.
  public var stationTroubles: [String] = []
  public var hasSpeechProgram = true
  /// `DeviceAllow=` of the installed unit, its first words; nil where no unit is installed.
  public var allowedDevices: [String]?

  public init() {}
}

/// A file, folder or device file, seen by the user that the checks are made for.
public struct FileView: Equatable, Sendable {
  public var path: String
  public var mayRead: Bool
  public var mayWrite: Bool
  /// The owner's and the group's name.
  public var owner: String
  public var group: String
  /// The permission bits of chmod(2).
  public var mode: UInt32
  /// Whether it is a device file of characters, as those of cameras and serial ports are.
  public var isDevice: Bool
  /// What `/proc/devices` calls the device's major number, such as `ttyUSB`; none for other files.
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

/// Which board this is.
public struct BoardView: Sendable {
  /// What the device tree says, such as `Raspberry Pi 5 Model B Rev 1.0`; empty where there is none.
  public var model = ""
  /// The name of the board's file, such as `raspberry-pi-5`.
  public var name = "generic-linux"
  /// The labels of GPIO chips that each known board's file names, by the board's name.
  public var chipsByBoard: [String: Set<String>] = [:]

  public init() {}
}

/// Cameras, as device files and as libcamera lists them.
public struct CameraView: Sendable {
  /// One camera that libcamera lists.
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
  /// What libcamera lists, or why it lists nothing.
  public var cameras: Result<[Camera], Failure> = .success([])
  /// libcamera's version, such as `0.5.2`.
  public var libraryVersion = ""
  /// The device and the program that has a lock on it, as libcamera locks a camera in use.
  public var holder: (device: String, program: String)?
  /// DMA heaps that exist.
  public var heaps: [FileView] = []
  /// Why none of the configured pictures can be played; nil if they can.
  public var pictureTrouble: String?

  public init() {}

  /// What a library said.
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

  /// The place in `lines` is the offset.
  public struct Line: Equatable, Sendable {
    public var name: String
    /// Who holds the line; nil if nobody does, empty for the kernel.
    public var holder: String?

    public init(name: String, holder: String? = nil) {
      self.name = name
      self.holder = holder
    }
  }

  /// Chips that this user may look at.
  public var chips: [Chip] = []
  /// Device files of chips.
  public var nodes: [FileView] = []
  /// The file that switches the configured LED or PWM torch; nil if it is not there.
  public var torchFile: FileView?
  /// Whether the configured LED is one of a flash driver.
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

  /// A place where a panel can be connected.
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

/// What is behind the name of a serial device.
public enum SerialView: Equatable, Sendable {
  case missing
  /// Several adapters have this identity.
  case ambiguous
  /// - Parameters:
  ///   - holder: the program that has it open, other than the station; nil if nobody is known to.
  ///   - isConsole: whether the kernel writes its messages to it.
  ///   - hasModemManager: whether a service runs that sends commands for modems to new serial devices.
  case there(FileView, holder: String?, isConsole: Bool, hasModemManager: Bool)
}

/// Where the outbox lies.
public struct OutboxView: Sendable {
  /// The outbox's folder; nil if it is not there.
  public var folder: FileView?
  /// The database; nil before the first start.
  public var file: FileView?
  /// What is at its path in place of it; nil if it is the outbox, or nothing.
  public var foreign: String?
  /// Why it takes no new scans although its storage works; nil if there is room.
  public var full: String?
  /// The type of its file system, such as `ext4`.
  public var fileSystem = ""
  /// Whether what is written is there after the power was off.
  public var survivesPowerOff = true
  public var isReadOnly = false
  public var freeByteCount: Int64 = 0

  public init() {}
}
