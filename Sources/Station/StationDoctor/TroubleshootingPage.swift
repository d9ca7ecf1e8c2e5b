// The troubleshooting page, generated from the table of troubles.

import StationConfiguration

/// `docs/troubleshooting.md`.
public enum TroubleshootingPage {
  public static var text: String {
    var lines = [
      "# Troubleshooting", "",
      "`sudo reticle doctor` checks everything that a station needs. It reports faults with a remedy, usually a command to paste. "
        + "It runs as the service's user and changes nothing: it lights no torch, opens no serial port and takes no screen; it "
        + "sends a webhook a `HEAD` request, and connects to a TCP host or a broker only to hang up. `--format json` is for programs. This "
        + "page explains each message; words in braces are placeholders.",
      "",
      "A *fault* keeps the station from doing what is configured, and the doctor ends with status 1. A *warning* does not.",
      "",
      "The station's own messages are in its journal, `journalctl -u reticle`, and at `/status` and `/readyz` of its status "
        + "server. `reticle doctor --reference` generates this page.",
    ]
    for area in DoctorArea.allCases {
      let troubles = Trouble.all.filter { $0.area == area }
      guard !troubles.isEmpty else { continue }
      lines += ["", "## \(area.rawValue.prefix(1).uppercased() + area.rawValue.dropFirst())"]
      for trouble in troubles {
        lines += [
          "", "### \(trouble.id)", "", "*\(trouble.severity.rawValue):* \(trouble.summary)", "", "    \(trouble.remedy)", "",
          trouble.meaning,
        ]
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
