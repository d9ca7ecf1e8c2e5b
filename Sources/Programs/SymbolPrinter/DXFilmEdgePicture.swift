// DX film edge, which libzint 2.11 does not draw: US patents 4 965 628 and 5 448 049.

import BarcodeTypes

extension ModulePicture {
  /// The height of a track, in modules.
  private static let trackHeight = 3.0
  private static let products = 1...127
  private static let generations = 0...15
  private static let frames = 0...63
  private static let quotedForm = "a DX number, and a frame if there is one: 115-10 or 115-10/11A"

  /// The tracks of a DX number and, if there is one, a frame: "115-10", "115-10/11", "115-10/11A".
  init(dxFilmEdge text: String) throws(SymbolPrinterError) {
    guard let match = text.wholeMatch(of: /([0-9]{1,3})-([0-9]{1,2})(?:\/([0-9]{1,2})(A?))?/), let first = Int(match.1),
      let second = Int(match.2)
    else { throw .notEncodable(.dxFilmEdge, character: nil, allowed: Self.quotedForm) }
    guard Self.products.contains(first) else { throw .numberOutOfRange(.dxFilmEdge, name: "product", range: Self.products) }
    guard Self.generations.contains(second) else {
      throw .numberOutOfRange(.dxFilmEdge, name: "generation", range: Self.generations)
    }
    func bits(_ number: Int, _ count: Int) -> [Bool] { (0..<count).map { number >> (count - 1 - $0) & 1 == 1 } }
    var message = bits(first, 7) + [false] + bits(second, 4)
    if let frame = match.3 {
      guard let number = Int(frame), Self.frames.contains(number) else {
        throw .numberOutOfRange(.dxFilmEdge, name: "frame", range: Self.frames)
      }
      message += bits(number, 6) + [match.4 == "A", false]
    }
    let isOdd = message.count { $0 } % 2 == 1
    let data = bits(0b101010, 6) + message + [isOdd] + bits(0b0101, 4)
    // A bar of five modules, elements of one, and a bar of three.
    let clock = data.indices.map { $0 < 5 || $0 % 2 == 0 || $0 >= data.count - 3 }
    self.init(symbology: .dxFilmEdge, width: Double(data.count), height: 2 * Self.trackHeight)
    rows = [Row(modules: clock, height: Self.trackHeight), Row(modules: data, height: Self.trackHeight)]
  }
}
