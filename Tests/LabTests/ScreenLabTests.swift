// The screen on a real kernel's display driver: what is on the planes is read back, pixel by pixel, and what happens to the
// screen is survived.

import BarcodeTypes
import Foundation
import ScanScreen
import Testing

@Suite(.serialized, .enabled(if: DeviceLab.isThere, DeviceLab.missing)) struct ScreenLabTests {
  /// Shows states and takes a picture and the checksum of each.
  private func show(
    _ states: [String], frame: String = "1024x768", turn: Int = 0, isMirrored: Bool = false, isColoured: Bool = false,
    kernel: [String] = []
  ) throws -> LabRun {
    let run = try DeviceLab.run(
      """
      \(isColoured ? "export SCREEN_LAB_COLOUR=1" : "")
      screen-lab states \(frame) \(turn) \(isMirrored ? 1 : 0) \(states.joined(separator: " ")) &
      for state in \(states.joined(separator: " ")); do
        await 20 test -e $state.ready
        devices screenshot $state.ppm >/dev/null
        checksum=
        # A busy machine may miss the frame that was asked for.
        for attempt in 1 2 3 4 5; do [ -n "$checksum" ] || checksum=$(devices crc | cut -d' ' -f2) || true; done
        echo "crc-$state=$checksum"
        echo "shot-$state=$(base64 -w0 $state.ppm)"
        echo "expected-$state=$(base64 -w0 $state.expected)"
        touch $state.done
      done
      wait
      """, kernelArguments: kernel)
    try #require(run.status == 0, "\(run.errors)")
    return run
  }

  private func numbers(_ text: String?) throws -> [Double] {
    try #require(text).split(separator: " ").compactMap { Double($0) }
  }

  /// What `screen-lab` puts into a frame's pixel.
  private func pattern(_ x: Int, _ y: Int) -> Int { (16 + (x / 4 + y / 3) % 224) & 0xFF }

  @Test func `V1, V4: the viewport is where geometry says, to the pixel, and the preview is bright in it and dark around`()
    throws
  {
    let run = try show(["preview"])
    #expect(run["preview"] == "copied")
    let shot = try Screenshot(run["shot-preview"])
    let viewport = try numbers(run["viewport"]).map { Int($0) }
    let (left, top, right, bottom) = (viewport[0], viewport[1], viewport[0] + viewport[2], viewport[1] + viewport[3])
    // Every seventh pixel inside, edges included, shows the frame as it is.
    for y in Array(stride(from: top, to: bottom, by: 7)) + [bottom - 1] {
      for x in Array(stride(from: left, to: right, by: 7)) + [right - 1] {
        #expect(abs(shot.grey(x, y) - pattern(x, y)) <= 3, "\(x), \(y)")
      }
    }
    // Beside the border it is half as bright.
    for (x, y) in [(100, 384), (900, 384), (20, 700), (150, 160)] {
      #expect(abs(shot.grey(x, y) - pattern(x, y) / 2) <= 3, "\(x), \(y)")
    }
    // The border begins right outside.
    for (x, y) in [(left - 2, 384), (right + 1, 384), (512, top - 2), (512, bottom + 1)] {
      #expect(shot.grey(x, y) > 150, "\(x), \(y)")
    }
  }

  @Test func `N5: a code's outline is on its corners`() throws {
    let run = try show(["recognised"])
    let shot = try Screenshot(run["shot-recognised"])
    let corners = try numbers(run["corners"])
    for index in 0..<4 {
      let next = (index + 1) % 4
      for part in [0.0, 0.25, 0.5, 0.75] {
        let x = corners[2 * index] + (corners[2 * next] - corners[2 * index]) * part
        let y = corners[2 * index + 1] + (corners[2 * next + 1] - corners[2 * index + 1]) * part
        #expect(shot.isAccent(Int(x), Int(y)), "\(x), \(y)")
      }
    }
  }

  @Test func `W3: the focus frame lies around the code, a padding away`() throws {
    let run = try show(["focus"])
    let shot = try Screenshot(run["shot-focus"])
    let corners = try numbers(run["corners"])
    let layout = ScreenLayout(panel: ScreenSize(width: 1024, height: 768), turn: .none, pixelsPerMillimetre: nil)
    let away = 8 * layout.unit
    for (index, sign) in [(0, (-1.0, -1.0)), (1, (1.0, -1.0)), (2, (1.0, 1.0)), (3, (-1.0, 1.0))] {
      let x = corners[2 * index] + sign.0 * away
      let y = corners[2 * index + 1] + sign.1 * away
      #expect(shot.isAccent(Int(x), Int(y)), "\(x), \(y)")
    }
  }

  /// The checksum that the hardware gave of a state is the one computed from display list and frame.
  private func expectChecksums(_ run: LabRun, _ states: [String]) throws {
    for state in states {
      let (seen, wanted) = (try #require(run["crc-\(state)"]), try #require(run["checksum-\(state)"]))
      #expect(UInt32(seen.dropFirst(2), radix: 16) == UInt32(wanted.dropFirst(2), radix: 16), "\(state): \(seen), \(wanted)")
    }
  }

  /// Every view that a user sees. What is on the planes is what the same display list is in memory, but for the rounding of
  /// colour spaces; and what the hardware composed of them is to the last bit what display list and frame are together.
  @Test func `W1: the composed picture is the one of the display list, with the checksum that follows from it`() throws {
    let states = ["idle", "preview", "recognised", "list", "focus", "review", "error"]
    let first = try show(states)
    try expectChecksums(first, states)
    #expect(Set(states.compactMap { first["crc-\($0)"] }).count == states.count)
    for state in states {
      let (shot, expected) = (try Screenshot(first["shot-\(state)"]), try Screenshot(first["expected-\(state)"]))
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
  func `V2: the preview lies on the panel as geometry says, in every turn and mirror`(turn: Int, isMirrored: Bool) throws {
    let isSideways = turn % 2 == 1
    let frame = isSideways ? ScreenSize(width: 768, height: 1024) : ScreenSize(width: 1024, height: 768)
    let run = try show(["preview"], frame: "\(frame.width)x\(frame.height)", turn: turn, isMirrored: isMirrored)
    // The lab's hardware turns.
    #expect(run["preview"] == "copied")
    try expectChecksums(run, ["preview"])
    let shot = try Screenshot(run["shot-preview"])
    let geometry = PreviewGeometry(
      frame: frame, panel: ScreenSize(width: 1024, height: 768),
      orientation: FrameOrientation(turn: QuarterTurn(quarters: UInt8(turn)), isMirrored: isMirrored))
    let region = try numbers(run["region"]).map { Int($0) }
    let place = geometry.rect(
      of: PixelRegion(x: region[0], y: region[1], width: region[2], height: region[3]))
    let drawn = try numbers(run["viewport"])
    #expect([place.x, place.y, place.width, place.height] == drawn)
    for y in stride(from: Int(place.y) + 1, to: Int(place.bottom), by: 13) {
      for x in stride(from: Int(place.x) + 1, to: Int(place.right), by: 13) {
        let source = geometry.framePoint(ScreenPoint(x: Double(x) + 0.5, y: Double(y) + 0.5))
        #expect(abs(shot.grey(x, y) - pattern(Int(source.x), Int(source.y))) <= 3, "\(x), \(y)")
      }
    }
  }

  @Test func `a panel without overlay planes shows the same picture, put together here`() throws {
    let planes = try show(["recognised", "idle"])
    let plain = try show(["recognised", "idle"], kernel: ["vkms.enable_overlay=0"])
    #expect(planes["recognised"] == "copied" && plain["recognised"] == "blended")
    for state in ["recognised", "idle"] {
      let (one, other) = (try Screenshot(planes["shot-\(state)"]), try Screenshot(plain["shot-\(state)"]))
      for y in stride(from: 0, to: one.height, by: 5) {
        for x in stride(from: 0, to: one.width, by: 5) {
          #expect(abs(one.grey(x, y) - other.grey(x, y)) <= 3, "\(state): \(x), \(y)")
        }
      }
    }
  }

  @Test func `frames of 1280x720 are shown 30 times a second, copied or straight from a DMA buffer, and allocate nothing`()
    throws
  {
    let run = try DeviceLab.run(
      """
      export SCREEN_LAB_MODE=1280x720
      screen-lab stream 1280x720 90 | sed s/^/copied-/
      screen-lab stream 1280x720 90 dma | sed s/^/imported-/
      SCREEN_LAB_COLOUR=1 screen-lab stream 1280x720 90 | sed s/^/coloured-/
      """)
    try #require(run.status == 0, "\(run.errors)")
    #expect(run["copied-path"] == "copied" && run["imported-path"] == "imported" && run["coloured-path"] == "copied")
    for path in ["copied", "imported", "coloured"] {
      #expect(try #require(run["\(path)-rate"].flatMap { Double($0) }) >= 30)
      #expect(run["\(path)-allocations"] == "0")
    }
    // The camera gets its buffer back only when the panel shows another.
    let lines = run.lines.filter { ["imported-held=1", "imported-released=1"].contains($0) }
    #expect(lines == ["imported-held=1", "imported-released=1"])
  }

  /// What `screen-lab` gives a frame's colour, as ITU-R BT.601 in the full range has it.
  private func colour(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (red: Double, green: Double, blue: Double) {
    let luma = Double(pattern(x, y))
    let cb = Double(64 + x / 2 * 128 / (width / 2)) - 128
    let cr = Double(192 - y / 2 * 128 / (height / 2)) - 128
    func level(_ value: Double) -> Double { min(max(value, 0), 255) }
    return (level(luma + 1.402 * cr), level(luma - 0.344136 * cb - 0.714136 * cr), level(luma + 1.772 * cb))
  }

  @Test(arguments: [true, false])
  func `a frame with colour is shown in it, on a plane or put together here`(hasPlanes: Bool) throws {
    let run = try show(["preview"], isColoured: true, kernel: hasPlanes ? [] : ["vkms.enable_overlay=0"])
    #expect(run["preview"] == (hasPlanes ? "copied" : "blended"))
    let shot = try Screenshot(run["shot-preview"])
    let viewport = try numbers(run["viewport"]).map { Int($0) }
    for y in stride(from: viewport[1] + 20, to: viewport[1] + viewport[3] - 20, by: 11) {
      for x in stride(from: viewport[0] + 20, to: viewport[0] + viewport[2] - 20, by: 11) {
        let (seen, wanted) = (shot.pixel(x, y), colour(x, y, 1024, 768))
        let far = max(
          abs(Double(seen.red) - wanted.red), abs(Double(seen.green) - wanted.green), abs(Double(seen.blue) - wanted.blue))
        #expect(far <= 6, "\(x), \(y): \(seen) for \(wanted)")
      }
    }
  }

  @Test func `frames that the hardware cannot scale are scaled here`() throws {
    let run = try DeviceLab.run("screen-lab stream 1280x720 20")
    #expect(run.status == 0 && run["path"] == "scaled")
  }

  @Test func `C3: a screen stolen by another program 20 times comes back each time`() throws {
    let count = 20
    let run = try DeviceLab.run(
      """
      screen-lab hold 30 >held & program=$!
      await 10 grep -q taken=1 held
      python3 thief.py $program \(count) 0.1 0.2
      await 5 grep -q taken=\(count + 1) held
      devices crc >/dev/null
      kill $program
      grep -c trouble=heldByAnotherProgram held | sed s/^/troubles=/
      """, files: ["thief.py": Array(screenThief.utf8)])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run["stolen"] == "\(count)" && run["troubles"] == "\(count)")
  }

  @Test func `C3: the screen is given up while another terminal is seen, and the terminal is given back at the end`() throws
  {
    let run = try DeviceLab.run(
      """
      SCREEN_LAB_TERMINAL=away screen-lab hold 8 >held & program=$!
      await 10 grep -q taken=1 held
      touch away
      await 5 grep -q trouble=inBackground held
      # Whoever is seen now has the screen to itself.
      screen-lab stream 1024x768 5 | sed s/^/other-/
      rm away
      await 5 grep -q taken=2 held
      wait $program
      cat held
      """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run["other-path"] == "copied")
    let expected = [
      "terminal=graphics", "taken=1", "answer=leaving", "trouble=inBackground", "answer=entered", "taken=2", "terminal=text",
    ]
    #expect(run.lines.filter { !$0.hasPrefix("other-") } == expected)
  }

  @Test func `a panel that is unplugged is waited for, and comes back when it is plugged in`() throws {
    let run = try DeviceLab.run(
      """
      here=$PWD
      cd /sys/kernel/config/vkms; mkdir lab; cd lab
      mkdir planes/p crtcs/c encoders/e connectors/o
      echo 1 >planes/p/type
      ln -s "$PWD/crtcs/c" planes/p/possible_crtcs/c
      ln -s "$PWD/crtcs/c" encoders/e/possible_crtcs/c
      ln -s "$PWD/encoders/e" connectors/o/possible_encoders/e
      echo 1 >enabled
      status=$PWD/connectors/o/status
      cd "$here"
      await 5 test -e /dev/dri/card1
      SCREEN_LAB_CARD=/dev/dri/card1 screen-lab hold 10 >held & program=$!
      await 10 grep -q taken=1 held
      echo 2 >"$status"
      await 5 grep -q trouble=disconnected held
      echo 1 >"$status"
      await 5 grep -q taken=2 held
      kill $program
      cat held
      """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines == ["taken=1", "trouble=disconnected", "taken=2"])
  }

  /// A touchscreen of 800 by 480 and a keyboard, and what is done with them.
  private static let user = """
    import fcntl, os, struct, time
    def make(name, bits, axes):
        device = os.open('/dev/uinput', os.O_WRONLY)
        for request, value in bits:
            fcntl.ioctl(device, request, value)
        for axis, most in axes:
            fcntl.ioctl(device, 0x401c5504, struct.pack('<HHiiiiii', axis, 0, 0, 0, most, 0, 0, 10 if axis in (53, 54) else 0))
        fcntl.ioctl(device, 0x405c5503, struct.pack('<HHHH80sI', 3, 1, 1, 1, name, 0))
        fcntl.ioctl(device, 0x5501)
        return device
    EVENT, KEY, AXIS, PROPERTY = 0x40045564, 0x40045565, 0x40045567, 0x4004556e
    touch = make(b'touchscreen', [(EVENT, 1), (EVENT, 3), (KEY, 330), (AXIS, 0), (AXIS, 1), (AXIS, 47), (AXIS, 53),
                                  (AXIS, 54), (AXIS, 57), (PROPERTY, 1)],
                 [(0, 799), (1, 479), (47, 9), (53, 799), (54, 479), (57, 65535)])
    keys = make(b'keyboard', [(EVENT, 1)] + [(KEY, key) for key in range(1, 120)] + [(KEY, 153), (KEY, 352)], [])
    def send(device, *events):
        for kind, code, value in events + ((0, 0, 0),):
            os.write(device, struct.pack('<qqHHi', 0, 0, kind, code, value))
        time.sleep(0.1)
    while not os.path.exists('input.ready'):
        time.sleep(0.02)
    time.sleep(1)
    send(touch, (3, 47, 0), (3, 57, 1), (3, 53, 200), (3, 54, 120), (1, 330, 1), (3, 0, 200), (3, 1, 120))
    send(touch, (3, 57, -1), (1, 330, 0))
    for key in (28, 1, 153, 57):
        send(keys, (1, key, 1))
        send(keys, (1, key, 0))
    time.sleep(5)
    """

  @Test func `touches and keys come through libinput`() throws {
    let run = try DeviceLab.run(
      """
      hotplug
      python3 user.py & user=$!
      sleep 1
      screen-lab input 5
      kill $user
      """, files: ["user.py": Array(Self.user.utf8)])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.lines == ["touch=250 250", "button=confirm", "button=cancel", "turn=clockwise", "button=trigger"])
  }

  @Test func `a screen that another program holds from the start, or that is not there, is waited for`() throws {
    let run = try DeviceLab.run(
      """
      python3 -c 'import os, time; os.open("/dev/dri/card0", os.O_RDWR); open("holding", "w"); time.sleep(600)' & holder=$!
      await 20 test -e holding
      screen-lab hold 8 >held & program=$!
      await 10 grep -q trouble held
      kill $holder
      wait $program
      sed s/^/first-/ held
      mv /dev/dri/card0 /tmp/card0
      screen-lab hold 2 >held & program=$!
      await 5 grep -q trouble=missing held
      mv /tmp/card0 /dev/dri/card0
      wait $program
      sed s/^/second-/ held
      """)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run["first-trouble"] == "heldByAnotherProgram", "\(run.output)")
    #expect(run["first-taken"] == "1")
    #expect(run["second-trouble"] == "missing" && run["second-taken"] == "1")
  }
}
