// News for pages: scans as they come and are delivered, and changes of the station's state. The outbox is looked at while anyone
// listens; without listeners nothing happens.

#if Console

  import DeliveryModel
  import Synchronization

  /// Sends news to every listener as server-sent events (WHATWG HTML, 9.2).
  final class NewsDesk: Sendable {
    /// The most listeners.
    static let listenerCountMax = 64
    /// How often the outbox and the station are looked at.
    static let interval = Duration.milliseconds(500)
    /// The newest scans that are watched: more than come in an interval.
    static let scanCount = 20
    /// The most events that wait for a slow listener; it misses older ones.
    static let waitingCountMax = 64
    /// A comment is sent at least this often, so that neither side takes the connection for dead.
    private static let silenceMax = 10

    private struct State {
      var listeners: [UInt64: (stream: AsyncStream<[UInt8]>.Continuation, isAdmitted: @Sendable () -> Bool)] = [:]
      var next: UInt64 = 0
      var isWatching = false
      /// The last state, for those who come.
      var state: [UInt8]?
    }

    private let sights: ConsoleSights
    private let state = Mutex(State())

    init(_ sights: ConsoleSights) { self.sights = sights }

    /// Joins the listeners until the stream is dropped, or the visitor is no longer admitted.
    ///
    /// - Returns: nil if there are too many.
    func listen(while isAdmitted: @escaping @Sendable () -> Bool) -> AsyncStream<[UInt8]>? {
      let (stream, continuation) = AsyncStream<[UInt8]>.makeStream(
        bufferingPolicy: .bufferingNewest(Self.waitingCountMax))
      let (number, isFirst): (UInt64?, Bool) = state.withLock { state in
        guard state.listeners.count < Self.listenerCountMax else { return (nil, false) }
        state.next += 1
        state.listeners[state.next] = (continuation, isAdmitted)
        continuation.yield(Array(": welcome\n\n".utf8))
        if state.isWatching, let last = state.state { continuation.yield(last) }
        defer { state.isWatching = true }
        return (state.next, !state.isWatching)
      }
      guard let number else { return nil }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
      }
      if isFirst { Task { await watch() } }
      return stream
    }

    private static func event(_ name: String, _ json: [UInt8]) -> [UInt8] {
      Array("event: \(name)\ndata: ".utf8) + json.filter { $0 != 0x0A } + [0x0A, 0x0A]
    }

    /// Looks for news while anyone listens.
    private func watch() async {
      var known: [ScanID: [UInt8]] = [:]
      var isFirst = true
      var lastState: [UInt8] = []
      var silence = 0
      while true {
        var news: [[UInt8]] = []
        let scans = await ListedScan.newest(Self.scanCount, sights).reversed()
        let forms = scans.map { ($0.record.id, $0.jsonLine()) }
        // Scans that were there before the first listener are no news.
        if !isFirst { for (id, form) in forms where known[id] != form { news.append(Self.event("scan", form)) } }
        known = Dictionary(forms) { $1 }
        isFirst = false
        let form = Self.event("state", await StationState(sights).jsonLine())
        if form != lastState { news.append(form) }
        lastState = form
        silence = news.isEmpty ? silence + 1 : 0
        if silence >= Self.silenceMax {
          news = [Array(": here\n\n".utf8)]
          silence = 0
        }
        guard tell(news, state: form) else { return }
        try? await Task.sleep(for: Self.interval)
      }
    }

    /// - Returns: whether anyone listens.
    private func tell(_ news: [[UInt8]], state form: [UInt8]) -> Bool {
      let leaving: [AsyncStream<[UInt8]>.Continuation] = state.withLock { state in
        state.state = form
        for (stream, _) in state.listeners.values { for event in news { stream.yield(event) } }
        state.isWatching = !state.listeners.isEmpty
        return state.listeners.values.filter { !$0.isAdmitted() }.map(\.stream)
      }
      for stream in leaving { stream.finish() }
      return state.withLock(\.isWatching)
    }
  }

#endif
