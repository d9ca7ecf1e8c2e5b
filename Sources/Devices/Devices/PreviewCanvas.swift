// A preview stored as it lies on a panel, for screens that compose their picture in software. The overlay changes more often
// than frames come, so the scaled frame is kept and only the composition is repeated.

/// The preview of a panel, in memory.
public struct PreviewCanvas {
  private let width: Int
  private let height: Int
  private let bytesPerPairRow: Int
  private var lumaScaler: PreviewScaler
  private var chromaScaler: PreviewScaler
  private var luma: [UInt8]
  /// Pairs of Cb and Cr, one per 2×2 pixels; empty until a frame has colour.
  private var pairs: [UInt8] = []
  private var isColoured = false

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
    bytesPerPairRow = 2 * ((width + 1) / 2)
    lumaScaler = PreviewScaler(panelWidth: width, panelHeight: height)
    chromaScaler = PreviewScaler(panelWidth: (width + 1) / 2, panelHeight: (height + 1) / 2, part: .chroma)
    luma = [UInt8](repeating: 0, count: width * height)
  }

  /// Applies a change of the preview. Allocates memory for the first frame with colour, and when a frame's shape changes.
  public mutating func take(_ change: PreviewChange) {
    switch change {
    case .unchanged: return
    case .hidden:
      for index in luma.indices { luma[index] = 0 }
      isColoured = false
    case .frame(let frame):
      let width = width
      frame.shared?.beginReading()
      defer { frame.shared?.endReading() }
      luma.withUnsafeMutableBufferPointer { luma in
        if let base = luma.baseAddress { lumaScaler.scale(frame, into: base, bytesPerRow: width) }
      }
      isColoured = frame.chroma != nil
      guard isColoured else { return }
      if pairs.isEmpty { pairs = [UInt8](repeating: 128, count: bytesPerPairRow * ((height + 1) / 2)) }
      let bytesPerRow = bytesPerPairRow
      pairs.withUnsafeMutableBufferPointer { pairs in
        if let base = pairs.baseAddress { chromaScaler.scale(frame, into: base, bytesPerRow: bytesPerRow) }
      }
    }
  }

  /// Writes a row of the panel as opaque pixels.
  public func write(row y: Int, into target: UnsafeMutablePointer<UInt32>) {
    luma.withUnsafeBufferPointer { luma in
      guard let luma = luma.baseAddress else { return }
      guard isColoured else { return PixelComposing.grey(luma + y * width, into: target, count: width) }
      pairs.withUnsafeBufferPointer { pairs in
        guard let pairs = pairs.baseAddress else { return }
        PixelComposing.colour(luma + y * width, pairs + y / 2 * bytesPerPairRow, into: target, count: width)
      }
    }
  }
}
