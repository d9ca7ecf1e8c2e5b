// The torch on a GPIO line. The line is held while the station runs, so that nobody else drives it, and read back after
// every change (behaviour T3).

#if Lines

  import CLibgpiod
  public import Devices

  extension TorchFacts {
    /// Of a line that cannot be had.
    init(refused failure: LineFailure) {
      self.init(isPresent: failure.cause != .missing, isAvailable: false, supportsOn: true, supportsOff: true)
      trouble = failure.description
    }
  }

  /// A torch on a line.
  public actor LineTorch: Torch {
    private nonisolated let executor = BlockingExecutor(label: "torch line")
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let settings: LineSettings
    private var line: GPIOLine?

    public init(_ settings: LineSettings) { self.settings = settings }

    public func readFacts() async -> TorchFacts {
      do throws(LineFailure) {
        _ = try takenLine()
        return TorchFacts(isPresent: true, isAvailable: true, supportsOn: true, supportsOff: true)
      } catch {
        return TorchFacts(refused: error)
      }
    }

    public func set(isOn: Bool) async -> TorchOutcome {
      do throws(LineFailure) {
        let line = try takenLine()
        try line.write(isOn)
        let observed = try line.read()
        guard observed != isOn else { return TorchOutcome(isOn: observed) }
        return TorchOutcome(
          isOn: observed, trouble: "\(settings.address): the line does not follow; check the wiring for a short circuit")
      } catch {
        // What was taken may have gone with its chip: next time it is looked for again.
        line = nil
        return TorchOutcome(isOn: false, trouble: error.description)
      }
    }

    public func readState() async -> Bool? { try? line?.read() }

    /// The line, taken and dark if it was not ours yet.
    private func takenLine() throws(LineFailure) -> GPIOLine {
      if let line { return line }
      let taken = try GPIOLines.take(settings, for: CLIBGPIOD_OUTPUT, value: false)
      line = taken
      return taken
    }

    /// What the torch does, without changing anything: the line is taken as it is, and given back. A line that is no output
    /// drives no torch.
    ///
    /// - Returns: whether it is on, or why that cannot be said.
    public static func look(at settings: LineSettings) -> Result<Bool, LineFailure> {
      do throws(LineFailure) {
        let line = try GPIOLines.take(settings, for: CLIBGPIOD_AS_IS)
        let isActive = try line.read()
        return .success(try GPIOLines.isOutput(settings.address) && isActive)
      } catch {
        return .failure(error)
      }
    }
  }

#endif
