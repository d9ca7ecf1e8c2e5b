// A picture of the camera's view for a browser: a JPEG file, and the facts of its frame.

import BarcodeMessage
import BarcodeTypes
import DeliveryModel
import PictureFiles
import ScanControl
import ScanLoop

/// A picture, encoded, with the facts of its frame.
package struct LivePicture: Sendable {
  /// The frame's number at the desk of snapshots.
  let number: UInt64
  package let file: [UInt8]
  /// The facts as JSON in ASCII, for a header field.
  package let facts: String
}

/// The facts of a frame. Places are in its pixels; the picture may be smaller.
struct PictureFacts: Encodable, Sendable {
  struct Read: Encodable, Sendable {
    var symbology: String
    /// The first characters of the content.
    var text: String
    var corners: [[Double]]
    var modulePixels: Double?
  }

  struct Unread: Encodable, Sendable {
    enum Reason: String, Encodable, Sendable { case small, blurred, dark, clipped }

    /// Nil for bars.
    var symbology: String?
    var corners: [[Double]]
    var reason: Reason
    var modulePixels: Double?
    /// The least that an ordinary picture needs.
    var neededModulePixels: Double?
  }

  var number: UInt64
  var width: Int
  var height: Int
  var viewport: Place?
  var read: [Read]
  var unread: [Unread]
  var aim: AimFigures

  struct Place: Encodable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
  }

  /// The most characters of a content.
  static let textCountMax = 80
  /// The most symbols of each kind.
  static let symbolCountMax = 50
  /// The mean brightness from which a symbol without contrast is overexposed instead of dark.
  private static let clippedMean = 170

  init(_ snapshot: Snapshot) {
    number = snapshot.number
    width = snapshot.width
    height = snapshot.height
    viewport = snapshot.region.map { Place(x: $0.x, y: $0.y, width: $0.width, height: $0.height) }
    read = snapshot.sightings.prefix(Self.symbolCountMax).map { sighting in
      Read(
        symbology: "\(sighting.code.symbology.name)", text: String(sighting.code.text.prefix(Self.textCountMax)),
        corners: sighting.corners.pairs, modulePixels: ModuleEstimate.pixels(of: sighting.corners, in: snapshot))
    }
    unread = snapshot.unread.prefix(Self.symbolCountMax).map { symbol in
      Unread(
        symbology: symbol.symbology.map { "\($0.name)" }, corners: symbol.corners.pairs,
        reason: Self.reason(for: symbol, in: snapshot), modulePixels: symbol.module.map { $0.tenths },
        neededModulePixels: symbol.help == .closer ? UnreadSymbol.moduleMin.tenths : nil)
    }
    aim = AimFigures(snapshot)
  }

  private static func reason(for symbol: UnreadSymbol, in snapshot: Snapshot) -> Unread.Reason {
    switch symbol.help {
    case .closer: .small
    case .stiller: .blurred
    case .moreLight: snapshot.mean(around: symbol.corners) >= clippedMean ? .clipped : .dark
    }
  }
}

extension LivePicture {
  /// The longest side of a picture, in pixels: a phone and a desktop show it whole, and 50 viewers get it over a home network.
  static let sideMax = 960
  /// As cjpeg(1) counts it: at 70, the bars of a symbol at the limit of legibility are still distinct.
  static let quality = 70

  /// Encodes a snapshot. Blocks for milliseconds.
  ///
  /// - Parameter isDrawn: whether the viewport and the outlines are drawn into the picture, for clients that show only the file.
  /// - Returns: nil if there is no memory.
  init?(_ snapshot: Snapshot, isDrawn: Bool = false) {
    var picture = LumaPicture(snapshot)
    if isDrawn { picture.draw(snapshot) }
    picture.shrink(toSide: Self.sideMax)
    let file = picture.pixels.withUnsafeBufferPointer { pixels in
      pixels.baseAddress.flatMap { base in
        PictureEncoding.file(
          LumaView(base: base, width: picture.width, height: picture.height, bytesPerRow: picture.width), format: .jpeg,
          quality: Self.quality)
      }
    }
    guard let file else { return nil }
    number = snapshot.number
    self.file = file
    facts = Self.ascii(PictureFacts(snapshot).jsonLine())
  }

  /// JSON with every other character escaped (RFC 8259, 7).
  private static func ascii(_ json: [UInt8]) -> String {
    var text = ""
    for unit in String(decoding: json, as: UTF8.self).utf16 where unit != 0x0A {
      if unit < 0x80 {
        text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
      } else {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text
  }
}

extension Snapshot {
  /// The mean brightness of the rectangle around a symbol.
  fileprivate func mean(around corners: Quad) -> Int {
    let xs = corners.all.map { Int($0.x.bits >> 16) }
    let ys = corners.all.map { Int($0.y.bits >> 16) }
    let (left, right) = (max(0, xs.min() ?? 0), min(width - 1, xs.max() ?? 0))
    let (top, bottom) = (max(0, ys.min() ?? 0), min(height - 1, ys.max() ?? 0))
    guard left <= right, top <= bottom else { return 0 }
    var sum = 0
    for y in top...bottom { for x in left...right { sum += Int(luma[y * width + x]) } }
    return sum / ((right - left + 1) * (bottom - top + 1))
  }
}

extension Quad {
  fileprivate var all: [PixelPoint] { [topLeft, topRight, bottomRight, bottomLeft] }
  fileprivate var pairs: [[Double]] { all.map { [$0.x.tenths, $0.y.tenths] } }
}

extension Fixed16 {
  fileprivate var tenths: Double { (Double(bits) / 6553.6).rounded() / 10 }
}
