// The real screen: a panel driven by kernel modesetting, without X or Wayland. Layers use hardware planes where available,
// the preview a YUV plane and the overlay a plane with alpha above it; otherwise they are composed in software.
#if Screen

  import BarcodeTypes
  import CLibdrm
  public import Devices
  import Glibc

  /// A panel at a display controller, driven through the kernel's modesetting.
  public final class KMSScreen: Screen {
    public var name: String { output.map { "\($0.card.path) \($0.connector.name)" } ?? settings.card ?? "screen" }
    public let showsMovement = true

    /// The present path of frames to the panel; nil while none are shown.
    public private(set) var previewPath: KMSPreviewPath?

    private let settings: KMSSettings
    private let terminal: (any ConsoleTerminal)?
    private var hotplug: Int32 = -1
    private var output: KMSOutput?
    private var layers: KMSLayers?
    private var changes = KMSChanges()

    /// - Parameter terminal: the terminal of the same panel, if the station should take it.
    public init(settings: KMSSettings, terminal: (any ConsoleTerminal)? = nil) {
      self.settings = settings
      self.terminal = terminal
      if clibdrm_hotplug_open(&hotplug) != 0 { hotplug = -1 }
    }

    deinit {
      close()
      if hotplug >= 0 { Glibc.close(hotplug) }
    }

    public func open() throws(ScreenTrouble) -> ScreenMode {
      drop()
      if let terminal {
        try terminal.take()
        _ = terminal.takeQuestion().map {
          if $0 == .entered { terminal.answer(.entered) } else { terminal.answer(.leaving) }
        }
        guard terminal.isSeen else {
          throw ScreenTrouble(
            .inBackground, "\(terminal.name) is not the terminal that is seen; switch back to it, the station waits")
        }
      }
      if hotplug >= 0 { _ = clibdrm_hotplug_seen(hotplug) }
      let output = try KMSOutput.find(settings)
      layers = try KMSLayers(output)
      self.output = output
      return output.mode
    }

    public func close() {
      drop()
      terminal?.giveBack()
    }

    /// Releases the card, and with it the panel, but keeps the terminal.
    private func drop() {
      layers = nil
      output = nil
      previewPath = nil
    }

    public func look() throws(ScreenTrouble) {
      guard let output else { throw ScreenTrouble(.failed, "the screen is closed") }
      if let question = terminal?.takeQuestion() { try answer(question) }
      guard clibdrm_is_master(output.card.descriptor) != 0 else {
        let trouble = output.card.trouble("looking", -EACCES)
        drop()
        throw trouble
      }
      guard hotplug >= 0, clibdrm_hotplug_seen(hotplug) != 0 else { return }
      let connector = try? output.card.connectors().first { $0.id == output.connector.id }
      guard connector?.isConnected == true else {
        let name = output.connector.name
        drop()
        throw ScreenTrouble(.disconnected, "\(name): the panel was disconnected; connect it again")
      }
    }

    private func answer(_ question: TerminalQuestion) throws(ScreenTrouble) {
      guard question == .leaving, let terminal else { return }
      // First the card, then the terminal, so that the next program can take both.
      drop()
      terminal.answer(.leaving)
      throw ScreenTrouble(.inBackground, "\(terminal.name) was left; switch back to it, the station waits")
    }

    public func present(_ preview: PreviewChange, _ overlay: OverlayPicture) throws(ScreenTrouble) {
      try look()
      guard let output, let layers else { return }
      do throws(ScreenTrouble) {
        // At most once per path that may have to be given up.
        for _ in 0..<KMSPreviewPath.count {
          changes.removeAll()
          try layers.prepare(preview, overlay, &changes)
          guard !changes.rows.isEmpty else { return }
          let result = output.commit(changes, setsMode: layers.needsMode)
          if result == 0 {
            layers.shown()
            previewPath = layers.previewPath
            return
          }
          guard [-EINVAL, -ERANGE, -ENOSPC].contains(result), layers.giveUpPath() else {
            throw output.card.trouble("showing a picture", result)
          }
        }
      } catch {
        drop()
        throw error
      }
    }
  }
#endif
