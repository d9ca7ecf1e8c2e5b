// Which programs have which devices open, and which listen on which ports, from /proc. Only root sees all of it.

import Glibc

/// The programs of this machine, read once.
package struct ProgramTable {
  /// The most processes read, and the most descriptors read per process.
  static let processCountMax = 32_768
  static let descriptorCountMax = 1024

  /// Names of programs by the device file that they have open; this process is omitted.
  private(set) var holders: [String: String] = [:]
  /// Names of programs by the number of a socket.
  private var sockets: [String: String] = [:]
  private(set) var names: Set<String> = []

  package init() {
    for entry in folderNames("/proc", countMax: Self.processCountMax) {
      guard let process = Int32(entry), process != getpid() else { continue }
      let name = Self.name(of: process)
      names.insert(name)
      for descriptor in folderNames("/proc/\(entry)/fd", countMax: Self.descriptorCountMax) {
        guard let target = Self.link("/proc/\(entry)/fd/\(descriptor)") else { continue }
        if target.hasPrefix("/dev/") { add(name, target) }
        if target.hasPrefix("socket:[") { sockets[String(target.dropFirst(8).dropLast())] = name }
      }
    }
  }

  /// If two programs have a device open, the one other than the station matters.
  private mutating func add(_ name: String, _ device: String) {
    if holders[device] == nil || holders[device] == "reticle" { holders[device] = name }
  }

  /// The program that listens on a port of this machine; nil if the port is free, empty if the program is unknown.
  func listener(port: Int) -> String? {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map { fileBytes($0, countMax: 4 << 20) }
    for line in tables.flatMap({ String(decoding: $0, as: UTF8.self).split(separator: "\n").dropFirst() }) {
      // Fields of proc_net_tcp: number, local address and port in hexadecimal, remote ones, state (0A listens), …, inode.
      let fields = line.split(separator: " ")
      guard fields.count > 9, fields[3] == "0A", let colon = fields[1].lastIndex(of: ":") else { continue }
      if Int(fields[1][fields[1].index(after: colon)...], radix: 16) == port { return sockets[String(fields[9])] ?? "" }
    }
    return nil
  }

  static func name(of process: Int32) -> String {
    let text = String(decoding: fileBytes("/proc/\(process)/comm", countMax: 64), as: UTF8.self)
    return String(text.prefix { $0 != "\n" })
  }

  private static func link(_ path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    return count > 0 ? String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }
}
