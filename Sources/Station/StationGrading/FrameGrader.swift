// Grades one symbol of a frame: it is decoded again, in the part of the frame around it, at leisure.

import BarcodeDecoder
import BarcodeTypes
import PrintQuality

/// Why a scan was not graded.
enum Omission: String, CaseIterable, Error {
  /// Another scan was being graded.
  case busy
  /// No copy of its frame was left.
  case noFrame = "no frame"
  /// Its modules have fewer pixels than `SymbolGrader.modulePixelsMin`.
  case small
  /// Its symbology, or this form of it, cannot be graded.
  case unsupported
  /// A part of it is outside the frame.
  case cut
  /// It was read with the help of other frames, and this one alone does not show it.
  case unread

  init(_ refusal: GradingRefusal) {
    self =
      switch refusal {
      case .tooSmall: .small
      case .cut: .cut
      case .symbology, .lightBars, .form: .unsupported
      }
  }
}

/// A grader with its memory, which grows when a larger symbol comes. Used by one thread.
struct FrameGrader: ~Copyable {
  /// Pixels around a symbol, in parts of its longer side, and at least: more than any quiet zone.
  private static let marginDivisor = 2
  private static let marginPixelsMin = 16
  /// Pixels of the first workspace; most symbols and their surroundings have fewer.
  private static let pixelCountMin = 256 * 256

  private let decoder: DecoderSettings
  private let options: GradingOptions
  private var workspace = Workspace(pixelCountMax: pixelCountMin)

  /// - Parameter decoder: how the station reads symbols.
  init(decoder: DecoderSettings, transfer: LumaTransfer) {
    var decoder = decoder
    decoder.effort = .still
    decoder.composite = .ignore
    // The station's choice stays, as it decides between symbologies that share symbols, such as EAN-13 and UPC-A.
    decoder.symbologies = SymbologySet { decoder.symbologies.contains($0) && SymbolGrader.symbologies.contains($0) }
    self.decoder = decoder
    var options = GradingOptions()
    options.transfer = transfer
    self.options = options
  }

  /// - Parameter corners: where the symbol was read.
  mutating func grade(_ luma: LumaView, at corners: Quad) throws(Omission) -> SymbolQuality {
    let box = Self.box(of: corners)
    let margin = max(Self.marginPixelsMin, max(box.width, box.height) / Self.marginDivisor)
    let region = PixelRegion(
      x: box.x - margin, y: box.y - margin, width: box.width + 2 * margin, height: box.height + 2 * margin)
    guard let (part, left, top) = luma.cropped(to: region) else { throw .cut }
    let pixelCount = part.width * part.height
    if pixelCount > workspace.pixelCountMax { workspace = Workspace(pixelCountMax: pixelCount) }
    workspace.beginSequence()
    _ = Decoder.decode(part, settings: decoder, workspace: &workspace)
    for index in 0..<workspace.symbolCount {
      let symbol = workspace.symbol(index)
      let middle = Self.box(of: symbol.corners).middle
      guard box.contains(x: middle.x + left, y: middle.y + top) else { continue }
      let span = workspace.payload(index)
      let payload = span.indices.map { span[$0] }
      do throws(GradingRefusal) {
        return try SymbolGrader.grade(part, symbol, payload: payload, options)
      } catch {
        throw Omission(error)
      }
    }
    throw .unread
  }

  /// The bounding box of a symbol.
  private static func box(of quad: Quad) -> PixelRegion {
    let corners = [quad.topLeft, quad.topRight, quad.bottomRight, quad.bottomLeft]
    let (xs, ys) = (corners.map { Int($0.x.bits >> 16) }, corners.map { Int($0.y.bits >> 16) })
    let (left, right) = (xs.min() ?? 0, xs.max() ?? 0)
    let (top, bottom) = (ys.min() ?? 0, ys.max() ?? 0)
    return PixelRegion(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
  }
}

extension PixelRegion {
  fileprivate var middle: (x: Int, y: Int) { (x + width / 2, y + height / 2) }

  fileprivate func contains(x: Int, y: Int) -> Bool {
    (self.x..<self.x + width).contains(x) && (self.y..<self.y + height).contains(y)
  }
}
