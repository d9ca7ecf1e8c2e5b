// From a lent frame to sightings: the one place that converts the decoder's results for the controller.

public import BarcodeDecoder
import BarcodeMessage
public import BarcodeTypes
public import Devices
public import ScanControl

/// The outcome of reading a frame.
public enum FrameReading: Equatable, Sendable {
  case read
  /// The frame is larger than the decoder accepts.
  case tooLarge
  /// It was read, but a limit of `MessageAssembly` left out a part of a message, or dropped an incomplete message.
  case partsRefused
}

/// Reads the codes of a frame. Used by one thread.
public protocol SymbolReading {
  /// Appends the codes inside the region, or in the whole frame if it is nil, in order of discovery.
  ///
  /// - Parameter moment: when the frame was exposed.
  mutating func read(
    _ frame: LumaView, region: PixelRegion?, at moment: Instant, into sightings: inout [Sighting]
  ) -> FrameReading

  /// The symbols of the last frame that could not be read (behaviour N10).
  var unread: [UnreadSymbol] { get }

  /// The limits that ended reading the last frame before every candidate in it was tried.
  var limits: DecodeLimits { get }

  /// Work units allowed for the last frame; 0 if work is not counted.
  var workLimit: Int { get }

  /// Called after each frame with the time that reading it took, in nanoseconds.
  mutating func noteTime(_ nanoseconds: Int64, of frame: FrameMetadata)
}

extension SymbolReading {
  /// No limits: the default for readers that always finish.
  public var limits: DecodeLimits { DecodeLimits() }
  public var unread: [UnreadSymbol] { [] }
  public var workLimit: Int { 0 }
  public mutating func noteTime(_ nanoseconds: Int64, of frame: FrameMetadata) {}
}

/// Reads codes with the decoder. It allocates nothing in the steady state, when frames show recently seen codes and no parts
/// of messages that it assembles.
public final class DecoderReading: SymbolReading {
  /// The time between frames after which the decoder forgets what is in view, in nanoseconds: another label may lie there.
  private static let pauseMin: Int64 = 500_000_000

  private let settings: DecoderSettings
  private var workspace: Workspace
  private var codes: CodeCache
  /// The parts seen of messages in several symbols; nil if each part is a separate code.
  private var assembly: MessageAssembly?
  /// The work limit per frame; nil to leave it to the effort.
  private var pacing: WorkPacing?
  private var workUnits = 0
  private var lastMoment: Instant?
  public private(set) var workLimit = 0
  public private(set) var limits = DecodeLimits()
  public private(set) var unread: [UnreadSymbol] = []

  /// - Parameters:
  ///   - frameShare: percent of the time between frames that decoding may take at effort `frame`; nil for the least work.
  ///   - assembles: whether the parts of a message form one code, reported only when all parts were seen.
  ///   - overAge: the age to check driver licences for, instead of reading their data; nil: they are read like other codes.
  ///   - setupCodes: the beginning of set-up codes, and the text shown instead of theirs; nil: they are scans like others.
  ///   - today: year, month and day; nil while no clock is set.
  ///   - pixelCountMax: pixels of the largest frame expected; a larger one makes the workspace grow.
  public init(
    settings: DecoderSettings, frameShare: Int? = nil, assembles: Bool = false, overAge: Int? = nil,
    setupCodes: (prefix: String, title: String)? = nil, today: @escaping () -> (year: Int, month: Int, day: Int)? = { nil },
    pixelCountMax: Int = 1920 * 1080
  ) {
    assembly = assembles ? MessageAssembly() : nil
    pacing = frameShare.map { WorkPacing(share: $0) }
    self.settings = settings
    workspace = Workspace(pixelCountMax: pixelCountMax)
    codes = CodeCache {
      var content = SymbolContent(symbol: $0, payload: $1, segments: $2, assumedECI: settings.assumedECI)
      if let setupCodes, $0.symbology == .qr, content.text.hasPrefix(setupCodes.prefix) {
        content.conceal(as: setupCodes.title)
      }
      if let overAge { content.conceal(overAge: overAge, today: today()) }
      return content
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
    if let lastMoment, moment.nanoseconds - lastMoment.nanoseconds > Self.pauseMin { workspace.beginSequence() }
    lastMoment = moment
    let refusedCount = assembly?.refusedCount
    let outcome = Decoder.decode(
      frame, region: region, settings: settings, workLimit: pacing?.limit, workspace: &workspace)
    (limits, workUnits, workLimit) = (outcome.limits, outcome.workUnits, outcome.workLimit)
    unread.removeAll(keepingCapacity: true)
    for index in 0..<workspace.locatedCount { unread.append(UnreadSymbol(workspace.located(index), in: frame)) }
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

  public func noteTime(_ nanoseconds: Int64, of frame: FrameMetadata) {
    pacing?.note(
      units: workUnits, nanoseconds: nanoseconds, sequence: frame.sequence, moment: frame.captureBootTimeNanoseconds)
  }

  /// Appends the message that a part completes, at most once per frame.
  private func readPart(_ index: Int, at moment: Instant, into sightings: inout [Sighting]) {
    let message = assembly?.add(
      workspace.symbol(index), payload: workspace.payload(index), segments: workspace.segments(index),
      at: moment.nanoseconds)
    guard let message else { return }
    let code = codes.code(of: message.symbol, payload: message.payload.span, segments: message.segments.span)
    if !sightings.contains(where: { $0.code == code }) { sightings.append(Sighting(message.symbol, code)) }
  }
}

extension UnreadSymbol {
  /// Pixels per module below which a symbol is too small to be read in an ordinary picture.
  package static let moduleMin = Fixed16(2)
  /// The least contrast of a legible symbol, in grey levels between its darkest and its lightest tenth of pixels.
  private static let contrastMin = 40
  /// Sampled pixels per side.
  private static let sampleSide = 24

  init(_ symbol: LocatedSymbol, in frame: LumaView) {
    let help: Help =
      if Self.contrast(of: symbol.corners, in: frame) < Self.contrastMin {
        .moreLight
      } else if symbol.module.bits < Self.moduleMin.bits {
        .closer
      } else {
        .stiller
      }
    self.init(symbology: symbol.symbology, corners: symbol.corners, help: help, module: symbol.module)
  }

  /// Grey levels between the dark and the light parts of a symbol.
  private static func contrast(of corners: Quad, in frame: LumaView) -> Int {
    var counts: [256 of Int] = .init(repeating: 0)
    func between(_ a: Int32, _ b: Int32, _ part: Int) -> Int { Int(a) + (Int(b) - Int(a)) * part / sampleSide }
    for row in 0..<sampleSide {
      let (leftX, leftY) = (
        between(corners.topLeft.x.bits, corners.bottomLeft.x.bits, row),
        between(corners.topLeft.y.bits, corners.bottomLeft.y.bits, row)
      )
      let (rightX, rightY) = (
        between(corners.topRight.x.bits, corners.bottomRight.x.bits, row),
        between(corners.topRight.y.bits, corners.bottomRight.y.bits, row)
      )
      for column in 0..<sampleSide {
        let x = (leftX + (rightX - leftX) * column / sampleSide) >> 16
        let y = (leftY + (rightY - leftY) * column / sampleSide) >> 16
        counts[Int(frame[min(max(0, x), frame.width - 1), min(max(0, y), frame.height - 1)])] += 1
      }
    }
    let tenth = sampleSide * sampleSide / 10
    func level(_ levels: some Sequence<Int>) -> Int {
      var seen = 0
      for level in levels {
        seen += counts[level]
        if seen > tenth { return level }
      }
      return 0
    }
    return level((0..<256).reversed()) - level(0..<256)
  }
}

/// Symbols found for so long without being read that the user should know (behaviour N10).
struct UnreadMemory {
  /// How long a symbol must be found before it counts as unreadable: longer than it takes to read one that is being held
  /// into view.
  static let delay: Int64 = 700_000_000
  /// How long a symbol is remembered after it was last found: a frame does not retry what the previous frame tried.
  static let hold: Int64 = 1_000_000_000

  private struct Known {
    var symbol: UnreadSymbol
    var since: Int64
    var last: Int64
    var isTold = false
  }

  private var known: [Known] = []
  /// The unreadable symbols in view.
  private(set) var told: [UnreadSymbol] = []

  /// A capture session begins.
  mutating func removeAll() {
    known.removeAll(keepingCapacity: true)
    told.removeAll(keepingCapacity: true)
  }

  /// Notes the symbols found in a frame, and the codes read there.
  ///
  /// - Parameter found: called for each symbol that counts as unreadable from this frame on.
  mutating func see(
    _ unread: [UnreadSymbol], _ sightings: [Sighting], at now: Int64, found: (UnreadSymbol) -> Void
  ) {
    guard !unread.isEmpty || !known.isEmpty else { return }
    for symbol in unread {
      if let index = known.firstIndex(where: { $0.symbol.isLike(symbol.corners) }) {
        known[index].symbol = symbol
        known[index].last = now
      } else if known.count < DecoderLimits.locatedCountMax {
        known.append(Known(symbol: symbol, since: now, last: now))
      }
    }
    known.removeAll { one in
      now - one.last > Self.hold || sightings.contains { one.symbol.isLike($0.corners) }
    }
    told.removeAll(keepingCapacity: true)
    for index in known.indices where known[index].last - known[index].since >= Self.delay {
      told.append(known[index].symbol)
      if !known[index].isTold { found(known[index].symbol) }
      known[index].isTold = true
    }
  }
}

extension UnreadSymbol {
  /// Whether another outline in view is probably the same symbol.
  fileprivate func isLike(_ other: Quad) -> Bool { corners.contains(other.center) || other.contains(corners.center) }
}

extension Sighting {
  fileprivate init(_ symbol: DecodedSymbol, _ code: ScannedCode) {
    self.init(code: code, corners: symbol.corners, confidence: symbol.confidence, lineCount: symbol.lineCount)
  }
}
