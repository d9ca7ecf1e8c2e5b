// The torch on a GPIO line. The station holds the line while it runs, so that no other program drives it, and reads it back
// after every change (behaviour T3).

#if Lines

  import CLibgpiod
  public import Devices

  extension TorchFacts {
    /// The outcome for an unavailable line.
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
          isOn: observed,
          trouble: "\(settings.address): the line does not reach the requested level; check the wiring for a short circuit")
      } catch {
        // The line may have gone with its chip: acquire it again next time.
        line = nil
        return TorchOutcome(isOn: false, trouble: error.description)
      }
    }

    public func readState() async -> Bool? { try? line?.read() }

    /// The line, acquired and dark if the station did not hold it yet.
    private func takenLine() throws(LineFailure) -> GPIOLine {
      if let line { return line }
      let taken = try GPIOLines.take(settings, for: CLIBGPIOD_OUTPUT, value: false)
      line = taken
      return taken
    }

    /// The torch's state, read without changing it: the line is acquired as it is, and released. A line that is not an
    /// output drives no torch.
    ///
    /// - Returns: whether the torch is on, or why that is unknown.
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
