// Requests to the torch, one after another, outside the controller's loop (behaviour T4).

import Devices
import Logging
import ScanControl
import ServiceLifecycle
import Synchronization

/// Carries out requests to the torch and posts the observed state.
final class TorchLoop: Service {
  enum Request: Equatable, Sendable {
    case readCapability
    case set(isOn: Bool)
    /// Check whether another program has changed the light or removed the torch (behaviour T2, T3).
    case observe
  }

  /// Requests that may wait; the oldest are dropped, so that the last request, which is to turn off, is always carried out.
  static let waitingCountMax = 16
  /// How often the torch's state is read.
  static let observationInterval = Duration.seconds(1)
  /// How long the torch may take to go dark when the station ends.
  static let quitLimit = Duration.seconds(1)

  private let torch: any Torch
  private let events: EventQueue
  private let metrics: StationMetrics
  private let watch: TorchWatch
  private let logger: Logger
  private let told = Mutex(Told())
  private let requests: AsyncStream<Request>
  private let continuation: AsyncStream<Request>.Continuation

  /// Facts already logged and posted.
  private struct Told {
    /// Why the torch cannot be driven.
    var trouble: String?
    var facts: TorchFacts?
    var isOn: Bool?
    /// Whether an observation is pending: a slow torch must not fill its queue with them.
    var isObserving = false
  }

  init(torch: any Torch, events: EventQueue, metrics: StationMetrics, watch: TorchWatch = TorchWatch(), logger: Logger) {
    self.torch = torch
    self.events = events
    self.metrics = metrics
    self.watch = watch
    self.logger = logger
    (requests, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.waitingCountMax))
    (torch as? any StrobingTorch)?.watch { outcome in
      logger.warning(
        "the torch", metadata: ["state": "\(outcome.isOn ? "on" : "off")", "trouble": "\(outcome.trouble ?? "")"])
      metrics.torchObserved(isOn: outcome.isOn)
      watch.note(isOn: outcome.isOn)
      if !outcome.isOn { events.post(.torchRefused(isOn: false)) }
    }
  }

  func ask(_ request: Request) { continuation.yield(request) }

  /// Serves requests until the group shuts down; requests made before that are still carried out.
  func run() async {
    await withGracefulShutdownHandler {
      await withTaskGroup { group in
        group.addTask { await self.observe() }
        for await request in self.requests { await self.serve(request) }
        group.cancelAll()
      }
    } onGracefulShutdown: {
      self.continuation.finish()
    }
  }

  private func observe() async {
    while (try? await Task.sleep(for: Self.observationInterval)) != nil {
      let isFree = told.withLock { told in
        defer { told.isObserving = true }
        return !told.isObserving
      }
      if isFree { ask(.observe) }
    }
  }

  private func serve(_ request: Request) async {
    switch request {
    case .readCapability:
      let facts = await torch.readFacts()
      told.withLock { $0.facts = facts }
      report(facts)
    case .observe:
      // A strobing torch reports changes without being asked.
      if !(torch is any StrobingTorch) {
        let facts = await torch.readFacts()
        let isNew = told.withLock { told in
          defer { told.facts = facts }
          return told.facts != nil && told.facts != facts
        }
        if isNew { report(facts) }
      }
      let state = await torch.readState()
      let isNew = told.withLock { told in
        told.isObserving = false
        defer { told.isOn = state ?? told.isOn }
        return told.isOn != nil && state != nil && told.isOn != state
      }
      if isNew, let state {
        metrics.torchObserved(isOn: state)
        watch.note(isOn: state)
        logger.notice("another program has switched the torch", metadata: ["state": "\(state ? "on" : "off")"])
        events.post(.torchObserved(isOn: state))
      }
    case .set(let isOn):
      let outcome = await torch.set(isOn: isOn)
      told.withLock { $0.isOn = outcome.isOn }
      metrics.torchObserved(isOn: outcome.isOn)
      watch.note(isOn: outcome.isOn)
      if let trouble = outcome.trouble {
        logger.warning("the torch refused", metadata: ["wanted": "\(isOn ? "on" : "off")", "trouble": "\(trouble)"])
        events.post(.torchRefused(isOn: outcome.isOn))
      } else {
        events.post(.torchObserved(isOn: outcome.isOn))
      }
    }
  }

  /// Reports the torch's capabilities to the controller, and logs why it cannot be used.
  private func report(_ facts: TorchFacts) {
    events.post(.torchCapabilityReported(TorchCapability(facts)))
    // The camera is loaded repeatedly if it comes and goes.
    let isNews = told.withLock { told in
      defer { told.trouble = facts.trouble }
      return told.trouble != facts.trouble
    }
    if isNews, let trouble = facts.trouble {
      logger.warning("the torch cannot be used", metadata: ["trouble": "\(trouble)"])
    }
  }
}

/// The torch's last observed state, for the capture thread.
final class TorchWatch: Sendable {
  /// 0: unknown; 1: dark; 2: lit.
  private let state = Atomic<Int>(0)

  /// Nil before the first observation.
  var isOn: Bool? {
    let state = state.load(ordering: .relaxed)
    return state == 0 ? nil : state == 2
  }

  func note(isOn: Bool) { state.store(isOn ? 2 : 1, ordering: .relaxed) }
}
