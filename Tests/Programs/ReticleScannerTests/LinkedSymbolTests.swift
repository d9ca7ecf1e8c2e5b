// Behaviour §7: a program with an embedded scanner links the scanning code, but nothing of a station's outbox, console or
// configuration.

import Foundation
import TestSupport
import Testing

@Suite struct LinkedSymbolTests {
  /// The output of `readelf` for the example.
  private static func readelf(_ options: String...) throws -> [Substring] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["readelf", "--wide"] + options + [BuiltPrograms.folder.appending(path: "scanner-example").path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return text.split(separator: "\n")
  }

  @Test func `§7: the example needs no library of a database, of HTTP or of encryption`() throws {
    let libraries = try Self.readelf("--dynamic").filter { $0.contains("(NEEDED)") }
      .compactMap { $0.firstMatch(of: #/\[(.+)\]/#)?.1 }
    #expect(libraries.contains("libswiftCore.so"))
    let foreign = [
      "libsqlite3", "libcurl", "libssl", "libcrypto", "libmicrohttpd", "libgnutls", "libyaml", "libdrm", "libinput",
      "libFoundation.",
    ]
    #expect(libraries.filter { library in foreign.contains { library.hasPrefix($0) } } == [])
  }

  @Test func `§7: the example neither defines nor needs a symbol of such libraries`() throws {
    let names = try Self.readelf("--symbols").compactMap { $0.split(separator: " ").dropFirst(7).first }
    #expect(names.contains { $0.hasPrefix("swift_retain") })
    // C functions by their prefixes, Swift symbols by the length and name of their module.
    let foreign = [
      "sqlite3_", "curl_", "SSL_", "EVP_", "MHD_", "yaml_", "$s4Yams", "$s8Delivery", "$s10HTTPClient", "$s10HTTPServer",
      "$s7Station", "$s20StationConfiguration", "$s14StationConsole",
    ]
    #expect(foreign.filter { word in names.contains { $0.hasPrefix(word) } } == [])
  }
}
