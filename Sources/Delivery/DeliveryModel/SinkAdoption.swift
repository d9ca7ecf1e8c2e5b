// Configured sinks meet the states that a file has of sinks: some are new, some have a new name, some are gone.

/// The states of all sinks once those of a configuration have been reconciled with those of a file.
package struct SinkAdoption {
  /// By name.
  package private(set) var states: [String: SinkState]
  /// Sinks that keep their scans under a new name.
  package private(set) var renamed: [(old: String, new: String)] = []

  private let sinks: [OutboxSink]
  private let names: Set<String>
  private let lastNumber: Int64

  /// - Parameters:
  ///   - states: the states in the file, by name.
  ///   - sinks: the configured sinks.
  ///   - lastNumber: the highest number that was given.
  package init(_ states: [String: SinkState], sinks: [OutboxSink], lastNumber: Int64) {
    self.states = states
    self.sinks = sinks
    names = Set(sinks.map(\.name))
    self.lastNumber = lastNumber
    dropFormerNames()
    adopt()
    settle()
    number()
  }

  /// A journal torn while a sink got its new name may contain both: the one with the new name has the other's scans.
  private mutating func dropFormerNames() {
    for sink in sinks {
      guard let own = states[sink.name] else { continue }
      for old in states.values where !names.contains(old.name) && old.until == nil && old.hasBecome(own) {
        renamed.append((old.name, sink.name))
        states[old.name] = nil
      }
    }
  }

  /// Gives each sink without a state that of the one sink that is gone and had its target, or a new one.
  private mutating func adopt() {
    for sink in sinks where states[sink.name] == nil {
      let candidates = states.values.filter {
        !names.contains($0.name) && !$0.target.isEmpty && $0.target == sink.target
      }
      let isOnlyHeir = sinks.count { states[$0.name] == nil && $0.target == sink.target } == 1
      if candidates.count == 1, isOnlyHeir, var state = candidates.first {
        renamed.append((state.name, sink.name))
        states[state.name] = nil
        state.rename(to: sink.name)
        states[sink.name] = state
      } else {
        states[sink.name] = SinkState(sink, done: NumberSet(through: lastNumber))
      }
    }
  }

  /// Marks as done the scans that were made while a sink was not configured: they were not meant for it.
  private mutating func settle() {
    for sink in sinks {
      states[sink.name]?.target = sink.target
      states[sink.name]?.forgetFormerNames(in: names)
      if let until = states[sink.name]?.until {
        if until < lastNumber { states[sink.name]?.done.insert(until + 1...lastNumber) }
        states[sink.name]?.until = nil
      }
    }
  }

  /// Gives all states versions of a new start. States noted after the last sync, and lost in a power cut, must not look newer
  /// than these.
  private mutating func number() {
    let start = SinkState.start(of: states.values) + 1
    for name in states.keys {
      states[name]?.version = start * SinkState.versionsPerStart
      if !names.contains(name), states[name]?.until == nil { states[name]?.until = lastNumber }
    }
  }
}
