// Scaling of frames for panels without hardware scaling.

import BarcodeTypes
import Devices
import Testing

@Suite struct PreviewScalerTests {
  private func scale(
    _ luma: [UInt8], _ width: Int, _ height: Int, to panelWidth: Int, _ panelHeight: Int, _ orientation: FrameOrientation,
    visible: PixelRegion? = nil
  ) -> [UInt8] {
    var target = [UInt8](repeating: 77, count: panelWidth * panelHeight)
    var scaler = PreviewScaler(panelWidth: panelWidth, panelHeight: panelHeight)
    luma.withUnsafeBufferPointer { luma in
      guard let base = luma.baseAddress else { return }
      let frame = PreviewFrame(
        luma: LumaView(base: base, width: width, height: height, bytesPerRow: width),
        visible: visible ?? PixelRegion(x: 0, y: 0, width: width, height: height), orientation: orientation)
      target.withUnsafeMutableBufferPointer { target in
        guard let base = target.baseAddress else { return }
        // Twice, so that the second run reuses memory.
        scaler.scale(frame, into: base, bytesPerRow: panelWidth)
        scaler.scale(frame, into: base, bytesPerRow: panelWidth)
      }
    }
    return target
  }

  /// Three columns, two rows.
  private let small: [UInt8] = [1, 2, 3, 4, 5, 6]

  @Test(
    arguments: [
      (QuarterTurn.none, false, [1, 2, 3, 4, 5, 6]), (.none, true, [3, 2, 1, 6, 5, 4]),
      (.half, false, [6, 5, 4, 3, 2, 1]), (.half, true, [4, 5, 6, 1, 2, 3]),
      (.clockwise, false, [4, 1, 5, 2, 6, 3]), (.clockwise, true, [6, 3, 5, 2, 4, 1]),
      (.anticlockwise, false, [3, 6, 2, 5, 1, 4]), (.anticlockwise, true, [1, 4, 2, 5, 3, 6]),
    ] as [(QuarterTurn, Bool, [UInt8])])
  func `V2: a frame is mirrored first, then turned`(turn: QuarterTurn, isMirrored: Bool, expected: [UInt8]) {
    let (width, height) = turn.isSideways ? (2, 3) : (3, 2)
    #expect(scale(small, 3, 2, to: width, height, FrameOrientation(turn: turn, isMirrored: isMirrored)) == expected)
  }

  @Test func `a linear ramp stays linear at any size`() {
    let ramp = (0..<64 * 4).map { UInt8($0 % 64 * 4) }
    for width in [17, 31, 64, 100, 200] {
      let row = scale(ramp, 64, 4, to: width, 9, FrameOrientation()).prefix(width)
      for (x, value) in row.enumerated() {
        let place = (Double(x) + 0.5) * 64 / Double(width) - 0.5
        #expect(abs(Double(value) - min(max(place, 0), 63) * 4) < 1.5)
      }
    }
  }

  @Test func `only the visible part is shown, and its neighbours do not bleed in`() {
    var frame = [UInt8](repeating: 200, count: 40 * 30)
    for y in 10..<20 { for x in 10..<30 { frame[y * 40 + x] = 50 } }
    for turn in [QuarterTurn.none, .clockwise, .half, .anticlockwise] {
      let shown = scale(
        frame, 40, 30, to: 61, 43, FrameOrientation(turn: turn), visible: PixelRegion(x: 10, y: 10, width: 20, height: 10))
      #expect(shown.allSatisfy { $0 == 50 })
    }
  }

  @Test func `an overlay blends over a picture to within one grey level`() {
    var target: [UInt32] = []
    var overlay: [UInt32] = []
    var expected: [Double] = []
    for below in stride(from: UInt32(0), through: 255, by: 15) {
      for alpha in stride(from: UInt32(0), through: 255, by: 5) {
        target.append(0xFF00_0000 | below &* 0x01_0101)
        let colour = alpha / 2
        overlay.append(alpha << 24 | colour &* 0x01_0101)
        expected.append(Double(colour) + Double(below) * Double(255 - alpha) / 255)
      }
    }
    let count = target.count
    target.withUnsafeMutableBufferPointer { target in
      overlay.withUnsafeBufferPointer { overlay in
        guard let target = target.baseAddress, let overlay = overlay.baseAddress else { return }
        PixelComposing.lay(overlay, over: target, count: count)
      }
    }
    for (pixel, value) in zip(target, expected) {
      #expect(pixel >> 24 == 255)
      for shift in [0, 8, 16] { #expect(abs(Double(pixel >> UInt32(shift) & 0xFF) - value) < 1) }
    }
  }
}
