// Several codes that form one message: a product and its serial number, the two labels of a carton. Parts are recognised by
// flags, so any condition of a rule can define a part. A set is sent whole or not at all.

/// A set of codes that form one message.
public struct ScanSet: Equatable, Sendable {
  /// The order of the parts in the message.
  public enum Order: String, CaseIterable, Sendable {
    /// The order in the configuration.
    case parts
    /// The order of scanning.
    case scanned
    /// By position in the picture.
    case leftToRight = "left to right"
    case topToBottom = "top to bottom"
  }

  /// The most sets of a station.
  public static let countMax = 16
  /// The most parts of a set.
  public static let partCountMax = 32

  public var name: String
  /// One flag per part; a repeated flag requires as many codes.
  public var parts: [String]
  public var order = Order.parts
  /// The text between the parts.
  public var separator = "\t"
  /// Whether all parts must have the same text.
  public var mustMatch = false
  /// How long the first part waits for the others, in nanoseconds.
  public var limit: Int64 = 5_000_000_000

  public init(name: String, parts: [String]) {
    self.name = name
    self.parts = parts
  }

  /// Compares the texts of its parts; nil if they need not match.
  public func verdict(_ texts: [String]) -> Verdict? {
    mustMatch ? (texts.allSatisfy { $0 == texts.first } ? .match : .mismatch) : nil
  }
}

/// A code that may be a part of a set.
public struct SetPart<Item: Sendable>: Sendable {
  public var item: Item
  /// The code's identity: the same code is accepted once.
  public var identity: [UInt8]
  public var flags: [String]
  /// Its horizontal position in the picture.
  public var x: Int
  public var y: Int

  public init(_ item: Item, identity: [UInt8], flags: [String], x: Int = 0, y: Int = 0) {
    (self.item, self.identity, self.flags, self.x, self.y) = (item, identity, flags, x, y)
  }
}

/// A set that was given up.
public struct IncompleteSet<Item: Sendable>: Sendable {
  public var set: String
  /// The missing parts.
  public var missing: [String]
  /// The parts that came.
  public var parts: [Item]
}

/// Collects the parts of sets.
public struct SetGathering<Item: Sendable>: Sendable {
  /// The outcome of offering a code.
  public enum Outcome: Sendable {
    /// The code is not part of a set.
    case none
    /// The code is kept until these parts have come.
    case waiting(missing: [String])
    /// The code completed the set: all parts, in the set's order.
    case whole(ScanSet, [(part: String, item: Item)])
  }

  private struct Open: Sendable {
    var parts: [(slot: Int, part: SetPart<Item>)] = []
    var deadline: Int64
  }

  private let sets: [ScanSet]
  private var open: [Open?]

  public init(_ sets: [ScanSet]) {
    self.sets = sets
    open = sets.map { _ in nil }
  }

  /// Takes over another collection's open sets whose definitions are unchanged here.
  ///
  /// - Returns: the other open sets, which are given up.
  public mutating func takeOver(_ other: SetGathering) -> [IncompleteSet<Item>] {
    var other = other
    return other.sets.indices.compactMap { place in
      guard let own = sets.firstIndex(of: other.sets[place]) else { return other.giveUp(place) }
      open[own] = other.open[place]
      return nil
    }
  }

  /// When the next set expires.
  public var nextDeadline: Int64? { open.compactMap { $0?.deadline }.min() }

  /// Whether a code with these flags is a part of any set.
  public func hasPart(_ flags: [String]) -> Bool { place(of: flags) != nil }

  private func place(of flags: [String]) -> Int? {
    sets.firstIndex { set in set.parts.contains(where: flags.contains) }
  }

  /// Takes a code. A different code for a part that is already present restarts the set, and the previous content is given
  /// up.
  ///
  /// - Parameter moment: in nanoseconds.
  public mutating func take(_ part: SetPart<Item>, at moment: Int64) -> (outcome: Outcome, givenUp: IncompleteSet<Item>?) {
    guard let place = place(of: part.flags) else { return (.none, nil) }
    let set = sets[place]
    var givenUp: IncompleteSet<Item>?
    if let waiting = open[place] {
      if waiting.parts.contains(where: { $0.part.identity == part.identity }) {
        return (.waiting(missing: missing(waiting, of: set)), nil)
      }
      if freeSlot(for: part, in: waiting, of: set) == nil { givenUp = giveUp(place) }
    }
    var waiting = open[place] ?? Open(deadline: moment + set.limit)
    guard let slot = freeSlot(for: part, in: waiting, of: set) else { return (.none, givenUp) }
    waiting.parts.append((slot, part))
    if waiting.parts.count == set.parts.count {
      open[place] = nil
      return (.whole(set, ordered(waiting.parts, by: set)), givenUp)
    }
    open[place] = waiting
    return (.waiting(missing: missing(waiting, of: set)), givenUp)
  }

  /// Gives up the sets whose time has expired.
  public mutating func expire(at moment: Int64) -> [IncompleteSet<Item>] {
    sets.indices.compactMap { (open[$0]?.deadline ?? .max) <= moment ? giveUp($0) : nil }
  }

  private mutating func giveUp(_ place: Int) -> IncompleteSet<Item>? {
    guard let waiting = open[place] else { return nil }
    open[place] = nil
    return IncompleteSet(
      set: sets[place].name, missing: missing(waiting, of: sets[place]), parts: waiting.parts.map(\.part.item))
  }

  private func freeSlot(for part: SetPart<Item>, in waiting: Open, of set: ScanSet) -> Int? {
    set.parts.indices.first { slot in
      part.flags.contains(set.parts[slot]) && !waiting.parts.contains { $0.slot == slot }
    }
  }

  private func missing(_ waiting: Open, of set: ScanSet) -> [String] {
    set.parts.indices.filter { slot in !waiting.parts.contains { $0.slot == slot } }.map { set.parts[$0] }
  }

  private func ordered(_ parts: [(slot: Int, part: SetPart<Item>)], by set: ScanSet) -> [(part: String, item: Item)] {
    let sorted =
      switch set.order {
      case .parts: parts.sorted { $0.slot < $1.slot }
      case .scanned: parts
      case .leftToRight: parts.sorted { ($0.part.x, $0.part.y) < ($1.part.x, $1.part.y) }
      case .topToBottom: parts.sorted { ($0.part.y, $0.part.x) < ($1.part.y, $1.part.x) }
      }
    return sorted.map { (set.parts[$0.slot], $0.part.item) }
  }
}
