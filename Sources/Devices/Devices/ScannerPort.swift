// A scanner as a USB host sees it: a device that sends input reports.

/// A scanner at a host, with one owner at a time.
public protocol ScannerPort: Sendable {
  /// The scanner as people know it, such as `/dev/hidg1`; used in messages.
  var name: String { get }

  /// Opens the device where it is closed, and checks that the host fetches reports.
  func open() async throws(InputFailure)

  /// Sends reports in order, each once the host has fetched the one before, and returns when it has fetched the last. Throws
  /// soon after the task is cancelled, between two reports.
  func send(_ reports: [[UInt8]]) async throws(InputFailure)

  /// Closes the device. Does nothing when it is closed.
  func close() async
}
