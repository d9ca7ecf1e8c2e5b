// An open graphics card: its descriptor, and the kernel's connectors, modes and planes. Errors become texts here.
#if Screen

  import CLibdrm
  import Devices
  import Glibc

  /// An open card. Closing it destroys every object that was created on it.
  final class KMSCard {
    /// Cards examined when none is named: `/dev/dri/card0` and up.
    static let cardCountMax: UInt32 = 16
    /// The most connectors, modes and planes examined.
    static let objectCountMax = 64

    let path: String
    let descriptor: Int32

    init(path: String) throws(ScreenTrouble) {
      var descriptor: Int32 = -1
      let result = clibdrm_open(path, &descriptor)
      guard result == 0 else { throw Self.openTrouble(path, result) }
      self.path = path
      self.descriptor = descriptor
    }

    deinit { clibdrm_close(descriptor) }

    private static func openTrouble(_ path: String, _ result: Int32) -> ScreenTrouble {
      switch -result {
      case ENOENT, ENODEV, ENXIO:
        ScreenTrouble(.missing, "\(path): there is no such card; connect it, or correct screen.card")
      case EACCES, EPERM:
        ScreenTrouble(
          .denied, "\(path): it may not be opened; add the user to the group video, or allow it in the unit's DeviceAllow")
      case EOPNOTSUPP:
        ScreenTrouble(.unsupported, "\(path): its driver has no atomic modesetting; choose another card in screen.card")
      default: ScreenTrouble(.failed, "\(path): open failed (\(words(result))); see the kernel log")
      }
    }

    /// The system's text for a negative errno.
    static func words(_ result: Int32) -> String { String(cString: strerror(-result)) }

    /// The trouble that a refused call means.
    func trouble(_ operation: String, _ result: Int32) -> ScreenTrouble {
      switch -result {
      case EACCES, EPERM:
        ScreenTrouble(
          .heldByAnotherProgram,
          "\(path): \(operation): another program holds the screen; stop it, and the station reclaims the screen automatically"
        )
      case ENODEV, ENOENT: ScreenTrouble(.missing, "\(path): \(operation): the card has gone away; connect it again")
      default: ScreenTrouble(.failed, "\(path): \(operation) failed (\(Self.words(result))); see the kernel log")
      }
    }

    func connectors() throws(ScreenTrouble) -> [KMSConnector] {
      var rows = [clibdrm_connector](repeating: clibdrm_connector(), count: Self.objectCountMax)
      var count = 0
      let result = clibdrm_connectors(descriptor, &rows, rows.count, &count)
      guard result == 0 else { throw trouble("reading connectors", result) }
      return rows.prefix(count).map(KMSConnector.init)
    }

    func modes(of connector: KMSConnector) throws(ScreenTrouble) -> [clibdrm_mode] {
      var rows = [clibdrm_mode](repeating: clibdrm_mode(), count: Self.objectCountMax)
      var count = 0
      let result = clibdrm_modes(descriptor, connector.id, &rows, rows.count, &count)
      guard result == 0 else { throw trouble("reading modes", result) }
      return Array(rows.prefix(count))
    }

    func planes(ofCRTC index: UInt32) throws(ScreenTrouble) -> [KMSPlane] {
      var rows = [clibdrm_plane](repeating: clibdrm_plane(), count: Self.objectCountMax)
      var count = 0
      let result = clibdrm_planes(descriptor, index, &rows, rows.count, &count)
      guard result == 0 else { throw trouble("reading planes", result) }
      var planes: [KMSPlane] = []
      for row in rows.prefix(count) { planes.append(try KMSPlane(row, on: self)) }
      return planes
    }

    /// A property of an object by its name, if the object has it.
    func property(_ object: UInt32, _ type: Int, _ name: String) -> clibdrm_property? {
      var property = clibdrm_property()
      return clibdrm_get_property(descriptor, object, UInt32(type), name, &property) == 0 ? property : nil
    }

    func required(_ object: UInt32, _ type: Int, _ name: String) throws(ScreenTrouble) -> UInt32 {
      guard let property = property(object, type, name) else {
        throw ScreenTrouble(.unsupported, "\(path): its driver has no property \(name); choose another card in screen.card")
      }
      return property.id
    }

    /// The value of a named entry of an enumerated property.
    func value(_ property: UInt32, _ name: String) -> UInt64? {
      var value: UInt64 = 0
      return clibdrm_named_value(descriptor, property, name, &value) == 0 ? value : nil
    }
  }

  struct KMSConnector {
    let id: UInt32
    let name: String
    let isConnected: Bool
    let widthMillimetres: Int
    let heightMillimetres: Int

    init(_ row: clibdrm_connector) {
      id = row.id
      name = withUnsafeBytes(of: row.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      isConnected = row.is_connected != 0
      widthMillimetres = Int(row.width_mm)
      heightMillimetres = Int(row.height_mm)
    }
  }

  /// A buffer in display memory with its framebuffer.
  final class KMSBuffer {
    enum Format {
      /// 32 bits per pixel; the highest eight are ignored.
      case xrgb
      case argb
      /// Luma, then alternating Cb and Cr per 2×2 pixels, in one buffer.
      case nv12

      var code: UInt32 {
        switch self {
        case .xrgb: fourCC("XR24")
        case .argb: fourCC("AR24")
        case .nv12: fourCC("NV12")
        }
      }
    }

    let width: Int
    let height: Int
    let bytesPerRow: Int
    let framebuffer: UInt32
    private let card: KMSCard
    private var buffer: clibdrm_buffer

    /// Rows of the first plane from the top; write only, because reading may be slow.
    var bytes: UnsafeMutablePointer<UInt8> { buffer.bytes }
    /// Rows of pairs of Cb and Cr; NV12 only.
    var chroma: UnsafeMutablePointer<UInt8> { buffer.bytes + bytesPerRow * height }
    /// Whether the buffer may contain colour; set by its writer.
    var isColoured = false

    init(_ card: KMSCard, _ format: Format, width: Int, height: Int) throws(ScreenTrouble) {
      var buffer = clibdrm_buffer()
      let isNV12 = format == .nv12
      var result = clibdrm_buffer_make(
        card.descriptor, UInt32(width), UInt32(isNV12 ? height + height / 2 : height), isNV12 ? 8 : 32, &buffer)
      guard result == 0 else { throw card.trouble("making a buffer of \(width)×\(height)", result) }
      var framebuffer: UInt32 = 0
      let chroma: UInt32 = isNV12 ? 1 : 0
      let handles = [buffer.handle, buffer.handle * chroma, 0, 0]
      let pitches = [buffer.pitch, buffer.pitch * chroma, 0, 0]
      let offsets = [0, buffer.pitch * UInt32(height) * chroma, 0, 0]
      result = clibdrm_framebuffer(
        card.descriptor, UInt32(width), UInt32(height), format.code, handles, pitches, offsets, &framebuffer)
      guard result == 0 else {
        clibdrm_buffer_free(card.descriptor, &buffer)
        throw card.trouble("making a framebuffer of \(width)×\(height)", result)
      }
      self.card = card
      self.buffer = buffer
      self.framebuffer = framebuffer
      self.width = width
      self.height = height
      bytesPerRow = Int(buffer.pitch)
      if isNV12 { removeColour() }
    }

    /// Makes an NV12 picture grey.
    func removeColour() { chroma.update(repeating: 128, count: bytesPerRow * (height / 2)) }

    deinit {
      clibdrm_framebuffer_free(card.descriptor, framebuffer)
      clibdrm_buffer_free(card.descriptor, &buffer)
    }
  }

  /// The code of a pixel format's four letters.
  func fourCC(_ letters: StaticString) -> UInt32 {
    let bytes = letters.utf8Start
    return UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
  }
#endif
