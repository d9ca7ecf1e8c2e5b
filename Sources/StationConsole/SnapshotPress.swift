// Snapshots as files, each made once for all who ask for it, however many these are: scanning comes first.

import Devices
import ScanLoop

/// Makes files of snapshots on a thread of its own. Swift's threads are as few as the board has cores, and the controller needs
/// them.
actor SnapshotPress {
  /// After a file, the press rests for this many times as long as the file took, so that it takes a fifth of one core at most.
  static let restFactor = 4

  private nonisolated let executor = BlockingExecutor(label: "snapshots")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let makeFile: @Sendable (SnapshotPicture) -> [UInt8]?
  private var last: (number: UInt64, file: [UInt8], restsUntil: ContinuousClock.Instant)?

  init(makeFile: @escaping @Sendable (SnapshotPicture) -> [UInt8]?) { self.makeFile = makeFile }

  /// The file of a snapshot, or of the one before it while the press rests. Nil if there is no memory for it.
  func file(of snapshot: Snapshot) -> [UInt8]? {
    let start = ContinuousClock.now
    if let last, last.number == snapshot.number || start < last.restsUntil { return last.file }
    guard let file = makeFile(SnapshotPicture(snapshot)) else { return nil }
    let end = ContinuousClock.now
    last = (snapshot.number, file, end + (end - start) * Self.restFactor)
    return file
  }
}
