// A server on the loopback interface that sends exactly the bytes of its script: for answers that no server should give, and
// for tests of TLS and of proxies. It uses blocking sockets and one thread per connection.

import Dispatch
import Glibc
import Synchronization

/// A server that runs a script for each connection, and closes the connection when the script ends.
public final class RawServer: Sendable {
  public let port: Int
  private let listener: Int32
  private let identity: TLSIdentity?
  private let script: @Sendable (RawConnection) -> Void
  private let connections = Mutex<(isStopped: Bool, open: [ObjectIdentifier: RawConnection], count: Int)>((false, [:], 0))

  public struct StartError: Error { let errno: Int32 }

  /// Listens.
  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - identity: with it, connections are TLS. One whose handshake fails runs no script.
  public init(
    port: Int = 0, identity: TLSIdentity? = nil, _ script: @escaping @Sendable (RawConnection) -> Void
  ) throws {
    // OpenSSL writes to sockets without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The port is free again while the system still remembers its last connections.
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard listener >= 0, isListening else { throw StartError(errno: errno) }
    self.listener = listener
    self.identity = identity
    self.script = script
    self.port = Int(UInt16(bigEndian: address.sin_port))
    DispatchQueue(label: "RawServer").async { self.acceptConnections() }
  }

  /// The number of connections accepted up to now.
  public var connectionCount: Int { connections.withLock { $0.count } }

  /// Stops listening and shuts down the connections; further reads and writes of their scripts fail.
  public func stop() {
    connections.withLock { connections in
      guard !connections.isStopped else { return }
      connections.isStopped = true
      shutdown(listener, Int32(SHUT_RDWR))
      for connection in connections.open.values { connection.interrupt() }
    }
  }

  private func acceptConnections() {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        break
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      let connection = RawConnection(descriptor)
      let isStopped = connections.withLock { connections in
        connections.count += 1
        connections.open[ObjectIdentifier(connection)] = connection
        return connections.isStopped
      }
      if isStopped { connection.interrupt() }
      // A serial queue has its own thread; scripts wait for each other.
      DispatchQueue(label: "RawConnection").async {
        if self.identity.map({ connection.beginTLS($0) }) ?? true { self.script(connection) }
        _ = self.connections.withLock { $0.open.removeValue(forKey: ObjectIdentifier(connection)) }
        connection.close()
      }
    }
    close(listener)
  }
}
