// The cameras of this machine. libcamera allows one manager per process; `CameraList` owns it.

#if Camera

  import CLibcamera
  import Glibc
  import Synchronization

  /// A connected camera.
  public struct CameraDescription: Equatable, Sendable {
    /// Stable for the port that the camera is connected to.
    public var id: String
    /// The model; empty if the camera does not report it.
    public var model: String
    /// Clockwise rotation of its picture, in degrees.
    public var rotation: Int
  }

  /// Owner of libcamera's manager. Every use of the manager holds one lock.
  final class CameraList: Sendable {
    /// The most cameras listed.
    static let cameraCountMax = 32
    /// How long udev must have had nothing to announce before a manager is made, how often this is looked at, and how long it
    /// is waited for at most, in milliseconds.
    static let (quietMilliseconds, lookMilliseconds, quietLimitMilliseconds) = (50, 5, 2000)

    /// The list of this process.
    static let shared = CameraList()

    private struct State: ~Copyable {
      var manager: OpaquePointer?
      /// Open cameras: the manager must stay while there are any.
      var openCount = 0
    }

    private let state = Mutex(State())

    private init() {}

    /// The cameras; if none is open, a new manager searches for them. An existing manager misses devices that could not be
    /// opened, or that appeared without a notice, when it was made.
    func refreshed() -> Result<[CameraDescription], SystemFailure> {
      state.withLock { state in
        if state.openCount == 0 {
          clibcamera_manager_destroy(state.manager)
          state.manager = nil
        }
        return descriptions(&state)
      }
    }

    /// The cameras that libcamera knows now.
    func current() -> Result<[CameraDescription], SystemFailure> { state.withLock { descriptions(&$0) } }

    /// Opens a camera; see `clibcamera_open`.
    func open(id: String) -> Result<OpenCamera, SystemFailure> {
      state.withLock { state in
        guard let manager = state.manager else { return .failure(SystemFailure(code: ENODEV)) }
        var camera: OpaquePointer?
        let result = clibcamera_open(manager, id, &camera)
        guard result >= 0, let camera else { return .failure(SystemFailure(code: -result)) }
        state.openCount += 1
        return .success(OpenCamera(pointer: camera))
      }
    }

    /// Closes a camera. May block.
    func close(_ camera: OpenCamera) {
      clibcamera_close(camera.pointer)
      state.withLock { $0.openCount -= 1 }
    }

    private func descriptions(_ state: inout State) -> Result<[CameraDescription], SystemFailure> {
      if state.manager == nil {
        Self.waitForAnnouncements()
        let result = clibcamera_manager_create(&state.manager)
        guard result >= 0 else { return .failure(SystemFailure(code: -result)) }
      }
      var found = [clibcamera_description](repeating: clibcamera_description(), count: Self.cameraCountMax)
      let count = clibcamera_list(state.manager, &found, found.count)
      return .success(
        found.prefix(Int(max(0, count))).map {
          CameraDescription(id: text($0.id), model: text($0.model), rotation: Int($0.rotation))
        })
    }

    /// Waits until udev has announced the devices of a camera that is being plugged in. A manager finds all devices that exist
    /// when it is made; if udev then announces one of them, libcamera 0.0.3 uses memory that it has freed
    /// (`DeviceEnumeratorUdev::addV4L2Device`), and the process ends.
    private static func waitForAnnouncements() {
      var quiet = 0
      for _ in 0..<quietLimitMilliseconds / lookMilliseconds where quiet < quietMilliseconds {
        quiet = clibcamera_announcements_wait() == 0 ? quiet + lookMilliseconds : 0
        usleep(UInt32(lookMilliseconds * 1000))
      }
    }
  }

  /// An open camera, to be closed by `CameraList.close`. Its owner is its only user.
  struct OpenCamera: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// An errno.
  struct SystemFailure: Error, Equatable, CustomStringConvertible {
    var code: Int32
    var description: String { String(cString: strerror(code)) }
  }

  /// The cameras of this machine, from a new search; `reticle cameras` prints them. Blocks.
  ///
  /// - Throws: libcamera's error.
  public func listCameras() throws -> [CameraDescription] { try CameraList.shared.refreshed().get() }

  /// The text of a C array.
  func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

#endif
