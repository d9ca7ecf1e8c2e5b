// The certificate of the console: from files, or one that the station makes once and keeps beside its outbox.

#if Console

  import Glibc
  import HTTPServer
  import Outbox
  import SetupCodes
  import Sinks
  import StationConfiguration
  import StationDoctor

  enum ConsoleCertificate {
    /// Bytes of a file at most; a chain has a few thousand.
    private static let byteCountMax = 256 << 10

    /// The files of a configuration with TLS, whether they are there or not; nil without TLS.
    static func files(_ configuration: StationConfiguration) -> (certificate: String, key: String)? {
      let console = configuration.console
      guard console.port > 0 else { return nil }
      switch console.tls {
      case .off: return nil
      case .own:
        let path = configuration.outbox.path
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return (folder + "console.crt", folder + "console.key")
      case .files: return console.certificateFile.flatMap { file in console.keyFile.map { (file, $0) } }
      }
    }

    /// When the certificates end that the station shows, in seconds since 1970, by the name of the sink or "console". The files are
    /// read each time: they may be renewed while the station runs. One that cannot be read is left out.
    static func ends(_ configuration: StationConfiguration) -> [String: Int64] {
      var shown: [String: String] = [:]
      for sink in configuration.sinks { shown[sink.name] = sink.clientCertificateFile }
      if let own = files(configuration) { shown["console"] = own.certificate }
      return shown.compactMapValues { file in
        (try? text(file)).flatMap { ServerCertificate(pem: $0)?.validity.upperBound }
      }
    }

    /// The console's certificate and key; nil without TLS.
    static func tls(_ configuration: StationConfiguration) throws(StationSetup.Failure) -> HTTPServer.TLS? {
      guard let files = files(configuration) else { return nil }
      do throws(FileFault) {
        if configuration.console.tls == .own { try make(files) }
        return HTTPServer.TLS(certificate: try text(files.certificate), key: try text(files.key))
      } catch {
        throw StationSetup.Failure(
          status: 78, message: "console.tls: \(error); make the folder writable for the station, or write tls: files")
      }
    }

    /// Makes the certificate unless there is one with its key.
    private static func make(_ files: (certificate: String, key: String)) throws(FileFault) {
      guard access(files.certificate, F_OK) != 0 || access(files.key, F_OK) != 0 else { return }
      let host = hostName()
      let names = [host, host + ".local", "localhost", "127.0.0.1", "::1"]
      guard let made = ServerCertificate.selfMade(names: names) else {
        throw FileFault(path: files.certificate, call: "GnuTLS", code: EIO)
      }
      // The certificate last: it is only there with its key.
      try DurableFile.remove(files.certificate)
      try DurableFile.replace(files.key, with: Array(made.key.utf8))
      try DurableFile.replace(files.certificate, with: Array(made.certificate.utf8))
    }

    private static func text(_ path: String) throws(FileFault) -> String {
      guard let bytes = try DurableFile.read(path, byteCountMax: byteCountMax) else {
        throw FileFault(path: path, call: "open", code: ENOENT)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The certificate as the doctor sees it; nil without TLS, or before the station has made one.
    static func view(_ configuration: StationConfiguration) -> CertificateView? {
      guard let file = files(configuration)?.certificate, let pem = try? text(file),
        let certificate = ServerCertificate(pem: pem)
      else { return nil }
      return CertificateView(file: file, fingerprint: certificate.fingerprint, validity: certificate.validity)
    }
  }

#endif
