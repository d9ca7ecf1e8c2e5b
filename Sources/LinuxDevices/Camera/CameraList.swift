// The cameras of this machine. libcamera takes one manager a process; this is who owns it.

#if Camera

  import CLibcamera
  import Glibc
  import Synchronization

  /// A camera that is there.
  public struct CameraDescription: Equatable, Sendable {
    /// Stable for the port that the camera is on.
    public var id: String
    /// What it is; empty if it does not say.
    public var model: String
    /// Degrees clockwise that its picture is turned by.
    public var rotation: Int
  }

  /// Owns libcamera's manager. All that has to do with it happens under one lock.
  final class CameraList: Sendable {
    /// Cameras that are listed.
    static let cameraCountMax = 32

    /// The list of this process.
    static let shared = CameraList()

    private struct State: ~Copyable {
      var manager: OpaquePointer?
      /// Cameras that are open: the manager must stay while there are any.
      var openCount = 0
    }

    private let state = Mutex(State())

    private init() {}

    /// The cameras, looked for anew if none is open: a manager that was made when a device could not be opened, or while
    /// nobody told of devices that come, does not see it later.
    func refreshed() -> Result<[CameraDescription], SystemFailure> {
      state.withLock { state in
        if state.openCount == 0 {
          clibcamera_manager_destroy(state.manager)
          state.manager = nil
        }
        return descriptions(&state)
      }
    }

    /// The cameras that libcamera knows of now.
    func current() -> Result<[CameraDescription], SystemFailure> { state.withLock { descriptions(&$0) } }

    /// Takes a camera; see `clibcamera_open`.
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

    /// Gives a camera back. May block.
    func close(_ camera: OpenCamera) {
      clibcamera_close(camera.pointer)
      state.withLock { $0.openCount -= 1 }
    }

    private func descriptions(_ state: inout State) -> Result<[CameraDescription], SystemFailure> {
      if state.manager == nil {
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
  }

  /// A camera that was opened and is to be closed by `CameraList.close`. Whoever has it is the only one to use it.
  struct OpenCamera: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// An errno.
  struct SystemFailure: Error, Equatable, CustomStringConvertible {
    var code: Int32
    var description: String { String(cString: strerror(code)) }
  }

  /// The cameras of this machine, looked for anew; `reticle cameras` prints them. Blocks.
  ///
  /// - Throws: what libcamera said.
  public func listCameras() throws -> [CameraDescription] { try CameraList.shared.refreshed().get() }

  /// The text of a C array.
  func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }

#endif
