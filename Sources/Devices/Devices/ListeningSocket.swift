// Listening TCP sockets, shared by the console's server and the sinks that listen.

#if canImport(Glibc)
  public import Glibc
#elseif canImport(Musl)
  public import Musl
#endif

/// A bound, listening socket, whose descriptor the caller takes over.
public struct ListeningSocket: Sendable {
  /// Why there is no socket.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
    /// The errno; 0 if the address is not one of this machine's.
    public let code: Int32
  }

  /// Connections that may wait to be accepted.
  private static let backlog: Int32 = 512

  public let descriptor: Int32
  /// The port that was bound.
  public let port: Int

  /// - Parameters:
  ///   - address: an address or host name of this machine.
  ///   - port: 0 for any free port.
  public init(address: String, port: Int) throws(Failure) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address, "\(port)", &hints, &list)
    guard code == 0, let list else {
      throw Failure(
        description: "\(address) is no address of this machine: \(String(cString: gai_strerror(code)))", code: 0)
    }
    defer { freeaddrinfo(list) }
    var cause: Int32 = 0
    for info in sequence(first: list, next: { $0.pointee.ai_next }) {
      let descriptor = socket(info.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var yes: Int32 = 1
      if descriptor >= 0, setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0,
        bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0, listen(descriptor, Self.backlog) == 0
      {
        self.descriptor = descriptor
        self.port = Self.port(of: descriptor) ?? port
        return
      }
      cause = errno
      if descriptor >= 0 { close(descriptor) }
    }
    throw Failure(
      description: "\(address) port \(port) cannot be had: \(String(cString: strerror(cause)))", code: cause)
  }

  private static func port(of descriptor: Int32) -> Int? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let service = withUnsafeMutablePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> String? in
        guard getsockname(descriptor, address, &size) == 0 else { return nil }
        return numericName(address, size).port
      }
    }
    return service.flatMap { Int($0) }
  }
}

/// An address and a port in numeric form; the host is `unknown` if the system cannot write it.
public func numericName(_ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> (host: String, port: String) {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST + 32)) { text in
    guard let host = text.baseAddress else { return ("", "") }
    let port = host + Int(NI_MAXHOST)
    let code = getnameinfo(
      address, size, host, socklen_t(NI_MAXHOST), port, 32, NI_NUMERICHOST | NI_NUMERICSERV)
    return code == 0 ? (String(cString: host), String(cString: port)) : ("unknown", "")
  }
}

/// A host address in numeric form, by its family.
public func numericHost(_ address: UnsafePointer<sockaddr>) -> String {
  let size = Int32(address.pointee.sa_family) == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
  return numericName(address, socklen_t(size)).host
}
