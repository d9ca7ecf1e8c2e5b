// A torch that is lit while frames are exposed and dark in between: brighter light for the same heat, and less glare for
// people. `StrobeTiming` predicts the exposures; the thread here sleeps until each one and switches. It needs no support
// from the camera: the frames' metadata suffices.

public import Devices
import Glibc
import Synchronization

/// A torch that lights only for exposures. Its thread lives as long as the torch is on.
public actor StrobeTorch: StrobingTorch {
  private nonisolated let executor = BlockingExecutor(label: "torch")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// The executor of the switching thread, used for nothing else.
  private nonisolated let switching = BlockingExecutor(label: "strobe")
  private nonisolated let strobe: Strobe
  private nonisolated let time: any DeviceTime

  init(lamp: sending any StrobeLamp, settings: StrobeSettings, time: any DeviceTime = BootTime()) {
    strobe = Strobe(lamp: lamp, settings: settings)
    self.time = time
  }

  #if Lines
    /// A torch on a GPIO line.
    public init(line: LineSettings, settings: StrobeSettings) { self.init(lamp: LineLamp(line), settings: settings) }
  #endif

  /// A flash LED of the kernel's LED class, by its name in /sys/class/leds. Other LEDs of that class cannot be switched at a
  /// precise moment: their drivers do it at some later time.
  public init(led name: String, settings: StrobeSettings, root: String = "/sys/class/leds") {
    self.init(lamp: FlashLamp(folder: root + "/" + name, brightness: settings.flashBrightness), settings: settings)
  }

  public init(pwm: PWMSettings, settings: StrobeSettings, root: String = "/sys/class/pwm") {
    self.init(lamp: SysfsLamp.pwm(pwm, root: root), settings: settings)
  }

  deinit { _ = strobe.end() }

  public func readFacts() async -> TorchFacts { strobe.readFacts() }

  public func readState() async -> Bool? { strobe.readState() }

  public func set(isOn: Bool) async -> TorchOutcome {
    guard isOn else { return strobe.end() }
    let outcome = strobe.begin()
    if outcome.isOn {
      switching.runLater { [strobe, time] in
        while let next = strobe.step(at: time.now()) { time.sleep(until: next) }
      }
    }
    return outcome
  }

  public nonisolated func frameExposed(_ frame: FrameMetadata) { strobe.frameExposed(frame) }
  public nonisolated func framesEnded() { strobe.framesEnded() }
  public nonisolated func watch(_ report: @escaping @Sendable (TorchOutcome) -> Void) { strobe.watch(report) }
}

/// A lamp that is lit and darkened for each frame.
protocol StrobeLamp {
  /// Acquires the lamp, if available, and describes it.
  mutating func readFacts() -> TorchFacts
  /// Lights the lamp and reads it back; returns the failure, or nil. A lamp that can end the light itself does so after
  /// `nanoseconds`.
  mutating func light(for nanoseconds: Int64) -> String?
  /// Turns the lamp off and reads it back.
  mutating func darken() -> String?
  /// Whether it is lit; nil if unknown.
  var isLit: Bool? { get }
}

/// The torch's state, shared by callers that request light, the capture thread and the switching thread.
final class Strobe: Sendable {
  /// How often the thread checks for a frame before it has one to follow.
  static let lookInterval: Int64 = 20_000_000
  /// How long the lamp is lit to test whether it responds.
  static let probe: Int64 = 1_000_000

  private struct Drive {
    var lamp: any StrobeLamp
    var isWanted = false
    /// When the current pulse began; nil in the dark.
    var litSince: Int64?
    var wasSteadyTold = false
    var report: (@Sendable (TorchOutcome) -> Void)?
  }

  // Two locks, so that the capture thread never waits for a lamp.
  private let timing: Mutex<StrobeTiming>
  private let drive: Mutex<Drive>

  init(lamp: sending any StrobeLamp, settings: StrobeSettings) {
    timing = Mutex(StrobeTiming(settings))
    drive = Mutex(Drive(lamp: lamp))
  }

  func frameExposed(_ frame: FrameMetadata) { timing.withLock { $0.frameExposed(frame) } }
  func framesEnded() { timing.withLock { $0.framesEnded() } }
  func watch(_ report: @escaping @Sendable (TorchOutcome) -> Void) { drive.withLock { $0.report = report } }
  func readFacts() -> TorchFacts { drive.withLock { $0.lamp.readFacts() } }
  /// Nil while light is requested: the lamp then follows the frames.
  func readState() -> Bool? { drive.withLock { $0.isWanted ? nil : $0.lamp.isLit } }

  /// Lights the lamp briefly to test whether it responds, then lights it for exposures.
  func begin() -> TorchOutcome {
    drive.withLock { drive in
      if drive.isWanted { return TorchOutcome(isOn: true) }
      let trouble = drive.lamp.light(for: Self.probe)
      if let trouble = trouble ?? drive.lamp.darken() {
        _ = drive.lamp.darken()
        return TorchOutcome(isOn: false, trouble: trouble)
      }
      drive.isWanted = true
      return TorchOutcome(isOn: true)
    }
  }

  /// Ends strobing and turns the lamp off. On return it is dark, or could not be turned off.
  func end() -> TorchOutcome {
    drive.withLock { drive in
      drive.isWanted = false
      drive.litSince = nil
      let trouble = drive.lamp.darken()
      return TorchOutcome(isOn: trouble != nil && drive.lamp.isLit == true, trouble: trouble)
    }
  }

  /// Performs the switching that is due.
  ///
  /// - Returns: when the next switching is due; nil if light is no longer requested.
  func step(at now: Int64) -> Int64? {
    let (pulse, period, isSteady) = timing.withLock { ($0.pulse(at: now), $0.period, $0.isSteady) }
    let (next, outcome, report) = drive.withLock { drive in
      var outcome: TorchOutcome?
      let next = Self.step(&drive, pulse, period: period, at: now, &outcome)
      if outcome == nil, isSteady, next != nil, !drive.wasSteadyTold {
        drive.wasSteadyTold = true
        outcome = TorchOutcome(
          isOn: true,
          trouble: "it is lit all the time, for exposure, torch.strobe_lead and torch.strobe_lag fill a frame's "
            + "\(period / 1000) µs; shorten them or lower camera.frame_rate")
      }
      return (next, outcome, drive.report)
    }
    if let outcome { report?(outcome) }
    return next
  }

  private static func step(
    _ drive: inout Drive, _ pulse: StrobePulse?, period: Int64, at now: Int64, _ outcome: inout TorchOutcome?
  ) -> Int64? {
    guard drive.isWanted else { return nil }
    var trouble: String?
    let next: Int64
    if let pulse, pulse.start <= now {
      // New frames may have shifted the current pulse slightly.
      if drive.litSince.map({ pulse.start - $0 > period / 2 }) ?? true {
        trouble = drive.lamp.light(for: pulse.end - now)
        drive.litSince = pulse.start
      }
      next = pulse.end
    } else {
      if drive.litSince != nil { trouble = drive.lamp.darken() }
      drive.litSince = nil
      next = pulse?.start ?? now + lookInterval
    }
    guard let trouble else { return next }
    drive.isWanted = false
    drive.litSince = nil
    _ = drive.lamp.darken()
    outcome = TorchOutcome(isOn: false, trouble: trouble)
    return nil
  }
}

#if Lines

  import CLibgpiod

  /// A lamp on a GPIO line, which is held from the first use on.
  struct LineLamp: StrobeLamp {
    private let settings: LineSettings
    private var line: GPIOLine?

    init(_ settings: LineSettings) { self.settings = settings }

    mutating func readFacts() -> TorchFacts {
      do throws(LineFailure) {
        _ = try takenLine()
        return TorchFacts(isPresent: true, isAvailable: true, supportsOn: true, supportsOff: true)
      } catch {
        return TorchFacts(refused: error)
      }
    }

    mutating func light(for nanoseconds: Int64) -> String? { drive(true) }
    mutating func darken() -> String? { drive(false) }
    var isLit: Bool? { try? line?.read() }

    private mutating func drive(_ isOn: Bool) -> String? {
      do throws(LineFailure) {
        let line = try takenLine()
        try line.write(isOn)
        return try line.read() == isOn
          ? nil : "\(settings.address): the line does not reach the requested level; check the wiring for a short circuit"
      } catch {
        // The line may have gone with its chip: acquire it again next time.
        line = nil
        return error.description
      }
    }

    private mutating func takenLine() throws(LineFailure) -> GPIOLine {
      if let line { return line }
      let taken = try GPIOLines.take(settings, for: CLIBGPIOD_OUTPUT, value: false)
      line = taken
      return taken
    }
  }

#endif

extension SysfsLamp: StrobeLamp {

  func light(for nanoseconds: Int64) -> String? { prepare() ?? drive(true) ?? (isLit == true ? nil : doesNotFollow) }
  func darken() -> String? { prepare() ?? drive(false) ?? (isLit == true ? doesNotFollow : nil) }

  private var doesNotFollow: String { "\(name): the lamp does not respond" }
}

/// A flash LED: its driver lights it for a given time, and turns it off automatically.
struct FlashLamp: StrobeLamp {
  private let lamp: SysfsLamp
  private let folder: String
  private let brightness: Int?
  private var isSetUp = false

  /// - Parameter brightness: percent of its maximum; nil leaves the present setting.
  init(folder: String, brightness: Int?) {
    lamp = .led(folder: folder)
    self.folder = folder
    self.brightness = brightness
  }

  func readFacts() -> TorchFacts {
    var facts = lamp.readFacts()
    guard facts.isPresent else { return facts }
    facts.trouble = flashTrouble ?? facts.trouble
    facts.isAvailable = facts.trouble == nil
    return facts
  }

  /// Why the LED cannot be lit for an exposure; nil if it can.
  private var flashTrouble: String? {
    let file = folder + "/flash_strobe"
    guard access(file, F_OK) == 0 else {
      return
        "\(folder): this LED has no flash and cannot be lit for an exposure; wire the torch to a line or a PWM channel, "
        + "or set torch.strobe to false"
    }
    return access(file, W_OK) == 0 ? nil : "\(file): it may not be written; add the user to the group that owns it"
  }

  mutating func light(for nanoseconds: Int64) -> String? {
    if lamp.isPresent, let trouble = flashTrouble { return trouble }
    if !isSetUp {
      if let trouble = setUp() { return trouble }
      isSetUp = true
    }
    let microseconds = max(1, nanoseconds / 1000)
    let most = lamp.number(folder + "/max_flash_timeout") ?? .max
    return writeIfThere("\(min(Int(microseconds), most))", to: "/flash_timeout")
      ?? lamp.write("1", to: folder + "/flash_strobe")
  }

  func darken() -> String? { lamp.drive(false) }
  var isLit: Bool? { lamp.isLit }

  /// The flash brightness is separate from the brightness of the same LED as a torch.
  private func setUp() -> String? {
    guard let brightness, let most = lamp.number(folder + "/max_flash_brightness") else { return nil }
    return lamp.write("\(most * brightness / 100)", to: folder + "/flash_brightness")
  }

  /// Not every driver allows its timeout to be set.
  private func writeIfThere(_ word: String, to file: String) -> String? {
    access(folder + file, F_OK) == 0 ? lamp.write(word, to: folder + file) : nil
  }
}
