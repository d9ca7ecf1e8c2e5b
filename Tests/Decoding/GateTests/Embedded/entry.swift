// The decoder's entry points for a program without a Swift runtime: every public function of the decoder, made concrete, so
// that the no-allocation compiler sees all of it.

import BarcodeDecoder
import BarcodeTypes

/// Bytes of memory that `gate_decode` needs for a picture.
@_cdecl("gate_memory_byte_count")
public func memoryByteCount(pixelCount: Int) -> Int { Workspace.byteCount(pixelCount: pixelCount) }

/// Receives the report of a symbol. Corners are x, y in 65536ths of a pixel, from the top left clockwise.
public typealias Emit =
  @convention(c) (
    _ symbology: UnsafePointer<UInt8>, _ aimModifier: UInt8, _ payload: UnsafePointer<UInt8>?, _ payloadByteCount: Int,
    _ corners: UnsafePointer<Int32>
  ) -> Void

/// Decodes a picture whose rows have no gaps and returns the work units spent. `memory` must be aligned to 64 bytes.
@_cdecl("gate_decode")
public func gateDecode(
  luma: UnsafePointer<UInt8>, width: Int, height: Int, isStill: Bool,
  memory: UnsafeMutableRawPointer, memoryByteCount: Int, emit: Emit
) -> Int {
  let view = unsafe LumaView(base: luma, width: width, height: height, bytesPerRow: width)
  let bytes = unsafe UnsafeMutableRawBufferPointer(start: memory, count: memoryByteCount)
  var workspace = unsafe Workspace(memory: bytes, pixelCountMax: width * height)
  var settings = DecoderSettings()
  settings.effort = isStill ? .still : .frame
  settings.addOns = .read
  let outcome = Decoder.decode(view, settings: settings, workspace: &workspace)
  for index in 0..<workspace.symbolCount {
    let symbol = workspace.symbol(index)
    let q = symbol.corners
    let corners: [8 of Int32] = [
      q.topLeft.x.bits, q.topLeft.y.bits, q.topRight.x.bits, q.topRight.y.bits,
      q.bottomRight.x.bits, q.bottomRight.y.bits, q.bottomLeft.x.bits, q.bottomLeft.y.bits,
    ]
    let segments = workspace.segments(index)
    precondition(segments.isEmpty || segments[0].byteOffset >= 0)
    unsafe workspace.payload(index).withUnsafeBufferPointer { payload in
      unsafe corners.span.withUnsafeBufferPointer { corners in
        unsafe emit(
          symbol.symbology.name.utf8Start, symbol.aimModifier, payload.baseAddress, payload.count, corners.baseAddress!)
      }
    }
  }
  return outcome.workUnits
}
