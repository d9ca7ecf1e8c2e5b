import BarcodeTypes
import ScanControl
import Testing

@testable import ScanLoop
@testable import StationConsole

/// The figures for aiming and focusing, on pictures whose figures are known.
@Suite struct AimTests {
  /// Upright bars, each one module wide, blurred by a box of some pixels.
  private func bars(module: Double, blur: Int = 1, dark: Int = 20, light: Int = 230) -> Snapshot {
    let (width, height) = (400, 60)
    func isDark(_ x: Double) -> Bool { Int(x / module) % 2 == 0 }
    var row = (0..<width).map { x in
      // The mean over a pixel, in tenths.
      (0..<10).reduce(0) { $0 + (isDark(Double(x) + Double($1) / 10) ? dark : light) } / 10
    }
    let sharp = row
    for x in row.indices {
      let part = sharp[max(0, x - blur / 2)...min(width - 1, x + (blur - 1) / 2)]
      row[x] = part.reduce(0, +) / part.count
    }
    return Snapshot(
      width: width, height: height, luma: (0..<height).flatMap { _ in row.map { UInt8($0) } }, region: nil, sightings: [])
  }

  private let whole: Quad = {
    func point(_ x: Int, _ y: Int) -> PixelPoint { PixelPoint(x: Fixed16(x), y: Fixed16(y)) }
    return Quad(topLeft: point(2, 2), topRight: point(398, 2), bottomRight: point(398, 58), bottomLeft: point(2, 58))
  }()

  @Test(arguments: [1.6, 2.0, 2.5, 3.3, 5.0, 8.0])
  func `the width of modules is measured to a tenth of a pixel`(module: Double) throws {
    let measured = try #require(ModuleEstimate.pixels(of: whole, in: bars(module: module)))
    #expect(abs(measured - module) <= max(0.15, module * 0.06), "\(measured)")
    // Blur of a module does not change it.
    let blurred = try #require(ModuleEstimate.pixels(of: whole, in: bars(module: module, blur: Int(module))))
    #expect(abs(blurred - module) <= max(0.2, module * 0.1), "\(blurred)")
  }

  @Test func `a flat picture has no modules and no sharpness`() {
    let flat = bars(module: 4, dark: 100, light: 105)
    #expect(ModuleEstimate.pixels(of: whole, in: flat) == nil)
    #expect(AimFigures(flat).sharpness == 0)
  }

  @Test func `sharpness falls with blur, and not with contrast`() {
    let figures = [1, 2, 4, 8].map { AimFigures(bars(module: 12, blur: $0)).sharpness }
    #expect(figures == figures.sorted(by: >) && figures[0] >= 95 && figures[3] <= 15, "\(figures)")
    #expect(AimFigures(bars(module: 12, dark: 90, light: 150)).sharpness == figures[0])
  }

  @Test func `what is clipped is counted, inside the viewport only`() {
    let figures = AimFigures(bars(module: 10, dark: 0, light: 255))
    #expect(abs(figures.darkClipped - 50) < 1 && abs(figures.brightClipped - 50) < 1)
    #expect(figures.histogram[0] >= 490 && figures.histogram[63] >= 490 && abs(figures.mean - 127) < 3)
    let inside = Snapshot(
      width: 40, height: 20, luma: (0..<800).map { $0 % 40 < 20 ? 0 : 128 },
      region: PixelRegion(x: 20, y: 0, width: 20, height: 20), sightings: [])
    #expect(AimFigures(inside).darkClipped == 0 && AimFigures(inside).mean == 128)
  }

  @Test func `a symbol that cannot be read has its reason, from its pixels`() {
    func reason(_ help: UnreadSymbol.Help, dark: Int, light: Int) -> PictureFacts.Unread? {
      var snapshot = bars(module: 3, dark: dark, light: light)
      snapshot.unread = [UnreadSymbol(symbology: nil, corners: whole, help: help, module: Fixed16(1))]
      return PictureFacts(snapshot).unread.first
    }
    #expect(reason(.closer, dark: 0, light: 255)?.reason == .small)
    #expect(reason(.closer, dark: 0, light: 255)?.neededModulePixels == 2)
    #expect(reason(.stiller, dark: 0, light: 255)?.reason == .blurred)
    #expect(reason(.moreLight, dark: 20, light: 40)?.reason == .dark)
    #expect(reason(.moreLight, dark: 240, light: 255)?.reason == .clipped)
  }
}
