// Labels for the simulated sensor's scenes, printed as users print them.

public import BarcodeTypes
public import Devices
import SymbolPrinter

extension SceneLabel {
  /// Pixels per module: at the distances of the scenes a module covers fewer.
  private static let scale = 6
  /// The height of a linear symbol's bars relative to its width.
  private static let linearShape = 0.4

  /// A symbol with its standard quiet zones.
  public static func printed(_ text: String, _ symbology: Symbology) throws -> SceneLabel {
    let printed = try SymbolPrinter.print(SymbolRequest(text, symbology: symbology))
    let quiet = max(2, printed.standardQuietZone)
    let drawn = try printed.pixels(scale: scale, quietZone: quiet)
    var (height, luma) = (drawn.height, drawn.pixels)
    if printed.rows.count == 1 {
      // Bars are as high as the label needs; white above and below.
      let bars = Int(Double(drawn.width) * linearShape)
      let middle = Array(luma[(height / 2 * drawn.width)..<((height / 2 + 1) * drawn.width)])
      let white = [UInt8](repeating: 255, count: 3 * scale * drawn.width)
      luma = white + Array(repeatElement(middle, count: bars).joined()) + white
      height = bars + 6 * scale
    }
    return SceneLabel(
      text: text, picture: SimulatedPicture(width: drawn.width, height: height, luma: luma), pixelsPerModule: Double(scale))
  }

  /// Labels of the symbologies that stations meet most, with different contents.
  ///
  /// - Parameter count: for each symbology.
  public static func samples(count: Int, seed: UInt64 = 1) throws -> [SceneLabel] {
    var chance = SceneChance(seed: seed)
    func digits(_ count: Int) -> String { (0..<count).map { _ in String(chance.next() % 10) }.joined() }
    var labels: [SceneLabel] = []
    for _ in 0..<count {
      let article = digits(12)
      let sum = article.enumerated().reduce(0) { $0 + ($1.offset % 2 == 0 ? 1 : 3) * ($1.element.wholeNumberValue ?? 0) }
      labels.append(try printed(article + String((10 - sum % 10) % 10), .ean13))
      labels.append(try printed("P" + digits(8), .code128))
      labels.append(try printed("https://example.org/" + digits(8), .qr))
      labels.append(try printed("S" + digits(15), .datamatrix))
    }
    return labels
  }
}
