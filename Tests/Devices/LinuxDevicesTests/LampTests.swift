// Torches controlled through files, bouncing contacts, and the voice.

import Devices
import Foundation
import Testing

@testable import LinuxDevices

@Suite struct LampTests {
  /// A folder that resembles a part of /sys, deleted with this object.
  private final class Tree {
    let url = FileManager.default.temporaryDirectory.appending(path: "sys-\(UUID())")
    var path: String { url.path }

    init(_ files: [String: String]) throws {
      for (name, text) in files {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func read(_ name: String) -> String { (try? String(contentsOf: url.appending(path: name), encoding: .utf8)) ?? "" }
  }

  @Test func `T3, T4: a kernel LED is lit to its maximum, switched off and read back`() async throws {
    let tree = try Tree(["torch/brightness": "000", "torch/max_brightness": "200\n"])
    let torch = SysfsTorch(led: "torch", root: tree.path)
    #expect(await torch.readFacts() == TorchFacts(isPresent: true, isAvailable: true, supportsOn: true, supportsOff: true))
    #expect(await torch.set(isOn: true) == TorchOutcome(isOn: true))
    #expect(tree.read("torch/brightness") == "200")
    #expect(await torch.readState() == true)
  }

  @Test func `T2: an LED that does not exist is not a torch, and the message says so`() async throws {
    let tree = try Tree(["other/brightness": "0"])
    let torch = SysfsTorch(led: "torch", root: tree.path)
    #expect(await !torch.readFacts().isPresent)
    let outcome = await torch.set(isOn: true)
    #expect(!outcome.isOn)
    #expect(outcome.trouble?.contains("check the name of the LED") == true)
  }

  @Test func `a dimmed torch is found by its chip's device and driven at its duty cycle`() async throws {
    let tree = try Tree([
      "devices/1f00098000.pwm/x": "", "pwmchip3/export": "", "pwmchip3/pwm1/enable": "0", "pwmchip3/pwm1/period": "0",
      "pwmchip3/pwm1/duty_cycle": "0",
    ])
    try FileManager.default.createSymbolicLink(
      at: tree.url.appending(path: "pwmchip3/device"), withDestinationURL: tree.url.appending(path: "devices/1f00098000.pwm")
    )
    var settings = PWMSettings(chip: "1f00098000.pwm", channel: 1)
    settings.brightness = 40
    let torch = SysfsTorch(pwm: settings, root: tree.path)
    #expect(await torch.set(isOn: true) == TorchOutcome(isOn: true))
    #expect(tree.read("pwmchip3/pwm1/period").hasPrefix("50000"))
    #expect(tree.read("pwmchip3/pwm1/duty_cycle").hasPrefix("20000"))
    settings.chip = "fe20c000.pwm"
    #expect(await !SysfsTorch(pwm: settings, root: tree.path).readFacts().isPresent)
  }

  @Test func `a bouncing contact is one press, and a spike is not a press`() {
    var contact = Debouncer(quiet: 10, isPressed: false)
    for (time, level) in [(0, true), (2, false), (3, true), (5, false), (6, true)] as [(Int64, Bool)] {
      contact.edge(isPressed: level, at: time)
      #expect(contact.settle(at: time + 1) == nil)
    }
    #expect(contact.deadline == 16)
    #expect(contact.settle(at: 15) == nil)
    #expect(contact.settle(at: 16) == true)
    #expect(contact.settle(at: 17) == nil)
    contact.edge(isPressed: false, at: 100)
    contact.edge(isPressed: true, at: 101)
    #expect(contact.settle(at: 200) == nil)
    #expect(contact.isPressed)
    contact.edge(isPressed: false, at: 300)
    #expect(contact.settle(at: 310) == false)
    #expect(contact.deadline == nil)
  }

  @Test func `N6: an announcement ends with the voice, explains a failure and is cut off at its limit`() async throws {
    #expect(await EspeakSpeaker(voice: "en", limit: .seconds(5), program: "true").say("4006381333931") == nil)
    #expect(await EspeakSpeaker(voice: "en", limit: .seconds(5), program: "false").say("x")?.contains("status 1") == true)
    #expect(
      await EspeakSpeaker(voice: "en", limit: .seconds(5), program: "no-such-voice").say("x")?.contains("install it") == true
    )
    let tree = try Tree([
      "mute": "#!/bin/sh\necho 'ALSA lib: no card' >&2\necho 'error: No such file or directory' >&2\n",
      "loud": "#!/bin/sh\nhead -c 300000 /dev/zero | tr '\\0' 'x' >&2\necho >&2\nexit 3\n",
      "slow": "#!/bin/sh\nexec sleep 30\n", "voice": "#!/bin/sh\nprintf '<%s>' \"$@\" >\"$0.said\"\n",
    ])
    for program in ["mute", "loud", "slow", "voice"] { chmod(tree.path + "/" + program, 0o755) }
    // The text of a barcode is always a single argument and never an option.
    let voice = EspeakSpeaker(voice: "de", limit: .seconds(5), program: tree.path + "/voice")
    #expect(await voice.say("-w /etc/x; $(reboot)\n" + String(repeating: "9", count: 1000)) == nil)
    let said = try String(contentsOfFile: tree.path + "/voice.said", encoding: .utf8)
    let text = "-w /etc/x; $(reboot) " + String(repeating: "9", count: EspeakSpeaker.characterCountMax - 21)
    #expect(said == "<-v><de><--><\(text)>")
    let mute = await EspeakSpeaker(voice: "en", limit: .seconds(60), program: tree.path + "/mute").say("x")
    #expect(mute?.contains("was not heard (error: No such file or directory); connect a sound card") == true)
    let loud = await EspeakSpeaker(voice: "en", limit: .seconds(60), program: tree.path + "/loud").say("x")
    #expect(loud?.contains("status 3") == true)
    let start = ContinuousClock.now
    let cutOff = await EspeakSpeaker(voice: "en", limit: .milliseconds(100), program: tree.path + "/slow").say("x")
    #expect(cutOff?.contains("cut off") == true)
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  private static let espeak = ["/usr/bin/espeak-ng", "/usr/local/bin/espeak-ng"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The real program, installed by `deploy/prepare test`, speaking into a file.
  @Test(arguments: ["en", "de"])
  func `N6: espeak-ng speaks the text, and reports a voice that does not exist`(voice: String) async throws {
    let program = try #require(Self.espeak)
    let tree = try Tree(["voice": "#!/bin/sh\nexec \(program) -w \"$0.wav\" \"$@\"\n"])
    chmod(tree.path + "/voice", 0o755)
    func say(_ text: String) async throws -> Int {
      let speaker = EspeakSpeaker(voice: voice, limit: .seconds(60), program: tree.path + "/voice")
      // A machine without sound cards complains while it writes the file.
      _ = await speaker.say(text)
      return try Data(contentsOf: tree.url.appending(path: "voice.wav")).count
    }
    let short = try await say("7")
    let long = try await say("4006381333931, -w x")
    // 16 bits at 22050 Hz: a number of 13 digits takes seconds.
    #expect(short > 44 && long > short + 2 * 2 * 22_050, "\(short) and \(long) bytes")
    let none = await EspeakSpeaker(voice: "xx-nowhere", limit: .seconds(60), program: program).say("x")
    #expect(none?.contains("status 1): Error: The specified espeak-ng voice does not exist") == true, "\(none ?? "")")
  }
}
