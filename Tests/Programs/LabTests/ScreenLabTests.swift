// The screen on a real kernel's display driver: the contents of the planes are read back pixel by pixel, and the station
// survives every disturbance of the screen.

import BarcodeTypes
import Foundation
import ScanScreen
import Testing

@Suite(.inTheLab, .serialized) struct ScreenLabTests {
  /// States that were shown: `screen-lab`'s output about them, the pictures taken, and the expected pictures.
  private struct Shown {
    let run: LabRun

    subscript(name: String) -> String? { run.value(name, in: "states") }

    func numbers(_ name: String) throws -> [Double] {
      try #require(self[name]).split(separator: " ").compactMap { Double($0) }
    }

    func picture(_ state: String) throws -> Screenshot { try run.screenshot(state) }

    func expectedPicture(_ state: String) throws -> Screenshot { try Screenshot(run.bytes(of: state + ".expected")) }

    /// The picture composed by the display hardware has the checksum computed from display list and frame.
    func expectChecksum(_ state: String, at location: SourceLocation = #_sourceLocation) throws {
      let seen = try #require(run["checksum-" + state], sourceLocation: location)
      let wanted = try #require(self["checksum-" + state], sourceLocation: location)
      #expect(
        UInt32(seen.dropFirst(2), radix: 16) == UInt32(wanted.dropFirst(2), radix: 16), "\(state): \(seen), \(wanted)",
        sourceLocation: location)
    }
  }

  /// Shows states, and takes a picture and the checksum of each.
  private func show(
    _ states: [String], frame: String = "1024x768", turn: Int = 0, isMirrored: Bool = false, isColoured: Bool = false,
    kernel: [String] = []
  ) throws -> Shown {
    var lab = LabScript()
    lab.start(
      "states",
      ["env"] + (isColoured ? ["SCREEN_LAB_COLOUR=1"] : [])
        + ["screen-lab", "states", frame, "\(turn)", isMirrored ? "1" : "0"] + states)
    for state in states {
      lab.await(.fileExists(state + ".ready"), within: 20)
      lab.takeScreenshot(state)
      lab.print("checksum-" + state, "screen_checksum")
      lab.run("touch", state + ".done")
    }
    lab.finish("states")
    return Shown(run: try lab.run(kernelArguments: kernel))
  }

  /// The value that `screen-lab` gives a frame's pixel.
  private func pattern(_ x: Int, _ y: Int) -> Int { (16 + (x / 4 + y / 3) % 224) & 0xFF }

  @Test
  func `V1, V4: the viewport is where geometry puts it, to the pixel, with a bright preview inside and a dark one around`()
    throws
  {
    let shown = try show(["preview"])
    #expect(shown["preview"] == "copied")
    let shot = try shown.picture("preview")
    let viewport = try shown.numbers("viewport").map { Int($0) }
    let (left, top, right, bottom) = (viewport[0], viewport[1], viewport[0] + viewport[2], viewport[1] + viewport[3])
    // Every seventh pixel inside, including the edges, shows the frame unchanged.
    for y in Array(stride(from: top, to: bottom, by: 7)) + [bottom - 1] {
      for x in Array(stride(from: left, to: right, by: 7)) + [right - 1] {
        #expect(abs(shot.grey(x, y) - pattern(x, y)) <= 3, "\(x), \(y)")
      }
    }
    // Outside the border it is half as bright.
    for (x, y) in [(100, 384), (900, 384), (20, 700), (150, 160)] {
      #expect(abs(shot.grey(x, y) - pattern(x, y) / 2) <= 3, "\(x), \(y)")
    }
    // The border begins immediately outside.
    for (x, y) in [(left - 2, 384), (right + 1, 384), (512, top - 2), (512, bottom + 1)] {
      #expect(shot.grey(x, y) > 150, "\(x), \(y)")
    }
  }

  @Test func `N5: a code's outline is on its corners`() throws {
    let shown = try show(["recognised"])
    let shot = try shown.picture("recognised")
    let corners = try shown.numbers("corners")
    for index in 0..<4 {
      let next = (index + 1) % 4
      for part in [0.0, 0.25, 0.5, 0.75] {
        let x = corners[2 * index] + (corners[2 * next] - corners[2 * index]) * part
        let y = corners[2 * index + 1] + (corners[2 * next + 1] - corners[2 * index + 1]) * part
        #expect(shot.isAccent(Int(x), Int(y)), "\(x), \(y)")
      }
    }
  }

  @Test func `W3: the focus frame surrounds the code at the distance of its padding`() throws {
    let shown = try show(["focus"])
    let shot = try shown.picture("focus")
    let corners = try shown.numbers("corners")
    let layout = ScreenLayout(panel: ScreenSize(width: 1024, height: 768), turn: .none, pixelsPerMillimetre: nil)
    let away = 8 * layout.unit
    for (index, sign) in [(0, (-1.0, -1.0)), (1, (1.0, -1.0)), (2, (1.0, 1.0)), (3, (-1.0, 1.0))] {
      let x = corners[2 * index] + sign.0 * away
      let y = corners[2 * index + 1] + sign.1 * away
      #expect(shot.isAccent(Int(x), Int(y)), "\(x), \(y)")
    }
  }

  /// Every view that a user sees. The planes show what the same display list shows in memory, apart from the rounding of
  /// colour spaces. The picture composed by the hardware equals display list and frame combined, to the last bit.
  @Test func `W1: the composed picture matches the display list, and so does its checksum`() throws {
    let states = ["idle", "preview", "recognised", "list", "focus", "review", "error"]
    let shown = try show(states)
    #expect(Set(states.compactMap { shown.run["checksum-" + $0] }).count == states.count)
    for state in states {
      try shown.expectChecksum(state)
      let (shot, expected) = (try shown.picture(state), try shown.expectedPicture(state))
      #expect(shot.width == expected.width && shot.height == expected.height)
      var worst = 0
      for y in stride(from: 0, to: shot.height, by: 3) {
        for x in stride(from: 0, to: shot.width, by: 5) {
          let (seen, wanted) = (shot.pixel(x, y), expected.pixel(x, y))
          worst = max(
            worst, abs(seen.red - wanted.red), abs(seen.green - wanted.green), abs(seen.blue - wanted.blue))
        }
      }
      #expect(worst <= 4, "\(state): a pixel differs by \(worst) of 255")
    }
  }

  @Test(arguments: [0, 1, 2, 3], [false, true])
  func `V2: the preview is where geometry puts it on the panel, at every turn and mirroring`(turn: Int, isMirrored: Bool)
    throws
  {
    let isSideways = turn % 2 == 1
    let frame = isSideways ? ScreenSize(width: 768, height: 1024) : ScreenSize(width: 1024, height: 768)
    let shown = try show(["preview"], frame: "\(frame.width)x\(frame.height)", turn: turn, isMirrored: isMirrored)
    // The lab's hardware can rotate.
    #expect(shown["preview"] == "copied")
    try shown.expectChecksum("preview")
    let shot = try shown.picture("preview")
    let geometry = PreviewGeometry(
      frame: frame, panel: ScreenSize(width: 1024, height: 768),
      orientation: FrameOrientation(turn: QuarterTurn(quarters: UInt8(turn)), isMirrored: isMirrored))
    let region = try shown.numbers("region").map { Int($0) }
    let place = geometry.rect(
      of: PixelRegion(x: region[0], y: region[1], width: region[2], height: region[3]))
    let drawn = try shown.numbers("viewport")
    #expect([place.x, place.y, place.width, place.height] == drawn)
    for y in stride(from: Int(place.y) + 1, to: Int(place.bottom), by: 13) {
      for x in stride(from: Int(place.x) + 1, to: Int(place.right), by: 13) {
        let source = geometry.framePoint(ScreenPoint(x: Double(x) + 0.5, y: Double(y) + 0.5))
        #expect(abs(shot.grey(x, y) - pattern(Int(source.x), Int(source.y))) <= 3, "\(x), \(y)")
      }
    }
  }

  /// A frame whose pixels do not match the panel's: every sixteenth column and row is bright, and appears where the geometry
  /// puts it.
  @Test(arguments: [0, 1, 2, 3], [false, true])
  func `V2: a scaled preview is where geometry puts it on the panel, to the pixel, at every turn and mirroring`(
    turn: Int, isMirrored: Bool
  ) throws {
    let isSideways = turn % 2 == 1
    let frame = isSideways ? ScreenSize(width: 480, height: 640) : ScreenSize(width: 640, height: 480)
    let shown = try show(["grid"], frame: "\(frame.width)x\(frame.height)", turn: turn, isMirrored: isMirrored)
    #expect(shown["grid"] == "scaled")
    let shot = try shown.picture("grid")
    let geometry = PreviewGeometry(
      frame: frame, panel: ScreenSize(width: 1024, height: 768),
      orientation: FrameOrientation(turn: QuarterTurn(quarters: UInt8(turn)), isMirrored: isMirrored))
    let viewport = try shown.numbers("viewport").map { Int($0) }
    var (lineCount, seenCount) = (0, 0)
    for y in viewport[1] + 20..<viewport[1] + viewport[3] - 20 {
      for x in stride(from: viewport[0] + 20, to: viewport[0] + viewport[2] - 20, by: 3) {
        let source = geometry.framePoint(ScreenPoint(x: Double(x) + 0.5, y: Double(y) + 0.5))
        // The distance of the place from the edge of a bright line (positive inside it) in pixels of the frame.
        func depth(_ place: Double) -> Double {
          let part = place.truncatingRemainder(dividingBy: 16)
          return part < 4 ? min(part, 4 - part) : -min(part - 4, 16 - part)
        }
        let inside = max(depth(source.x), depth(source.y))
        guard abs(inside) > 1 else { continue }
        lineCount += 1
        if (shot.grey(x, y) > 128) == (inside > 0) { seenCount += 1 }
      }
    }
    #expect(lineCount > 10_000 && seenCount == lineCount)
  }

  @Test func `a panel without overlay planes shows the same picture, composed in software`() throws {
    let planes = try show(["recognised", "idle"])
    let plain = try show(["recognised", "idle"], kernel: ["vkms.enable_overlay=0"])
    #expect(planes["recognised"] == "copied" && plain["recognised"] == "blended")
    for state in ["recognised", "idle"] {
      let (one, other) = (try planes.picture(state), try plain.picture(state))
      for y in stride(from: 0, to: one.height, by: 5) {
        for x in stride(from: 0, to: one.width, by: 5) {
          #expect(abs(one.grey(x, y) - other.grey(x, y)) <= 3, "\(state): \(x), \(y)")
        }
      }
    }
  }

  @Test(
    arguments: [
      ("copied", ["screen-lab", "stream", "1280x720", "90"]),
      ("imported", ["screen-lab", "stream", "1280x720", "90", "dma"]),
      ("copied", ["SCREEN_LAB_COLOUR=1", "screen-lab", "stream", "1280x720", "90"]),
    ])
  func `frames of 1280x720 are shown 30 times a second, copied or straight from a DMA buffer, and allocate nothing`(
    path: String, words: [String]
  ) throws {
    var lab = LabScript()
    lab.run(["env", "SCREEN_LAB_MODE=1280x720"] + words, into: "stream")
    let run = try lab.run()
    #expect(run.value("path", in: "stream") == path)
    #expect(try #require(run.value("rate", in: "stream").flatMap { Double($0) }) >= 30)
    #expect(run.value("allocations", in: "stream") == "0")
    // The camera gets its buffer back only when the panel shows another one.
    let fates = run.lines(of: "stream").filter { ["held=1", "released=1"].contains($0) }
    #expect(path == "copied" || fates == ["held=1", "released=1"])
  }

  /// The colour that `screen-lab` gives a frame's pixel, in full-range ITU-R BT.601.
  private func colour(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (red: Double, green: Double, blue: Double) {
    let luma = Double(pattern(x, y))
    let cb = Double(64 + x / 2 * 128 / (width / 2)) - 128
    let cr = Double(192 - y / 2 * 128 / (height / 2)) - 128
    func level(_ value: Double) -> Double { min(max(value, 0), 255) }
    return (level(luma + 1.402 * cr), level(luma - 0.344136 * cb - 0.714136 * cr), level(luma + 1.772 * cb))
  }

  @Test(arguments: [true, false])
  func `a frame with colour is shown in colour, on a plane or composed in software`(hasPlanes: Bool) throws {
    let shown = try show(["preview"], isColoured: true, kernel: hasPlanes ? [] : ["vkms.enable_overlay=0"])
    #expect(shown["preview"] == (hasPlanes ? "copied" : "blended"))
    let shot = try shown.picture("preview")
    let viewport = try shown.numbers("viewport").map { Int($0) }
    for y in stride(from: viewport[1] + 20, to: viewport[1] + viewport[3] - 20, by: 11) {
      for x in stride(from: viewport[0] + 20, to: viewport[0] + viewport[2] - 20, by: 11) {
        let (seen, wanted) = (shot.pixel(x, y), colour(x, y, 1024, 768))
        let far = max(
          abs(Double(seen.red) - wanted.red), abs(Double(seen.green) - wanted.green), abs(Double(seen.blue) - wanted.blue))
        #expect(far <= 6, "\(x), \(y): \(seen) for \(wanted)")
      }
    }
  }

  @Test func `frames that the hardware cannot scale are scaled in software`() throws {
    var lab = LabScript()
    lab.run("screen-lab", "stream", "1280x720", "20", into: "stream")
    let run = try lab.run()
    #expect(run.value("path", in: "stream") == "scaled")
  }

  @Test func `C3: a screen stolen by another program 20 times comes back each time`() throws {
    let count = 20
    var lab = LabScript()
    lab.start("held", "screen-lab", "hold", "30")
    lab.await(.file("held", says: "taken=1"), within: 10)
    lab.stealScreen(from: "held", times: count, heldFor: 0.1, leftFor: 0.2)
    lab.finish("thief")
    lab.await(.file("held", says: "taken=\(count + 1)"), within: 5)
    lab.expectComposedPicture()
    lab.stop("held")
    let run = try lab.run()
    #expect(run.value("stolen", in: "thief") == "\(count)")
    #expect(run.lines(of: "held").count { $0 == "trouble=heldByAnotherProgram" } == count)
  }

  @Test func `C3: the screen is released while another terminal is shown, and the terminal is restored at the end`() throws {
    var lab = LabScript()
    lab.start("held", "env", "SCREEN_LAB_TERMINAL=away", "screen-lab", "hold", "8")
    lab.await(.file("held", says: "taken=1"), within: 10)
    lab.run("touch", "away")
    lab.await(.file("held", says: "trouble=inBackground"), within: 5)
    // The visible program has the screen to itself.
    lab.run("screen-lab", "stream", "1024x768", "5", into: "other")
    lab.expect(.file("other", says: "path=copied"))
    lab.run("rm", "away")
    lab.await(.file("held", says: "taken=2"), within: 5)
    lab.finish("held")
    let run = try lab.run()
    #expect(
      run.lines(of: "held") == [
        "terminal=graphics", "taken=1", "answer=leaving", "trouble=inBackground", "answer=entered", "taken=2",
        "terminal=text",
      ])
  }

  @Test func `an unplugged panel shows the screen again once it is plugged in`() throws {
    let (plugged, unplugged) = ("1", "2")
    var lab = LabScript()
    lab.step(["add_panel"])
    lab.start("held", "env", "SCREEN_LAB_CARD=/dev/dri/card1", "screen-lab", "hold", "10")
    lab.await(.file("held", says: "taken=1"), within: 10)
    lab.step(["panel", unplugged])
    lab.await(.file("held", says: "trouble=disconnected"), within: 5)
    lab.step(["panel", plugged])
    lab.await(.file("held", says: "taken=2"), within: 5)
    lab.stop("held")
    #expect(try lab.run().lines(of: "held") == ["taken=1", "trouble=disconnected", "taken=2"])
  }

  @Test func `touches and keys come through libinput, but not what a scanner types`() throws {
    var lab = LabScript()
    lab.add(source: "simulated_user.py")
    lab.startUdev()
    lab.start("user", "python3", "simulated_user.py")
    lab.pause(1)
    lab.run("screen-lab", "input", "5", into: "input")
    lab.stop("user")
    #expect(
      try lab.run().lines(of: "input") == [
        "equipment=touch keys", "touch=250 250", "button=confirm", "button=cancel", "turn=clockwise", "button=trigger",
      ])
  }

  @Test func `keys of other keyboards than the chosen ones do not count`() throws {
    var lab = LabScript()
    lab.add(source: "simulated_user.py")
    lab.startUdev()
    lab.start("user", "python3", "simulated_user.py")
    lab.pause(1)
    lab.start("input", "screen-lab", "input", "9", "foot switch")
    lab.await(.file("input", says: "touch=250 250"), within: 10)
    lab.finish("user")
    lab.stop("input")
    // The devices disappear with the simulated user.
    #expect(try lab.run().lines(of: "input").prefix(2) == ["equipment=touch ", "touch=250 250"])
  }

  @Test func `a screen that another program holds from the start is used once it is free`() throws {
    var lab = LabScript()
    lab.start(
      "holder", "python3", "-uc",
      "import os, time; os.open('/dev/dri/card0', os.O_RDWR); print('holding'); time.sleep(600)")
    lab.await(.file("holder", says: "holding"), within: 20)
    lab.start("held", "screen-lab", "hold", "8")
    lab.await(.file("held", says: "trouble=heldByAnotherProgram"), within: 10)
    lab.stop("holder")
    lab.finish("held")
    let run = try lab.run()
    #expect(run.value("trouble", in: "held") == "heldByAnotherProgram")
    #expect(run.value("taken", in: "held") == "1")
  }

  @Test func `a missing screen is used once it is there`() throws {
    var lab = LabScript()
    lab.run("mv", "/dev/dri/card0", "/tmp/card0")
    lab.start("held", "screen-lab", "hold", "2")
    lab.await(.file("held", says: "trouble=missing"), within: 5)
    lab.run("mv", "/tmp/card0", "/dev/dri/card0")
    lab.finish("held")
    let run = try lab.run()
    #expect(run.value("trouble", in: "held") == "missing")
    #expect(run.value("taken", in: "held") == "1")
  }
}
