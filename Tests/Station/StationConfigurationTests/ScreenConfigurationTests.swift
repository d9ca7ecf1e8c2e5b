// The configuration of the screen.

import BarcodeTypes
import Foundation
import ScanControl
import ScanScreen
import StationConfiguration
import Testing

@Suite struct ScreenConfigurationTests {
  private func load(_ yaml: String) async throws(ConfigurationError) -> ScreenConfiguration {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try? ("camera: {pictures: a}\n" + yaml).write(toFile: path, atomically: true, encoding: .utf8)
    return try await StationConfiguration.load(path: path, environment: [:]).screen
  }

  private func complaint(_ yaml: String) async -> String {
    do throws(ConfigurationError) {
      _ = try await load(yaml)
      return "nothing is wrong"
    } catch {
      return error.description
    }
  }

  @Test func `a station has no screen unless one is configured`() async throws {
    #expect(try await load("") == ScreenConfiguration())
    #expect(try await load("").settings.viewport == .square(ScreenLayout.viewportPart))
  }

  @Test func `N2: with a panel, any text except digits alone needs confirmation unless the operator says otherwise`()
    async throws
  {
    func load(_ yaml: String) async throws -> StationConfiguration {
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID()).yaml").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      try ("camera: {pictures: a}\n" + yaml).write(toFile: path, atomically: true, encoding: .utf8)
      return try await StationConfiguration.load(path: path, environment: [:])
    }
    for (yaml, confirmation, isImplied) in [
      ("", ScanControl.Confirmation.never, false), ("screen: {output: png, folder: shots}", .never, false),
      ("screen: {output: kms}", .alphanumeric, true), ("screen: {output: kms}\nconfirm: never", .never, false),
      ("screen: {output: kms}\nconfirm: alphanumeric", .alphanumeric, false),
      ("screen: {output: kms}\nconfirm: always", .always, false),
    ] {
      let loaded = try await load(yaml)
      #expect(loaded.scan.confirmation == confirmation && loaded.isConfirmationImplied == isImplied, "\(yaml)")
    }
  }

  @Test func `every key of the screen can be set`() async throws {
    let screen = try await load(
      """
      viewport: [0.1, 0.2, 0.5, 0.6]
      screen:
        output: png
        card: /dev/dri/card1
        connector: HDMI-A-2
        mode: 1280x720
        terminal: /dev/tty7
        folder: shots
        rotation: 90
        camera_rotation: 270
        mirror: true
        viewport: 0.8
        language: de
        focus_padding: 12
        focus_duration: 1.5 s
        focus_picture: /dev/null
        colours: {accent: "#ff8800", darkening: "#000000c0"}
        texts: {ready: Grüezi}
      """)
    #expect(screen.output == .png && screen.card == "/dev/dri/card1" && screen.connector == "HDMI-A-2")
    #expect(screen.size == ScreenSize(width: 1280, height: 720) && screen.terminal == "/dev/tty7")
    #expect(screen.folder == "shots" && screen.settings.turn == .clockwise)
    #expect(screen.settings.camera == FrameOrientation(turn: .anticlockwise, isMirrored: true))
    // A viewport in terms of the frame replaces the square.
    #expect(screen.settings.viewport == .frame(x: 0.1, y: 0.2, width: 0.5, height: 0.6))
    let style = screen.settings.style
    #expect(style.words.language == .german && style.words[.ready] == "Grüezi")
    #expect(style.focusPadding == 12 && style.focusDuration == 1.5)
    #expect(screen.settings.focusFramePicture == "/dev/null")
    #expect(style.colours.accent == Colour(red: 255, green: 136, blue: 0) && style.colours.darkening.alpha == 192)
    #expect(style.colours.text == ScreenColours().text)
  }

  @Test(arguments: [
    ("output: hdmi", "it must be one of none, kms, png"), ("mode: 1280", "a width and a height in pixels"),
    ("mode: 1280x720x3", "a width and a height in pixels"), ("mode: 9x9", "from 16 to 8192"),
    ("rotation: 45", "it must be one of 0, 90, 180, 270"), ("mirror: maybe", "true or false"),
    ("viewport: 1.5", "a number from 0.1 to 1"), ("language: fr", "it must be one of en, de"),
    ("focus_padding: -1", "a number from 0 to 64"), ("focus_duration: 9 s", "a time from 0 s to 5 s"),
    ("colours: {accent: green}", "a colour such as"),
    ("colours: {acent: \"#ffffff\"}", "did you mean screen.colours.accent"),
    ("texts: {redy: x}", "did you mean screen.texts.ready"),
    ("focus_picture: /nowhere.png", "a file that this user can read"),
    ("output: png", "screen.folder is missing"),
  ])
  func `a wrong value is reported with what is expected`(line: String, complaint expected: String) async {
    let complaint = await complaint("screen:\n  \(line)\n")
    #expect(complaint.contains(expected), "\(complaint)")
  }
}
