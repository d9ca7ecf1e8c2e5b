// A relay between a station and a working receiver that loses answers.

import RawServer
import Synchronization

/// The treatment of a request.
enum Misbehaviour {
  case answers
  /// The connection ends (FIN) without an answer.
  case hangsUp(takesScan: Bool)
  /// The connection is reset (RST) without an answer.
  case resets(takesScan: Bool)

  var takesScan: Bool {
    switch self {
    case .answers: true
    case .hangsUp(let takesScan), .resets(let takesScan): takesScan
    }
  }
}

/// Relays requests to a receiver, and its answers back unless they are to be lost.
struct HostileRelay {
  private let server: RawServer
  var port: Int { server.port }

  /// - Parameters:
  ///   - receiver: its port.
  ///   - misbehaviour: the treatment of a request, by its number from 1.
  init(before receiver: Int, _ misbehaviour: @escaping @Sendable (Int) -> Misbehaviour) throws {
    let count = Counter()
    server = try RawServer { station in
      while let request = station.readRequest() {
        let misbehaviour = misbehaviour(count.next())
        var answer: [UInt8] = []
        if misbehaviour.takesScan {
          guard let receiver = RawConnection(port: receiver) else { return }
          defer { receiver.close() }
          // Then the rest of the connection is the answer.
          receiver.send((request.lines + ["Connection: close", "", ""]).joined(separator: "\r\n"))
          receiver.send(request.body)
          while case let part = receiver.read(), !part.isEmpty { answer += part }
        }
        switch misbehaviour {
        case .answers: station.send(answer)
        case .hangsUp: return
        case .resets: return station.reset()
        }
      }
    }
  }

  func stop() { server.stop() }

  private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }
}
