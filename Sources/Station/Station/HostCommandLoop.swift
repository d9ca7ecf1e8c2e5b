// Commands from hosts become events, like button presses; questions are answered from the controller's state.

import Devices
import ScanLoop
import ServiceLifecycle
import Sinks

/// Serves hosts on serial lines.
final class HostCommandLoop: Service {
  private let requests: AsyncStream<HostRequest>
  private let loops: ScanLoops
  private let deliverySummary: @Sendable () async -> String
  private let health: @Sendable () async -> String

  /// - Parameters:
  ///   - deliverySummary: delivery's part of the answer to `status`.
  ///   - health: what is added to it for those who ask how the station is.
  init(
    requests: AsyncStream<HostRequest>, loops: ScanLoops, deliverySummary: @escaping @Sendable () async -> String,
    health: @escaping @Sendable () async -> String
  ) {
    self.requests = requests
    self.loops = loops
    self.deliverySummary = deliverySummary
    self.health = health
  }

  func run() async {
    for await request in requests.cancelOnGracefulShutdown() {
      if request.command == .status {
        let health = request.wantsHealth ? " \(await health())" : ""
        request.answer(.status("\(await loops.summary) \(await deliverySummary())\(health)"))
      } else {
        switch await loops.carryOut(request.command) {
        case .done: request.answer(.done(request.command))
        case .nothing: request.answer(.nothing(request.command))
        case .busy: request.answer(.busy(request.command))
        }
      }
    }
    // Losing the hosts does not end the station.
    try? await gracefulShutdown()
  }
}
