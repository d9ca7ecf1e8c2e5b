// A port of this machine at which hosts ring. It is opened again whenever it could not be had: another program may have held it.

import DeliveryModel
import Devices
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A listening socket with a thread of its own.
actor TCPDoor {
  /// A connection that a host has opened; the receiver closes the descriptor.
  struct Arrival: Sendable {
    /// Does not block.
    let descriptor: Int32
    /// The host's address in numbers, and the port that the connection comes from.
    let place: TCPPlace
  }

  private nonisolated let executor: BlockingExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let turns = Turns()
  private let place: TCPPlace
  private var socket: ListeningSocket? {
    didSet { portNow.withLock { $0 = socket?.port } }
  }
  private nonisolated let portNow = Mutex<Int?>(nil)

  /// - Parameter place: port 0 takes any that is free.
  init(at place: TCPPlace) {
    self.place = place
    executor = BlockingExecutor(label: "tcp \(place)")
  }

  deinit { if let socket { _ = Glibc.close(socket.descriptor) } }

  /// The port at which it listens; nil while it does not.
  nonisolated var port: Int? { portNow.withLock { $0 } }

  /// The next host that connects.
  ///
  /// - Returns: nil when none came within the limit, or when the task was cancelled.
  nonisolated func arrival(within limit: Duration) async throws(DeliveryProblem) -> Arrival? {
    turns.ask()
    return try await turns.interruptibly { () async throws(DeliveryProblem) in try await arrivalNow(within: limit) }
  }

  /// Stops listening.
  nonisolated func close() async {
    turns.ask()
    await closeNow()
  }

  private func arrivalNow(within limit: Duration) throws(DeliveryProblem) -> Arrival? {
    turns.begin()
    let socket = try openSocket()
    guard
      turns.wait(for: POLLIN, of: socket.descriptor, until: ContinuousClock.now + limit, givesWay: true) == .ready
    else { return nil }
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let (descriptor, name) = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let descriptor = accept(socket.descriptor, address, &size)
        return (descriptor, descriptor < 0 ? (host: "", port: "") : numericName(address, size))
      }
    }
    // A host that has given up meanwhile, or too many descriptors: the next look tells.
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return Arrival(descriptor: descriptor, place: TCPPlace(host: name.host, port: Int(name.port) ?? 0))
  }

  private func openSocket() throws(DeliveryProblem) -> ListeningSocket {
    if let socket { return socket }
    do throws(ListeningSocket.Failure) {
      let opened = try ListeningSocket(address: place.host, port: place.port)
      // Between poll(2) and accept(2) a host may give up: that must not hold up the others.
      _ = fcntl(opened.descriptor, F_SETFL, O_NONBLOCK)
      socket = opened
      return opened
    } catch {
      throw DeliveryProblem(
        error.description, remedy: "see which program has the port (ss --listening --tcp --processes), or choose another")
    }
  }

  private func closeNow() {
    turns.begin()
    if let socket { _ = Glibc.close(socket.descriptor) }
    socket = nil
  }
}
