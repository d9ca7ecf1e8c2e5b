// Copies of recent frames, kept until it is known whether a picture of them is wanted: the controller decides about a frame
// after the camera has taken it back. Memory is bounded, and the capture thread never waits: without a free copy, a frame is
// not kept.

package import BarcodeTypes
import Dispatch
package import ScanControl
import Synchronization

/// A copy of a frame. It is recycled once only its keeper refers to it.
package final class FrameCopy: @unchecked Sendable {
  /// The copy's number at its keeper, from 1; no two copies share one.
  package fileprivate(set) var number: UInt64 = 0
  fileprivate var sequence: UInt64 = 0
  fileprivate var capturedAt = Instant(nanoseconds: 0)
  fileprivate var hasCodes = false
  fileprivate var hasUnread = false
  private var width = 0
  private var height = 0
  private var luma: [UInt8] = []
  /// Entered while the copy is promised and not yet made.
  private let copying = DispatchGroup()

  fileprivate init() {}

  fileprivate func promise() { copying.enter() }

  /// Makes the promised copy; called once per promise, on the capture thread.
  func fill(from frame: LumaView) {
    (width, height) = (frame.width, frame.height)
    let count = width * height
    if luma.count < count { luma = [UInt8](repeating: 0, count: count) }
    luma.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for y in 0..<height { (base + y * width).update(from: frame.row(y), count: width) }
    }
    copying.leave()
  }

  /// Lends the copy. Waits until it is made, at most as long as the capture thread copies a frame.
  package func withLuma<Result>(_ body: (LumaView) -> Result) -> Result {
    copying.wait()
    return luma.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("a frame without pixels") }
      return body(unsafe LumaView(base: base, width: width, height: height, bytesPerRow: width))
    }
  }
}

/// The keeper of frames for pictures, and the taker of pictures of unread symbols.
package struct FramePictures: Sendable {
  package let keeper: FrameKeeper
  /// Called on the capture thread with each symbol that counts as unreadable from now on, and the copy of its frame, which may
  /// not be made yet; must return at once.
  package let onUnread: @Sendable (FrameCopy, UnreadSymbol) -> Void

  package init(keeper: FrameKeeper, onUnread: @escaping @Sendable (FrameCopy, UnreadSymbol) -> Void) {
    (self.keeper, self.onUnread) = (keeper, onUnread)
  }
}

/// Keeps copies of recent frames. The capture thread promises and fills them, and the controller's task takes them.
package final class FrameKeeper: Sendable {
  /// The most copies, taken ones included: two tenths of a second of codes in view at 60 frames per second. Each has as many
  /// bytes as a frame has pixels.
  static let copyCountMax = 12
  /// The most copies held for results that wait.
  static let heldCountMax = 4
  /// The greatest age of a frame that shows why a trigger found nothing.
  static let recentDuration = Duration.seconds(2)

  /// The frames to keep.
  package struct Choice: Sendable {
    /// Frames with codes, for pictures of scans.
    package var withCodes: Bool
    /// Frames with symbols that cannot be read.
    package var withUnread: Bool
    /// Every frame, for pictures of no-reads.
    package var every: Bool

    package init(withCodes: Bool, withUnread: Bool, every: Bool) {
      (self.withCodes, self.withUnread, self.every) = (withCodes, withUnread, every)
    }
  }

  private struct State {
    /// Oldest first.
    var copies: [FrameCopy] = []
    var held: [FrameCopy] = []
    var number: UInt64 = 0
  }

  private let choice: Choice
  private let state = Mutex(State())

  package init(_ choice: Choice) { self.choice = choice }

  /// Promises a copy of a frame, before its report is posted. Called on the capture thread, which then fills it.
  ///
  /// - Returns: nil if the frame is not to be kept, or all copies are in use.
  func promise(of report: FrameReport) -> FrameCopy? {
    let hasCodes = !report.sightings.isEmpty
    let hasUnread = !report.unread.isEmpty
    guard choice.every || choice.withCodes && hasCodes || choice.withUnread && hasUnread else { return nil }
    return state.withLock { state in
      guard let copy = Self.free(&state, isEmpty: !hasCodes && !hasUnread) else { return nil }
      state.number += 1
      copy.number = state.number
      copy.sequence = report.sequence
      copy.capturedAt = report.capturedAt
      (copy.hasCodes, copy.hasUnread) = (hasCodes, hasUnread)
      copy.promise()
      state.copies.append(copy)
      return copy
    }
  }

  /// Removes a copy that nothing else refers to: the last one if it and the new one are empty, as the newest empty frame is
  /// enough; else a new or the oldest one.
  private static func free(_ state: inout State, isEmpty: Bool) -> FrameCopy? {
    // A local name for the last copy would be a second owner.
    let isLastEmpty = state.copies.last.map { !$0.hasCodes && !$0.hasUnread } ?? false
    if isEmpty, isLastEmpty, let copy = takeIfUnused(&state.copies, at: state.copies.count - 1) { return copy }
    if state.copies.count < copyCountMax { return FrameCopy() }
    for index in state.copies.indices {
      if let copy = takeIfUnused(&state.copies, at: index) { return copy }
    }
    return nil
  }

  /// Copies that are held are among the copies, too, and so have a second owner.
  private static func takeIfUnused(_ copies: inout [FrameCopy], at index: Int) -> FrameCopy? {
    isKnownUniquelyReferenced(&copies[index]) ? copies.remove(at: index) : nil
  }

  /// The copy of a frame, by the number that its source gave it; nil if none is left.
  package func take(sequence: UInt64) -> FrameCopy? {
    state.withLock { state in
      state.copies.last { $0.sequence == sequence }
    }
  }

  /// The copy that shows best why a trigger found nothing: of the last two seconds, the newest with a symbol that could not
  /// be read, else the newest. Nil without recent frames.
  ///
  /// - Parameter now: nanoseconds on the clock of the frames.
  package func takeRecent(at now: Int64) -> FrameCopy? {
    let earliest = Instant(nanoseconds: now).advanced(by: .zero - Self.recentDuration)
    return state.withLock { state in
      let recent = state.copies.filter { $0.capturedAt >= earliest }
      return recent.last { $0.hasUnread } ?? recent.last
    }
  }

  /// Holds the copies of frames whose results wait, besides those already held; the oldest are held.
  func hold(_ sequences: [UInt64]) {
    state.withLock { state in
      for sequence in sequences where state.held.count < Self.heldCountMax {
        guard !state.held.contains(where: { $0.sequence == sequence }),
          let copy = state.copies.last(where: { $0.sequence == sequence })
        else { continue }
        state.held.append(copy)
      }
    }
  }

  /// Releases all held copies.
  func releaseHeld() { state.withLock { $0.held.removeAll(keepingCapacity: true) } }
}
