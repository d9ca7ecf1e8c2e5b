// A serial line without a cable, instead of the real port, for the simulated station and for tests. It can be unplugged and
// plugged in again, held by flow control, and answered from the far end.

import Synchronization

/// A serial port in memory; the caller plays the far end.
public final class SimulatedSerialPort: SerialPort {
  public let name: String
  private let state: Mutex<State>

  private struct State {
    var isPresent = true
    var isOpen = false
    var isHeld = false
    var sent: [UInt8] = []
    var incoming: [UInt8] = []
    var openCount = 0
    var answer: @Sendable ([UInt8]) -> [UInt8]
  }

  /// Sent bytes kept; older ones are discarded.
  public static let sentByteCountMax = 1 << 20
  /// How often a waiting read checks for bytes.
  static let pollInterval = Duration.milliseconds(2)

  /// - Parameter answer: the far end's answer to each write; by default nothing.
  public init(name: String = "simulated", answer: @escaping @Sendable ([UInt8]) -> [UInt8] = { _ in [] }) {
    self.name = name
    state = Mutex(State(answer: answer))
  }

  /// All sent bytes that the far end has not taken yet.
  public func takeSent() -> [UInt8] {
    state.withLock { state in
      defer { state.sent = [] }
      return state.sent
    }
  }

  /// How often the port was opened.
  public var openCount: Int { state.withLock { $0.openCount } }

  /// Pulls the cable.
  public func unplug() {
    state.withLock {
      $0.isPresent = false
      $0.isOpen = false
      $0.incoming = []
    }
  }

  /// Plugs the cable in again.
  public func plugIn() { state.withLock { $0.isPresent = true } }

  /// Sets whether the far end holds the line, so that writes time out.
  public func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

  /// Sends bytes from the far end.
  public func send(_ bytes: [UInt8]) {
    state.withLock { if $0.isOpen { $0.incoming += bytes } }
  }

  public func open() async throws(SerialPortFailure) {
    let isOpen = state.withLock { state in
      guard state.isPresent else { return false }
      if !state.isOpen {
        state.isOpen = true
        state.incoming = []
        state.openCount += 1
      }
      return true
    }
    if !isOpen { throw SerialPortFailure(.missing, operation: "open", device: name) }
  }

  public func write(_ bytes: [UInt8], within limit: Duration) async throws(SerialPortFailure) {
    let cause: SerialPortFailure.Cause? = state.withLock { state in
      guard state.isPresent else { return .vanished }
      guard state.isOpen else { return .closed }
      guard !state.isHeld else { return .timedOut }
      state.sent += bytes
      if state.sent.count > Self.sentByteCountMax { state.sent.removeFirst(state.sent.count - Self.sentByteCountMax) }
      state.incoming += state.answer(bytes)
      return nil
    }
    if cause == .timedOut { try? await Task.sleep(for: limit) }
    if let cause { throw SerialPortFailure(cause, operation: "write", device: name) }
  }

  public func read(within limit: Duration) async throws(SerialPortFailure) -> [UInt8] {
    let deadline = ContinuousClock.now + limit
    while true {
      let (bytes, isPresent): ([UInt8], Bool) = state.withLock { state in
        let bytes = Array(state.incoming.prefix(4096))
        state.incoming.removeFirst(bytes.count)
        return (bytes, state.isPresent && state.isOpen)
      }
      guard isPresent else { throw SerialPortFailure(.vanished, operation: "read", device: name) }
      if !bytes.isEmpty || ContinuousClock.now >= deadline || Task.isCancelled { return bytes }
      try? await Task.sleep(for: Self.pollInterval)
    }
  }

  public func close() async { state.withLock { $0.isOpen = false } }
}
