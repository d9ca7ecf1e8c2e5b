// Buttons on GPIO lines: one thread sleeps until an edge comes or a contact has become quiet.

#if Lines

  import CLibgpiod
  public import Devices
  import Dispatch
  import Glibc
  import Synchronization

  /// Buttons on lines.
  ///
  /// A line that cannot be had is told once and tried again from time to time: a chip on a cable may come later.
  public final class LineButtons: Buttons {
    /// Changes that wait for somebody to look; further ones are lost.
    public static let waitingCountMax = 64
    /// How often lines that could not be had are tried again.
    static let retryMilliseconds: Int64 = 5000
    /// The longest sleep: how soon the thread ends when nobody listens any more.
    static let sleepMilliseconds: Int64 = 250

    private let settings: [ButtonSettings]
    private let trouble: @Sendable (String) -> Void

    /// - Parameter trouble: hears what is wrong with a line; called on the thread of the buttons.
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

  /// Whether somebody still listens.
  private final class Flag: Sendable {
    private let value = Atomic(true)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func clear() { value.store(false, ordering: .relaxed) }
  }

  /// The thread's own world.
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
          // A button that is held when the station starts is no press.
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
      // Rounded up, or the last fraction of a millisecond would be spent turning round.
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
