// A connection of TCP as a line to a host. The descriptor never blocks: every wait is a poll with a deadline, on a thread of the
// line's own. A connection that has ended in either direction has ended: a host that sends no more may have gone, and a scan that
// is written to it would be lost.

import DeliveryModel
import Devices
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A connection to a host, made by either side. A read that waits ends as soon as another caller wants the line.
actor TCPLine: HostLine {
  nonisolated let name: String
  nonisolated let opensAgain: Bool
  private nonisolated let executor: BlockingExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let turns = Turns()
  /// Where to connect to; nil if the host has connected.
  private let place: TCPPlace?
  private let resolver: NameResolver
  private let connectLimit: Duration
  private let keepAlive: Duration
  /// Whether a write waits for the receipt of the host's system: where the host itself does not answer.
  private let awaitsReceipt: Bool
  private var descriptor: Int32 = -1
  private nonisolated let hasEndedNow = Mutex(false)

  /// Bytes per read.
  private static let readByteCountMax = 4096
  /// How often the system is asked for the receipt, at first and at most: a host on the same network sends it within one.
  private static let receiptMicroseconds: UInt32 = 100
  private static let receiptMicrosecondsMax: UInt32 = 5000

  /// A line that connects when it is opened.
  init(to place: TCPPlace, _ settings: TCPSettings) {
    self.init(name: "\(place)", place: place, settings)
  }

  /// A line that a host has opened.
  ///
  /// - Parameter descriptor: a connected socket that does not block; the line closes it.
  init(from place: TCPPlace, descriptor: Int32, _ settings: TCPSettings) {
    self.init(name: "\(place)", place: nil, settings, descriptor: descriptor)
  }

  private init(name: String, place: TCPPlace?, _ settings: TCPSettings, descriptor: Int32 = -1) {
    self.name = name
    self.place = place
    self.descriptor = descriptor
    opensAgain = place != nil
    executor = BlockingExecutor(label: "tcp \(name)")
    resolver = NameResolver()
    connectLimit = settings.connectLimit
    keepAlive = settings.keepAlive
    awaitsReceipt = settings.acknowledgement == nil
    if descriptor >= 0 { Self.setOptions(of: descriptor, keepAlive) }
  }

  deinit { if descriptor >= 0 { _ = Glibc.close(descriptor) } }

  /// Whether a line that a host has opened has ended.
  nonisolated var hasEnded: Bool { hasEndedNow.withLock { $0 } }

  // MARK: HostLine

  nonisolated func open() async throws(DeliveryProblem) -> Bool {
    turns.ask()
    return try await openNow()
  }

  nonisolated func write(_ bytes: [UInt8], within limit: Duration) async throws(DeliveryProblem) {
    turns.ask()
    try await writeNow(bytes, within: limit)
  }

  nonisolated func read(within limit: Duration) async throws(DeliveryProblem) -> [UInt8] {
    turns.ask()
    return try await turns.interruptibly { () async throws(DeliveryProblem) in try await readNow(within: limit) }
  }

  nonisolated func close() async {
    turns.ask()
    await closeNow()
  }

  // MARK: One after another

  private func openNow() throws(DeliveryProblem) -> Bool {
    turns.begin()
    guard descriptor < 0 else { return false }
    guard let place else { throw ended("the host has ended the connection") }
    descriptor = try connect(to: place)
    Self.setOptions(of: descriptor, keepAlive)
    return true
  }

  private func writeNow(_ bytes: [UInt8], within limit: Duration) throws(DeliveryProblem) {
    turns.begin()
    let deadline = ContinuousClock.now + limit
    try checkPeer()
    var offset = 0
    while offset < bytes.count {
      guard try wait(for: POLLOUT, until: deadline) else { throw ended("the host did not take the bytes within \(limit)") }
      let sent = bytes.withUnsafeBytes { buffer in
        send(descriptor, buffer.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
      }
      if sent > 0 {
        offset += sent
      } else if sent < 0, errno != EAGAIN, errno != EINTR {
        throw failed(errno)
      }
    }
    guard awaitsReceipt else { return }
    try awaitReceipt(until: deadline, limit)
    // A host that has ended the connection may not have read the bytes.
    try checkPeer()
  }

  private func readNow(within limit: Duration) throws(DeliveryProblem) -> [UInt8] {
    turns.begin()
    let deadline = ContinuousClock.now + limit
    var bytes = [UInt8](repeating: 0, count: Self.readByteCountMax)
    while try wait(for: POLLIN, until: deadline) {
      let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count > 0 { return Array(bytes.prefix(count)) }
      if count == 0 { throw ended("the host has ended the connection") }
      if errno != EAGAIN, errno != EINTR { throw failed(errno) }
    }
    return []
  }

  private func closeNow() {
    turns.begin()
    shut()
  }

  // MARK: Waiting

  /// - Returns: false when the deadline passed, the task was cancelled, or a read has to give way. Looks at least once.
  private func wait(for event: Int32, until deadline: ContinuousClock.Instant) throws(DeliveryProblem) -> Bool {
    guard descriptor >= 0 else { throw ended("the connection has ended") }
    switch turns.wait(for: event, of: descriptor, until: deadline, givesWay: event == POLLIN) {
    case .ready: return true
    case .over: return false
    case .hungUp: throw failed(pendingError)
    case .failed(let code): throw failed(code)
    }
  }

  /// Waits until the host's system has confirmed every byte: SIOCOUTQ of tcp(7) counts those that it has not.
  private func awaitReceipt(until deadline: ContinuousClock.Instant, _ limit: Duration) throws(DeliveryProblem) {
    var pause = Self.receiptMicroseconds
    while true {
      var count: Int32 = 0
      guard ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { throw failed(errno) }
      if count == 0 { return }
      let code = pendingError
      if code != 0 { throw failed(code) }
      if ContinuousClock.now >= deadline || Task.isCancelled {
        throw ended("the host's system did not confirm the bytes within \(limit)")
      }
      usleep(pause)
      pause = min(pause * 2, Self.receiptMicrosecondsMax)
    }
  }

  /// Throws if this system has heard that the host has ended the connection.
  private func checkPeer() throws(DeliveryProblem) {
    guard descriptor >= 0 else { throw ended("the connection has ended") }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    if count == 0 { throw ended("the host has ended the connection") }
    if count < 0, errno != EAGAIN, errno != EINTR { throw failed(errno) }
  }

  /// The socket's pending error, which this clears; 0 without one.
  private var pendingError: Int32 {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
  }

  // MARK: Connecting

  private func connect(to place: TCPPlace) throws(DeliveryProblem) -> Int32 {
    let deadline = ContinuousClock.now + connectLimit
    let addresses: [SocketAddress]
    switch resolver.addresses(of: place, within: connectLimit) {
    case .success(let found): addresses = found
    case .failure(let failure):
      throw DeliveryProblem(
        "\(name): \(failure.reason)", remedy: "check the host's name, and that this machine has a name server that knows it")
    }
    var code = ETIMEDOUT
    for (index, address) in addresses.enumerated() {
      // Each address has its share of the remaining time: one that is silent must not cost the others theirs.
      let now = ContinuousClock.now
      let share = now.duration(to: deadline) / (addresses.count - index)
      let opened = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      guard opened >= 0 else {
        code = errno
        continue
      }
      if address.connect(opened) == 0 { return opened }
      code = errno
      if code == EINPROGRESS {
        let waited = turns.wait(for: POLLOUT, of: opened, until: now + share, givesWay: false)
        var size = socklen_t(MemoryLayout<Int32>.size)
        code = waited == .over ? ETIMEDOUT : 0
        if code == 0, getsockopt(opened, SOL_SOCKET, SO_ERROR, &code, &size) != 0 { code = errno }
        if code == 0, waited == .ready { return opened }
      }
      _ = Glibc.close(opened)
      if Task.isCancelled { break }
    }
    throw DeliveryProblem(
      "\(name): no connection: \(Self.words(code))",
      remedy: "check that the host is on, that its program listens on port \(place.port), and that no firewall is in between"
    )
  }

  /// Small writes go out at once, and a host that is gone without a word is noticed.
  private static func setOptions(of descriptor: Int32, _ keepAlive: Duration) {
    func set(_ level: Int32, _ option: Int32, _ value: Int32) {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    let seconds = Int32(max(1, keepAlive.components.seconds))
    let tcp = Int32(IPPROTO_TCP)
    set(tcp, TCP_NODELAY, 1)
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(tcp, TCP_KEEPIDLE, seconds)
    set(tcp, TCP_KEEPINTVL, max(1, seconds / probeCount))
    set(tcp, TCP_KEEPCNT, probeCount)
    // Milliseconds until a connection whose bytes are not confirmed ends.
    set(tcp, TCP_USER_TIMEOUT, seconds * 2000)
  }

  /// Questions without an answer after which a connection ends.
  private static let probeCount: Int32 = 3

  // MARK: Failures

  private func failed(_ code: Int32) -> DeliveryProblem {
    ended(code == 0 ? "the host has ended the connection" : "the connection has ended: \(Self.words(code))")
  }

  private func ended(_ reason: String) -> DeliveryProblem {
    shut()
    return DeliveryProblem(
      "\(name): \(reason)", remedy: "see why the host's program, or the network between, ends connections")
  }

  private static func words(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }

  private func shut() {
    if place == nil { hasEndedNow.withLock { $0 = true } }
    guard descriptor >= 0 else { return }
    _ = Glibc.close(descriptor)
    descriptor = -1
  }
}
