// A plane of the display controller: its capabilities, and the changes that show a framebuffer on it.
#if Screen

  import BarcodeTypes
  import CLibdrm
  import Devices

  /// Changes collected for one commit; memory is allocated once.
  struct KMSChanges {
    private(set) var rows: [clibdrm_change] = []

    init() { rows.reserveCapacity(Int(CLIBDRM_CHANGES_MAX)) }

    mutating func removeAll() { rows.removeAll(keepingCapacity: true) }

    mutating func set(_ object: UInt32, _ property: UInt32, _ value: UInt64) {
      rows.append(clibdrm_change(object: object, property: property, value: value))
    }
  }

  struct KMSPlane {
    let id: UInt32
    let type: Int32
    private let formats: Set<UInt32>
    private let framebuffer: UInt32
    private let crtc: UInt32
    /// SRC_X, SRC_Y, SRC_W, SRC_H, CRTC_X, CRTC_Y, CRTC_W, CRTC_H.
    private let places: [UInt32]
    private let rotation: (id: UInt32, bits: [QuarterTurn: UInt64], mirror: UInt64?)?
    private let height: clibdrm_property?
    private let colourRange: (id: UInt32, full: UInt64)?
    private let colourEncoding: (id: UInt32, bt601: UInt64)?

    init(_ row: clibdrm_plane, on card: KMSCard) throws(ScreenTrouble) {
      id = row.id
      type = row.type
      formats = withUnsafeBytes(of: row.formats) { Set($0.bindMemory(to: UInt32.self).prefix(row.format_count)) }
      let plane = Int(CLIBDRM_PLANE)
      framebuffer = try card.required(row.id, plane, "FB_ID")
      crtc = try card.required(row.id, plane, "CRTC_ID")
      var places: [UInt32] = []
      for name in ["SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y", "CRTC_W", "CRTC_H"] {
        places.append(try card.required(row.id, plane, name))
      }
      self.places = places
      height = card.property(row.id, plane, "zpos")
      rotation = card.property(row.id, plane, "rotation").map { property in
        var bits: [QuarterTurn: UInt64] = [:]
        // The kernel counts rotation anticlockwise.
        for (turn, name) in [
          (QuarterTurn.none, "rotate-0"), (.anticlockwise, "rotate-90"), (.half, "rotate-180"), (.clockwise, "rotate-270"),
        ] {
          if let bit = card.value(property.id, name) { bits[turn] = 1 << bit }
        }
        return (property.id, bits, card.value(property.id, "reflect-x").map { 1 << $0 })
      }
      colourRange = card.property(row.id, plane, "COLOR_RANGE").flatMap { property in
        card.value(property.id, "YCbCr full range").map { (property.id, $0) }
      }
      colourEncoding = card.property(row.id, plane, "COLOR_ENCODING").flatMap { property in
        card.value(property.id, "ITU-R BT.601 YCbCr").map { (property.id, $0) }
      }
    }

    func shows(_ format: UInt32) -> Bool { formats.contains(format) }

    /// The plane's position in the stack, where the kernel reports it.
    var level: UInt64 { height?.value ?? UInt64(id) }

    /// Puts the plane at this level, if the driver allows it.
    func set(level: UInt64, _ changes: inout KMSChanges) {
      if let height, height.is_immutable == 0 { changes.set(id, height.id, level) }
    }

    /// Whether the hardware claims to support this orientation.
    func canTurn(_ orientation: FrameOrientation) -> Bool {
      if orientation == FrameOrientation() { return true }
      guard let rotation, rotation.bits[orientation.turn] != nil else { return false }
      return !orientation.isMirrored || rotation.mirror != nil
    }

    /// Shows a part of a framebuffer on the whole panel.
    func show(
      _ framebuffer: UInt32, part: PixelRegion, on crtc: UInt32, panel: ScreenMode,
      orientation: FrameOrientation = FrameOrientation(), _ changes: inout KMSChanges
    ) {
      changes.set(id, self.framebuffer, UInt64(framebuffer))
      changes.set(id, self.crtc, UInt64(crtc))
      let sizes = [part.x << 16, part.y << 16, part.width << 16, part.height << 16, 0, 0, panel.width, panel.height]
      for index in places.indices { changes.set(id, places[index], UInt64(sizes[index])) }
      if let rotation, let turn = rotation.bits[orientation.turn] {
        changes.set(id, rotation.id, turn | (orientation.isMirrored ? rotation.mirror ?? 0 : 0))
      }
      if let colourRange { changes.set(id, colourRange.id, colourRange.full) }
      if let colourEncoding { changes.set(id, colourEncoding.id, colourEncoding.bt601) }
    }

    /// Changes only the framebuffer; size and position stay the same.
    func flip(to framebuffer: UInt32, _ changes: inout KMSChanges) { changes.set(id, self.framebuffer, UInt64(framebuffer)) }

    func hide(_ changes: inout KMSChanges) {
      changes.set(id, framebuffer, 0)
      changes.set(id, crtc, 0)
    }
  }
#endif
