// Recently seen codes, so that a code in view is copied and converted to text once, not in every frame.

import BarcodeMessage
import BarcodeTypes
import ScanControl

/// Converts a symbol's bytes to text.
typealias SymbolContentMaking = (DecodedSymbol, Span<UInt8>, Span<PayloadSegment>) -> SymbolContent

extension ScannedProduct {
  /// Digits of a GTIN in elements.
  private static let gtinDigitCount = 14

  /// Nil if the elements name no article.
  fileprivate init?(_ reading: GS1Reading) {
    guard let gtin = reading["01"], gtin.utf8.count == Self.gtinDigitCount else { return nil }
    self.init(
      gtin: gtin,
      attributes: reading.elements.filter { $0.identifier != "01" }.map {
        Attribute(identifier: $0.identifier, value: $0.value)
      })
  }
}

struct CodeCache {
  /// The most codes kept: a crowded frame. When full, the code used longest ago is replaced.
  static let codeCountMax = 64

  private struct Entry {
    var code: ScannedCode
    var segments: [PayloadSegment]
    var lastUse: UInt64
  }

  private let content: SymbolContentMaking
  private var entries: [Entry] = []
  private var useCount: UInt64 = 0

  init(content: @escaping SymbolContentMaking) {
    self.content = content
    entries.reserveCapacity(Self.codeCountMax)
  }

  mutating func code(
    of symbol: DecodedSymbol, payload: Span<UInt8>, segments: Span<PayloadSegment>
  ) -> ScannedCode {
    useCount += 1
    for index in entries.indices where isSame(entries[index], symbol, payload, segments) {
      entries[index].lastUse = useCount
      return entries[index].code
    }
    let entry = makeEntry(symbol, payload, segments)
    // The answer depends on the day, so it is never cached.
    if entry.code.isConcealed { return entry.code }
    if entries.count == Self.codeCountMax { entries.remove(at: indexToForget()) }
    entries.append(entry)
    return entry.code
  }

  private func isSame(
    _ entry: Entry, _ symbol: DecodedSymbol, _ payload: Span<UInt8>, _ segments: Span<PayloadSegment>
  ) -> Bool {
    let code = entry.code
    guard code.symbology == symbol.symbology, code.aimModifier == symbol.aimModifier, code.isGS1 == symbol.isGS1,
      code.addOnByteCount == symbol.addOnByteCount, code.part == symbol.structuredAppend,
      code.payload.count == payload.count,
      entry.segments.count == segments.count
    else { return false }
    for index in payload.indices where code.payload[index] != payload[index] { return false }
    for index in segments.indices where entry.segments[index] != segments[index] { return false }
    return true
  }

  private func makeEntry(
    _ symbol: DecodedSymbol, _ payload: Span<UInt8>, _ segments: Span<PayloadSegment>
  ) -> Entry {
    let content = content(symbol, payload, segments)
    var code = ScannedCode(
      symbology: symbol.symbology, aimModifier: symbol.aimModifier, isGS1: symbol.isGS1,
      addOnByteCount: symbol.addOnByteCount, payload: payload.indices.map { payload[$0] }, text: content.text,
      humanReadable: content.humanReadable, mark: content.use == .link ? .link : .search,
      isWrong: content.gs1?.isValid == false,
      part: symbol.structuredAppend)
    code.isConcealed = content.isConcealed
    code.product = content.gs1.flatMap(ScannedProduct.init)
    return Entry(code: code, segments: segments.indices.map { segments[$0] }, lastUse: useCount)
  }

  private func indexToForget() -> Int {
    var oldest = 0
    for index in entries.indices where entries[index].lastUse < entries[oldest].lastUse { oldest = index }
    return oldest
  }
}
