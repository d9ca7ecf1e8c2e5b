// Behaviour T6: a torch that is lit for exposures: the commands to its lamp, and their times.

import Devices
import Foundation
import Synchronization
import Testing

@testable import LinuxDevices

/// A record of the commands to a lamp, readable from outside.
private final class LampDiary: Sendable {
  struct State {
    var now: Int64 = 0
    var isLit = false
    /// Times of light, in nanoseconds.
    var pulses: [Range<Int64>] = []
    var since: Int64 = 0
    var trouble: String?
  }

  let state = Mutex(State())

  func turn(_ isLit: Bool) {
    state.withLock { state in
      if state.isLit, !isLit { state.pulses.append(state.since..<max(state.since, state.now)) }
      if isLit, !state.isLit { state.since = state.now }
      state.isLit = isLit
    }
  }

  var pulses: [Range<Int64>] { state.withLock { $0.pulses } }
  var isLit: Bool { state.withLock { $0.isLit } }
}

private struct NotedLamp: StrobeLamp {
  let diary: LampDiary

  func readFacts() -> TorchFacts { TorchFacts(isPresent: true, isAvailable: true, supportsOn: true, supportsOff: true) }
  func light(for nanoseconds: Int64) -> String? {
    if let trouble = diary.state.withLock({ $0.trouble }) { return trouble }
    diary.turn(true)
    return nil
  }
  func darken() -> String? {
    diary.turn(false)
    return nil
  }
  var isLit: Bool? { diary.isLit }
}

@Suite struct StrobeTorchTests {
  private static let period: Int64 = 33_333_000

  private var settings: StrobeSettings { StrobeSettings(exposure: .microseconds(500)) }

  private func frame(_ number: Int) -> FrameMetadata {
    FrameMetadata(sequence: UInt64(number), captureBootTimeNanoseconds: 1_000_000_000 + Int64(number) * Self.period)
  }

  /// Lets time pass: frames arrive 20 ms after their exposure, and the thread's steps are run.
  private func run(_ strobe: Strobe, _ diary: LampDiary, frames: Range<Int>, until end: Int64) {
    var now = diary.state.withLock { $0.now }
    var coming = frames.map { (at: 1_020_000_000 + Int64($0) * Self.period, frame: frame($0)) }
    while now < end {
      diary.state.withLock { $0.now = now }
      guard let next = strobe.step(at: now) else { return }
      while let first = coming.first, first.at <= next {
        strobe.frameExposed(first.frame)
        coming.removeFirst()
      }
      now = next
    }
    diary.state.withLock { $0.now = now }
  }

  @Test func `T3, T6: the torch is on while it strobes: lit around each exposure, dark in between`() {
    let diary = LampDiary()
    let strobe = Strobe(lamp: NotedLamp(diary: diary), settings: settings)
    #expect(strobe.begin() == TorchOutcome(isOn: true))
    #expect(!diary.isLit, "it waits for the first exposure")
    run(strobe, diary, frames: 0..<60, until: 1_000_000_000 + 60 * Self.period)
    let pulses = diary.pulses.drop { $0.isEmpty }
    #expect((55...58).contains(pulses.count))
    for (number, pulse) in zip((60 - pulses.count)..., pulses) {
      let stamp = 1_000_000_000 + Int64(number) * Self.period
      #expect(pulse.lowerBound <= stamp - 2_000_000 && pulse.upperBound >= stamp + 10_000_000, "frame \(number)")
      #expect(pulse.upperBound - pulse.lowerBound <= Self.period / 2)
    }
    #expect(strobe.end() == TorchOutcome(isOn: false))
    #expect(strobe.step(at: 4_000_000_000) == nil, "its thread ends")
  }

  @Test func `T1, T6: the torch is dark at once when switched off, and soon after frames stop`() {
    let diary = LampDiary()
    let strobe = Strobe(lamp: NotedLamp(diary: diary), settings: settings)
    _ = strobe.begin()
    run(strobe, diary, frames: 0..<10, until: 1_000_000_000 + 9 * Self.period + 5_000_000)
    // In the middle of a pulse.
    let pulse = 1_000_000_000 + 10 * Self.period
    diary.state.withLock { $0.now = pulse }
    _ = strobe.step(at: pulse)
    #expect(diary.isLit)
    #expect(strobe.end() == TorchOutcome(isOn: false) && !diary.isLit)
    _ = strobe.begin()
    let before = diary.pulses.count
    run(strobe, diary, frames: 10..<20, until: 10_000_000_000)
    #expect(!diary.isLit)
    #expect(diary.pulses.count - before <= 10 + StrobeTiming.blindFrameCountMax)
    strobe.framesEnded()
    #expect(strobe.step(at: 10_000_000_000).map { $0 <= 10_000_000_000 + Strobe.lookInterval } == true)
  }

  @Test func `T3: a lamp that fails while strobing is off, and gives the cause once`() {
    let diary = LampDiary()
    let told = Mutex<[TorchOutcome]>([])
    let strobe = Strobe(lamp: NotedLamp(diary: diary), settings: settings)
    strobe.watch { outcome in told.withLock { $0.append(outcome) } }
    _ = strobe.begin()
    run(strobe, diary, frames: 0..<10, until: 1_000_000_000 + 9 * Self.period + 25_000_000)
    diary.state.withLock { $0.trouble = "the line has gone" }
    run(strobe, diary, frames: 10..<20, until: 3_000_000_000)
    #expect(told.withLock { $0 } == [TorchOutcome(isOn: false, trouble: "the line has gone")])
    #expect(!diary.isLit)
    #expect(strobe.begin() == TorchOutcome(isOn: false, trouble: "the line has gone"))
  }

  @Test func `T6: exposures that fill the frame get steady light, which is reported once`() {
    let diary = LampDiary()
    let told = Mutex<[TorchOutcome]>([])
    var settings = settings
    settings.exposure = .milliseconds(20)
    let strobe = Strobe(lamp: NotedLamp(diary: diary), settings: settings)
    strobe.watch { outcome in told.withLock { $0.append(outcome) } }
    _ = strobe.begin()
    run(strobe, diary, frames: 0..<30, until: 1_000_000_000 + 29 * Self.period)
    #expect(diary.isLit && diary.pulses.count { !$0.isEmpty } == 0)
    let outcomes = told.withLock { $0 }
    #expect(outcomes.count == 1 && outcomes.first?.isOn == true)
    #expect(outcomes.first?.trouble?.contains("shorten them or lower camera.frame_rate") == true)
  }

  @Test func `the torch's own thread strobes, and ends with the torch`() async throws {
    let diary = LampDiary()
    let time = SimulatedTime(nanoseconds: 1_000_000_000)
    var torch: StrobeTorch? = StrobeTorch(lamp: NotedLamp(diary: diary), settings: settings, time: time)
    torch?.frameExposed(frame(0))
    torch?.frameExposed(frame(1))
    #expect(await torch?.set(isOn: true) == TorchOutcome(isOn: true))
    // Blind, it lights no more frames than permitted; simulated time passes instantly.
    for _ in 0..<5000 where time.now() < 3_500_000_000 { try await Task.sleep(for: .milliseconds(2)) }
    #expect((1...StrobeTiming.blindFrameCountMax + 1).contains(diary.pulses.count))
    #expect(await torch?.set(isOn: false) == TorchOutcome(isOn: false))
    torch = nil
    #expect(!diary.isLit)
  }

  /// A folder that resembles a kernel LED, deleted with this object.
  private final class LED {
    let url = FileManager.default.temporaryDirectory.appending(path: "led-\(UUID())")

    init(_ files: [String: String]) throws {
      let folder = url.appending(path: "flash")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func read(_ name: String) -> String {
      (try? String(contentsOf: url.appending(path: "flash/" + name), encoding: .utf8)) ?? ""
    }
  }

  @Test func `a flash LED receives its duration and brightness, capped at the driver's limit`() throws {
    let led = try LED([
      "brightness": "000", "max_brightness": "7", "flash_brightness": "000000", "max_flash_brightness": "750000",
      "flash_timeout": "000000", "max_flash_timeout": "40000", "flash_strobe": "0",
    ])
    var lamp = FlashLamp(folder: led.url.path + "/flash", brightness: 40)
    #expect(lamp.readFacts() == TorchFacts(isPresent: true, isAvailable: true, supportsOn: true, supportsOff: true))
    #expect(lamp.light(for: 13_000_000) == nil)
    #expect(led.read("flash_brightness") == "300000")
    #expect(led.read("flash_timeout").hasPrefix("13000"))
    #expect(led.read("flash_strobe") == "1" && lamp.isLit == true)
    #expect(lamp.darken() == nil && led.read("flash_strobe") == "0" && lamp.isLit == false)
    #expect(lamp.light(for: 90_000_000) == nil && led.read("flash_timeout").hasPrefix("40000"))
    // The service's last command also turns off a flash.
    #expect(SysfsLamp.led(folder: led.url.path + "/flash").drive(false) == nil && led.read("flash_strobe") == "0")
  }

  @Test func `T2, T6: an LED without a flash cannot strobe, and the message says what to do`() async throws {
    let led = try LED(["brightness": "0", "max_brightness": "255"])
    let torch = StrobeTorch(led: "flash", settings: settings, root: led.url.path)
    #expect(await torch.readFacts().isAvailable == false)
    let outcome = await torch.set(isOn: true)
    #expect(!outcome.isOn && outcome.trouble?.contains("set torch.strobe to false") == true)
    #expect(led.read("brightness").hasPrefix("0"))
    let absent = await StrobeTorch(led: "other", settings: settings, root: led.url.path).set(isOn: true)
    #expect(absent.trouble?.contains("check the name of the LED") == true)
  }
}
