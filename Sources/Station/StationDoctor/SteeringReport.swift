// The camera's part of a station's status, in words.

import FoundationEssentials

/// The settings that the sensor took a frame with, and those that the station wishes, as `/status` tells them.
package struct SteeringReport: Decodable {
  private struct Status: Decodable { var camera: SteeringReport? }

  private struct Settings: Decodable {
    var exposureMicroseconds: Int?
    var gain: Double?
    var lensDioptres: Double?
    var reason: String?

    var text: String {
      let parts = [
        exposureMicroseconds.map { "\($0) µs" }, gain.map { "gain \(Self.rounded($0))" },
        lensDioptres.map { "\(Self.rounded($0)) dioptres" },
      ].compactMap { $0 }
      return parts.isEmpty ? "it does not tell" : parts.joined(separator: ", ")
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
  }

  private var sensor: Settings
  private var wish: Settings?

  /// Reads the answer of `/status`; nil without a camera, or if it is something else.
  package init?(json: [UInt8]) {
    guard let report = (try? JSONDecoder().decode(Status.self, from: Data(json)))?.camera else { return nil }
    self = report
  }

  /// The sensor's settings, and those wished with the reason.
  package var text: String {
    guard let wish else { return "its sensor: \(sensor.text)" }
    return "its sensor: \(sensor.text); wished: \(wish.text), for \(wish.reason ?? "an unknown reason")"
  }
}
