// The regions to redraw when one list replaces another: those of removed and of added items. While nothing changes there is
// nothing to draw. Most moving items are outlines, which cover hardly any of their bounding rectangle: their regions follow
// their edges.

public import BarcodeTypes

extension DisplayList {
  /// The pixels of the panel in which this list may look different from the previous one, as disjoint rectangles; the whole
  /// panel if there was no previous list, or one for another panel.
  public func damage(since before: DisplayList?) -> [PixelRegion] {
    var damage = DamageBands(panel: panel)
    guard let before, before.panel == panel else {
      damage.add(ScreenRect(x: 0, y: 0, width: Double(panel.width), height: Double(panel.height)))
      return damage.regions()
    }
    damage.addChanges(from: before.overlay, .none, to: overlay, .none)
    damage.addChanges(from: before.controls, before.turn, to: controls, turn)
    return damage.regions()
  }
}

extension DisplayItem {
  private static let smoothing = 1.0
  /// Capacity reserved for the rectangles of an outline a quarter as high as a panel of 720 rows.
  private static let outlinePlaceCount = 64

  /// Rectangles that together contain every pixel that the item may touch, with a pixel around it for smoothing; for thin
  /// items, those of the edges.
  public var places: [ScreenRect] {
    switch self {
    case .fill(let figures, _):
      guard case .rectangle(let outer) = figures.first, figures.count == 2, case .rectangle(let hole) = figures[1] else {
        return [bounds.inset(by: -Self.smoothing)]
      }
      return outer.around(hole).map { $0.inset(by: -Self.smoothing) }
    case .stroke(let figures, _, let width): return figures.flatMap { $0.edgePlaces(reach: width / 2 + Self.smoothing) }
    case .outline(let points, _, _, _, let width):
      var places: [ScreenRect] = []
      places.reserveCapacity(Self.outlinePlaceCount)
      for index in points.indices {
        let end = points[index + 1 == points.count ? 0 : index + 1]
        ScreenRect.add(from: points[index], to: end, reach: width / 2 + Self.smoothing, to: &places)
      }
      return places
    case .text, .image: return [bounds.inset(by: -Self.smoothing)]
    }
  }
}

extension ScreenRect {
  /// The rest of the rectangle around a hole in it; all of it if the hole is not inside.
  fileprivate func around(_ hole: ScreenRect) -> [ScreenRect] {
    guard hole.x >= x, hole.y >= y, hole.right <= right, hole.bottom <= bottom else { return [self] }
    return [
      ScreenRect(x: x, y: y, width: width, height: hole.y - y),
      ScreenRect(x: x, y: hole.bottom, width: width, height: bottom - hole.bottom),
      ScreenRect(x: x, y: hole.y, width: hole.x - x, height: hole.height),
      ScreenRect(x: hole.right, y: hole.y, width: right - hole.right, height: hole.height),
    ]
  }
}

extension Figure {
  /// Rectangles that contain every point within `reach` of the outline.
  fileprivate func edgePlaces(reach: Double) -> [ScreenRect] {
    guard case .rectangle(let rect) = self else { return [bounds.inset(by: -reach)] }
    let corners = rect.corners
    return (0..<4).map { ScreenRect(around: [corners[$0], corners[($0 + 1) & 3]]).inset(by: -reach) }
  }
}

extension ScreenRect {
  /// Adds one rectangle around a vertical or horizontal edge, or one per band of rows around a slanted one.
  fileprivate static func add(
    from a: ScreenPoint, to b: ScreenPoint, reach: Double, to places: inout [ScreenRect]
  ) {
    let (left, right) = (min(a.x, b.x) - reach, max(a.x, b.x) + reach)
    let (first, last) = (min(a.y, b.y), max(a.y, b.y))
    let height = Double(DamageBands.height)
    guard a.x != b.x, a.y != b.y, (right - left).isFinite, last - first <= DamageBands.slantMax else {
      return places.append(
        ScreenRect(x: left, y: first - reach, width: right - left, height: last - first + 2 * reach))
    }
    let slope = (b.x - a.x) / (b.y - a.y)
    var top = ((first - reach) / height).rounded(.down) * height
    while top < last + reach {
      // The edge's position in the rows from which it reaches into the band.
      let x = a.x + slope * (min(max(top - reach, first), last) - a.y)
      let end = a.x + slope * (max(min(top + height + reach, last), first) - a.y)
      places.append(ScreenRect(x: min(x, end) - reach, y: top, width: abs(end - x) + 2 * reach, height: height))
      top += height
    }
  }
}

/// Regions of a panel, collected by bands of rows.
struct DamageBands {
  /// Rows per band: for an outline that moves on a panel of 1280×720, bands of eight rows cover a third of the rectangle
  /// around it.
  static let height = 8
  /// Rectangles redrawn separately; more of them are drawn as one around all. Two moving codes need up to 200.
  static let regionCountMax = 512
  /// The largest coordinate at which an edge is followed; beyond it, an edge is far outside any panel.
  static let slantMax = 16_384.0

  private let panel: ScreenSize
  /// Half-open column ranges of a band, packed as numbers in that order, 16 bits each.
  private var spans: [UInt64] = []

  init(panel: ScreenSize) {
    self.panel = panel
    spans.reserveCapacity(2 * Self.regionCountMax)
  }

  /// Adds the regions of items that are in one list but not, in the same order, in the other.
  mutating func addChanges(
    from before: [DisplayItem], _ turnBefore: QuarterTurn, to after: [DisplayItem], _ turn: QuarterTurn
  ) {
    // Lists derived from one another share their memory, so that comparison is immediate.
    if turn == turnBefore && before == after { return }
    var kept = before.startIndex
    for item in after {
      if turn == turnBefore, let match = before[kept...].firstIndex(of: item) {
        for gone in before[kept..<match] { add(gone, turnBefore) }
        kept = match + 1
      } else {
        add(item, turn)
      }
    }
    for gone in before[kept...] { add(gone, turnBefore) }
  }

  private mutating func add(_ item: DisplayItem, _ turn: QuarterTurn) {
    for place in item.places { add(turn == .none ? place : DisplayList.panelRect(place, turn: turn, panel: panel)) }
  }

  /// Adds the panel's pixels that a rectangle touches, in whole bands.
  mutating func add(_ rect: ScreenRect) {
    guard rect.width.isFinite, rect.height.isFinite else { return }
    let left = Int(max(0, rect.x.rounded(.down)))
    let top = Int(max(0, rect.y.rounded(.down)))
    let right = Int(min(Double(panel.width), rect.right.rounded(.up)))
    let bottom = Int(min(Double(panel.height), rect.bottom.rounded(.up)))
    add(left, top, right, bottom)
  }

  /// Adds the pixels of a region that are on the panel, in whole bands.
  mutating func add(_ region: PixelRegion) {
    add(
      max(0, region.x), max(0, region.y), min(panel.width, region.x + region.width),
      min(panel.height, region.y + region.height))
  }

  private mutating func add(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) {
    guard left < right, top < bottom else { return }
    var band = top / Self.height
    let last = (bottom - 1) / Self.height
    while band <= last {
      spans.append(UInt64(band) << 32 | UInt64(left) << 16 | UInt64(right))
      band += 1
    }
  }

  var spanCount: Int { spans.count }

  /// Removes all regions and keeps their memory for reuse.
  mutating func removeAll() { spans.removeAll(keepingCapacity: true) }

  /// The rectangles, which are disjoint: touching spans within a band are joined, as are equal bands that follow each other.
  ///
  /// - Parameter countMax: if there are more rectangles, one around all is returned.
  mutating func regions(countMax: Int = regionCountMax) -> [PixelRegion] {
    spans.sort()
    var regions: [PixelRegion] = []
    regions.reserveCapacity(min(spans.count, countMax))
    var before = 0..<0
    var index = 0
    while index < spans.count {
      let band = spans[index] >> 32
      let start = regions.count
      while index < spans.count, spans[index] >> 32 == band {
        let (left, right) = (Int(spans[index] >> 16 & 0xFFFF), Int(spans[index] & 0xFFFF))
        index += 1
        if regions.count > start, left <= regions[regions.count - 1].right {
          regions[regions.count - 1].width = max(regions[regions.count - 1].right, right) - regions[regions.count - 1].x
        } else {
          let top = Int(band) * Self.height
          regions.append(
            PixelRegion(x: left, y: top, width: right - left, height: min(Self.height, panel.height - top)))
        }
      }
      before = Self.joined(before, start..<regions.count, &regions)
    }
    guard regions.count > countMax, let first = regions.first else { return regions }
    return [regions.reduce(first) { $0.union($1) }]
  }

  /// Joins the regions of a band with those of the previous one, if they have the same columns.
  ///
  /// - Returns: the regions that the next band may join.
  private static func joined(
    _ before: Range<Int>, _ band: Range<Int>, _ regions: inout [PixelRegion]
  ) -> Range<Int> {
    guard before.count == band.count else { return band }
    for index in 0..<band.count {
      let (above, below) = (regions[before.lowerBound + index], regions[band.lowerBound + index])
      guard above.x == below.x, above.width == below.width, above.y + above.height == below.y else { return band }
    }
    for index in 0..<band.count { regions[before.lowerBound + index].height += regions[band.lowerBound + index].height }
    regions.removeSubrange(band)
    return before
  }
}

extension PixelRegion {
  fileprivate var right: Int { x + width }

  fileprivate func union(_ other: PixelRegion) -> PixelRegion {
    let left = min(x, other.x)
    let top = min(y, other.y)
    return PixelRegion(
      x: left, y: top, width: max(right, other.right) - left,
      height: max(y + height, other.y + other.height) - top)
  }
}
