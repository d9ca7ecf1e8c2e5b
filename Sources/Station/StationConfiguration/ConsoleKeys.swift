// The console: its address, and the tokens of those who may use it.

import DeliveryModel
import HTTPClient
import Sinks

/// The encryption of the console.
public enum ConsoleTLS: String, CaseIterable, Equatable, Sendable {
  case off
  /// With a certificate that the station makes for itself.
  case own
  /// With a certificate from files.
  case files
}

/// The settings of the console.
public struct ConsoleSettings: Equatable, Sendable {
  /// 0 if it is off.
  public var port = 0
  public var address = "127.0.0.1"
  /// The files with the tokens of the roles; nil for a role without one. Without any, this machine's programs may do everything.
  public var tokenFile: String?
  public var operateTokenFile: String?
  public var lookTokenFile: String?
  public var tls = ConsoleTLS.off
  /// With `ConsoleTLS.files`: the certificate and its key, both in PEM.
  public var certificateFile: String?
  public var keyFile: String?

  /// The permitted size of a token in bytes. A shorter one could be guessed although guesses are limited.
  static let tokenByteCounts = 16...256

  static let keys = KeySection(
    "console", ConsoleSettings(),
    [
      Field(
        "port", \.port, .integer(0...65535),
        "The port of the console: the page for setting up and watching the station (/), its API (/api/openapi.json), health "
          + "(/livez, /readyz), delivery (/status) and metrics (/metrics); 0 disables it.", isCommon: true),
      Field(
        "address", \.address, .text(64),
        "The address of the console; any except 127.0.0.1 and ::1 requires a token.", isCommon: true),
      Field(
        "token_file", \.tokenFile, .optional(.path(isPresent: true)),
        "A file whose first line is the token of those who may do everything: typed into the page, or sent as bearer token or "
          + "as the password of any user.", isCommon: true),
      Field(
        "operate_token_file", \.operateTokenFile, .optional(.path(isPresent: true)),
        "The same for those who may watch, give commands, test sinks and send scans again."),
      Field(
        "look_token_file", \.lookTokenFile, .optional(.path(isPresent: true)), "The same for those who may only watch."),
      Field(
        "tls", \.tls, .choice,
        "Whether the console speaks HTTPS: off; own: with a certificate that the station makes for itself, whose fingerprint "
          + "`reticle doctor` shows to compare it with the browser's; or files: with those of the next two keys.",
        isCommon: true),
      Field(
        "certificate_file", \.certificateFile, .optional(.path(isPresent: true)),
        "With console.tls files: the certificate in PEM, followed by its chain. It is read when the station starts."),
      Field(
        "key_file", \.keyFile, .optional(.path(isPresent: true)),
        "With console.tls files: the certificate's key in PEM, without a passphrase."),
    ])

  init() {}

  init(_ reading: inout ConfigurationReading) {
    Self.keys.read(&reading, into: &self)
    for (word, file) in [
      ("token_file", tokenFile), ("operate_token_file", operateTokenFile), ("look_token_file", lookTokenFile),
    ] {
      if let file { Self.check(file, "console.\(word)", &reading) }
    }
    if !isNumericAddress(address) {
      reading.report(
        "console.address is \"\(address)\"; it must be an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all",
        at: reading.place(of: "console.address"))
    } else if !["127.0.0.1", "::1"].contains(address), !reading.isWritten("console.token_file") {
      reading.report(
        "console.address is \"\(address)\", which others can reach; set console.token_file too, or write 127.0.0.1",
        at: reading.place(of: "console.address"))
    }
    if (tls == .files) != (certificateFile != nil && keyFile != nil) || (certificateFile == nil) != (keyFile == nil) {
      reading.report(
        "console.tls files, console.certificate_file and console.key_file belong together; write all three or none",
        at: reading.place(of: tls == .files ? "console.tls" : "console.certificate_file"))
    } else {
      do throws(DeliveryProblem) {
        try TLSSettings(certificateFile: certificateFile, keyFile: keyFile).checkForDelivery()
      } catch {
        reading.report("console.certificate_file: \(error)", at: reading.place(of: "console.certificate_file"))
      }
    }
    #if !Console
      if port > 0 {
        reading.report("console.port needs a build with the package trait Console; build it so, or write console.port: 0")
      }
    #endif
  }

  private static func check(_ file: String, _ name: String, _ reading: inout ConfigurationReading) {
    do throws(DeliveryProblem) {
      let token = try SecretFile.lines(file)[0]
      if !tokenByteCounts.contains(token.utf8.count) {
        reading.report(
          "\(name) holds a token of \(token.utf8.count) bytes; it must have \(tokenByteCounts.lowerBound) to "
            + "\(tokenByteCounts.upperBound), as openssl rand -hex 16 makes them",
          at: reading.place(of: name))
      }
    } catch {
      reading.report("\(name): \(error)", at: reading.place(of: name))
    }
  }
}
