import Foundation
import HTTPServer
import TestCertificates
import TestClient
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPSecurityTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "reticle-http-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// curl's exit status and output. 60: the server's certificate is rejected; 52 and 56: the server hangs up because of the
  /// client's.
  private func curl(_ arguments: String...) async throws -> (status: Int32, output: String) {
    try await output("/usr/bin/curl", arguments: ["-s", "--max-time", "20"] + arguments)
  }

  private func output(_ program: String, _ arguments: String...) async throws -> (status: Int32, output: String) {
    try await output(program, arguments: arguments)
  }

  private func output(_ program: String, arguments: [String]) async throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    await withCheckedContinuation { continuation in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume() }
    }
    return (process.terminationStatus, String(decoding: output.fileHandleForReading.availableData, as: UTF8.self))
  }

  private func withServer(_ tls: HTTPServer.TLS, _ body: (Int) async throws -> Void) async throws {
    let server = HTTPServer(tls: tls) { _ in HTTPResponse(200, text: "secret\n") }
    let port = try server.start(port: 0)
    try await body(port)
    await server.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  @Test func `a server with a certificate speaks TLS and nothing else`() async throws {
    let authority = try file("authority.pem", TestCertificate.certificate)
    try await withServer(.init(certificate: TestCertificate.certificate, key: TestCertificate.key)) { port in
      let trusted = try await curl("--cacert", authority, "https://localhost:\(port)/")
      #expect(trusted.status == 0 && trusted.output == "secret\n")
      #expect(try await curl("https://localhost:\(port)/").status == 60)
      #expect(try await curl("http://localhost:\(port)/").output.isEmpty)
    }
  }

  @Test func `a server's own certificate has its names, and the fingerprint that others see`() async throws {
    let names = ["till-3", "till-3.local", "localhost", "127.0.0.1", "::1"]
    let made = try #require(ServerCertificate.selfMade(names: names))
    let certificate = try #require(ServerCertificate(pem: made.certificate))
    #expect(certificate.validity == 1_577_836_800...253_402_300_799)
    let pem = try file("made.pem", made.certificate)
    let (_, text) = try await output(
      "/usr/bin/openssl", "x509", "-in", pem, "-noout", "-fingerprint", "-sha256", "-ext", "subjectAltName,extendedKeyUsage")
    #expect(text.contains("Fingerprint=\(certificate.fingerprint)\n"))
    #expect(text.contains("DNS:till-3, DNS:till-3.local, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1"))
    #expect(text.contains("TLS Web Server Authentication"))
    let again = try #require(ServerCertificate.selfMade(names: names))
    #expect(again.key != made.key && ServerCertificate(pem: again.certificate) != certificate)
    try await withServer(.init(certificate: made.certificate, key: made.key)) { port in
      for host in ["localhost", "127.0.0.1"] {
        let trusted = try await curl("--cacert", pem, "https://\(host):\(port)/")
        #expect(trusted.status == 0 && trusted.output == "secret\n")
      }
      #expect(try await curl("https://localhost:\(port)/").status == 60)
    }
    #expect(ServerCertificate.selfMade(names: []) == nil)
    for wrong in ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", made.key] {
      #expect(ServerCertificate(pem: wrong) == nil)
    }
  }

  @Test func `a client without a certificate, or with an untrusted one, is refused`() async throws {
    let (certificate, key) = (try file("own.pem", TestCertificate.certificate), try file("own.key", TestCertificate.key))
    let (stranger, strangerKey) = (folder.appending(path: "stranger.pem").path, folder.appending(path: "stranger.key").path)
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=stranger", "-days",
      "9",
      "-keyout", strangerKey, "-out", stranger,
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    let tls = HTTPServer.TLS(
      certificate: TestCertificate.certificate, key: TestCertificate.key, clientAuthorities: TestCertificate.certificate)
    // With TLS 1.3, the handshake ends for the client before the server checks its certificate, so curl notices the
    // rejection while sending (55) or when waiting for the answer (52, 56).
    let refusals: [Int32] = [52, 55, 56]
    try await withServer(tls) { port in
      let url = "https://localhost:\(port)/"
      let known = try await curl("--cacert", certificate, "--cert", certificate, "--key", key, url)
      #expect(known.status == 0 && known.output == "secret\n")
      let nobody = try await curl("--cacert", certificate, url)
      #expect(refusals.contains(nobody.status) && nobody.output.isEmpty, "\(nobody)")
      let other = try await curl("--cacert", certificate, "--cert", stranger, "--key", strangerKey, url)
      #expect(refusals.contains(other.status) && other.output.isEmpty, "\(other)")
    }
  }

  @Test func `a certificate that does not belong to its key is one clear error, and leaves no socket`() async throws {
    let tls = HTTPServer.TLS(certificate: TestCertificate.certificate, key: "no key")
    let free = HTTPServer { _ in HTTPResponse(204) }
    let port = try free.start(port: 0)
    await free.stop()
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer(tls: tls) { _ in HTTPResponse(204) }.start(port: port)
    }
    #expect(error?.description.hasSuffix("certificate and key must be PEM texts that belong together") == true)
    #expect(descriptors(ofPort: port) == 0)
  }
}
