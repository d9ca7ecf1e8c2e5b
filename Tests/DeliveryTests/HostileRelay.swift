// What stands between a station and a sound receiver when answers get lost.

import RawServer
import Synchronization

/// What comes of a request.
enum Misbehaviour {
  case answers
  /// The connection ends (FIN) in place of the answer.
  case hangsUp(takesScan: Bool)
  /// The connection is reset (RST) in place of the answer.
  case resets(takesScan: Bool)

  var takesScan: Bool {
    switch self {
    case .answers: true
    case .hangsUp(let takesScan), .resets(let takesScan): takesScan
    }
  }
}

/// Passes requests on to a receiver, and its answers back or not.
struct HostileRelay {
  private let server: RawServer
  var port: Int { server.port }

  /// - Parameters:
  ///   - receiver: its port.
  ///   - misbehaviour: by the number of the request, from 1.
  init(before receiver: Int, _ misbehaviour: @escaping @Sendable (Int) -> Misbehaviour) throws {
    let count = Counter()
    server = try RawServer { station in
      while let request = station.readRequest() {
        let misbehaviour = misbehaviour(count.next())
        var answer: [UInt8] = []
        if misbehaviour.takesScan {
          guard let receiver = RawConnection(port: receiver) else { return }
          defer { receiver.close() }
          // Then the answer is all that comes until the receiver ends the connection.
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
