// The texts of symbols in the C interface: those of the station's scan records, by the same code.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
public import CReticle
import CReticleSupport
import ReticleDecoding

@_cdecl("reticle_get_text")
public func getText(
  workspace: OpaquePointer?, index: UInt, buffer: UnsafeMutableRawPointer?, bufferSize: UInt,
  text place: UnsafeMutableRawPointer?, textSize: UInt
) -> reticle_status {
  guard let workspace, let place, buffer != nil || bufferSize == 0 else { return status(RETICLE_NULL_ARGUMENT) }
  guard textSize >= UInt(MemoryLayout<reticle_text>.size) else { return status(RETICLE_BAD_STRUCT_SIZE) }
  guard let from = LibraryWorkspace.at(workspace) else { return status(RETICLE_BAD_WORKSPACE) }
  guard index < UInt(from.pointee.decoder.symbolCount) else { return status(RETICLE_NO_SUCH_RESULT) }
  guard reticle_has_memory() else { return status(RETICLE_NO_MEMORY) }
  let content = content(from.pointee, Int(index))
  let printed = content.humanReadable ?? content.medicineNumber
  var report = reticle_text()
  report.needed_byte_count = content.text.utf8.count + 1 + (printed.map { $0.utf8.count + 1 } ?? 0)
  guard let buffer, bufferSize >= UInt(report.needed_byte_count) else {
    let written = writeStruct(report, to: place, size: textSize)
    return written == RETICLE_OK ? status(RETICLE_BUFFER_TOO_SMALL) : written
  }
  (report.text, report.text_byte_count) = write(content.text, to: buffer)
  if let printed { (report.hri, report.hri_byte_count) = write(printed, to: buffer + report.text_byte_count + 1) }
  report.flags = UInt32(
    (content.isExact ? RETICLE_TEXT_EXACT : 0) | (content.use == .link ? RETICLE_TEXT_LINK : 0))
  return writeStruct(report, to: place, size: textSize)
}

private func content(_ workspace: borrowing LibraryWorkspace, _ index: Int) -> SymbolContent {
  SymbolContent(
    symbol: workspace.decoder.symbol(index), payload: workspace.decoder.payload(index),
    segments: workspace.decoder.segments(index), assumedECI: workspace.assumedECI)
}

/// Writes UTF-8 and a zero byte; returns where, and the number of bytes before the zero.
private func write(_ text: String, to buffer: UnsafeMutableRawPointer) -> (UnsafePointer<CChar>, Int) {
  var count = 0
  for byte in text.utf8 {
    buffer.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }
  buffer.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
  return (UnsafePointer(buffer.assumingMemoryBound(to: CChar.self)), count)
}
