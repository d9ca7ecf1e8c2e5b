// Decoding from a caller's `Span` of pixels.

public import BarcodeTypes

extension Decoder {
  /// Reads the symbols of 8-bit luma pixels, such as `array.span`: 0 is black, rows run from the top, pixels from the left.
  ///
  ///     var workspace = Workspace(pixelCountMax: width * height)
  ///     let outcome = Decoder.decode(pixels.span, width: width, height: height, settings: settings, workspace: &workspace)
  ///
  /// The symbols stay in the workspace until the next call.
  ///
  /// - Parameters:
  ///   - pixels: at least `(height - 1) * bytesPerRow + width` bytes; traps otherwise.
  ///   - bytesPerRow: bytes from one row to the next, at least `width`; `width` if nil.
  ///   - region: the part of the picture to read; all of it if nil.
  public static func decode(
    _ pixels: Span<UInt8>, width: Int, height: Int, bytesPerRow: Int? = nil, region: PixelRegion? = nil,
    settings: DecoderSettings, workspace: inout Workspace
  ) -> DecodeOutcome {
    let bytesPerRow = bytesPerRow ?? width
    precondition(width > 0 && height > 0 && bytesPerRow >= width)
    let (rowBytes, isTooLarge) = (height - 1).multipliedReportingOverflow(by: bytesPerRow)
    precondition(!isTooLarge && pixels.count - width >= rowBytes)
    return unsafe pixels.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { preconditionFailure() }
      let luma = unsafe LumaView(base: base, width: width, height: height, bytesPerRow: bytesPerRow)
      return decode(luma, region: region, settings: settings, workspace: &workspace)
    }
  }
}
