// Buttons on GPIO lines: one thread sleeps until an edge comes or a contact becomes stable.

#if Lines

  import CLibgpiod
  public import Devices
  import Dispatch
  import Glibc
  import Synchronization

  /// Buttons on lines.
  ///
  /// An unavailable line is reported once and tried again from time to time: a chip on a cable may come later.
  public final class LineButtons: Buttons {
    /// Changes that wait to be taken; further ones are lost.
    public static let waitingCountMax = 64
    /// How often unavailable lines are tried again.
    static let retryMilliseconds: Int64 = 5000
    /// The longest sleep, and so the longest time until the thread ends after its reader has gone.
    static let sleepMilliseconds: Int64 = 250

    private let settings: [ButtonSettings]
    private let trouble: @Sendable (String) -> Void

    /// - Parameter trouble: called with the trouble of a line, on the buttons' thread.
    public init(_ settings: [ButtonSettings], trouble: @escaping @Sendable (String) -> Void) {
      self.settings = settings
      self.trouble = trouble
    }

    public func changes() -> AsyncStream<ButtonChange> {
      let (stream, continuation) = AsyncStream.makeStream(
        of: ButtonChange.self, bufferingPolicy: .bufferingOldest(Self.waitingCountMax))
      let isWanted = Flag()
      continuation.onTermination = { _ in isWanted.clear() }
      let watch = ButtonWatch(settings: settings, trouble: trouble)
      let queue = DispatchQueue(label: "buttons")
      queue.async { watch.run(while: { isWanted.isSet }) { continuation.yield($0) } }
      return stream
    }
  }

  /// Whether the changes are still read.
  private final class Flag: Sendable {
    private let value = Atomic(true)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func clear() { value.store(false, ordering: .relaxed) }
  }

  /// State of the thread.
  private final class ButtonWatch: @unchecked Sendable {
    private struct Contact {
      let settings: ButtonSettings
      var line: GPIOLine?
      var debouncer: Debouncer
      var wasTroubleTold = false
    }

    private var contacts: [Contact]
    private let trouble: (String) -> Void
    private var retryAt: Int64 = 0

    init(settings: [ButtonSettings], trouble: @escaping (String) -> Void) {
      contacts = settings.map {
        Contact(settings: $0, line: nil, debouncer: Debouncer(quiet: $0.debounce.nanoseconds, isPressed: false))
      }
      self.trouble = trouble
    }

    func run(while isWanted: () -> Bool, tell: (ButtonChange) -> Void) {
      while isWanted() {
        let now = BootTime().now()
        if now >= retryAt { takeMissingLines(now) }
        waitForEdges(now)
        let settled = BootTime().now()
        for index in contacts.indices {
          guard let isPressed = contacts[index].debouncer.settle(at: settled) else { continue }
          tell(ButtonChange(contacts[index].settings.button, isPressed: isPressed))
        }
      }
    }

    private func takeMissingLines(_ now: Int64) {
      retryAt = now + LineButtons.retryMilliseconds * 1_000_000
      for index in contacts.indices where contacts[index].line == nil {
        let settings = contacts[index].settings
        do throws(LineFailure) {
          let line = try GPIOLines.take(settings.line, for: CLIBGPIOD_EDGES, bias: settings.bias)
          // A button held while the station starts does not count as a press.
          contacts[index].debouncer = Debouncer(quiet: settings.debounce.nanoseconds, isPressed: try line.read())
          contacts[index].line = line
          contacts[index].wasTroubleTold = false
        } catch {
          lose(index, error)
        }
      }
    }

    private func lose(_ index: Int, _ failure: LineFailure) {
      contacts[index].line = nil
      guard !contacts[index].wasTroubleTold else { return }
      contacts[index].wasTroubleTold = true
      trouble("button \(contacts[index].settings.button.rawValue): \(failure)")
    }

    private func waitForEdges(_ now: Int64) {
      var deadline = min(now + LineButtons.sleepMilliseconds * 1_000_000, max(now, retryAt))
      for contact in contacts { if let due = contact.debouncer.deadline { deadline = min(deadline, due) } }
      var polled = contacts.map { pollfd(fd: $0.line?.descriptor ?? -1, events: Int16(POLLIN), revents: 0) }
      // Rounded up: otherwise the thread would spin during the last fraction of a millisecond.
      let milliseconds = Int32(clamping: (max(0, deadline - now) + 999_999) / 1_000_000)
      guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return }
      for index in polled.indices where polled[index].revents != 0 {
        guard let line = contacts[index].line else { continue }
        do throws(LineFailure) {
          let isPressed = try line.takeEdge()
          contacts[index].debouncer.edge(isPressed: isPressed, at: BootTime().now())
        } catch {
          lose(index, error)
        }
      }
    }
  }

#endif
