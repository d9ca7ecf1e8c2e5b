// Lamps and buzzers on GPIO lines. Each plays its pattern independently; a newer signal replaces one that still plays.

#if Lines

  import CLibgpiod
  public import Devices

  /// Lamps and buzzers.
  public final class LineSignals: Signals {
    private let outputs: [LineOutput]

    /// - Parameter trouble: called with the trouble of a line, once until it works again.
    public init(_ settings: [OutputSettings], trouble: @escaping @Sendable (String) -> Void) {
      outputs = settings.map { LineOutput($0, trouble: trouble) }
    }

    public func show(_ signal: StationSignal) {
      for output in outputs { Task { await output.play(signal) } }
    }
  }

  /// A lamp or buzzer on one line.
  private actor LineOutput {
    private nonisolated let executor = BlockingExecutor(label: "output line")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let settings: OutputSettings
    private let trouble: @Sendable (String) -> Void
    private var line: GPIOLine?
    private var wasTroubleTold = false
    /// The number of the signal that is playing.
    private var playing = 0

    init(_ settings: OutputSettings, trouble: @escaping @Sendable (String) -> Void) {
      self.settings = settings
      self.trouble = trouble
    }

    func play(_ signal: StationSignal) async {
      guard let pattern = settings.patterns[signal], !pattern.isEmpty else { return }
      playing += 1
      let mine = playing
      var isOn = true
      for duration in pattern {
        drive(isOn)
        try? await Task.sleep(for: duration)
        guard playing == mine else { return }
        isOn.toggle()
      }
      drive(false)
    }

    private func drive(_ isOn: Bool) {
      do throws(LineFailure) {
        if line == nil { line = try GPIOLines.take(settings.line, for: CLIBGPIOD_OUTPUT) }
        try line?.write(isOn)
        wasTroubleTold = false
      } catch {
        line = nil
        if !wasTroubleTold { trouble("output \(error)") }
        wasTroubleTold = true
      }
    }
  }

#endif
