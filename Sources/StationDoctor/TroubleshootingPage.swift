// The troubleshooting page, generated from the table of troubles.

import StationConfiguration

/// `docs/troubleshooting.md`.
public enum TroubleshootingPage {
  public static var text: String {
    var lines = [
      "# Troubleshooting", "",
      "`sudo reticle doctor` looks at everything that a station needs and says what is wrong and what to do, with a command to "
        + "paste. It looks as the user that the service runs as, and changes nothing: no torch is lit, no serial port is opened, "
        + "no screen taken; of a webhook it asks `HEAD`, and to a host of TCP it connects and hangs up. `--format json` is for programs. This page says what each of its "
        + "messages means; words in braces are placeholders.",
      "",
      "A *fault* keeps the station from doing what its configuration says, and the doctor ends with status 1. A *warning* does "
        + "not.",
      "",
      "What the station itself says is in its journal, `journalctl -u reticle`, and behind `/status` and `/readyz` of its status "
        + "server. This page is written by `reticle doctor --reference`.",
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
