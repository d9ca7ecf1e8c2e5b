// The candidates of a picture and how far each came, as JSON: deploy/losses compares them with what the picture shows.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes

/// The report on one decode of a picture.
struct TrialReport {
  private var trials: [CandidateTrial] = []
  private var symbols: [String] = []
  private let outcome: DecodeOutcome

  init(_ luma: LumaView, _ settings: DecoderSettings, _ workspace: inout Workspace) {
    workspace.beginSequence()
    var tried: [CandidateTrial] = []
    outcome = Decoder.decode(luma, settings: settings, workspace: &workspace, trialEnded: { tried.append($0) })
    trials = tried
    for index in 0..<workspace.symbolCount {
      let symbol = workspace.symbol(index)
      let content = SymbolContent(
        symbol: symbol, payload: workspace.payload(index), segments: workspace.segments(index))
      var texts = [content.text]
      if let readable = content.humanReadable { texts.append(readable) }
      symbols.append(
        "{\"symbology\":\"\(symbol.symbology.name)\",\"texts\":[\(texts.map(JSONText.quoted).joined(separator: ","))]}")
    }
  }

  /// A JSON object on one line.
  func json(path: String) -> String {
    "{\"file\":\(JSONText.quoted(path)),\"work_units\":\(outcome.workUnits),\"is_complete\":\(outcome.isComplete)"
      + ",\"symbols\":[\(symbols.joined(separator: ","))],\"trials\":[\(trials.map(trialJSON).joined(separator: ","))]}"
  }

  private func trialJSON(_ trial: CandidateTrial) -> String {
    "{\"kind\":\"\(trial.kind)\",\"attempt\":\"\(trial.attempt)\",\"x\":\(trial.x),\"y\":\(trial.y),\"reach\":\(trial.reach)"
      + ",\"is_tried\":\(trial.isTried),\"is_read\":\(trial.isRead),\"work_units\":\(trial.workUnits)"
      + ",\"step\":\"\(trial.step)\",\"agreement\":\(trial.agreement)}"
  }
}
