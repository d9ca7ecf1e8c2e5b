// The simulated devices keep the same promises as the real ones.

import BarcodeTypes
import Devices
import Dispatch
import Testing

@Suite struct SimulatedDeviceTests {
  private let time = SimulatedTime()

  @Test func `a camera lends its frames on time and then ends`() throws {
    let camera = SimulatedCamera(
      script: [.frame(SimulatedPicture(width: 2, height: 1, luma: [7, 9])), .silence(.milliseconds(50))],
      period: .milliseconds(40), time: time)
    try camera.load()
    try camera.start()
    var seen: [(UInt8, FrameMetadata)] = []
    #expect(camera.withNextFrame(within: .seconds(1)) { seen.append(($0[1, 0], $1)) } == .lent)
    #expect(seen.map(\.0) == [9])
    #expect(seen.map(\.1) == [FrameMetadata(sequence: 1, captureBootTimeNanoseconds: 40_000_000)])
    for _ in 0..<3 { #expect(camera.withNextFrame(within: .milliseconds(20)) { _, _ in } == .noneYet) }
    #expect(time.now() == 90_000_000)
    #expect(camera.withNextFrame(within: .milliseconds(20)) { _, _ in } == .ended)
    camera.stop()
    camera.stop()
    #expect(camera.history == ["load", "start", "stop"])
  }

  @Test func `a camera fails as scripted, and then works`() throws {
    let camera = SimulatedCamera(script: [], time: time)
    let failure = SourceFailure(.nothingMatches, "no camera")
    camera.loadOutcomes = [failure, nil]
    camera.startOutcomes = [failure]
    #expect(throws: failure) { try camera.load() }
    try camera.load()
    #expect(throws: failure) { try camera.start() }
    try camera.start()
  }

  @Test func `T3, T4: a torch reports its actual state, even when it refuses`() async {
    let torch = SimulatedTorch()
    #expect(await torch.set(isOn: true) == TorchOutcome(isOn: true))
    torch.refuse(with: "the line is taken")
    #expect(await torch.set(isOn: false) == TorchOutcome(isOn: true, trouble: "the line is taken"))
    torch.refuse(with: nil)
    #expect(await torch.set(isOn: false) == TorchOutcome(isOn: false))
    #expect(torch.history == [true, false, false])
  }

  @Test func `T2: a board without a torch reports it`() async {
    let facts = await AbsentTorch().readFacts()
    #expect(!facts.isPresent)
    #expect(await AbsentTorch().set(isOn: true).trouble == "this station has no torch")
    #expect(await AbsentTorch().set(isOn: false) == TorchOutcome(isOn: false))
  }

  @Test func `buttons report changes in order until they are removed`() async {
    let buttons = SimulatedButtons()
    for button in [Button.trigger, .cancel] { buttons.press(button) }
    buttons.release(.trigger)
    buttons.remove()
    var changes: [ButtonChange] = []
    for await change in buttons.changes() { changes.append(change) }
    let expected = [(Button.trigger, true), (.cancel, true), (.trigger, false)]
    #expect(changes == expected.map { ButtonChange($0, isPressed: $1) })
  }

  @Test(arguments: [
    ("pinctrl-rp1:GPIO17", LineAddress(chip: "pinctrl-rp1", line: "GPIO17")),
    ("pinctrl-rp1:17", LineAddress(chip: "pinctrl-rp1", line: "17")), ("GPIO17", LineAddress(chip: nil, line: "GPIO17")),
  ])
  func `a line address is a chip label with a name or offset, or a name alone`(text: String, address: LineAddress) {
    #expect(LineAddress(text) == address)
    #expect(address.description == text)
  }

  @Test(arguments: ["17", "gpiochip0:17", "", ":17", "chip:", "a b", "a name of more than thirty-one letters"])
  func `chip numbers, and offsets without a chip, are not line addresses`(text: String) {
    #expect(LineAddress(text) == nil)
  }

  @Test func `the caller waits for a blocked call only up to a limit, and later calls queue behind it`() {
    let executor = BlockingExecutor(label: "test")
    #expect(executor.run(within: .seconds(5)) {})
    let gate = DispatchSemaphore(value: 0)
    #expect(!executor.run(within: .milliseconds(20)) { gate.wait() })
    #expect(!executor.run(within: .milliseconds(20)) {})
    gate.signal()
    #expect(executor.run(within: .seconds(5)) {})
  }

  @Test func `boot time advances while a thread sleeps`() {
    let time = BootTime()
    let start = time.now()
    time.sleep(until: start + 3_000_000)
    #expect(time.now() - start >= 3_000_000)
    time.sleep(until: start)
  }
}
