// Encodes snapshots as files, each once for all clients that request it, however many there are: scanning takes precedence.

import Devices
import ScanLoop

/// Encodes snapshots on a separate thread. Swift's threads are as few as the board's cores, and the controller needs them.
actor SnapshotPress {
  /// After encoding a file, the press rests for this multiple of the time taken, so that it uses at most a fifth of a core.
  static let restFactor = 4

  private nonisolated let executor = BlockingExecutor(label: "snapshots")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let makeFile: @Sendable (SnapshotPicture) -> [UInt8]?
  private var last: (number: UInt64, file: [UInt8], restsUntil: ContinuousClock.Instant)?

  init(makeFile: @escaping @Sendable (SnapshotPicture) -> [UInt8]?) { self.makeFile = makeFile }

  /// The file of a snapshot, or of the previous one while the press rests. Nil if memory is not available.
  func file(of snapshot: Snapshot) -> [UInt8]? {
    let start = ContinuousClock.now
    if let last, last.number == snapshot.number || start < last.restsUntil { return last.file }
    guard let file = makeFile(SnapshotPicture(snapshot)) else { return nil }
    let end = ContinuousClock.now
    last = (snapshot.number, file, end + (end - start) * Self.restFactor)
    return file
  }
}
