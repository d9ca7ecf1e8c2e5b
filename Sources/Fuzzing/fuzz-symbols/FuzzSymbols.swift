// Drawn symbols for the decoder: sharp, straight and complete as a program prints them, and also rotated, cut, noisy and
// damaged. Each picture lies between two inaccessible pages.
//
// usage: fuzz-symbols --seconds N | --pictures N [--seed S]
//
// Picture n of seed S is drawn from S + n. The program prints the number of each picture before it decodes it: after a
// crash, the last line identifies the picture, and `--seed NUMBER --pictures 1` repeats it.

import BarcodeDecoder
import BarcodeTypes
import TestScenes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Time limit per picture, in seconds, under a sanitizer and on a busy machine; then a signal ends the program.
private let pictureSecondsMax: UInt32 = 20

/// Workspaces of the sizes that pictures have here: the smaller the memory, the closer its end.
private struct Workspaces: ~Copyable {
  private var large = Workspace(pixelCountMax: 1280 * 720)
  private var small = Workspace(pixelCountMax: SymbolScene.smallPixelCountMax)

  /// Draws a picture and decodes it.
  mutating func read(seed: UInt64) {
    var generator = SeededNoise(seed: seed)
    let scene = SymbolScene(&generator)
    let guarded = GuardedPixels(
      scene.pixels, width: scene.width, height: scene.height,
      padding: generator.oneIn(3) ? generator.number(in: 1...40) : 0, side: generator.oneIn(2) ? .first : .last)
    withExtendedLifetime(guarded) {
      if scene.width * scene.height > SymbolScene.smallPixelCountMax {
        decode(guarded.view, &large, &generator)
      } else {
        decode(guarded.view, &small, &generator)
      }
    }
  }
}

@main
private enum FuzzSymbols {
  static func main() {
    var (pictures, seconds, seed) = (UInt64.max, UInt64.max, UInt64.random(in: 0...(UInt64.max >> 1)))
    var arguments = CommandLine.arguments.dropFirst()
    while let option = arguments.popFirst() {
      switch (option, arguments.popFirst().flatMap { UInt64($0) }) {
      case ("--pictures", let count?): pictures = count
      case ("--seconds", let count?): seconds = count
      case ("--seed", let number?): seed = number
      default:
        say("usage: fuzz-symbols --seconds N | --pictures N [--seed S]", to: STDERR_FILENO)
        exit(2)
      }
    }
    var workspaces = Workspaces()
    let clock = ContinuousClock()
    let start = clock.now
    var count: UInt64 = 0
    while count < pictures, (clock.now - start).components.seconds < Int64(clamping: seconds) {
      say("\(seed &+ count)", to: STDOUT_FILENO)
      alarm(pictureSecondsMax)
      workspaces.read(seed: seed &+ count)
      count += 1
    }
    say("\(count) pictures from seed \(seed): no read outside of a picture, and no stop", to: STDOUT_FILENO)
  }

  /// Writes a line immediately: nothing is left in a buffer when the program ends.
  private static func say(_ line: String, to file: Int32) { _ = (line + "\n").withCString { write(file, $0, strlen($0)) } }
}

/// Decodes a picture with random settings, as a still picture or in several frames of a sequence.
private func decode(_ view: LumaView, _ workspace: inout Workspace, _ generator: inout SeededNoise) {
  var settings = DecoderSettings()
  if generator.oneIn(2) { settings.symbologies = .all }
  settings.addOns = generator.oneIn(2) ? .ignore : .read
  settings.effort = generator.oneIn(2) ? .still : .frame
  let region =
    generator.oneIn(8)
    ? PixelRegion(
      x: generator.number(in: 0...(view.width - 1)), y: generator.number(in: 0...(view.height - 1)),
      width: generator.number(in: 1...view.width), height: generator.number(in: 1...view.height)) : nil
  if generator.oneIn(4) { workspace.beginSequence() }
  for _ in 0..<(settings.effort == .frame ? generator.number(in: 1...3) : 1) {
    let outcome = Decoder.decode(view, region: region, settings: settings, workspace: &workspace)
    precondition(outcome.symbolCount == workspace.symbolCount)
    for index in 0..<workspace.symbolCount {
      precondition(workspace.payload(index).count <= DecoderLimits.payloadByteCountMax)
    }
  }
}
