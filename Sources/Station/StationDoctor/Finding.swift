// The doctor's findings: a line for people, an object for programs.

import BarcodeMessage

/// The result of a check.
public struct Finding: Equatable, Sendable {
  /// The state of the checked item.
  public enum State: String, Sendable { case ok, warning, fault }

  public let area: DoctorArea
  public let state: State
  public let summary: String
  /// A command to paste; nil if the state is ok.
  public let remedy: String?
  /// The trouble's id; nil if the state is ok.
  public let id: String?

  init(area: DoctorArea, state: State, summary: String, remedy: String?, id: String?) {
    self.area = area
    self.state = state
    self.summary = summary
    self.remedy = remedy
    self.id = id
  }

  static func ok(_ area: DoctorArea, _ summary: String) -> Finding {
    Finding(area: area, state: .ok, summary: summary, remedy: nil, id: nil)
  }
}

/// All findings.
public struct DoctorReport: Equatable, Sendable {
  public let findings: [Finding]

  public init(_ findings: [Finding]) { self.findings = findings }

  public var faultCount: Int { findings.count { $0.state == .fault } }
  public var warningCount: Int { findings.count { $0.state == .warning } }

  /// One line per finding, with its remedy below, and a summary line. Device names are escaped for the terminal.
  public var text: String {
    var text = ""
    for finding in findings {
      let state = padded(finding.state.rawValue, 8)
      text += "\(state) \(padded(finding.area.rawValue, 13)) \(TerminalText.safe(finding.summary))\n"
      if let remedy = finding.remedy { text += "           $ \(remedy)\n" }
    }
    let faults = faultCount == 1 ? "1 fault" : "\(faultCount) faults"
    let warnings = warningCount == 1 ? "1 warning" : "\(warningCount) warnings"
    return text + (faultCount + warningCount == 0 ? "all is well\n" : "\(faults), \(warnings)\n")
  }

  /// One object: `{"faults":1,"warnings":0,"findings":[{"area":…,"state":…,"id":…,"summary":…,"remedy":…}]}`, with `id` and
  /// `remedy` null if the state is ok.
  public var json: String {
    let rows = findings.map { finding in
      "{\"area\":\"\(finding.area.rawValue)\",\"state\":\"\(finding.state.rawValue)\","
        + "\"id\":\(finding.id.map(JSONText.quoted) ?? "null"),\"summary\":\(JSONText.quoted(finding.summary)),"
        + "\"remedy\":\(finding.remedy.map(JSONText.quoted) ?? "null")}"
    }
    return "{\"faults\":\(faultCount),\"warnings\":\(warningCount),\"findings\":[\n" + rows.joined(separator: ",\n")
      + "\n]}\n"
  }

  private func padded(_ word: String, _ count: Int) -> String {
    word + String(repeating: " ", count: max(0, count - word.count))
  }
}
