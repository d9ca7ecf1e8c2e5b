// A line to a host as `LineSink` uses it: a serial port, or a connection of TCP. What went wrong comes with its remedy, which each
// kind of line knows.

import DeliveryModel
import Devices

/// A line that is opened, written, read and closed by one sink at a time.
protocol HostLine: Sendable {
  /// The line as people know it, such as `/dev/ttyUSB0` or `till:9100`; used in messages.
  var name: String { get }

  /// Whether it can be opened again after it was closed.
  var opensAgain: Bool { get }

  /// Opens the line. Does nothing when it is open.
  ///
  /// - Returns: whether it is a new connection, on which no answer to an earlier frame can come.
  func open() async throws(DeliveryProblem) -> Bool

  /// Writes all bytes, and waits until the line has taken as much as it can promise. A failure leaves unknown how many bytes went
  /// out.
  func write(_ bytes: [UInt8], within limit: Duration) async throws(DeliveryProblem)

  /// The bytes that have come in, at most 4096; waits for the first of them.
  ///
  /// - Returns: an empty array when nothing came within the limit, when the task was cancelled, or when somebody else wants
  ///   the line meanwhile.
  func read(within limit: Duration) async throws(DeliveryProblem) -> [UInt8]

  /// Closes the line. Does nothing when it is closed.
  func close() async
}

/// A serial port as a line to a host.
struct SerialLine: HostLine {
  let port: any SerialPort

  var name: String { port.name }
  var opensAgain: Bool { true }

  func open() async throws(DeliveryProblem) -> Bool {
    do throws(SerialPortFailure) { try await port.open() } catch { throw Self.problem(error) }
    return false
  }

  func write(_ bytes: [UInt8], within limit: Duration) async throws(DeliveryProblem) {
    do throws(SerialPortFailure) { try await port.write(bytes, within: limit) } catch { throw Self.problem(error) }
  }

  func read(within limit: Duration) async throws(DeliveryProblem) -> [UInt8] {
    do throws(SerialPortFailure) { return try await port.read(within: limit) } catch { throw Self.problem(error) }
  }

  func close() async { await port.close() }

  private static func problem(_ failure: SerialPortFailure) -> DeliveryProblem {
    DeliveryProblem(failure.description, remedy: failure.remedy)
  }
}
