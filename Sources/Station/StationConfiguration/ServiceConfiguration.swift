// Checks specific to the service, whose unit connects standard output to the system's journal. Starting, `reticle config
// check` and `reticle doctor` refuse such a configuration with the same text.

import DeliveryModel
import Sinks

extension StationConfiguration {
  /// The service's configuration file, as named in its unit.
  public static let installedFile = "/etc/reticle/reticle.yaml"

  /// Why this configuration cannot run with standard output connected to the journal; nil if it can.
  public var journalProblem: ConfigurationProblem? {
    // The scans would be in the log, which may contain barcode data only if that is allowed.
    guard !logsBarcodeData else { return nil }
    guard sinks.contains(where: \.printsScans) else { return nil }
    return ConfigurationProblem(
      "sinks sends scans to standard output, which is the system's journal for a service; name a webhook or a serial line "
        + "instead, or allow it with log.barcode_data: true")
  }
}
