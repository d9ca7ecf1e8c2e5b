// What can be set about each way out: plain values with the defaults a station runs with.

public import BarcodeMessage
public import Devices

/// When a failed attempt is tried again; see `Backoff` for the formula and a worked table.
public struct RetrySettings: Equatable, Sendable {
  /// Retries of the early fast phase: most failures are a host that restarts or a cable that is pushed in again.
  public var fastCount = 5
  /// The delay before each of them.
  public var fastDelay = Duration.milliseconds(200)
  /// The delay before the first retry after the fast phase; each further one is twice as long.
  public var firstDelay = Duration.seconds(1)
  /// The longest delay.
  public var delayMax = Duration.seconds(60)
  /// Up to which part of a delay is left out at random, 0…1, so that stations that failed together do not return together.
  public var jitter = 0.5
  /// The longest `Retry-After` that is honoured; a longer one counts as this.
  public var retryAfterMax = Duration.seconds(3600)
  /// A parked sink tries its scan again after this time; nil waits for someone to resume it. Not applied when the receiver
  /// said that it is gone for good (410).
  public var parkedProbeInterval: Duration? = Duration.seconds(15 * 60)
  /// After so many rejections a scan becomes a dead letter, as soon as the receiver takes another one; nil keeps the order,
  /// and the scans behind it wait.
  public var rejectionCountMax: Int? = 10
  /// How long an attempt that is under way may still take when the station stops.
  public var shutdownLimit = Duration.seconds(5)
  /// How often the same trouble is written to the log.
  public var logInterval = Duration.seconds(60)

  public init() {}

  /// A cable comes back in seconds and asks nothing of a server: the delay stays short.
  public static var serial: RetrySettings {
    var settings = RetrySettings()
    settings.delayMax = .seconds(2)
    return settings
  }
}

/// A receiver that is reached by HTTP POST.
public struct WebhookSettings: Equatable, Sendable {
  /// The form in which scans are posted.
  public enum Body: String, Sendable, CaseIterable {
    /// The scan record, as `ScanRecord` documents it; `application/json`.
    case json
    /// The scan record as `data` of a CloudEvents 1.0 structured event; `application/cloudevents+json`.
    case cloudEvents = "cloudevents"
  }

  /// A header field of the operator's own.
  public struct HeaderField: Equatable, Sendable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "webhook"
  /// `https://…` or `http://…`.
  public var url: String
  public var body = Body.json
  /// Further header fields, in order. Those that the sink sets itself (webhook-id, content-type …) cannot be replaced.
  public var headers: [HeaderField] = []
  /// A file whose first line is sent as `Authorization: Bearer …`. Read anew for each attempt, so it may be replaced.
  public var bearerTokenFile: String?
  /// Files with signing secrets, `whsec_` and base64, one a line. Each signs: while a secret is being replaced, name both.
  /// Read anew for each attempt. None: requests are not signed.
  public var secretFiles: [String] = []
  /// Time to connect, TLS included.
  public var connectLimit = Duration.seconds(5)
  /// Time for a whole attempt.
  public var attemptLimit = Duration.seconds(15)
  /// A PEM file with the certificate authorities to trust instead of the system's.
  public var certificateAuthorityFile: String?
  /// PEM files with the certificate and key that the station shows to the receiver. Both or none.
  public var clientCertificateFile: String?
  public var clientKeyFile: String?
  /// nil: the receiver is reached directly.
  public var proxy: WebhookProxy?
  /// More than one scan: each request is a JSON array of scans, or of CloudEvents in the JSON batch format.
  public var batching = BatchSettings()
  public var retry = RetrySettings()

  public init(url: String) { self.url = url }

  /// The URL as logs, pages and commands show it, for its path and query may be a secret.
  public var shownURL: String { Self.shown(url: url) }
  /// Scheme, host and port.
  public var origin: String { WebhookURL.origin(url) }
  /// Host, without brackets, and port; nil if there is no URL.
  public var place: (host: String, port: Int)? { WebhookURL.place(url) }

  /// A URL, right or wrong, without what may be a secret in it: `https://example.org/…`.
  public static func shown(url: String) -> String { WebhookURL.shown(url) }
}

/// How a scan is put into the bytes of a serial line; see `SerialFrame` for the rules.
public struct FramingSettings: Equatable, Sendable {
  /// What ends a scan on the line.
  public enum Suffix: String, Sendable, CaseIterable {
    case none, cr, lf, crlf, tab

    /// The bytes.
    public var bytes: [UInt8] {
      switch self {
      case .none: []
      case .cr: [0x0D]
      case .lf: [0x0A]
      case .crlf: [0x0D, 0x0A]
      case .tab: [0x09]
      }
    }
  }

  public typealias ControlCharacterRule = BarcodeMessage.ControlCharacterRule

  /// What becomes of bytes from 0x80 up.
  public enum NonASCIIRule: String, Sendable, CaseIterable {
    /// The text as UTF-8.
    case utf8
    /// The text as ISO/IEC 8859-1; characters that it lacks become `replacement`.
    case latin1
    /// Each character outside ASCII becomes `replacement`.
    case replace
    /// The symbol's own bytes as they were read, whatever text they make.
    case raw
  }

  /// Sent first, such as STX (0x02).
  public var prefix: [UInt8] = []
  /// Whether the AIM symbology identifier, such as `]E0`, comes before the data.
  public var sendsAIMIdentifier = false
  /// Whether the letter of the symbology, the code character of its AIM identifier such as `E`, comes before the data.
  public var sendsSymbologyLetter = false
  /// Sent after the data and before the suffix, such as ETX (0x03).
  public var trailer: [UInt8] = []
  public var suffix = Suffix.cr
  public var controlCharacters = ControlCharacterRule.separatorOnly
  public var nonASCII = NonASCIIRule.utf8
  /// Sent in place of a character that cannot be sent: one ASCII byte.
  public var replacement = UInt8(ascii: "?")

  public init() {}
}

/// The host's answer to each frame on a serial line.
public struct AcknowledgementSettings: Equatable, Sendable {
  /// The byte that says the frame was taken: ACK.
  public var positive: UInt8 = 0x06
  /// The byte that asks for the frame again: NAK.
  public var negative: UInt8 = 0x15
  /// How long to wait for either.
  public var limit = Duration.seconds(2)
  /// How late an answer may come: after a frame with an open answer the next one waits until the host has been silent for so
  /// long, and for twice `limit`.
  public var lateLimit = Duration.seconds(3)
  /// Whether each frame carries a digit that the host repeats behind its answer. Answers then belong to their frames, however late
  /// they come.
  public var isNumbered = false
  /// How often a frame is sent in one attempt when the host says NAK or nothing.
  public var sendCountMax = 3

  public init() {}
}

/// A host on a serial line.
public struct SerialSettings: Equatable, Sendable {
  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "serial"
  /// The device: a path (those under `/dev/serial/by-path` keep their meaning when adapters are swapped) or `usb:` and the
  /// adapter's vendor, product and serial number.
  public var device: String
  public var line = SerialLineSettings()
  public var framing = FramingSettings()
  /// nil: the host does not answer, and a frame counts as delivered when the line has taken it.
  public var acknowledgement: AcknowledgementSettings?
  /// Whether the host may command the station over the line; see `HostCommand`.
  public var acceptsCommands = false
  /// The byte before each of the host's commands, which no scan contains: an echo of a label is then never a command. nil: a command
  /// counts only if nothing was sent for as long as an echo may take.
  public var commandPrefix: UInt8? = HostCommandParser.usualPrefix
  /// Time for the line to take one frame.
  public var writeLimit = Duration.seconds(5)
  public var retry = RetrySettings.serial

  public init(device: String) { self.device = device }
}

/// JSON lines on standard output, one scan a line.
public struct StandardOutputSettings: Equatable, Sendable {
  /// The sink's name: its state in the outbox, its metrics and its log lines go by it.
  public var name = "stdout"
  public var retry = RetrySettings.serial

  public init() {}
}
