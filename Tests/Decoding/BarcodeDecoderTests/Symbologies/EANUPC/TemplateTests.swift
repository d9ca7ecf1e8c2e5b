import BarcodeTypes
import Foundation
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

@Suite struct TemplateTests {
  @Test func `the table of the Gaussian integral matches floating point`() {
    for index in 0...128 {
      let exact = (1 + erf(Double(index) / 32 / 2.0.squareRoot())) / 2
      #expect(gaussianIntegral[index] == Int32((exact * 32768).rounded()))
    }
  }

  @Test func `edge responses follow the Gaussian`() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 64)
    defer { memory.deallocate() }
    var arena = Arena(base: memory, byteCount: 4096)
    var response = try EdgeResponse(arena: &arena)
    for (blur, spread) in [(77, 0), (128, 40), (256, -60), (320, 100)] as [(Int32, Int32)] {
      response.set(blur: blur, spread: spread)
      for index in (24 - response.reach)..<(24 + response.reach) {
        let place = (Double(index - 24) + 0.5) / 4
        let shift = Double(spread / 2) / 256
        let sigma = Double(blur) / 256 * 2.0.squareRoot()
        #expect(abs(Double(response.darkening[index]) - 2048 * (1 + erf((place + shift) / sigma))) < 4)
        #expect(abs(Double(response.lightening[index]) - 2048 * (1 + erf((place - shift) / sigma))) < 4)
      }
      let end = (Double(response.reach) - Double(abs(spread)) / 256 * 2) / 4 / (Double(blur) / 256)
      #expect(erf(end / 2.0.squareRoot()) > 0.9995)
    }
  }

  @Test func `integer square roots are exact`() {
    for value in [0, 1, 2, 3, 4, 15, 16, 17, 99_999, 1 << 32, (1 << 62) - 1, 1 << 62] as [UInt64] {
      let root = integerRoot(value)
      #expect(root * root <= value && (root + 1) * (root + 1) > value)
    }
  }

  @Test func `the normal equations recover the coefficients`() throws {
    var generator = SeededGenerator(seed: 5)
    var equations = NormalEquations(unknownCount: 10)
    let wanted = (0..<10).map { _ in Double.random(in: -1...1, using: &generator) }
    for _ in 0..<400 {
      var row: [10 of Int32] = .init(repeating: 0)
      var sum = 0.0
      for index in 0..<10 {
        row[index] = Int32.random(in: -4096...4096, using: &generator)
        sum += Double(row[index]) * wanted[index]
      }
      equations.add(row, Int32(sum.rounded()))
    }
    let solution = try #require(equations.solve(damping: .init(repeating: 0)))
    for index in 0..<10 { #expect(abs(Double(solution[index]) / 65536 - wanted[index]) < 0.002) }
  }

  @Test func `singular normal equations have no solution`() {
    var equations = NormalEquations(unknownCount: 10)
    for value in 1..<100 { equations.add(.init(repeating: Int32(value)), Int32(value)) }
    #expect(equations.solve(damping: .init(repeating: 0)) == nil)
  }

  /// At this pitch, a blur of 0.65 modules merges the edges of adjacent single modules.
  @Test(arguments: [0.0, 33, 90, 200], ["4006381333931", "9780201379624", "2100345678907"])
  func `an EAN-13 symbol is read even when blur merges its edges`(degrees: Double, text: String) {
    var view = View()
    view.modulePixels = 2.2
    view.blurModules = 0.65
    view.noise = 2
    view.degrees = degrees
    #expect(Picture(elements: LinearEncoder.ean13(text), view: view).decode().map(\.text) == [text])
  }

  @Test(arguments: [0.0, 45, 180])
  func `an EAN-8 symbol is read even when blur merges its edges`(degrees: Double) {
    var view = View()
    view.modulePixels = 2.2
    view.blurModules = 0.65
    view.noise = 2
    view.degrees = degrees
    #expect(Picture(elements: LinearEncoder.ean8("73513537"), view: view).decode().map(\.text) == ["73513537"])
  }

  @Test(arguments: [0.0, 45, 180])
  func `a UPC-E symbol is read even when blur merges its edges`(degrees: Double) {
    var view = View()
    view.modulePixels = 2.2
    view.blurModules = 0.6
    view.noise = 2
    view.degrees = degrees
    #expect(Picture(elements: LinearEncoder.upce("04252614"), view: view).decode().map(\.text) == ["04252614"])
  }

  @Test(arguments: 1...10)
  func `a blurred symbol with a wrong check digit is refused`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var digits = (0..<12).map { _ in Int.random(in: 0...9, using: &generator) }
    digits.append((LinearEncoder.checkDigit(digits) + Int.random(in: 1...9, using: &generator)) % 10)
    var view = View()
    view.modulePixels = 2.2
    view.blurModules = 0.7
    view.noise = 3
    view.seed = seed
    #expect(Picture(elements: LinearEncoder.ean13(digits.map(String.init).joined()), view: view).decode().isEmpty)
  }
}
