// A label that is in view while the station is restarted is one presentation: it is not scanned again.

public import ScanControl

/// The codes that were scanned and are in view, in a file that outlives the process but not a reboot. The file holds their
/// `CodeMark`s, not their data.
public final class InViewMark: Sendable {
  /// The codes that the previous process had in view.
  public let left: Set<CodeMark>
  private let memory: ServiceMemory

  /// - Parameter folder: the folder that keeps the mark.
  /// - Returns: nil if there is no writable folder of that name.
  public init?(folder: String) {
    let byteCount = ScanController.codeInViewCountMax * MemoryLayout<UInt64>.size
    guard let memory = ServiceMemory(folder: folder, name: "in-view", byteCount: byteCount) else { return nil }
    self.memory = memory
    left = Set(memory.bytes.bindMemory(to: UInt64.self).filter { $0 != 0 }.map { CodeMark(value: $0) })
  }

  /// Replaces the marks. One thread writes at a time. A process that is killed meanwhile leaves whole marks.
  func write(_ marks: [CodeMark]) {
    let slots = memory.bytes.bindMemory(to: UInt64.self)
    for index in slots.indices { slots[index] = index < marks.count ? marks[index].value : 0 }
  }
}
