// Addresses of a host by its name. The system's look-up may take half a minute and cannot be stopped, so it has a thread of its
// own, and callers wait for it with a limit.

import Devices
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An address and a port as the system takes them.
package struct SocketAddress: Sendable {
  /// AF_INET or AF_INET6.
  package let family: Int32
  /// A `sockaddr` of that family.
  fileprivate let bytes: [UInt8]

  /// connect(2): 0, or -1 with errno.
  package func connect(_ descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { raw in
      guard let address = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return Glibc.connect(descriptor, address, socklen_t(raw.count))
    }
  }

  /// The address without its port in digits, as getaddrinfo(3) reads it, with the interface of a link-local one.
  package var digits: String {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = bytes.withUnsafeBytes { raw in
      getnameinfo(
        raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count), &text, socklen_t(text.count), nil, 0,
        NI_NUMERICHOST)
    }
    precondition(code == 0, "an address has no digits: \(String(cString: gai_strerror(code)))")
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Looks names up.
package final class NameResolver: Sendable {
  package struct Failure: Error {
    /// Such as `the name till has no address: Name or service not known`.
    package let reason: String
  }

  private let executor = BlockingExecutor(label: "resolver")

  package init() {}

  /// Addresses that are tried of a name with more.
  private static let addressCountMax = 8

  /// The addresses of a host for connections of TCP, in the order in which they are to be tried (RFC 6724).
  package func addresses(of place: TCPPlace, within limit: Duration) -> Result<[SocketAddress], Failure> {
    let answer = Answer()
    guard executor.run(within: limit, { answer.take(Self.lookUp(place)) }) else {
      return .failure(Failure(reason: "the look-up of the name \(place.host) took longer than \(limit)"))
    }
    return answer.value
  }

  private final class Answer: Sendable {
    private let taken = Mutex<Result<[SocketAddress], Failure>>(.failure(Failure(reason: "")))
    var value: Result<[SocketAddress], Failure> { taken.withLock { $0 } }
    func take(_ value: Result<[SocketAddress], Failure>) { taken.withLock { $0 = value } }
  }

  private static func lookUp(_ place: TCPPlace) -> Result<[SocketAddress], Failure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG
    if place.isLoopback { hints.ai_flags = AI_NUMERICSERV }
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(place.host, "\(place.port)", &hints, &list)
    guard code == 0, let list else {
      return .failure(Failure(reason: "the name \(place.host) has no address: \(String(cString: gai_strerror(code)))"))
    }
    defer { freeaddrinfo(list) }
    let addresses = sequence(first: list, next: { $0.pointee.ai_next }).prefix(addressCountMax).map { info in
      SocketAddress(
        family: info.pointee.ai_family,
        bytes: Array(UnsafeRawBufferPointer(start: info.pointee.ai_addr, count: Int(info.pointee.ai_addrlen))))
    }
    return .success(Array(addresses))
  }
}
