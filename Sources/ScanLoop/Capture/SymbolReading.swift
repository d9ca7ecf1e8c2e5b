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
  /// It was read, but a limit of `MessageAssembly` left out a part of a message, or dropped one that was not whole.
  case partsRefused
}

/// Reads the codes of a frame. Used by one thread.
public protocol SymbolReading {
  /// Appends the codes inside the region, or in the whole frame if that is nil, in order of discovery.
  ///
  /// - Parameter moment: when the frame was exposed.
  mutating func read(
    _ frame: LumaView, region: PixelRegion?, at moment: Instant, into sightings: inout [Sighting]
  ) -> FrameReading

  /// The limits that ended reading the last frame before everything in it that looked like a symbol was tried.
  var limits: DecodeLimits { get }
}

extension SymbolReading {
  /// None: the default for what reads everything.
  public var limits: DecodeLimits { DecodeLimits() }
}

/// Reads codes with the decoder. In the steady state, when frames show codes that were seen lately and no parts of messages that
/// it puts together, it allocates nothing.
public final class DecoderReading: SymbolReading {
  private let settings: DecoderSettings
  private var workspace: Workspace
  private var codes: CodeCache
  /// The parts seen of messages in several symbols; nil if each part is a code of its own.
  private var assembly: MessageAssembly?
  public private(set) var limits = DecodeLimits()

  /// - Parameters:
  ///   - assembles: whether parts of a message are one code, and that only when all of them were seen.
  ///   - pixelCountMax: pixels of the largest frame expected; a larger one makes the workspace grow.
  public init(settings: DecoderSettings, assembles: Bool = false, pixelCountMax: Int = 1920 * 1080) {
    assembly = assembles ? MessageAssembly() : nil
    self.settings = settings
    workspace = Workspace(pixelCountMax: pixelCountMax)
    codes = CodeCache {
      SymbolContent(symbol: $0, payload: $1, segments: $2, assumedECI: settings.assumedECI)
    }
  }

  public func read(
    _ frame: LumaView, region: PixelRegion?, at moment: Instant, into sightings: inout [Sighting]
  ) -> FrameReading {
    let pixelCount = frame.width * frame.height
    guard frame.width <= DecoderLimits.sidePixelsMax, frame.height <= DecoderLimits.sidePixelsMax,
      pixelCount <= DecoderLimits.pixelCountMax
    else { return .tooLarge }
    if pixelCount > workspace.pixelCountMax { workspace = Workspace(pixelCountMax: pixelCount) }
    let refusedCount = assembly?.refusedCount
    let outcome = Decoder.decode(frame, region: region, settings: settings, workspace: &workspace)
    limits = outcome.limits
    for index in 0..<outcome.symbolCount {
      let symbol = workspace.symbol(index)
      if assembly != nil, symbol.structuredAppend != nil {
        readPart(index, at: moment, into: &sightings)
      } else {
        let code = codes.code(of: symbol, payload: workspace.payload(index), segments: workspace.segments(index))
        sightings.append(Sighting(symbol, code))
      }
    }
    return assembly?.refusedCount == refusedCount ? .read : .partsRefused
  }

  /// Appends the message that a part completes, once a frame.
  private func readPart(_ index: Int, at moment: Instant, into sightings: inout [Sighting]) {
    let message = assembly?.add(
      workspace.symbol(index), payload: workspace.payload(index), segments: workspace.segments(index),
      at: moment.nanoseconds)
    guard let message else { return }
    let code = codes.code(of: message.symbol, payload: message.payload.span, segments: message.segments.span)
    if !sightings.contains(where: { $0.code == code }) { sightings.append(Sighting(message.symbol, code)) }
  }
}

extension Sighting {
  fileprivate init(_ symbol: DecodedSymbol, _ code: ScannedCode) {
    self.init(code: code, corners: symbol.corners, confidence: symbol.confidence, lineCount: symbol.lineCount)
  }
}
