// The statuses of the C interface, and what all of its functions share.

public import CReticle

/// A status as functions return it.
public func status(_ code: Int) -> reticle_status { reticle_status(truncatingIfNeeded: code) }

/// A literal as a C string: the compiler ends each with a zero byte.
func cString(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Copies a struct to a caller whose header may be newer; fields that this library does not know become 0.
///
/// - Parameter size: the struct's size in the caller's header.
public func writeStruct<Struct: BitwiseCopyable>(_ value: Struct, to place: UnsafeMutableRawPointer, size: UInt)
  -> reticle_status
{
  let known = MemoryLayout<Struct>.size
  guard size >= UInt(known), size <= UInt(Int.max) else { return status(RETICLE_BAD_STRUCT_SIZE) }
  withUnsafeBytes(of: value) { place.copyMemory(from: $0.baseAddress!, byteCount: known) }
  for offset in known..<Int(size) { place.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
  return status(RETICLE_OK)
}

@_cdecl("reticle_abi_version")
public func abiVersion() -> UInt32 { UInt32(RETICLE_ABI_VERSION) }

@_cdecl("reticle_status_text")
public func statusText(code: reticle_status) -> UnsafePointer<CChar> { cString(sentence(Int(code))) }

/// The consequence, the cause and the fix.
private func sentence(_ code: Int) -> StaticString {
  switch code {
  case RETICLE_OK: "Success."
  case RETICLE_NULL_ARGUMENT: "Nothing was done: a required pointer is NULL. Pass the address of the memory."
  case RETICLE_BAD_WORKSPACE:
    "Nothing was done: the pointer is not a workspace, or its memory was moved. Make it with reticle_workspace_make, in memory that stays."
  case RETICLE_BAD_PIXEL_COUNT:
    "No workspace was made: a workspace is for 1 to 67108864 pixels. Give the pixels of the largest picture to come."
  case RETICLE_MEMORY_TOO_SMALL:
    "No workspace was made: the memory is too small. Give as many bytes as reticle_workspace_size returns."
  case RETICLE_BAD_SIDE: "Nothing was decoded: a picture's sides are 1 to 16384 pixels long. Reduce or cut the picture."
  case RETICLE_PICTURE_TOO_LARGE:
    "Nothing was decoded: the picture has more pixels than the workspace was made for. Make a workspace for more pixels."
  case RETICLE_BAD_STRIDE:
    "Nothing was decoded: the stride is less than the width, or the picture does not fit the address space. Give the bytes from one row to the next."
  case RETICLE_BAD_REGION:
    "Nothing was decoded: the region shares no pixel with the picture. Give a region inside it, or NULL for all of it."
  case RETICLE_BAD_STRUCT_SIZE:
    "Nothing was done: the size of a struct is wrong. Pass its sizeof, and let reticle_settings_init set that of the settings."
  case RETICLE_UNKNOWN_SETTING:
    "Nothing was decoded: a setting is set that this version of the library does not know. Leave it 0, or use a newer library."
  case RETICLE_BAD_SYMBOLOGIES:
    "Nothing was decoded: the set of symbologies is empty or has a bit of none. Combine RETICLE_BITs out of reticle_symbologies."
  case RETICLE_BAD_EFFORT: "Nothing was decoded: the effort is unknown. Give RETICLE_STILL or RETICLE_FRAME."
  case RETICLE_BAD_ADD_ONS: "Nothing was decoded: the choice for add-ons is unknown. Give a RETICLE_ADD_ONS number."
  case RETICLE_BAD_COMPOSITE:
    "Nothing was decoded: the choice for GS1 Composite is unknown. Give a RETICLE_COMPOSITE number."
  case RETICLE_BAD_CHECK:
    "Nothing was decoded: a choice for check characters is unknown. Give a RETICLE_CHECK, RETICLE_MSI or RETICLE_CODE11 number."
  case RETICLE_BAD_FULL_ASCII:
    "Nothing was decoded: the choice for full ASCII is unknown. Give a RETICLE_FULL_ASCII number."
  case RETICLE_BAD_LENGTHS:
    "Nothing was decoded: the lengths of a symbology are out of its range. docs/configuration.md has the range of each; leave others at their default."
  case RETICLE_BAD_FLAG: "Nothing was decoded: a yes-or-no setting is neither 1 nor 0. Give one of them."
  case RETICLE_BAD_ECI: "Nothing was decoded: the assumed ECI is out of range. Give 0 to 999999, or -1 for none."
  case RETICLE_BAD_READING_COUNT:
    "Nothing was decoded: the number of agreeing frames is out of range. Give voted_reading_count 1 to 255."
  case RETICLE_BAD_WORK_LIMIT:
    "Nothing was decoded: the work limit is negative. Give the work units of a frame, or 0 for the standard."
  case RETICLE_NO_SUCH_RESULT:
    "Nothing was copied: the last decode has no result with this index. Stay below the counts of its outcome."
  case RETICLE_BUFFER_TOO_SMALL:
    "No text was written: the buffer is too small. Give as many bytes as needed_byte_count says."
  case RETICLE_NO_MEMORY: "No text was made: memory is not available. Free some and call again."
  default: "The status is unknown: it comes from a newer library. Compile the program with that library's header."
  }
}
