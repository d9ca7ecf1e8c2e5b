// A scanner without a host, instead of the real one.

import Synchronization

/// A scanner in memory. It can be made to fail, also in the middle of a message.
public final class SimulatedScanner: ScannerPort {
  private struct State {
    var failure: InputFailure?
    var breaksOffAfter: Int?
    var reports: [[UInt8]] = []
  }

  /// Reports kept; older ones are discarded.
  public static let reportCountMax = 1 << 16

  public let name: String
  private let state = Mutex(State())

  public init(name: String = "simulated") { self.name = name }

  /// Reports that the host has, in order.
  public var reports: [[UInt8]] { state.withLock { $0.reports } }

  /// Fails once, after this number of further reports.
  public func breakOff(after reportCount: Int) { state.withLock { $0.breaksOffAfter = reportCount } }

  /// Fails from now on with this failure; nil works again.
  public func fail(with failure: InputFailure?) { state.withLock { $0.failure = failure } }

  public func open() async throws(InputFailure) { try check() }

  public func send(_ reports: [[UInt8]]) async throws(InputFailure) {
    try check()
    let isWhole = state.withLock { state in
      let sent = reports.prefix(state.breaksOffAfter ?? reports.count)
      state.reports += sent
      if state.reports.count > Self.reportCountMax { state.reports.removeFirst(state.reports.count - Self.reportCountMax) }
      if state.breaksOffAfter.map({ $0 < reports.count }) == true {
        state.breaksOffAfter = nil
        return false
      }
      state.breaksOffAfter? -= sent.count
      return true
    }
    guard isWhole else { throw InputFailure("\(name): broke off", remedy: "none", mayHaveArrived: true) }
  }

  public func close() async {}

  private func check() throws(InputFailure) { if let failure = state.withLock({ $0.failure }) { throw failure } }
}
