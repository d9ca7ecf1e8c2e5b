// From a lent frame to sightings: the one place where the decoder meets the controller's words.

public import BarcodeDecoder
import BarcodeMessage
public import BarcodeTypes
public import ScanControl

/// What became of reading a frame.
public enum FrameReading: Equatable, Sendable {
  case read
  /// The frame is larger than the decoder takes.
  case tooLarge
}

/// Reads the codes of a frame. Used by one thread.
public protocol SymbolReading {
  /// Appends the codes inside the region, or in the whole frame if that is nil, in order of discovery.
  mutating func read(_ frame: LumaView, region: PixelRegion?, into sightings: inout [Sighting]) -> FrameReading
}

/// Reads codes with the decoder. In the steady state, when frames show codes that were seen lately, it allocates nothing.
public final class DecoderReading: SymbolReading {
  private let settings: DecoderSettings
  private var workspace: Workspace
  private var codes: CodeCache

  /// - Parameter pixelCountMax: pixels of the largest frame expected; a larger one makes the workspace grow.
  public init(settings: DecoderSettings, pixelCountMax: Int = 1920 * 1080) {
    self.settings = settings
    workspace = Workspace(pixelCountMax: pixelCountMax)
    codes = CodeCache {
      SymbolContent(symbol: $0, payload: $1, segments: $2, assumedECI: settings.assumedECI)
    }
  }

  public func read(_ frame: LumaView, region: PixelRegion?, into sightings: inout [Sighting]) -> FrameReading {
    let pixelCount = frame.width * frame.height
    guard frame.width <= DecoderLimits.sidePixelsMax, frame.height <= DecoderLimits.sidePixelsMax,
      pixelCount <= DecoderLimits.pixelCountMax
    else { return .tooLarge }
    if pixelCount > workspace.pixelCountMax { workspace = Workspace(pixelCountMax: pixelCount) }
    let outcome = Decoder.decode(frame, region: region, settings: settings, workspace: &workspace)
    for index in 0..<outcome.symbolCount {
      let symbol = workspace.symbol(index)
      let code = codes.code(of: symbol, payload: workspace.payload(index), segments: workspace.segments(index))
      sightings.append(
        Sighting(code: code, corners: symbol.corners, confidence: symbol.confidence, lineCount: symbol.lineCount))
    }
    return .read
  }
}
