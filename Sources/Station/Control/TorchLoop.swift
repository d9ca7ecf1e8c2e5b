// Requests to the torch, one after another, off the controller's loop (SPEC T4).

import Devices
import Logging
import ScanControl
import ServiceLifecycle
import Synchronization

/// Carries out requests to the torch and posts what was observed.
final class TorchLoop: Service {
  enum Request: Equatable, Sendable {
    case readCapability
    case set(isOn: Bool)
  }

  /// Requests that may wait; the oldest give way, so that the last word, which is darkness, is always heard.
  static let waitingCountMax = 16
  /// How long the torch may take to go dark when the station ends.
  static let quitLimit = Duration.seconds(1)

  private let torch: any Torch
  private let events: EventQueue
  private let metrics: StationMetrics
  private let logger: Logger
  /// Why the torch cannot be driven, as far as the log knows.
  private let toldTrouble = Mutex<String?>(nil)
  private let requests: AsyncStream<Request>
  private let continuation: AsyncStream<Request>.Continuation

  init(torch: any Torch, events: EventQueue, metrics: StationMetrics, logger: Logger) {
    self.torch = torch
    self.events = events
    self.metrics = metrics
    self.logger = logger
    (requests, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.waitingCountMax))
    (torch as? any StrobingTorch)?.watch { outcome in
      logger.warning(
        "the torch", metadata: ["state": "\(outcome.isOn ? "on" : "off")", "trouble": "\(outcome.trouble ?? "")"])
      metrics.torchObserved(isOn: outcome.isOn)
      if !outcome.isOn { events.post(.torchRefused(isOn: false)) }
    }
  }

  func ask(_ request: Request) { continuation.yield(request) }

  /// Serves requests until the group shuts down; those that were made before are still carried out.
  func run() async {
    await withGracefulShutdownHandler {
      for await request in requests { await serve(request) }
    } onGracefulShutdown: {
      self.continuation.finish()
    }
  }

  private func serve(_ request: Request) async {
    switch request {
    case .readCapability:
      let facts = await torch.readFacts()
      events.post(.torchCapabilityReported(TorchCapability(facts)))
      // The camera is loaded again and again where it comes and goes.
      guard facts.trouble != toldTrouble.withLock({ $0 }) else { return }
      toldTrouble.withLock { $0 = facts.trouble }
      if let trouble = facts.trouble { logger.warning("the torch cannot be used", metadata: ["trouble": "\(trouble)"]) }
    case .set(let isOn):
      let outcome = await torch.set(isOn: isOn)
      metrics.torchObserved(isOn: outcome.isOn)
      if let trouble = outcome.trouble {
        logger.warning("the torch refused", metadata: ["wanted": "\(isOn ? "on" : "off")", "trouble": "\(trouble)"])
        events.post(.torchRefused(isOn: outcome.isOn))
      } else {
        events.post(.torchObserved(isOn: outcome.isOn))
      }
    }
  }
}
