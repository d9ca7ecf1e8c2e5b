// The scans that a sink is done with. This alone decides what the sink gets next, so it is a plain value with a checksum.

/// A sink as named in a configuration.
public struct OutboxSink: Equatable, Sendable {
  /// Its name in the configuration, the log and the metrics.
  public var name: String
  /// Its destination, such as its kind and URL, by which a renamed sink is recognised.
  public var target: String

  public init(_ name: String, target: String = "") {
    self.name = name
    self.target = target
  }
}

/// A sink's progress in one store.
package struct SinkState: Equatable, Sendable {
  package var name: String
  package var target: String
  /// Numbers of scans that it is done with: the receiver has them, they were discarded for it, or no such scan exists.
  package var done: NumberSet
  /// Numbers of scans that the receiver permanently refused.
  package var dead = NumberSet()
  /// Its former names, the latest last, unless other sinks have them now.
  package private(set) var formerNames: [String] = []
  /// The last scan that is meant for it; nil while it is configured.
  package var until: Int64?
  /// Grows with each change: of several copies, the newest is right.
  package var version: UInt64 = 0

  /// The most ranges in `done` and in `dead`. A sink with more takes no scan out of order.
  package static let rangeCountMax = 500
  /// The most former names of a sink: the newest are kept, and identify it in a state written under one of them.
  package static let formerNameCountMax = 8

  /// The numbers that it must still get.
  ///
  /// - Parameter last: the last number in use.
  package func undelivered(through last: Int64) -> NumberSet {
    var numbers = NumberSet(through: min(last, until ?? last))
    numbers.subtract(done)
    numbers.subtract(dead)
    return numbers
  }

  /// Gives it a new name.
  package mutating func rename(to new: String) {
    formerNames = (formerNames + [name]).suffix(Self.formerNameCountMax)
    name = new
  }

  /// Forgets former names that other sinks have now.
  package mutating func forgetFormerNames(in names: Set<String>) { formerNames.removeAll { names.contains($0) } }

  // MARK: In the file

  package static let frameMark: StaticString = "RtclSnk1"

  /// - Parameter store: the id of the store whose numbers these are.
  package func frame(store: ScanID) -> [UInt8] {
    var writer = ByteWriter()
    writer.put(store.high)
    writer.put(store.low)
    writer.put(version)
    writer.put(name)
    writer.put(target)
    writer.put(until ?? 0)
    writer.put(done)
    writer.put(dead)
    writer.put(UInt32(formerNames.count))
    for name in formerNames { writer.put(name) }
    return Frame.bytes(Self.frameMark, writer.bytes)
  }

  /// - Parameter content: the content of a frame with a correct checksum.
  package init?(content: [UInt8], store: ScanID?) {
    var reader = ByteReader(content)
    guard let high = reader.uint64(), let low = reader.uint64(), store == nil || store == ScanID(high: high, low: low),
      let version = reader.uint64(), let name = reader.text(), let target = reader.text(), let until = reader.int64(),
      let done = reader.numberSet(), let dead = reader.numberSet()
    else { return nil }
    (self.version, self.name, self.target, self.done, self.dead) = (version, name, target, done, dead)
    self.until = until == 0 ? nil : until
    // Older versions wrote none.
    for _ in 0..<min(Int(reader.uint32() ?? 0), Self.formerNameCountMax) {
      guard let former = reader.text() else { return nil }
      formerNames.append(former)
    }
  }

  package init(_ sink: OutboxSink, done: NumberSet) {
    name = sink.name
    target = sink.target
    self.done = done
  }

  // MARK: Copies

  /// More than the number of changes between two starts of a station.
  package static let versionsPerStart: UInt64 = 1 << 32

  /// Whether this is the state of a sink before it was renamed: both have the same receiver.
  package func hasBecome(_ other: SinkState) -> Bool {
    !target.isEmpty && target == other.target && other.formerNames.contains(name)
  }

  /// The start during which the newest of these states were noted.
  package static func start(of states: some Collection<SinkState>) -> UInt64 {
    (states.map(\.version).max() ?? 0) / versionsPerStart
  }

  /// The newer of the states in the file and in the mark. A sink that is only in the mark was renamed or forgotten since,
  /// unless the file has lost everything since the last start.
  package static func newest(_ inFile: [SinkState], _ inMark: [SinkState]) -> [SinkState] {
    let isFileOld = start(of: inMark) > start(of: inFile)
    let later = inMark.filter { mark in
      inFile.first { $0.name == mark.name }.map { $0.version < mark.version } ?? isFileOld
    }
    let earlier = inFile.filter { file in
      !later.contains { mark in
        mark.name == file.name
          || isFileOld && mark.target == file.target && !mark.target.isEmpty
            && !inFile.contains { $0.name == mark.name } && !inMark.contains { $0.name == file.name }
      }
    }
    return earlier + later
  }
}
