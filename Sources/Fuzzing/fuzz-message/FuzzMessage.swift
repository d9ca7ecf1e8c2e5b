// Hostile payloads: any bytes in any character set, as GS1 element strings and as addresses.

import BarcodeMessage
import BarcodeTypes

/// The fuzzer's entry: the first byte is the number of segments, three bytes each describe one, the rest is the payload.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessage(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  let segmentCount = min(Int(bytes.first ?? 0) % 8, max(0, bytes.count - 1) / 3)
  var segments: [PayloadSegment] = []
  for index in 0..<segmentCount {
    let fields = bytes[(1 + 3 * index)..<(4 + 3 * index)].map { Int($0) }
    let interpretation = fields[2] == 255 ? TextInterpretation.unspecified : .eci(UInt32(fields[2]))
    segments.append(PayloadSegment(byteOffset: fields[0] << 8 | fields[1], interpretation: interpretation))
  }
  let payload = Array(bytes.dropFirst(1 + 3 * segmentCount))
  let corner = PixelPoint(x: .zero, y: .zero)
  var symbol = DecodedSymbol(
    symbology: .qr, aimModifier: UInt8(ascii: "1"),
    corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner))
  symbol.isGS1 = bytes.first.map { $0 & 0x80 != 0 } ?? false
  symbol.addOnByteCount = bytes.first.map { $0 & 0x40 != 0 } == true ? 2 : 0
  let content = SymbolContent(symbol: symbol, payload: payload.span, segments: segments.span)
  // A payload read as GS1 must be readable in its other forms.
  if let reading = content.gs1, let message = try? GS1Message(elements: reading.elements) {
    precondition((try? GS1Message(elementStrings: message.elementStrings))?.elements == message.elements)
    precondition(GS1Reading(bracketed: reading.bracketed).elements == reading.elements)
    if let link = message.digitalLink() { precondition((try? GS1Message(digitalLink: link)) != nil) }
  }
  precondition(!JSONText.quoted(content.text).utf8.contains { $0 < 0x20 })
  precondition(!TerminalText.safe(content.text).utf8.contains { $0 < 0x20 || $0 == 0x7F })
  return 0
}
