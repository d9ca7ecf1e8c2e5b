// The same for a very long time, in simulated time: CI takes a few minutes of it, and variables of the environment take more.

import BarcodeTypes
import Foundation
import TestScenes
import TestSupport
import Testing

@Suite(.enabled(if: DeviceLab.isThere, DeviceLab.missing), .serialized) struct LongRunLabTests {
  private func small(_ text: String) throws -> [UInt8] {
    var scene = CameraScene(.qr, text)
    (scene.width, scene.height, scene.modulePixels) = (320, 240, 5)
    return try scene.pgm()
  }

  /// As small as frames may be that show a label: what is tested is what happens between frames, not in them.
  private func tiny(_ text: String?) throws -> [UInt8] {
    var scene = CameraScene(.qr, text ?? "")
    (scene.width, scene.height, scene.modulePixels) = (160, 120, 4)
    guard text != nil else { return Array("P5 160 120 255\n".utf8) + [UInt8](repeating: 110, count: 160 * 120) }
    return try scene.pgm()
  }

  /// Five minutes of simulated time; at depth 12 the hour.
  @Test func `labels come and go for an hour: each presentation is scanned once, none twice, and memory stays as it is`()
    throws
  {
    let minutes = TestDepth.scaled(5)
    // A label is shown for 2 s and away for 1.5 s, and comes again after nine others.
    let count = minutes * 60 * 2 / 7
    var files = Dictionary(uniqueKeysWithValues: try (0..<10).map { ("L\($0).pgm", try tiny("L\($0)")) })
    files["empty.pgm"] = try tiny(nil)
    files["station.yaml"] = Array(
      """
      camera: {source: libcamera, size: 160x120}
      outbox: {path: outbox.sqlite}
      """.utf8)
    let run = try DeviceLab.run(
      """
      cp empty.pgm picture.pgm; devices camera 160x120@30 picture.pgm >/dev/null
      reticle run --config station.yaml >scans 2>log & station=$!
      await 20 'grep -q "the station starts" log'; sleep 2
      measure() { echo "descriptors-$1=$(ls /proc/$station/fd | wc -l)"; echo "memory-$1=$(awk '/VmRSS/ {print $2}' /proc/$station/status)"; }
      show() { cp $1.pgm next.pgm; mv next.pgm picture.pgm; }
      for ((number = 0; number < \(count); number++)); do
        [ $number != 20 ] || measure first
        show L$((number % 10)); sleep 2; show empty; sleep 1.5
      done
      measure last
      kill -TERM $station; wait $station || true
      cat log >&2; sed -n 's/.*"text":"\\(L[0-9]\\)".*/\\1/p' scans
      """, files: files, limit: 300 + minutes * 60)
    try #require(run.status == 0, "\(run.errors)")
    let scanned = run.lines.filter { $0.hasPrefix("L") }
    #expect(scanned == (0..<count).map { "L\($0 % 10)" })
    func number(_ name: String) throws -> Int { try #require(run[name].flatMap { Int($0) }) }
    let (first, last) = (try number("memory-first"), try number("memory-last"))
    print(
      "\(minutes) minutes, \(count) presentations, \(scanned.count) scans: \(first) kB after a minute, \(last) kB at the end"
    )
    #expect(try number("descriptors-last") <= number("descriptors-first"))
    // Kilobytes: pages that the allocator and the database's cache come to keep, but not some for every scan.
    #expect(last <= first + 3072)
  }

  @Test func `the camera is pulled and plugged again and again: no recovery is missed, nothing leaks`() throws {
    let cycles = TestDepth.scaled(10)
    let run = try DeviceLab.run(
      """
      step=0.2
      hotplug
      devices camera 320x240@5 picture.pgm >/dev/null
      reticle run --config station.yaml >scans 2>log & station=$!
      await 20 'grep -q LABEL scans'
      measure() { echo "descriptors$1=$(ls /proc/$station/fd | wc -l)"; echo "memory$1=$(awk '/VmRSS/ {print $2}' /proc/$station/status)"; }
      for cycle in $(seq \(cycles)); do
        [ $cycle != 4 ] || measure first
        devices camera-unplug
        await 30 "[ \\$(grep -c 'it was unplugged' log) -ge $cycle ]"
        devices camera 320x240@5 picture.pgm >/dev/null
        await 120 "[ \\$(grep -c 'the camera can be used again' log) -ge $cycle ]"
      done
      measure last
      kill -0 $station; kill -TERM $station; wait $station || true
      echo recoveries=$(grep -c 'the camera can be used again' log)
      """,
      files: [
        "picture.pgm": try small("LABEL"),
        "station.yaml": Array(
          "camera: {source: libcamera, model: Lab, size: 320x240, frame_deadline: 1 s}\noutbox: {path: outbox.sqlite}\n".utf8
        ),
      ], limit: 300 + cycles * 15)
    #expect(run.status == 0, "\(run.errors)\n\(run.output)")
    print("\(cycles) cycles: \(run["memoryfirst"] ?? "?") kB after three, \(run["memorylast"] ?? "?") kB at the end")
    #expect(run["recoveries"] == "\(cycles)")
    func number(_ name: String) throws -> Int { try #require(run[name].flatMap { Int($0) }) }
    #expect(try number("descriptorslast") <= number("descriptorsfirst") + 2)
    // Kilobytes: the allocator may keep pages of its own, but not some for every cycle.
    #expect(try number("memorylast") <= number("memoryfirst") + 1024)
  }
}
