// Messages spread over several symbols: parts go in, in any order and over any number of frames; whole messages come out.

public import BarcodeTypes

/// A message with all its parts.
public struct AssembledMessage: Sendable {
  /// The symbol that a single symbol with the whole message would be: like the first part, at the position of the part seen
  /// last.
  public var symbol: DecodedSymbol
  /// The bytes of all parts in order.
  public var payload: [UInt8]
  /// The interpretation of the bytes, like `Workspace.segments`.
  public var segments: [PayloadSegment]
}

/// Collects the parts of messages (structured append, Macro PDF417).
///
/// Parts belong together if they have the same symbology, identifier and, where stated, number of parts. An assembled
/// message stays, so that it remains available while any of its parts is in view.
public struct MessageAssembly: Sendable {
  /// The most messages at once; a further one replaces the message whose parts have been out of view longest.
  public static let messageCountMax = 16
  /// The most parts of a message; one with more is not assembled.
  public static let partCountMax = 256
  /// The most bytes of a message; a part that would exceed it is omitted.
  public static let byteCountMax = 1 << 20
  /// How long after its last part was seen a message is dropped: 30 s, in nanoseconds.
  public static let absenceMax: Int64 = 30_000_000_000

  private struct Part: Sendable {
    var symbol: DecodedSymbol
    var payload: [UInt8]
    var segments: [PayloadSegment]
  }

  private struct Message: Sendable {
    var symbology: Symbology
    var identifier: UInt64
    /// 0 until a part states it.
    var partCount: Int
    var parts: [Int: Part] = [:]
    var byteCount = 0
    var lastSeen: Int64

    var isWhole: Bool { partCount > 0 && parts.count == partCount && parts.keys.allSatisfy { $0 < partCount } }

    func isThat(of symbol: DecodedSymbol, _ place: StructuredAppend) -> Bool {
      symbology == symbol.symbology && identifier == place.identifier
        && (partCount == 0 || place.count == 0 || partCount == Int(place.count))
    }
  }

  private var messages: [Message] = []
  /// Messages and parts dropped or omitted because of a limit.
  public private(set) var refusedCount = 0

  public init() {}

  /// Adds a part.
  ///
  /// - Parameters:
  ///   - symbol: with its position in the message; payload and segments belong to the same symbol.
  ///   - moment: when its frame was exposed, in nanoseconds of any clock that never goes back.
  /// - Returns: the whole message if this was its last part, or if it was complete before.
  public mutating func add(
    _ symbol: DecodedSymbol, payload: Span<UInt8>, segments: Span<PayloadSegment>, at moment: Int64
  ) -> AssembledMessage? {
    guard let place = symbol.structuredAppend else { return nil }
    messages.removeAll { moment &- $0.lastSeen > Self.absenceMax }
    guard place.index >= 0, place.index < Self.partCountMax, place.count <= Self.partCountMax else {
      refusedCount += 1
      return nil
    }
    let part = Part(
      symbol: symbol, payload: payload.indices.map { payload[$0] }, segments: segments.indices.map { segments[$0] })
    let index = indexOfMessage(of: symbol, place, at: moment)
    messages[index].lastSeen = moment
    if place.count > 0 { messages[index].partCount = Int(place.count) }
    if let known = messages[index].parts[Int(place.index)] {
      // Another message with the same identifier: QR Code has only 256 of them.
      if known.payload != part.payload {
        messages[index].parts = [:]
        messages[index].byteCount = 0
        messages[index].partCount = Int(place.count)
      }
    }
    if messages[index].parts[Int(place.index)] == nil {
      guard messages[index].byteCount + part.payload.count <= Self.byteCountMax else {
        refusedCount += 1
        return nil
      }
      messages[index].byteCount += part.payload.count
      messages[index].parts[Int(place.index)] = part
    }
    return messages[index].isWhole ? whole(messages[index], seen: symbol) : nil
  }

  /// The message of a part, created if necessary.
  private mutating func indexOfMessage(of symbol: DecodedSymbol, _ place: StructuredAppend, at moment: Int64) -> Int {
    if let known = messages.firstIndex(where: { $0.isThat(of: symbol, place) }) { return known }
    if messages.count == Self.messageCountMax, let oldest = messages.indices.min(by: isSeenBefore) {
      messages.remove(at: oldest)
      refusedCount += 1
    }
    messages.append(
      Message(
        symbology: symbol.symbology, identifier: place.identifier, partCount: Int(place.count), lastSeen: moment))
    return messages.count - 1
  }

  private func isSeenBefore(_ a: Int, _ b: Int) -> Bool { messages[a].lastSeen < messages[b].lastSeen }

  private func whole(_ message: Message, seen: DecodedSymbol) -> AssembledMessage? {
    guard let first = message.parts[0] else { return nil }
    var whole = AssembledMessage(symbol: first.symbol, payload: [], segments: [])
    whole.symbol.structuredAppend = nil
    whole.symbol.aimModifier = Self.modifierOfWhole(first.symbol)
    whole.symbol.corners = seen.corners
    whole.symbol.confidence = message.parts.values.map { $0.symbol.confidence }.min() ?? seen.confidence
    for index in 0..<message.partCount {
      guard let part = message.parts[index] else { return nil }
      let offset = whole.payload.count
      // An interpretation that a part leaves unspecified does not continue from the previous part.
      if offset > 0, part.segments.first?.byteOffset != 0 {
        whole.segments.append(PayloadSegment(byteOffset: offset, interpretation: .unspecified))
      }
      whole.segments += part.segments.map {
        PayloadSegment(byteOffset: offset + $0.byteOffset, interpretation: $0.interpretation)
      }
      whole.payload += part.payload
    }
    // Equal consecutive interpretations are merged, so that a character may begin in one part and end in the next.
    for index in whole.segments.indices.reversed() {
      let before = index > 0 ? whole.segments[index - 1].interpretation : .unspecified
      let followsAnother = index > 0 || whole.segments[index].byteOffset > 0
      if followsAnother, whole.segments[index].interpretation == before { whole.segments.remove(at: index) }
    }
    return whole
  }

  /// Aztec's modifiers show whether a symbol is a part: 6 to 9, A and B correspond to 0 to 5 of a separate symbol (ISO/IEC
  /// 24778 Annex F).
  private static func modifierOfWhole(_ part: DecodedSymbol) -> UInt8 {
    guard part.symbology == .aztec else { return part.aimModifier }
    return switch part.aimModifier {
    case 0x36...0x39: part.aimModifier - 6
    case 0x41, 0x42: part.aimModifier - 0x41 + 0x34
    default: part.aimModifier
    }
  }
}
