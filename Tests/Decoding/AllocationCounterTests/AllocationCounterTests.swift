import BarcodeTypes
import CAllocationCounter
import Glibc
import Testing

@testable import BarcodeDecoder

@Suite("Allocations", .enabled(if: callocationcounter_is_on() != 0, "a sanitizer has its own malloc"))
struct AllocationCounterTests {
  @Test func `every member of the malloc family is counted`() {
    let start = callocationcounter_count()
    var memory: [UnsafeMutableRawPointer?] = [malloc(10), calloc(2, 5), aligned_alloc(64, 64)]
    var aligned: UnsafeMutableRawPointer?
    #expect(posix_memalign(&aligned, 64, 100) == 0)
    #expect(UInt(bitPattern: aligned) % 64 == 0)
    memory.append(aligned)
    #expect(callocationcounter_count() - start >= 4)
    let before = callocationcounter_count()
    memory[0] = realloc(memory[0], 1000)
    #expect(callocationcounter_count() > before)
    for pointer in memory { free(pointer) }
  }

  @Test func `posix_memalign refuses an alignment that is not a power of two`() {
    var memory: UnsafeMutableRawPointer?
    #expect(posix_memalign(&memory, 24, 100) == EINVAL)
  }

  @Test(arguments: [Effort.frame, .still])
  func `decoding allocates nothing after set-up`(effort: Effort) {
    let width = 640
    let height = 480
    // Stripes, a square and noise, so that every stage has work to do.
    var pixels = [UInt8](repeating: 255, count: width * height)
    var state: UInt32 = 1
    for y in 0..<height {
      for x in 0..<width {
        state = state &* 1_664_525 &+ 1_013_904_223
        let isBar = y < 200 ? (x / 3 + x / 7) % 2 == 0 : y < 400 ? (x / 5 + y / 5) % 2 == 0 : state >> 31 == 0
        if isBar { pixels[y * width + x] = 20 }
      }
    }
    var workspace = Workspace(pixelCountMax: width * height)
    var settings = DecoderSettings()
    settings.effort = effort
    let allocations = pixels.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return UInt64.max }
      let view = LumaView(base: base, width: width, height: height, bytesPerRow: width)
      _ = Decoder.decode(view, settings: settings, workspace: &workspace)
      let start = callocationcounter_count()
      _ = Decoder.decode(view, settings: settings, workspace: &workspace)
      return callocationcounter_count() - start
    }
    #expect(allocations == 0)
  }

  @Test func `adding frames and reading their sum allocates nothing`() {
    let side = 240
    // Random cells of a little more than a pixel, with new noise in each frame.
    var frames: [[UInt8]] = []
    var state: UInt32 = 7
    func random() -> UInt32 {
      state = state &* 1_664_525 &+ 1_013_904_223
      return state >> 16
    }
    let cells = (0..<900).map { _ in random() & 1 == 0 }
    for _ in 0..<8 {
      var pixels = [UInt8](repeating: 200, count: side * side)
      for y in 80..<116 {
        for x in 80..<116 where cells[(y - 80) * 5 / 6 * 30 + (x - 80) * 5 / 6] { pixels[y * side + x] = 40 }
      }
      for index in pixels.indices { pixels[index] &+= UInt8(random() & 7) }
      frames.append(pixels)
    }
    var workspace = Workspace(pixelCountMax: side * side)
    var settings = DecoderSettings()
    settings.effort = .frame
    // The first round sets up; the second one is counted.
    var allocations: UInt64 = 0
    for _ in 0..<2 {
      workspace.beginSequence()
      allocations = 0
      for pixels in frames {
        allocations += pixels.withUnsafeBufferPointer { buffer in
          guard let base = buffer.baseAddress else { return UInt64.max }
          let view = LumaView(base: base, width: side, height: side, bytesPerRow: side)
          let start = callocationcounter_count()
          _ = Decoder.decode(view, settings: settings, workspace: &workspace)
          return callocationcounter_count() - start
        }
      }
    }
    #expect(allocations == 0)
    #expect(workspace.evidence.frameWork > 0, "no sum was read")
  }
}
