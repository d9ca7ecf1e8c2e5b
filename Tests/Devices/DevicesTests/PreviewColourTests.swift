// A frame's colour, converted for a panel.

import BarcodeTypes
import Devices
import Testing

@Suite struct PreviewColourTests {
  @Test(arguments: [(step: 2, name: "NV12"), (step: 1, name: "YUV 4:2:0"), (step: 4, name: "YUYV")])
  func `chroma is copied as pairs from every layout of a camera`(layout: (step: Int, name: String)) {
    let (width, height) = (3, 2)
    let bytesPerRow = 16
    var memory = [UInt8](repeating: 0, count: bytesPerRow * 4)
    let crOffset = layout.step == 1 ? bytesPerRow * 2 : layout.step / 2
    for y in 0..<height {
      for x in 0..<width {
        memory[y * bytesPerRow + x * layout.step] = UInt8(10 * y + x)
        memory[y * bytesPerRow + x * layout.step + crOffset] = UInt8(100 + 10 * y + x)
      }
    }
    var pairs = [UInt8](repeating: 77, count: 2 * width * height)
    memory.withUnsafeBufferPointer { memory in
      guard let base = memory.baseAddress else { return }
      let view = ChromaView(
        cb: base, cr: base + crOffset, step: layout.step, bytesPerRow: bytesPerRow, width: width, height: height)
      #expect(view.isPairs == (layout.step == 2))
      pairs.withUnsafeMutableBufferPointer { if let target = $0.baseAddress { view.copyPairs(to: target) } }
    }
    #expect(pairs == [0, 100, 1, 101, 2, 102, 10, 110, 11, 111, 12, 112])
  }

  @Test func `composed pixels match BT 601 in full range to within one level`() {
    var worst = 0.0
    for cb in stride(from: 0, through: 255, by: 17) {
      for cr in stride(from: 0, through: 255, by: 17) {
        let luma = (0..<18).map { UInt8($0 * 15) }
        let pairs = (0..<9).flatMap { _ in [UInt8(cb), UInt8(cr)] }
        var pixels = [UInt32](repeating: 0, count: luma.count)
        // An odd count: the last pixel has its own pair.
        PixelComposing.colour(luma, pairs, into: &pixels, count: 17)
        #expect(pixels[17] == 0)
        for x in 0..<17 {
          let (y, b, r) = (Double(luma[x]), Double(cb) - 128, Double(cr) - 128)
          let exact: [Double] = [y + 1.402 * r, y - 0.344136 * b - 0.714136 * r, y + 1.772 * b]
          let wanted = exact.map { min(max($0, 0), 255) }
          let shifts: [UInt32] = [16, 8, 0]
          let seen = shifts.map { Double(pixels[x] >> $0 & 0xFF) }
          #expect(pixels[x] >> 24 == 255)
          for (a, b) in zip(seen, wanted) { worst = max(worst, abs(a - b)) }
        }
      }
    }
    #expect(worst <= 1)
  }

  @Test(arguments: [QuarterTurn.none, .clockwise, .half, .anticlockwise], [false, true])
  func `V2: colour lies where its luma lies, at every turn and mirroring`(turn: QuarterTurn, isMirrored: Bool) {
    // Each pixel's luma, Cb and Cr are the same number, and each number fills 2×2 pixels.
    let (width, height) = (8, 4)
    func level(_ column: Int, _ row: Int) -> UInt8 { UInt8(column * 20 + row * 100) }
    var luma: [UInt8] = []
    for y in 0..<height { for x in 0..<width { luma.append(level(x / 2, y / 2)) } }
    var pairs: [UInt8] = []
    for y in 0..<height / 2 { for x in 0..<width / 2 { pairs += [level(x, y), level(x, y)] } }
    let (panelWidth, panelHeight) = turn.isSideways ? (height, width) : (width, height)
    luma.withUnsafeBufferPointer { luma in
      pairs.withUnsafeBufferPointer { pairs in
        guard let base = luma.baseAddress, let colour = pairs.baseAddress else { return }
        let frame = PreviewFrame(
          luma: LumaView(base: base, width: width, height: height, bytesPerRow: width),
          visible: PixelRegion(x: 0, y: 0, width: width, height: height),
          orientation: FrameOrientation(turn: turn, isMirrored: isMirrored),
          chroma: ChromaView(pairs: colour, width: width / 2, height: height / 2))
        var lumaScaler = PreviewScaler(panelWidth: panelWidth, panelHeight: panelHeight)
        var chromaScaler = PreviewScaler(panelWidth: panelWidth / 2, panelHeight: panelHeight / 2, part: .chroma)
        var shown = [UInt8](repeating: 7, count: width * height)
        var coloured = [UInt8](repeating: 7, count: width * height / 2)
        lumaScaler.scale(frame, into: &shown, bytesPerRow: panelWidth)
        chromaScaler.scale(frame, into: &coloured, bytesPerRow: panelWidth)
        for y in 0..<panelHeight {
          for x in 0..<panelWidth {
            let pair = y / 2 * panelWidth + x / 2 * 2
            #expect(coloured[pair] == shown[y * panelWidth + x] && coloured[pair + 1] == coloured[pair])
          }
        }
      }
    }
  }

  @Test func `a frame without chroma is shown in grey, even after one in colour`() {
    let luma = [UInt8](repeating: 90, count: 16)
    let pairs = [UInt8](repeating: 30, count: 8)
    var canvas = PreviewCanvas(width: 4, height: 4)
    var row = [UInt32](repeating: 0, count: 4)
    luma.withUnsafeBufferPointer { luma in
      pairs.withUnsafeBufferPointer { pairs in
        guard let base = luma.baseAddress, let colour = pairs.baseAddress else { return }
        var frame = PreviewFrame(
          luma: LumaView(base: base, width: 4, height: 4, bytesPerRow: 4),
          visible: PixelRegion(x: 0, y: 0, width: 4, height: 4), orientation: FrameOrientation(),
          chroma: ChromaView(pairs: colour, width: 2, height: 2))
        canvas.take(.frame(frame))
        canvas.write(row: 1, into: &row)
        #expect(Set(row).count == 1 && row[0] != 0xFF5A_5A5A)
        frame.chroma = nil
        canvas.take(.frame(frame))
        canvas.write(row: 3, into: &row)
        #expect(row == [UInt32](repeating: 0xFF5A_5A5A, count: 4))
      }
    }
    canvas.take(.hidden)
    canvas.write(row: 0, into: &row)
    #expect(row == [UInt32](repeating: 0xFF00_0000, count: 4))
  }

  @Test func `V2: the visible part of a frame maps to the same part of the shared picture`() {
    func part(_ visible: PixelRegion, _ frame: (Int, Int), _ shared: (Int, Int)) -> PixelRegion {
      let (width, height) = shared
      let planes = [
        SharedFrame.Plane(byteOffset: 0, bytesPerRow: width),
        SharedFrame.Plane(byteOffset: width * height, bytesPerRow: (width + 1) & ~1),
      ]
      let byteCount = SharedFrame.byteCount(.nv12, width: width, height: height, planes: planes)
      let base = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
      let address = UInt(bitPattern: base)
      let memory = SharedMemory(base: base, byteCount: byteCount, descriptor: -1) { _, _ in
      } release: {
        UnsafeMutablePointer<UInt8>(bitPattern: address)?.deallocate()
      }
      let picture = SharedFrame(memory: memory, format: .nv12, width: width, height: height, planes: planes)
      let shown = PreviewFrame(
        picture, visible: visible, width: frame.0, height: frame.1, orientation: FrameOrientation())
      #expect(shown.luma.width == width && shown.chroma?.width == (width + 1) / 2 && shown.shared === picture)
      return shown.visible
    }
    let whole = PixelRegion(x: 0, y: 0, width: 1280, height: 720)
    #expect(part(whole, (1280, 720), (1280, 720)) == whole)
    #expect(part(whole, (1280, 720), (640, 360)) == PixelRegion(x: 0, y: 0, width: 640, height: 360))
    let middle = PixelRegion(x: 160, y: 0, width: 960, height: 720)
    #expect(part(middle, (1280, 720), (640, 360)) == PixelRegion(x: 80, y: 0, width: 480, height: 360))
    for width in stride(from: 100, through: 1280, by: 118) {
      let seen = part(middle, (1280, 720), (width, width * 720 / 1280))
      #expect(seen.x % 2 == 0 && seen.x + seen.width <= width && abs(seen.width - 960 * width / 1280) <= 2)
    }
  }
}
