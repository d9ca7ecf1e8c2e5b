// Start reading here: turns a text into a symbol, through libzint, with errors that state the requirement.

import BarcodeMessage
public import BarcodeTypes
import CZint

/// A symbol to print.
public struct SymbolRequest: Equatable, Sendable {
  /// The text to encode. An EAN or UPC add-on follows after a space, and the two-dimensional component of a GS1 Composite symbol
  /// after `|`, as element strings written like `(10)AB-123`.
  public var text: String
  public var symbology = Symbology.qr
  /// Nil for M, if the symbology has levels.
  public var correction: CorrectionLevel?
  /// Whether the text consists of GS1 element strings, written like `(01)09501101530003(10)AB-123`.
  public var isGS1 = false

  public init(_ text: String, symbology: Symbology = .qr, correction: CorrectionLevel? = nil, isGS1: Bool = false) {
    self.text = text
    self.symbology = symbology
    self.correction = correction
    self.isGS1 = isGS1
  }
}

/// Creates symbols.
public enum SymbolPrinter {
  /// The symbologies that carry GS1 element strings.
  static var gs1Symbologies: [Symbology] { Symbology.allCases.filter { PrintedSymbology($0).gs1Number != nil } }

  /// Creates the symbol of a request. Non-ASCII text is marked as UTF-8 by an ECI if the symbology supports it, so that no
  /// reader has to guess.
  public static func print(_ request: SymbolRequest) throws(SymbolPrinterError) -> ModulePicture {
    if request.symbology == .dxFilmEdge, !request.isGS1, !request.text.isEmpty {
      return try ModulePicture(dxFilmEdge: request.text)
    }
    let message = try EncodableMessage(request)
    guard let symbol = ZBarcode_Create() else { throw .refused(request.symbology, detail: "there is not enough memory") }
    defer { ZBarcode_Delete(symbol) }
    symbol.pointee.symbology = message.number
    symbol.pointee.input_mode = message.inputMode
    symbol.pointee.eci = message.eci
    if let primary = message.primary {
      // Otherwise the linear symbol gets what a high component leaves of a fixed height.
      symbol.pointee.output_options |= COMPLIANT_HEIGHT
      withUnsafeMutableBytes(of: &symbol.pointee.primary) { room in
        for (index, byte) in primary.utf8.prefix(room.count - 1).enumerated() { room[index] = byte }
      }
    }
    symbol.pointee.show_hrt = 0
    if let option = message.symbology.option2 { symbol.pointee.option_2 = option }
    if let option = message.symbology.option3 { symbol.pointee.option_3 = option }
    if let level = message.correction {
      symbol.pointee.option_1 = Int32((CorrectionLevel.allCases.firstIndex(of: level) ?? 0) + 1)
    }
    var bytes = Array(message.text.utf8)
    let code = ZBarcode_Encode(symbol, &bytes, Int32(bytes.count))
    guard code < ZINT_ERROR else { throw error(code, symbol, request) }
    var picture = ModulePicture(symbology: request.symbology, width: Double(symbol.pointee.width), height: 0)
    picture.humanReadable = String(cString: czint_text(symbol))
    if request.symbology == .maxicode {
      guard ZBarcode_Buffer_Vector(symbol, 0) < ZINT_ERROR, let vector = symbol.pointee.vector else {
        throw error(code, symbol, request)
      }
      picture.takeShapes(vector.pointee)
    } else {
      picture.takeRows(symbol)
    }
    return picture
  }

  private static func error(
    _ code: Int32, _ symbol: UnsafeMutablePointer<zint_symbol>, _ request: SymbolRequest
  ) -> SymbolPrinterError {
    switch code {
    case ZINT_ERROR_TOO_LONG: .tooLong(request.symbology)
    case ZINT_ERROR_INVALID_DATA:
      .notEncodable(request.symbology, character: nil, allowed: PrintedSymbology(request.symbology).allowed)
    default: .refused(request.symbology, detail: String(cString: czint_message(symbol)))
    }
  }
}

extension ModulePicture {
  /// Takes the modules. Rows without a height share the remaining height of the symbol.
  fileprivate mutating func takeRows(_ symbol: UnsafeMutablePointer<zint_symbol>) {
    let rowCount = symbol.pointee.rows
    var fixedHeight = 0.0
    var sharingCount = 0
    for row in 0..<rowCount {
      let height = Double(czint_row_height(symbol, row))
      fixedHeight += height
      if height == 0 { sharingCount += 1 }
    }
    // A row must be at least one module high, regardless of the library's total height.
    let shared = max(1, (Double(symbol.pointee.height) - fixedHeight) / Double(max(1, sharingCount)))
    for row in 0..<rowCount {
      let own = Double(czint_row_height(symbol, row))
      var modules: [Bool] = []
      for column in 0..<symbol.pointee.width { modules.append(czint_is_dark(symbol, row, column) != 0) }
      rows.append(Row(modules: modules, height: own > 0 ? own : shared))
      height += own > 0 ? own : shared
    }
  }

  /// Takes MaxiCode's hexagons and rings. The library draws two units per module; a ring becomes a dark disc and a light
  /// one.
  fileprivate mutating func takeShapes(_ vector: zint_vector) {
    let unit = 2.0
    width = Double(vector.width) / unit
    height = Double(vector.height) / unit
    var circle = vector.circles
    while let shape = circle?.pointee {
      let middle = Double(shape.diameter) / 2
      let half = Double(shape.width) / 2
      addMark(shape.x, shape.y, (middle + half) / unit, isHexagon: false, isDark: shape.colour == 0)
      if half > 0 { addMark(shape.x, shape.y, (middle - half) / unit, isHexagon: false, isDark: shape.colour != 0) }
      circle = shape.next
    }
    var hexagon = vector.hexagons
    while let shape = hexagon?.pointee {
      addMark(shape.x, shape.y, Double(shape.diameter) / 2 / unit, isHexagon: true, isDark: true)
      hexagon = shape.next
    }
  }

  private mutating func addMark(_ x: Float, _ y: Float, _ radius: Double, isHexagon: Bool, isDark: Bool) {
    marks.append(Mark(x: Double(x) / 2, y: Double(y) / 2, radius: radius, isHexagon: isHexagon, isDark: isDark))
  }
}
