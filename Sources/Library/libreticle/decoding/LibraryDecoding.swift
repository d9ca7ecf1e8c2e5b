// Decoding and its results in the C interface: arguments are checked here, so that the decoder's own checks never end a process.

import BarcodeDecoder
import BarcodeTypes
public import CReticle

@_cdecl("reticle_decode")
public func decode(
  workspace: OpaquePointer?, luma: UnsafePointer<UInt8>?, width: UInt, height: UInt, stride: UInt,
  region: UnsafePointer<reticle_region>?, settings: UnsafePointer<reticle_settings>?, outcome: UnsafeMutableRawPointer?,
  outcomeSize: UInt
) -> reticle_status {
  guard let workspace, let luma else { return status(RETICLE_NULL_ARGUMENT) }
  guard let place = LibraryWorkspace.at(workspace) else { return status(RETICLE_BAD_WORKSPACE) }
  let sides = 1...UInt(DecoderLimits.sidePixelsMax)
  guard sides.contains(width), sides.contains(height) else { return status(RETICLE_BAD_SIDE) }
  guard width * height <= UInt(place.pointee.decoder.pixelCountMax) else { return status(RETICLE_PICTURE_TOO_LARGE) }
  guard stride >= width, stride <= UInt(Int.max) / height else { return status(RETICLE_BAD_STRIDE) }
  let view = LumaView(base: luma, width: Int(width), height: Int(height), bytesPerRow: Int(stride))
  var part: PixelRegion?
  if let region = region?.pointee {
    let given = PixelRegion(x: Int(region.x), y: Int(region.y), width: Int(region.width), height: Int(region.height))
    guard given.width > 0, given.height > 0, view.cropped(to: given) != nil else { return status(RETICLE_BAD_REGION) }
    part = given
  }
  if outcome != nil, outcomeSize < UInt(MemoryLayout<reticle_outcome>.size) { return status(RETICLE_BAD_STRUCT_SIZE) }
  switch CheckedSettings(settings) {
  case .wrong(let problem): return status(problem)
  case .right(let settings, let workLimit):
    let result = Decoder.decode(
      view, region: part, settings: settings, workLimit: workLimit, workspace: &place.pointee.decoder)
    place.pointee.assumedECI = settings.assumedECI
    guard let outcome else { return status(RETICLE_OK) }
    var report = reticle_outcome()
    report.symbol_count = place.pointee.decoder.symbolCount
    report.located_count = place.pointee.decoder.locatedCount
    report.work_units = Int64(result.workUnits)
    report.work_limit = Int64(result.workLimit)
    report.limits = bits(result.limits)
    return writeStruct(report, to: outcome, size: outcomeSize)
  }
}

private func bits(_ limits: DecodeLimits) -> UInt32 {
  UInt32(
    (limits.hasReachedWork ? RETICLE_LIMIT_WORK : 0) | (limits.hasReachedPatience ? RETICLE_LIMIT_PATIENCE : 0)
      | (limits.hasReachedCandidates ? RETICLE_LIMIT_CANDIDATES : 0)
      | (limits.hasReachedSymbols ? RETICLE_LIMIT_SYMBOLS : 0))
}

@_cdecl("reticle_get_symbol")
public func getSymbol(
  workspace: OpaquePointer?, index: UInt, symbol place: UnsafeMutableRawPointer?, symbolSize: UInt
) -> reticle_status {
  guard let workspace, let place else { return status(RETICLE_NULL_ARGUMENT) }
  guard let from = LibraryWorkspace.at(workspace) else { return status(RETICLE_BAD_WORKSPACE) }
  guard index < UInt(from.pointee.decoder.symbolCount) else { return status(RETICLE_NO_SUCH_RESULT) }
  return writeStruct(report(from.pointee.decoder, Int(index)), to: place, size: symbolSize)
}

private func report(_ decoder: borrowing Workspace, _ index: Int) -> reticle_symbol {
  let symbol = decoder.symbol(index)
  var report = reticle_symbol()
  report.symbology = reticle_symbology(symbol.symbology.libraryNumber)
  report.flags = flags(symbol)
  let identifier = symbol.aimIdentifier
  report.aim = (CChar(UInt8(ascii: "]")), CChar(identifier.code), CChar(identifier.modifier), 0)
  report.add_on_byte_count = symbol.addOnByteCount
  report.confidence = symbol.confidence
  report.line_count = symbol.lineCount
  report.corrected_codeword_count = UInt32(symbol.correctedCodewordCount)
  report.segment_count = UInt32(decoder.segments(index).count)
  // The bytes stay in the workspace's memory until the next decode, as the header says.
  (report.bytes, report.byte_count) = decoder.payload(index).withUnsafeBufferPointer { ($0.baseAddress, $0.count) }
  report.corners = points(symbol.corners)
  if let part = symbol.structuredAppend {
    (report.part_index, report.part_count, report.part_id) = (part.index, part.count, part.identifier)
  }
  return report
}

private func flags(_ symbol: DecodedSymbol) -> UInt32 {
  UInt32(
    (symbol.isGS1 ? RETICLE_SYMBOL_GS1 : 0) | (symbol.isInverted ? RETICLE_SYMBOL_INVERTED : 0)
      | (symbol.isMirrored ? RETICLE_SYMBOL_MIRRORED : 0)
      | (symbol.component == .read ? RETICLE_SYMBOL_COMPONENT : 0)
      | (symbol.component == .unread ? RETICLE_SYMBOL_COMPONENT_UNREAD : 0)
      | (symbol.structuredAppend != nil ? RETICLE_SYMBOL_PART : 0))
}

private func points(_ quad: Quad) -> (reticle_point, reticle_point, reticle_point, reticle_point) {
  (point(quad.topLeft), point(quad.topRight), point(quad.bottomRight), point(quad.bottomLeft))
}

private func point(_ point: PixelPoint) -> reticle_point {
  reticle_point(x: Double(point.x.bits) / 65536, y: Double(point.y.bits) / 65536)
}

@_cdecl("reticle_get_segment")
public func getSegment(
  workspace: OpaquePointer?, symbolIndex: UInt, segmentIndex: UInt, segment place: UnsafeMutableRawPointer?,
  segmentSize: UInt
) -> reticle_status {
  guard let workspace, let place else { return status(RETICLE_NULL_ARGUMENT) }
  guard let from = LibraryWorkspace.at(workspace) else { return status(RETICLE_BAD_WORKSPACE) }
  guard symbolIndex < UInt(from.pointee.decoder.symbolCount) else { return status(RETICLE_NO_SUCH_RESULT) }
  guard let report = report(from.pointee.decoder, Int(symbolIndex), segmentIndex: segmentIndex) else {
    return status(RETICLE_NO_SUCH_RESULT)
  }
  return writeStruct(report, to: place, size: segmentSize)
}

private func report(_ decoder: borrowing Workspace, _ index: Int, segmentIndex: UInt) -> reticle_segment? {
  let segments = decoder.segments(index)
  guard segmentIndex < UInt(segments.count) else { return nil }
  let segment = segments[Int(segmentIndex)]
  var report = reticle_segment()
  report.byte_offset = segment.byteOffset
  switch segment.interpretation {
  case .unspecified: report.eci = -1
  case .eci(let number): report.eci = Int32(number)
  }
  return report
}

@_cdecl("reticle_get_located")
public func getLocated(
  workspace: OpaquePointer?, index: UInt, located place: UnsafeMutableRawPointer?, locatedSize: UInt
) -> reticle_status {
  guard let workspace, let place else { return status(RETICLE_NULL_ARGUMENT) }
  guard let from = LibraryWorkspace.at(workspace) else { return status(RETICLE_BAD_WORKSPACE) }
  guard index < UInt(from.pointee.decoder.locatedCount) else { return status(RETICLE_NO_SUCH_RESULT) }
  let located = from.pointee.decoder.located(Int(index))
  var report = reticle_located()
  report.symbology = reticle_symbology(located.symbology?.libraryNumber ?? RETICLE_ANY_LINEAR)
  report.corners = points(located.corners)
  report.module = Double(located.module.bits) / 65536
  return writeStruct(report, to: place, size: locatedSize)
}
