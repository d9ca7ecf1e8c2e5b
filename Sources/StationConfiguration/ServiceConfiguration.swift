// The service's view of a configuration: its unit connects standard output to the system's journal. The start, `reticle config
// check` and `reticle doctor` refuse for the same reason in the same words.

import Delivery

extension StationConfiguration {
  /// The service's own configuration, as its unit names it.
  public static let installedFile = "/etc/reticle/reticle.yaml"

  /// The reason why this configuration cannot run where standard output is the system's journal; nil if it can.
  public var journalProblem: ConfigurationProblem? {
    // Scans would be in the log, which holds barcode data only where that is allowed.
    guard !logsBarcodeData else { return nil }
    guard sinks.contains(where: \.printsScans) else { return nil }
    return ConfigurationProblem(
      "sinks sends scans to standard output, which is the system's journal for a service; name a webhook or a serial line "
        + "instead, or allow it with log.barcode_data: true")
  }
}
