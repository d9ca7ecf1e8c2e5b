// The workspace of the C interface: the decoder's own, with what tells it from any other memory.

public import BarcodeDecoder
import BarcodeTypes
public import CReticle

/// The beginning of a workspace's memory; the decoder's memory follows.
public struct LibraryWorkspace: ~Copyable {
  /// "reticle1" for a workspace.
  private let mark: UInt64
  /// Its own address: memory that was copied or moved is no workspace, as the decoder's points into itself.
  private let address: UInt
  public var decoder: Workspace
  /// Of the last decode, for the texts of its symbols.
  public var assumedECI: UInt32?

  private static let rightMark: UInt64 = 0x7265_7469_636C_6531
  /// The decoder's memory begins at a multiple of a cache line.
  private static let alignment = 64
  private static var headByteCount: Int { aligned(MemoryLayout<LibraryWorkspace>.size) }

  private init(address: UInt, decoder: consuming Workspace) {
    mark = LibraryWorkspace.rightMark
    self.address = address
    self.decoder = decoder
  }

  private static func aligned(_ byteCount: Int) -> Int { (byteCount + alignment - 1) / alignment * alignment }

  static func isPossible(pixelCount: Int) -> Bool { pixelCount > 0 && pixelCount <= DecoderLimits.pixelCountMax }

  /// Bytes for pictures of up to `pixelCount` pixels in memory of any alignment.
  static func byteCount(pixelCount: Int) -> Int {
    alignment - 1 + headByteCount + Workspace.byteCount(pixelCount: pixelCount)
  }

  /// Makes a workspace in `byteCount(pixelCount:)` bytes and returns its place.
  static func make(_ memory: UnsafeMutableRawPointer, pixelCount: Int) -> OpaquePointer {
    let place = memory.alignedUp(toMultipleOf: alignment)
    let decoderMemory = UnsafeMutableRawBufferPointer(
      start: place + headByteCount, count: Workspace.byteCount(pixelCount: pixelCount))
    let workspace = LibraryWorkspace(
      address: UInt(bitPattern: place), decoder: Workspace(memory: decoderMemory, pixelCountMax: pixelCount))
    place.bindMemory(to: LibraryWorkspace.self, capacity: 1).initialize(to: workspace)
    return OpaquePointer(place)
  }

  /// The workspace at a place that a caller names; nil if there is no workspace.
  public static func at(_ pointer: OpaquePointer) -> UnsafeMutablePointer<LibraryWorkspace>? {
    let place = UnsafeMutablePointer<LibraryWorkspace>(pointer)
    guard UInt(bitPattern: place) % UInt(alignment) == 0, place.pointee.mark == rightMark,
      place.pointee.address == UInt(bitPattern: place)
    else { return nil }
    return place
  }
}

@_cdecl("reticle_workspace_size")
public func workspaceSize(pixelCount: Int) -> Int {
  LibraryWorkspace.isPossible(pixelCount: pixelCount) ? LibraryWorkspace.byteCount(pixelCount: pixelCount) : 0
}

@_cdecl("reticle_workspace_make")
public func makeWorkspace(
  memory: UnsafeMutableRawPointer?, memorySize: UInt, pixelCount: Int, workspace: UnsafeMutablePointer<OpaquePointer?>?
) -> reticle_status {
  guard let memory, let workspace else { return status(RETICLE_NULL_ARGUMENT) }
  guard LibraryWorkspace.isPossible(pixelCount: pixelCount) else { return status(RETICLE_BAD_PIXEL_COUNT) }
  guard memorySize >= UInt(LibraryWorkspace.byteCount(pixelCount: pixelCount)) else {
    return status(RETICLE_MEMORY_TOO_SMALL)
  }
  workspace.pointee = LibraryWorkspace.make(memory, pixelCount: pixelCount)
  return status(RETICLE_OK)
}

@_cdecl("reticle_begin_sequence")
public func beginSequence(workspace: OpaquePointer?) -> reticle_status {
  guard let workspace else { return status(RETICLE_NULL_ARGUMENT) }
  guard let place = LibraryWorkspace.at(workspace) else { return status(RETICLE_BAD_WORKSPACE) }
  place.pointee.decoder.beginSequence()
  return status(RETICLE_OK)
}
