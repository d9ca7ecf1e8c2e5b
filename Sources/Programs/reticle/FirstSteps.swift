// The first start of a station without a configuration: a console on every address, which those on this machine, or who know the
// printed code, use to write one.

#if Console

  import Boards
  import ConsoleServer
  import Glibc
  import Logging
  import SetupCodes
  import StationConfiguration
  import StationDoctor

  struct FirstSteps: Sendable {
    /// The port of the console before there is a configuration.
    static let port = 9470
    /// Bytes of the token that is made for the configuration.
    private static let tokenByteCount = 16

    /// Opens one session of a browser on another machine.
    private let code: OneTimeCode
    /// The token of the configuration, and its file.
    private let token: String
    private let tokenFile: String
    /// Where the station keeps its files.
    private let folder: String
    /// Where the packaged service keeps them, and the outbox is by default.
    private static let packagedFolder = "/var/lib/reticle"

    /// Makes the code and the token, and tells the code.
    ///
    /// - Parameter folder: where the station keeps its files.
    init(folder: String, _ logger: Logger) {
      code = OneTimeCode()
      self.folder = folder
      tokenFile = folder + "/console.token"
      // A token of an earlier first start may be written down already.
      if let bytes = try? DurableFile.read(tokenFile, byteCountMax: 256), let line = bytes.split(separator: 0x0A).first {
        token = String(decoding: line, as: UTF8.self)
      } else {
        var random = SystemRandomNumberGenerator()
        token = (0..<Self.tokenByteCount).map { _ in
          let byte = UInt8.random(in: 0...255, using: &random)
          return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
        do throws(FileFault) {
          try DurableFile.replace(tokenFile, with: Array((token + "\n").utf8))
        } catch {
          logger.error(
            "the console's token cannot be kept: it can only be set up on this machine", metadata: ["problem": "\(error)"])
        }
      }
      logger.notice(
        "there is no configuration: set up the station in a browser",
        metadata: [
          "here": "http://localhost:\(Self.port)", "elsewhere": "http://\(hostName()):\(Self.port)",
          "code": "\(code.text)",
        ])
    }

    /// The configuration until there is one: that of `text`, and of the environment, without sinks.
    func configuration(_ environment: [String: String]) throws(ConfigurationError) -> StationConfiguration {
      var configuration = try StationConfiguration.load(text: text, of: "the first start", environment: environment)
        .configuration
      configuration.sinks = []
      return configuration
    }

    var access: ConsoleAccess {
      ConsoleAccess(tokens: [.configure: token], trustsThisMachine: true, code: code)
    }

    func report(cameras: [FirstStart.Camera]) -> FirstStart {
      FirstStart(
        cameras: cameras, serialDevices: Self.serialDevices, board: BoardFile.matching(model: deviceTreeModel()).name,
        stationName: hostName(), firstText: text, token: token)
    }

    /// The configuration to begin with: a browser on another machine must still reach the station afterwards.
    private var text: String {
      """
      # Reticle's configuration, made in the console. `reticle config explain KEY` explains a key.
      station: {name: \(hostName())}
      console:
        port: \(Self.port)
        address: 0.0.0.0 # 127.0.0.1 for browsers on this machine alone
        token_file: \(tokenFile) # its first line logs in

      """ + (folder == Self.packagedFolder ? "" : "outbox: {path: \(folder)/outbox.sqlite}\n")
    }

    /// USB adapters by their stable names.
    private static var serialDevices: [String] {
      let folder = "/dev/serial/by-id"
      guard let directory = opendir(folder) else { return [] }
      defer { closedir(directory) }
      var names: [String] = []
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append("\(folder)/\(name)") }
      }
      return names.sorted()
    }
  }

#endif
