// A driven panel: the card, its connector and mode, the chosen planes, and commits of changes to them.
#if Screen

  import BarcodeTypes
  import CLibdrm
  import Devices
  import Glibc
  public import ScanScreen

  /// The panel to use.
  public struct KMSSettings: Equatable, Sendable {
    /// Such as `/dev/dri/card0`; nil for the first with a connected panel.
    public var card: String?
    /// Such as `HDMI-A-1`; nil for the first connected one.
    public var connector: String?
    /// The mode's size in pixels; nil for the panel's preferred mode.
    public var size: ScreenSize?

    public init() {}
  }

  final class KMSOutput {
    /// How long a flip may take: three frames of the slowest panel, at 24 per second, plus the delays of a busy machine.
    static let flipMilliseconds: Int32 = 500
    /// How often a commit is retried while the previous one is pending.
    static let busyCountMax = 20

    let card: KMSCard
    let connector: KMSConnector
    let mode: ScreenMode
    let crtc: UInt32
    /// The lowest plane.
    let primary: KMSPlane
    /// Other planes, lowest first, without cursor planes, which do not fill panels.
    let overlays: [KMSPlane]
    private let crtcActive: UInt32
    private let crtcMode: UInt32
    private let connectorCRTC: UInt32
    private let modeBlob: UInt32

    /// Finds and acquires the panel.
    static func find(_ settings: KMSSettings) throws(ScreenTrouble) -> KMSOutput {
      if let path = settings.card { return try KMSOutput(KMSCard(path: path), settings) }
      var best: ScreenTrouble?
      for number in 0..<KMSCard.cardCountMax {
        do throws(ScreenTrouble) {
          return try KMSOutput(KMSCard(path: "/dev/dri/card\(number)"), settings)
        } catch {
          // The error of an existing card is more useful than that of a missing one.
          if error.cause != .missing, best == nil || best?.cause == .unsupported { best = error }
        }
      }
      throw best
        ?? ScreenTrouble(
          .missing, "there is no card under /dev/dri; enable the display driver, or run with --screen none")
    }

    private init(_ card: KMSCard, _ settings: KMSSettings) throws(ScreenTrouble) {
      // First: the kernel probes connectors only for the DRM master.
      if clibdrm_is_master(card.descriptor) == 0 {
        let result = clibdrm_set_master(card.descriptor)
        guard result == 0 else { throw card.trouble("becoming master", result == -EBUSY ? -EACCES : result) }
      }
      let connectors = try card.connectors()
      let wanted = connectors.first { $0.isConnected && (settings.connector == nil || settings.connector == $0.name) }
      guard let connector = wanted else {
        let names = connectors.map(\.name).joined(separator: ", ")
        throw ScreenTrouble(
          .disconnected,
          "\(card.path): no panel is connected to \(settings.connector ?? "any of \(names)"); connect one, or correct "
            + "screen.connector (there are \(names))")
      }
      let chosen = try Self.mode(of: connector, on: card, settings)
      var crtc: UInt32 = 0
      var crtcIndex: UInt32 = 0
      var result = clibdrm_crtc(card.descriptor, connector.id, &crtc, &crtcIndex)
      guard result == 0 else { throw card.trouble("finding a CRTC for \(connector.name)", result) }
      let planes = try card.planes(ofCRTC: crtcIndex)
      guard let primary = planes.first(where: { $0.type == Int32(CLIBDRM_PLANE_PRIMARY) }) else {
        throw ScreenTrouble(.unsupported, "\(card.path): there is no primary plane; choose another card in screen.card")
      }
      let crtcType = Int(CLIBDRM_CRTC)
      crtcActive = try card.required(crtc, crtcType, "ACTIVE")
      crtcMode = try card.required(crtc, crtcType, "MODE_ID")
      connectorCRTC = try card.required(connector.id, Int(CLIBDRM_CONNECTOR), "CRTC_ID")
      var blob: UInt32 = 0
      result = withUnsafeBytes(of: chosen.info) { clibdrm_blob(card.descriptor, $0.baseAddress, $0.count, &blob) }
      guard result == 0 else { throw card.trouble("describing a mode", result) }
      modeBlob = blob
      let density = connector.widthMillimetres > 0 ? Double(chosen.width) / Double(connector.widthMillimetres) : nil
      mode = ScreenMode(width: Int(chosen.width), height: Int(chosen.height), pixelsPerMillimetre: density)
      self.card = card
      self.connector = connector
      self.crtc = crtc
      self.primary = primary
      overlays = planes.filter { $0.type == Int32(CLIBDRM_PLANE_OVERLAY) }.sorted {
        ($0.level, $0.id) < ($1.level, $1.id)
      }
    }

    deinit { clibdrm_blob_free(card.descriptor, modeBlob) }

    private static func mode(
      of connector: KMSConnector, on card: KMSCard, _ settings: KMSSettings
    ) throws(ScreenTrouble) -> clibdrm_mode {
      let modes = try card.modes(of: connector)
      let fitting = modes.filter { mode in
        settings.size.map { $0.width == Int(mode.width) && $0.height == Int(mode.height) } ?? true
      }
      guard let mode = fitting.first(where: { $0.is_preferred != 0 }) ?? fitting.first else {
        var sizes: [String] = []
        for mode in modes where !sizes.contains("\(mode.width)x\(mode.height)") {
          sizes.append("\(mode.width)x\(mode.height)")
        }
        throw ScreenTrouble(
          .unsupported, "\(connector.name) has no such mode; write one of \(sizes.joined(separator: ", ")) in screen.mode")
      }
      return mode
    }

    /// The changes that switch the panel on.
    func switchOn(_ changes: inout KMSChanges) {
      changes.set(connector.id, connectorCRTC, UInt64(crtc))
      changes.set(crtc, crtcMode, UInt64(modeBlob))
      changes.set(crtc, crtcActive, 1)
    }

    /// Whether the hardware would accept the changes.
    func accepts(_ changes: KMSChanges) -> Bool {
      clibdrm_commit(
        card.descriptor, changes.rows, changes.rows.count,
        Int32(CLIBDRM_TEST | CLIBDRM_MODESET)) == 0
    }

    /// Commits the changes and waits until the panel shows them.
    ///
    /// - Returns: 0, or a negative errno.
    func commit(_ changes: KMSChanges, setsMode: Bool) -> Int32 {
      let flags = Int32(setsMode ? CLIBDRM_MODESET : CLIBDRM_FLIP)
      var result: Int32 = 0
      for _ in 0..<Self.busyCountMax {
        result = clibdrm_commit(card.descriptor, changes.rows, changes.rows.count, flags)
        guard result == -EBUSY else { break }
        usleep(5000)
      }
      guard result == 0, !setsMode else { return result }
      return clibdrm_wait_flip(card.descriptor, Self.flipMilliseconds)
    }
  }
#endif
