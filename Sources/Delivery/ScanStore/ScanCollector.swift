// From the broker into the store. A message is acknowledged after its commit, never before: if anything ends in between, the broker sends it again.

public import DeliveryModel
import Glibc
public import MQTT

/// Collects the scans of stations. Blocks its thread.
public struct ScanCollector {
  /// News for the operator.
  public enum Event: Equatable, Sendable {
    /// Broker and database are connected.
    case collecting
    /// One of them is not; it is tried again.
    case waiting(DeliveryProblem)
    /// Messages that were committed since the last such event.
    case tally(ScanStore.Tally)
  }

  private let subscriber: MQTTSubscriber
  private let store: ScanStore

  /// How often the operator hears what was committed.
  private static let tallyInterval = Duration.seconds(60)

  public init(_ subscriber: MQTTSubscriber, _ store: ScanStore) { (self.subscriber, self.store) = (subscriber, store) }

  /// Collects until it is cancelled; what is in hand then is committed and acknowledged first.
  public func run(isCancelled: () -> Bool, onEvent: (Event) -> Void) {
    let backoff = Backoff(settings: RetrySettings())
    var random = SystemRandomNumberGenerator()
    var failureCount = 0
    var isCollecting = false
    var tally = ScanStore.Tally()
    var nextTally = ContinuousClock.now + Self.tallyInterval
    func report() {
      if tally != ScanStore.Tally() { onEvent(.tally(tally)) }
      (tally, nextTally) = (ScanStore.Tally(), .now + Self.tallyInterval)
    }
    while !isCancelled() {
      do throws(DeliveryProblem) {
        // The database first: without it, no message is taken from the broker.
        try store.connect()
        try subscriber.connect(isCancelled: isCancelled)
        if !isCollecting { onEvent(.collecting) }
        isCollecting = true
        let messages = try subscriber.receive()
        if !messages.isEmpty { tally += try store.store(messages) }
        failureCount = 0
        if ContinuousClock.now >= nextTally { report() }
      } catch {
        // Messages that the database has not got stay unacknowledged.
        subscriber.drop()
        guard !isCancelled() else { break }
        failureCount += 1
        if isCollecting || failureCount == 1 { onEvent(.waiting(error)) }
        isCollecting = false
        pause(backoff.wait(failureCount: failureCount, retryAfter: nil, using: &random), isCancelled)
      }
    }
    subscriber.close()
    report()
  }

  private func pause(_ duration: Duration, _ isCancelled: () -> Bool) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end, !isCancelled() { usleep(50_000) }
  }
}
