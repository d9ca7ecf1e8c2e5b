// Messages from other threads to the server's thread: handlers' answers, chunks of streams, the order to stop.

import CMicrohttpd
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A pending request: its connection, and its number, which identifies answers for connections that have gone.
struct HTTPTicket: Hashable, Sendable {
  /// The address of libmicrohttpd's connection, for comparison only.
  let connection: UInt
  let number: UInt64
}

/// Letters for the server's thread, with an event that ends its poll.
final class HTTPMailbox: Sendable {
  enum Letter: Sendable {
    case answer(HTTPTicket, HTTPResponse)
    /// An empty stream has more data, or has ended.
    case more(HTTPTicket)
    case stop(CheckedContinuation<Void, Never>)
  }

  /// An eventfd, readable while letters wait.
  let bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
  /// At most two letters per request being handled.
  private let letters = Mutex<[Letter]>([])

  deinit { close(bell) }

  func post(_ letter: Letter) {
    let isFirst = letters.withLock { letters in
      letters.append(letter)
      return letters.count == 1
    }
    if isFirst { eventfd_write(bell, 1) }
  }

  func takeAll() -> [Letter] {
    var count: eventfd_t = 0
    eventfd_read(bell, &count)
    return letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }

  /// Asks the thread to stop and returns when it has.
  func stop() async { await withCheckedContinuation { post(.stop($0)) } }
}

/// Passes the chunks of a stream to the server's thread, one at a time: the producer waits until a chunk is taken.
final class ChunkFeed: Sendable {
  private struct State {
    var chunk: [UInt8] = []
    var takenCount = 0
    var isOver = false
    /// Whether the connection sleeps until more data comes.
    var isDry = false
    var producer: CheckedContinuation<Void, Never>?
    var task: Task<Void, Never>?
  }

  private let state = Mutex(State())
  private let onMore: @Sendable () -> Void

  /// - Parameter onMore: called when an empty stream has more data.
  init(_ stream: AsyncStream<[UInt8]>, onMore: @escaping @Sendable () -> Void) {
    self.onMore = onMore
    let task = Task {
      for await chunk in stream where !chunk.isEmpty { await self.put(chunk) }
      self.change { $0.isOver = true }
    }
    state.withLock { $0.task = task }
  }

  private func put(_ chunk: [UInt8]) async {
    await withCheckedContinuation { producer in
      change { state in
        guard !state.isOver else { return producer.resume() }
        state.chunk = chunk
        state.takenCount = 0
        state.producer = producer
      }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let wasDry = state.withLock { state in
      body(&state)
      defer { state.isDry = false }
      return state.isDry
    }
    if wasDry { onMore() }
  }

  enum Taking { case bytes(Int), dry, over }

  /// Copies the available data; if the stream is empty, the caller must retry after `onMore`.
  func take(into buffer: UnsafeMutableRawBufferPointer) -> Taking {
    let (taking, producer) = state.withLock { state -> (Taking, CheckedContinuation<Void, Never>?) in
      let rest = state.chunk[state.takenCount...].prefix(buffer.count)
      guard !rest.isEmpty else {
        state.isDry = !state.isOver
        return (state.isOver ? .over : .dry, nil)
      }
      buffer.copyBytes(from: rest)
      state.takenCount += rest.count
      guard state.takenCount == state.chunk.count else { return (.bytes(rest.count), nil) }
      defer { state.producer = nil }
      return (.bytes(rest.count), state.producer)
    }
    producer?.resume()
    return taking
  }

  /// Ends the producer's stream: the data no longer has a reader.
  func close() {
    let (producer, task) = state.withLock { state in
      defer { (state.isOver, state.isDry, state.producer, state.task) = (true, false, nil, nil) }
      return (state.producer, state.task)
    }
    task?.cancel()
    producer?.resume()
  }
}
