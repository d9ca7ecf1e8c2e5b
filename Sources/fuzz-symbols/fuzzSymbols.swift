// Drawn symbols for the decoder: sharp, straight and whole as a program prints them, and then turned, cut, noisy and spoiled. Each
// picture lies between two pages without access.

import BarcodeDecoder
import BarcodeTypes
import TestScenes

/// Workspaces of the sizes that pictures have here: the smaller the memory, the nearer its end.
nonisolated(unsafe) private var large = Workspace(pixelCountMax: 1280 * 720)
nonisolated(unsafe) private var small = Workspace(pixelCountMax: SymbolScene.smallPixelCountMax)

/// The fuzzer's entry: the bytes seed the picture and the settings.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSymbols(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  // FNV-1a.
  var seed: UInt64 = 0xCBF2_9CE4_8422_2325
  for byte in UnsafeBufferPointer(start: data, count: count) { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
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
  return 0
}

/// Decodes a picture with settings of chance, as a still or in some frames of a sequence.
private func decode(_ view: LumaView, _ workspace: inout Workspace, _ generator: inout SeededNoise) {
  var settings = DecoderSettings()
  if generator.oneIn(2) { settings.symbologies.insert(.msi) }
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
