// The outbox's files on a simulated disk.

import CSimulatedStorage
@testable import Outbox

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A disk in memory with injected faults, until it is scrapped.
final class SimulatedDisk: OutboxFiles, @unchecked Sendable {
  let disk: OpaquePointer

  init(seed: UInt64) { disk = disk_new(seed) }

  /// Frees the disk; nothing may use it afterwards.
  func scrap() { disk_free(disk) }

  var path: String { "\(String(cString: disk_path(disk)))/outbox.sqlite" }
  var faults: disk_faults {
    get { disk_faults_of(disk).pointee }
    set { disk_faults_of(disk).pointee = newValue }
  }
  var isDead: Bool { disk_is_dead(disk) }

  // MARK: OutboxFiles

  var layer: String? { String(cString: disk_layer()) }

  func identity(_ path: String) -> FileIdentity? {
    let number = disk_identity(disk, path)
    return number == 0 ? nil : FileIdentity(device: 1, number: UInt64(number))
  }

  func size(_ path: String) -> Int64? {
    let size = disk_size(disk, path)
    return size < 0 ? nil : size
  }

  func read(_ path: String, at offset: Int64, count: Int) throws(OutboxTrouble) -> [UInt8] {
    var got: Int64 = 0
    let most = max(0, min(count, Int((size(path) ?? 0) - offset)))
    let bytes = [UInt8](unsafeUninitializedCapacity: most) { bytes, filledCount in
      got = disk_read(disk, path, bytes.baseAddress, Int64(bytes.count), offset)
      filledCount = max(0, Int(got))
    }
    try check(Int32(clamping: min(got, 0)), path)
    return bytes
  }

  func write(_ path: String, _ bytes: [UInt8], at offset: Int64, syncs: Bool) throws(OutboxTrouble) {
    try check(disk_write(disk, path, bytes, Int64(bytes.count), offset, syncs), path)
  }

  func rename(_ path: String, to other: String) throws(OutboxTrouble) { try check(disk_rename(disk, path, other), path) }
  func remove(_ path: String) throws(OutboxTrouble) { try check(disk_remove(disk, path), path) }
  func syncNames(around path: String) throws(OutboxTrouble) { try check(disk_sync_names(disk), path) }

  func names(beginningWith path: String) -> [String] {
    var names: [String] = []
    while let name = disk_name(disk, Int32(names.count)) { names.append(String(cString: name)) }
    return names.filter { $0.hasPrefix(path) }.sorted()
  }

  func freeByteCount(around path: String) -> Int64 { disk_room(disk) }
  func claim(_ path: String) throws(OutboxTrouble) -> AnyObject { self }

  private func check(_ code: Int32, _ path: String) throws(OutboxTrouble) {
    let cause: OutboxTrouble.Cause
    switch -code {
    case 0: return
    case ENOSPC: cause = .full
    case EROFS: cause = .readOnly
    case ENOENT: cause = .cannotOpen
    default: cause = .storage
    }
    throw OutboxTrouble(cause, path: path, detail: "errno \(-code)")
  }

  // MARK: For the judge

  /// All bytes of a file.
  func bytes(_ path: String) -> [UInt8] {
    let faults = faults
    self.faults.read_fails = 0
    defer { self.faults = faults }
    return (try? read(path, at: 0, count: .max)) ?? []
  }
}

extension disk_faults {
  /// A disk without faults.
  static var none: disk_faults {
    disk_faults(
      room: -1, read_only: false, no_folder: false, locked: false, write_fails: 0, read_fails: 0, sync_fails: 0, lies: false,
      dies_after: -1)
  }
}

/// SplitMix64: the same seed gives the same schedule on every machine.
struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// Whether an event with the given probability in percent happens.
  mutating func happens(_ ofHundred: Int) -> Bool { Int.random(in: 0..<100, using: &self) < ofHundred }
}
