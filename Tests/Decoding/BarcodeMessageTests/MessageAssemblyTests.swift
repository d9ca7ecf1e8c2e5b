import BarcodeMessage
import BarcodeTypes
import Testing

/// A part of a message, as lent by the decoder.
private struct Part {
  var index: Int32
  var count: Int32
  var bytes: [UInt8]
  var symbology = Symbology.qr
  var identifier: UInt64 = 90
  var modifier: UInt8 = 0x31
  var segments: [PayloadSegment] = []

  func add(to assembly: inout MessageAssembly, at second: Int64 = 0) -> AssembledMessage? {
    let corner = PixelPoint(x: Fixed16(Int(index)), y: .zero)
    var symbol = DecodedSymbol(
      symbology: symbology, aimModifier: modifier,
      corners: Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner))
    symbol.structuredAppend = StructuredAppend(index: index, count: count, identifier: identifier)
    return assembly.add(symbol, payload: bytes.span, segments: segments.span, at: second * 1_000_000_000)
  }
}

/// The text of a message.
private func text(_ message: AssembledMessage?) -> String? {
  message.map { SymbolContent(symbol: $0.symbol, payload: $0.payload.span, segments: $0.segments.span).text }
}

@Suite struct MessageAssemblyTests {
  @Test func `a message is complete when all parts were read, in any order`() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 2, 0, 0, 1]] as [[Int32]] {
      var assembly = MessageAssembly()
      for (place, index) in order.enumerated() {
        let message = Part(index: index, count: 3, bytes: [0x41 + UInt8(index)]).add(to: &assembly, at: Int64(place))
        #expect(text(message) == (place == order.count - 1 ? "ABC" : nil))
        #expect(message?.symbol.structuredAppend == nil)
      }
    }
  }

  @Test func `a complete message stays available while any of its parts is in view`() {
    var assembly = MessageAssembly()
    _ = Part(index: 0, count: 2, bytes: [0x41]).add(to: &assembly)
    for second in 1..<Int64(100) {
      let message = Part(index: 1, count: 2, bytes: [0x42]).add(to: &assembly, at: second)
      #expect(text(message) == "AB" && message?.symbol.corners.topLeft.x == Fixed16(1))
    }
  }

  @Test func `parts not seen for half a minute are dropped`() {
    var assembly = MessageAssembly()
    _ = Part(index: 0, count: 2, bytes: [0x41]).add(to: &assembly)
    #expect(Part(index: 1, count: 2, bytes: [0x42]).add(to: &assembly, at: 31) == nil)
    #expect(text(Part(index: 0, count: 2, bytes: [0x43]).add(to: &assembly, at: 61)) == "CB")
  }

  @Test func `parts of other messages are not mixed in`() {
    var assembly = MessageAssembly()
    _ = Part(index: 0, count: 2, bytes: [0x41]).add(to: &assembly)
    #expect(Part(index: 1, count: 2, bytes: [0x42], identifier: 91).add(to: &assembly) == nil)
    #expect(Part(index: 1, count: 2, bytes: [0x42], symbology: .datamatrix).add(to: &assembly) == nil)
    #expect(Part(index: 1, count: 3, bytes: [0x42]).add(to: &assembly) == nil)
    // The same identifier with other bytes at a known position: a different message.
    #expect(Part(index: 0, count: 2, bytes: [0x44]).add(to: &assembly) == nil)
    #expect(text(Part(index: 1, count: 2, bytes: [0x45]).add(to: &assembly)) == "DE")
  }

  @Test func `only the last part of a message need give the number of parts`() {
    var assembly = MessageAssembly()
    _ = Part(index: 1, count: 0, bytes: [0x42], symbology: .pdf417).add(to: &assembly)
    _ = Part(index: 2, count: 3, bytes: [0x43], symbology: .pdf417).add(to: &assembly)
    #expect(text(Part(index: 0, count: 0, bytes: [0x41], symbology: .pdf417).add(to: &assembly)) == "ABC")
  }

  @Test func `a character may begin in one part and end in the next`() {
    for interpretation in [TextInterpretation.unspecified, .eci(26)] {
      var assembly = MessageAssembly()
      let segments = [PayloadSegment(byteOffset: 0, interpretation: interpretation)]
      _ = Part(index: 0, count: 2, bytes: [0x47, 0xC3], segments: segments).add(to: &assembly)
      #expect(text(Part(index: 1, count: 2, bytes: [0xA4, 0x42], segments: segments).add(to: &assembly)) == "GäB")
    }
    var assembly = MessageAssembly()
    let cyrillic = [PayloadSegment(byteOffset: 1, interpretation: .eci(22))]
    _ = Part(index: 0, count: 2, bytes: [0x41, 0xCF], segments: cyrillic).add(to: &assembly)
    #expect(text(Part(index: 1, count: 2, bytes: [0x42, 0xC3, 0xA4]).add(to: &assembly)) == "AПBä")
  }

  @Test func `a complete Aztec message has the modifier of a single symbol`() {
    for (part, whole) in [(0x36, 0x30), (0x37, 0x31), (0x39, 0x33), (0x41, 0x34), (0x42, 0x35)] as [(UInt8, UInt8)] {
      var assembly = MessageAssembly()
      let message = Part(index: 0, count: 1, bytes: [0x41], symbology: .aztec, modifier: part).add(to: &assembly)
      #expect(message?.symbol.aimModifier == whole)
    }
  }

  @Test func `limits hold and are reported`() {
    var assembly = MessageAssembly()
    #expect(Part(index: 256, count: 0, bytes: [0x41]).add(to: &assembly) == nil && assembly.refusedCount == 1)
    #expect(Part(index: 0, count: 257, bytes: [0x41]).add(to: &assembly) == nil && assembly.refusedCount == 2)
    for number in 0...UInt64(MessageAssembly.messageCountMax) {
      _ = Part(index: 0, count: 2, bytes: [0x41], identifier: number).add(to: &assembly, at: Int64(number))
    }
    #expect(assembly.refusedCount == 3)
    #expect(Part(index: 1, count: 2, bytes: [0x42], identifier: 1).add(to: &assembly, at: 17) != nil)
    let large = [UInt8](repeating: 0x41, count: MessageAssembly.byteCountMax)
    _ = Part(index: 0, count: 2, bytes: large, identifier: 99).add(to: &assembly, at: 17)
    let before = assembly.refusedCount
    #expect(Part(index: 1, count: 2, bytes: [0x41], identifier: 99).add(to: &assembly, at: 17) == nil)
    #expect(assembly.refusedCount == before + 1)
  }
}
