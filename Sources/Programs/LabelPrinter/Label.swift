// Start reading here: a symbol with the text that its standard prints with it, laid out in modules.

public import SymbolPrinter

/// A symbol with its quiet zone and, if it is linear, the text beside its bars.
public struct Label: Sendable {
  /// A dark rectangle, in modules.
  struct Bar: Sendable, Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
  }

  /// A line of text, in modules.
  struct Line: Sendable, Equatable {
    var text: String
    /// Its middle.
    var x: Double
    /// Where its letters stand.
    var baseline: Double
    /// The height of the font's em.
    var size: Double
  }

  let picture: ModulePicture
  /// The symbol's upper left corner.
  let left: Double
  let top: Double
  var bars: [Bar] = []
  var lines: [Line] = []
  private let bearerBars: BearerBars
  /// In modules, with quiet zones and text.
  public internal(set) var width: Double
  public internal(set) var height: Double

  /// - Parameters:
  ///   - quietZone: in modules on each side; nil for the standard's. Digits beside an EAN or UPC symbol need more than 0.
  ///   - hasText: whether the text is printed.
  ///   - bearerBars: nil for the standard's. A frame surrounds the standard's quiet zones at least, and is the label's edge.
  public init(
    _ picture: ModulePicture, quietZone: Int? = nil, hasText: Bool = true, bearerBars: BearerBars? = nil
  ) throws(SymbolPrinterError) {
    let quiet = quietZone ?? picture.standardQuietZone
    guard SymbolPrinterLimits.quietZoneModules.contains(quiet) else {
      throw .outOfRange(name: "quiet zone", range: SymbolPrinterLimits.quietZoneModules)
    }
    self.picture = picture
    let bearerBars = bearerBars ?? .standard(for: picture.symbology)
    self.bearerBars = bearerBars
    let bearer = bearerBars.thickness
    let retail = hasText ? RetailText(picture) : nil
    if bearerBars == .frame {
      left = Double(max(quiet, picture.standardQuietZone)) + bearer
      top = bearer
      width = 2 * left + picture.width
    } else {
      left = max(Double(quiet), retail?.leftRoom ?? 0)
      top = Double(quiet) + bearer
      width = left + picture.width + max(Double(quiet), retail?.rightRoom ?? 0)
    }
    height = 2 * top + picture.height
    takeBars()
    bars += bearerBars.bars(left: left, top: top, width: picture.width, height: picture.height, quiet: left - bearer)
    if let retail {
      retail.place(in: &self)
    } else if hasText, !picture.humanReadable.isEmpty {
      try placeText()
    }
  }

  /// A rectangle per run of dark modules.
  private mutating func takeBars() {
    var y = top
    for row in picture.rows {
      var column = 0
      while column < row.modules.count {
        let start = column
        while column < row.modules.count, row.modules[column] == row.modules[start] { column += 1 }
        if row.modules[start] {
          bars.append(Bar(x: left + Double(start), y: y, width: Double(column - start), height: row.height))
        }
      }
      y += row.height
    }
  }

  /// The size of text, and the smallest before it is broken into lines: letters of 6.6 and of 4.4 modules.
  private static let textSize = 9.0
  private static let textSizeMin = 6.0
  /// Between bars and text.
  static let gap = 1.0

  /// Places the text below the symbol, in the middle.
  private mutating func placeText() throws(SymbolPrinterError) {
    guard let font = LabelFont() else {
      throw .refused(picture.symbology, detail: "there is no memory for its text; leave the text out")
    }
    let text = picture.humanReadable
    let natural = font.width(text, size: Self.textSize)
    let size = max(Self.textSizeMin, min(Self.textSize, Self.textSize * width / max(1, natural)))
    let end = top + picture.height + bearerBars.thickness
    var bottom = end + Self.gap
    for part in Self.broken(text, room: width, { font.width($0, size: size) }) {
      bottom += size * LabelFont.letterHeight
      lines.append(Line(text: part, x: left + picture.width / 2, baseline: bottom, size: size))
      bottom += size * LabelFont.depth
    }
    height += bottom - end
  }

  /// The text in lines no wider than `room`: broken before a GS1 identifier if there are any, else anywhere.
  static func broken(_ text: String, room: Double, _ width: (String) -> Double) -> [String] {
    guard width(text) > room else { return [text] }
    var pieces: [String] = []
    for character in text {
      if character == "(" && text.first == "(" || pieces.isEmpty || width(pieces[pieces.count - 1] + "\(character)") > room {
        pieces.append("")
      }
      pieces[pieces.count - 1].append(character)
    }
    var lines: [String] = []
    for piece in pieces {
      if let line = lines.last, width(line + piece) <= room {
        lines[lines.count - 1] = line + piece
      } else {
        lines.append(piece)
      }
    }
    return lines
  }
}
