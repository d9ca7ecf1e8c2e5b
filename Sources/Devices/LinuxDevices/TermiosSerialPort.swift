// A serial line through termios. The descriptor never blocks: every wait is a poll with a deadline, cut into short slices so
// that a cancelled task ends soon, on the port's own thread. Linux reports an unplugged adapter as a hang-up or an I/O
// error; the port then reports the device as gone until it can be opened again.

public import Devices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A tty such as `/dev/ttyUSB0`, `/dev/ttyGS0`, `/dev/serial/by-path/…` or the slave of a pty, or a USB adapter by its
/// identity (`SerialDeviceName`). A waiting read ends early when another task needs the port.
public actor TermiosSerialPort: SerialPort {
  public nonisolated let name: String
  private nonisolated let executor: BlockingExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let settings: SerialLineSettings
  private nonisolated let turns = Turns()
  private var descriptor: Int32 = -1

  /// How often the driver's queue is checked while it drains.
  static let drainMicroseconds: UInt32 = 1000
  /// The most bytes per read.
  static let readByteCountMax = 4096

  public init(device: String, settings: SerialLineSettings = SerialLineSettings()) {
    name = device
    self.settings = settings
    executor = BlockingExecutor(label: "serial \(device)")
  }

  deinit {
    guard descriptor >= 0 else { return }
    // Closing must not wait for bytes that a held line has not sent.
    tcflush(descriptor, TCOFLUSH)
    _ = Glibc.close(descriptor)
  }

  // MARK: SerialPort

  public nonisolated func open() async throws(SerialPortFailure) {
    turns.ask()
    try await openNow()
  }

  public nonisolated func write(_ bytes: [UInt8], within limit: Duration) async throws(SerialPortFailure) {
    turns.ask()
    try await writeNow(bytes, within: limit)
  }

  public nonisolated func read(within limit: Duration) async throws(SerialPortFailure) -> [UInt8] {
    turns.ask()
    return try await turns.interruptibly { () async throws(SerialPortFailure) in try await readNow(within: limit) }
  }

  public nonisolated func close() async {
    turns.ask()
    await closeNow()
  }

  // MARK: One after another

  private func openNow() throws(SerialPortFailure) {
    turns.begin()
    guard descriptor < 0 else { return }
    guard let device = SerialDeviceName(name) else {
      throw SerialPortFailure(.notASerialDevice, operation: "find", device: name)
    }
    // Not the controlling terminal; without O_NONBLOCK the open itself would wait for a carrier.
    let opened = Glibc.open(try device.file(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else { throw failure("open", errno) }
    do throws(SerialPortFailure) {
      guard isatty(opened) == 1 else { throw SerialPortFailure(.notASerialDevice, operation: "open", device: name) }
      // Guards against a second privileged station, or another program that locks first, as terminal programs do.
      guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
        throw errno == EWOULDBLOCK
          ? SerialPortFailure(.busy, operation: "lock", device: name, code: errno) : failure("lock", errno)
      }
      // Other unprivileged programs get EBUSY from now on.
      guard ioctl(opened, UInt(TIOCEXCL), 0) == 0 else { throw failure("take exclusively", errno) }
      try configure(opened)
      tcflush(opened, TCIFLUSH)
    } catch {
      _ = Glibc.close(opened)
      throw error
    }
    descriptor = opened
  }

  private func writeNow(_ bytes: [UInt8], within limit: Duration) throws(SerialPortFailure) {
    turns.begin()
    let deadline = ContinuousClock.now + limit
    var offset = 0
    while offset < bytes.count {
      guard try wait(for: POLLOUT, until: deadline, "write") else { throw stalled() }
      let written = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + offset }, bytes.count - offset)
      }
      if written > 0 {
        offset += written
      } else if written < 0, errno != EAGAIN, errno != EINTR {
        throw failure("write", errno)
      }
    }
    try drain(until: deadline)
  }

  private func readNow(within limit: Duration) throws(SerialPortFailure) -> [UInt8] {
    turns.begin()
    let deadline = ContinuousClock.now + limit
    while try wait(for: POLLIN, until: deadline, "read") {
      var bytes = [UInt8](repeating: 0, count: Self.readByteCountMax)
      let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { return Array(bytes.prefix(count)) }
      // A readable line without a byte has hung up.
      if count == 0 { throw vanished("read", 0) }
      if errno != EAGAIN, errno != EINTR { throw failure("read", errno) }
    }
    return []
  }

  private func closeNow() {
    turns.begin()
    shut()
  }

  // MARK: Waiting

  /// - Returns: false if the deadline passed, the task was cancelled, or a read must yield. Polls at least once.
  private func wait(
    for events: Int32, until deadline: ContinuousClock.Instant, _ operation: String
  ) throws(SerialPortFailure) -> Bool {
    guard descriptor >= 0 else { throw SerialPortFailure(.closed, operation: operation, device: name) }
    switch turns.wait(for: events, of: descriptor, until: deadline, givesWay: events == POLLIN) {
    case .ready: return true
    case .over: return false
    case .hungUp: throw vanished(operation, 0)
    case .failed(let code): throw failure(operation, code)
    }
  }

  /// Waits until the driver has sent everything. `tcdrain` would wait forever on a held line.
  private func drain(until deadline: ContinuousClock.Instant) throws(SerialPortFailure) {
    while true {
      guard let queued = unsentByteCount else { throw failure("drain", errno) }
      if queued == 0 { return }
      if ContinuousClock.now >= deadline || Task.isCancelled { throw stalled() }
      usleep(Self.drainMicroseconds)
    }
  }

  /// Bytes that the driver has not sent yet; 0 on a pty, which hands bytes to the other end at once. Nil on an error.
  private var unsentByteCount: Int32? {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? count : nil
  }

  // MARK: Line settings

  private func configure(_ descriptor: Int32) throws(SerialPortFailure) {
    guard let speed = Self.speed(settings.baudRate), (7...8).contains(settings.dataBits),
      (1...2).contains(settings.stopBits)
    else { throw SerialPortFailure(.unsupportedSettings, operation: "set the line", device: name) }
    var line = termios()
    guard tcgetattr(descriptor, &line) == 0 else { throw failure("read the line settings", errno) }
    // Raw: no echo, no signals, no translation of either direction.
    cfmakeraw(&line)
    line.c_cflag |= tcflag_t(CLOCAL | CREAD)
    line.c_cflag &= ~(tcflag_t(CSIZE) | tcflag_t(PARENB) | tcflag_t(PARODD) | tcflag_t(CSTOPB) | Self.hardwareFlow)
    line.c_cflag |= tcflag_t(settings.dataBits == 7 ? CS7 : CS8)
    if settings.stopBits == 2 { line.c_cflag |= tcflag_t(CSTOPB) }
    switch settings.parity {
    case .none: break
    case .even: line.c_cflag |= tcflag_t(PARENB)
    case .odd: line.c_cflag |= tcflag_t(PARENB) | tcflag_t(PARODD)
    }
    line.c_iflag &= ~(tcflag_t(IXON) | tcflag_t(IXOFF) | tcflag_t(IXANY))
    switch settings.flowControl {
    case .none: break
    case .hardware: line.c_cflag |= Self.hardwareFlow
    case .software: line.c_iflag |= tcflag_t(IXON) | tcflag_t(IXOFF)
    }
    cfsetispeed(&line, speed)
    cfsetospeed(&line, speed)
    guard tcsetattr(descriptor, TCSANOW, &line) == 0 else { throw failure("set the line", errno) }
    // tcsetattr succeeds if it changed anything at all, so the driver's actual settings are compared. Parity and data bits
    // do not exist on a pty, and are not compared there.
    var taken = termios()
    guard tcgetattr(descriptor, &taken) == 0 else { throw failure("read the line settings", errno) }
    let isSame = cfgetospeed(&taken) == speed && taken.c_cflag & Self.hardwareFlow == line.c_cflag & Self.hardwareFlow
    guard isSame else { throw SerialPortFailure(.unsupportedSettings, operation: "set the line", device: name) }
  }

  /// CRTSCTS, which no header that Swift imports defines as a number.
  private static let hardwareFlow: tcflag_t = 0o20_000_000_000

  private static func speed(_ baudRate: Int) -> speed_t? {
    switch baudRate {
    case 1200: speed_t(B1200)
    case 2400: speed_t(B2400)
    case 4800: speed_t(B4800)
    case 9600: speed_t(B9600)
    case 19200: speed_t(B19200)
    case 38400: speed_t(B38400)
    case 57600: speed_t(B57600)
    case 115200: speed_t(B115200)
    case 230400: speed_t(B230400)
    case 460800: speed_t(B460800)
    case 921600: speed_t(B921600)
    default: nil
    }
  }

  // MARK: Failures

  private func failure(_ operation: String, _ code: Int32) -> SerialPortFailure {
    let cause: SerialPortFailure.Cause
    switch code {
    case ENOENT, ENXIO, ENODEV: cause = descriptor < 0 ? .missing : .vanished
    case EACCES, EPERM: cause = .denied
    case EBUSY: cause = .busy
    case ENOTTY: cause = .notASerialDevice
    case EINVAL: cause = .unsupportedSettings
    case EIO, EPIPE: cause = .vanished
    default: cause = .system
    }
    if cause == .vanished { shut() }
    return SerialPortFailure(cause, operation: operation, device: name, code: code)
  }

  private func vanished(_ operation: String, _ code: Int32) -> SerialPortFailure {
    shut()
    return SerialPortFailure(.vanished, operation: operation, device: name, code: code)
  }

  private func stalled() -> SerialPortFailure {
    discardUnsent()
    return SerialPortFailure(.timedOut, operation: "write", device: name)
  }

  /// Discards bytes that a held line has not sent: they would precede the next message, and closing would wait for them (30
  /// s by default, the driver's `closing_wait`).
  private func discardUnsent() {
    if let count = unsentByteCount, count > 0 { tcflush(descriptor, TCOFLUSH) }
  }

  private func shut() {
    guard descriptor >= 0 else { return }
    discardUnsent()
    _ = Glibc.close(descriptor)
    descriptor = -1
  }
}
