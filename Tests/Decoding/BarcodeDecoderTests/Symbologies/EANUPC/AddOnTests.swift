import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct AddOnTests {
  private func read(_ elements: [Int], _ policy: AddOnPolicy, view: View = View()) -> [ReadSymbol] {
    var settings = DecoderSettings()
    settings.addOns = policy
    return Picture(elements: elements, view: view).decode(settings)
  }

  @Test func `the number sets of five-digit add-ons are distinct`() {
    for one in 0..<10 {
      #expect(addOnDigitSets[one].nonzeroBitCount == 2)
      for other in 0..<one { #expect(addOnDigitSets[one] != addOnDigitSets[other]) }
    }
  }

  @Test(arguments: ["12", "05", "34", "51299", "00395", "90000"])
  func `an add-on is read with its EAN-13 symbol`(digits: String) {
    let found = read(LinearEncoder.ean13("9780735200449", addOn: digits), .read)
    #expect(found.map(\.text) == ["9780735200449\(digits)"])
    #expect(found.first?.symbol.addOnByteCount == UInt8(digits.count))
    #expect(found.first?.symbol.aimModifier == UInt8(ascii: "3"))
  }

  @Test(arguments: [30.0, 90, 180, 255])
  func `an add-on is read at any angle`(degrees: Double) {
    var view = View()
    view.degrees = degrees
    let found = read(LinearEncoder.ean13("9780735200449", addOn: "51299"), .require, view: view)
    #expect(found.map(\.text) == ["978073520044951299"])
  }

  /// The number sets of two digits encode only the value modulo 4.
  @Test(arguments: ["77", "27", "88", "97", "81", "07"])
  func `blur never turns an add-on into another`(digits: String) {
    var readCount = 0
    for pixels in [2.2, 2.8, 3.8] {
      for blur in stride(from: 0.45, through: 0.75, by: 0.1) {
        for ink in [-0.2, 0, 0.2] {
          let view = View(modulePixels: pixels, blurModules: blur, inkModules: ink)
          let texts = read(LinearEncoder.ean13("9780735200449", addOn: digits), .require, view: view).map(\.text)
          readCount += texts.count
          #expect(
            texts == ["9780735200449\(digits)"] || texts.isEmpty, "\(pixels) pixels a module, blur \(blur), ink \(ink)")
        }
      }
    }
    #expect(readCount > 12, "of 36")
  }

  @Test func `an add-on is ignored by default`() {
    let found = Picture(elements: LinearEncoder.ean13("9780735200449", addOn: "51299")).decode()
    #expect(found.map(\.text) == ["9780735200449"])
    #expect(found.first?.symbol.addOnByteCount == 0)
  }

  @Test func `a symbol without an add-on is refused only if add-ons are required`() {
    #expect(read(LinearEncoder.ean13("9780735200449"), .require).isEmpty)
    #expect(read(LinearEncoder.ean13("9780735200449"), .read).map(\.text) == ["9780735200449"])
  }

  @Test func `a line close behind an add-on of five digits does not hide it`() {
    var elements = LinearEncoder.ean13("9780735200449", addOn: "51299")
    elements += [3, 1]
    #expect(read(elements, .require).map(\.text) == ["978073520044951299"])
  }

  @Test func `an add-on too far away is not read`() {
    let found = read(LinearEncoder.ean13("9780735200449", addOn: "51299", gap: 24), .read)
    #expect(found.map(\.text) == ["9780735200449"])
  }

  @Test func `the start of a five-digit add-on is not read as two digits`() {
    let whole = Picture(elements: LinearEncoder.ean13("9780735200449", addOn: "50099"))
    // The picture ends in the first space after two digits, whose number sets are those of 50.
    var cut = Picture(width: 24 + (12 + 95 + 9 + 20) * 3 + 2, height: whole.height)
    for y in 0..<cut.height {
      for x in 0..<cut.width { cut.pixels[y * cut.width + x] = whole.pixels[y * whole.width + x] }
    }
    var settings = DecoderSettings()
    settings.addOns = .read
    #expect(cut.decode(settings).map(\.text) == ["9780735200449"])
  }
}
