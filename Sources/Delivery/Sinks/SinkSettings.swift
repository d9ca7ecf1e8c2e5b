// The facts about a sink that the station, its checks and the doctor go by: none of them names a kind. The settings of each kind
// are in its own file, and its keys in a file of StationConfiguration with a row in `SinkKind.all`.

public import DeliveryModel
public import Devices
public import Logging

/// The settings of a sink: plain values with the defaults that a station runs with.
public protocol SinkSettings: Equatable, Sendable {
  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  var name: String { get set }
  var retry: RetrySettings { get set }
  /// Its kind and what it delivers to: the outbox knows a sink that is renamed by it.
  var target: String { get }
  /// The framing of a sink that sends text; nil: it sends whole records.
  var textFraming: FramingSettings? { get }
  /// Whether the host may command the station through it; see `HostCommand`.
  var acceptsCommands: Bool { get }
  /// The buttons that the host's commands replace.
  var commandedButtons: Set<Button> { get }
  /// The byte before each of a host's commands, where they come over the line of the scans.
  var commandPrefix: UInt8? { get }
  /// The serial device that nothing else may use.
  var serialDevice: String? { get }
  /// The device file of the keyboard or USB scanner that the station is.
  var inputDevice: String? { get }
  /// The receiver on the network.
  var peer: SinkPeer? { get }
  /// The address and port of this machine at which hosts connect.
  var listeningPlace: TCPPlace? { get }
  /// Whether it fails while the clock is wrong: it signs, or checks certificates.
  var needsClock: Bool { get }
  /// The certificate, with its chain, that it shows to the receiver.
  var clientCertificateFile: String? { get }
  /// Whether a secret is in the configuration itself, and not in a file that it names.
  var holdsSecrets: Bool { get }
  /// Whether scans go to standard output, which is the journal for a service.
  var printsScans: Bool { get }

  /// Whether it asks for the station's status as a host does.
  var asksForStatus: Bool { get }

  /// Whether it publishes the station's last picture.
  var publishesPictures: Bool { get }

  /// Whether it sends scans together with their pictures.
  var sendsPictures: Bool { get }

  /// Takes the station's name, where the sink has a use for it.
  mutating func belong(to station: String)

  /// The sink.
  ///
  /// - Throws: what is wrong with the settings.
  func makeSink(_ surroundings: SinkSurroundings) throws(DeliveryProblem) -> any ScanSink

  /// Asks whether the receiver can be reached, without a change there.
  ///
  /// - Returns: what is wrong on the way to it; nil if nothing is, or if there is nothing to ask.
  func reach() async -> DeliveryProblem?
}

extension SinkSettings {
  public var textFraming: FramingSettings? { nil }
  public var acceptsCommands: Bool { false }
  public var commandedButtons: Set<Button> { acceptsCommands ? Set(Button.allCases) : [] }
  public var commandPrefix: UInt8? { nil }
  public var serialDevice: String? { nil }
  public var inputDevice: String? { nil }
  public var peer: SinkPeer? { nil }
  public var listeningPlace: TCPPlace? { nil }
  public var needsClock: Bool { false }
  public var clientCertificateFile: String? { nil }
  public var holdsSecrets: Bool { false }
  public var printsScans: Bool { false }
  public var asksForStatus: Bool { false }
  public var publishesPictures: Bool { false }
  public var sendsPictures: Bool { false }
  public mutating func belong(to station: String) {}
  public func reach() async -> DeliveryProblem? { nil }

  /// Whether these are the settings of the other sink, kind and all.
  public func isSame(as other: any SinkSettings) -> Bool { (other as? Self) == self }
}

/// The settings of sinks of any kinds, equal if each sink's are.
@propertyWrapper
public struct SinkList: Equatable, Sendable {
  public var wrappedValue: [any SinkSettings]

  public init(wrappedValue: [any SinkSettings]) { self.wrappedValue = wrappedValue }

  public static func == (a: SinkList, b: SinkList) -> Bool {
    a.wrappedValue.count == b.wrappedValue.count
      && zip(a.wrappedValue, b.wrappedValue).allSatisfy { $0.isSame(as: $1) }
  }
}

/// A receiver on the network.
public struct SinkPeer: Equatable, Sendable {
  /// A host name or an address, without brackets.
  public var host: String
  public var port: Int
  /// The receiver as logs, pages and commands show it, without any secret.
  public var shown: String
  /// The address that a web client may ask, without any secret; nil if it is no server of HTTP.
  public var url: String?

  public init(host: String, port: Int, shown: String, url: String? = nil) {
    self.host = host
    self.port = port
    self.shown = shown
    self.url = url
  }
}

/// The services of a station that sinks may use.
public struct SinkSurroundings: Sendable {
  public var logger: Logger
  /// Makes the port of a serial sink.
  public var serialPort: @Sendable (SerialSettings) -> any SerialPort
  /// Makes the keyboard of a keyboard sink.
  public var keyboard: @Sendable (KeyboardSettings) -> any KeyboardPort
  /// Makes the scanner of a USB scanner's sink.
  public var scanner: @Sendable (HIDPOSSettings) -> any ScannerPort
  /// Takes a host's command; false when too many wait.
  public var onRequest: @Sendable (HostRequest) -> Bool
  /// The station's last picture, for sinks that publish it; nil if pictures are off.
  public var pictures: LatestPicture?
  /// The picture at the path that a record names, read within a time limit; nil if pictures are off.
  public var scanPicture: (@Sendable (_ path: String, _ limit: Duration) async -> PictureAnswer)?

  public init(
    logger: Logger, serialPort: @escaping @Sendable (SerialSettings) -> any SerialPort,
    keyboard: @escaping @Sendable (KeyboardSettings) -> any KeyboardPort,
    scanner: @escaping @Sendable (HIDPOSSettings) -> any ScannerPort,
    onRequest: @escaping @Sendable (HostRequest) -> Bool
  ) {
    self.keyboard = keyboard
    self.scanner = scanner
    self.logger = logger
    self.serialPort = serialPort
    self.onRequest = onRequest
  }
}
