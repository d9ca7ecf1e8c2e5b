// A host on a connection of TCP, as the hosts of tills and conveyors are: it takes frames, answers them, and remembers what it took
// when it dies and comes back.

import Devices
import RawServer
import Synchronization

/// A host that takes frames of STX, the scan's id, a space, the text and LF, and takes each id once.
final class FrameHost: Sendable {
  /// The host's treatment of a frame.
  enum Manner: Sendable {
    /// Takes it and sends ACK.
    case takes
    /// Sends NAK.
    case refuses
    /// Takes it and says nothing.
    case isSilent
    /// Dies with the frame unread by its program.
    case dies
    /// Takes it and dies before it can say so.
    case takesAndDies
  }

  private struct State {
    var ids: Set<String> = []
    var texts: [String] = []
    var frameCount = 0
    var otherBytes: [UInt8] = []
    var connections: [RawConnection] = []
  }

  private let state = Mutex(State())
  private let manner: @Sendable (_ text: String, _ frameNumber: Int) -> Manner

  /// - Parameter manner: by the frame's text and its number among all that have come.
  init(_ manner: @escaping @Sendable (_ text: String, _ frameNumber: Int) -> Manner = { _, _ in .takes }) {
    self.manner = manner
  }

  /// The texts that were taken, each id once.
  var texts: [String] { state.withLock { $0.texts } }
  /// Frames that came, repeats included.
  var frameCount: Int { state.withLock { $0.frameCount } }
  /// Bytes between frames.
  var otherBytes: [UInt8] { state.withLock { $0.otherBytes } }

  var isConnected: Bool { state.withLock { !$0.connections.isEmpty } }

  /// Listens; stopping the server kills the host.
  func listen(port: Int = 0) throws -> RawServer {
    try RawServer(port: port) { self.serve($0) }
  }

  /// Connects to a station, on a thread of its own.
  /// - Returns: the connection; nil if it was refused.
  @discardableResult func connect(port: Int, from source: String? = nil) -> RawConnection? {
    guard let connection = RawConnection(port: port, from: source) else { return nil }
    startThread(named: "host") {
      self.serve(connection)
      connection.close()
    }
    return connection
  }

  /// Says something on all connections.
  func send(_ bytes: [UInt8]) { for connection in state.withLock({ $0.connections }) { connection.send(bytes) } }

  /// Ends all connections, as a program does that goes on listening.
  func endConnections() { for connection in state.withLock({ $0.connections }) { connection.interrupt() } }

  private func serve(_ connection: RawConnection) {
    state.withLock { $0.connections.append(connection) }
    defer { state.withLock { state in state.connections.removeAll { $0 === connection } } }
    var bytes: [UInt8] = []
    while true {
      let part = connection.read()
      if part.isEmpty { return }
      bytes += part
      while let start = bytes.firstIndex(of: 0x02), let end = bytes[start...].firstIndex(of: 0x0A) {
        let frame = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        state.withLock { $0.otherBytes += bytes[..<start] }
        bytes.removeSubrange(...end)
        guard take(frame, connection) else { return connection.reset() }
      }
      if !bytes.contains(0x02) {
        state.withLock { $0.otherBytes += bytes }
        bytes = []
      }
    }
  }

  /// - Returns: whether the host lives on.
  private func take(_ frame: String, _ connection: RawConnection) -> Bool {
    let parts = frame.split(separator: " ", maxSplits: 1).map(String.init)
    let (id, text) = (parts[0], parts.count > 1 ? parts[1] : "")
    let number = state.withLock { state in
      state.frameCount += 1
      return state.frameCount - 1
    }
    let manner = manner(text, number)
    if [.takes, .isSilent, .takesAndDies].contains(manner) {
      state.withLock { state in if state.ids.insert(id).inserted { state.texts.append(text) } }
    }
    switch manner {
    case .takes: return connection.send([0x06])
    case .refuses: return connection.send([0x15])
    case .isSilent: return true
    case .dies, .takesAndDies: return false
    }
  }
}
