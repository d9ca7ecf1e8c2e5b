// Grades as JSON and as text.

import BarcodeMessage
import PictureFiles
import PrintQuality

extension GradedPicture {
  /// A line per symbol, then an indented line for each parameter, remark and the limitation.
  var text: String {
    guard case .read(let codes, _) = outcome else { return "" }
    var text = ""
    for graded in codes {
      let code = graded.code
      let content = TerminalText.safe(code.content.humanReadable ?? code.content.text)
      text += "\(FileName.safe(file))\t\(code.symbology)\t\(content)\t"
      switch graded.quality {
      case .failure(let refusal): text += "-\t\(refusal.message)\n"
      case .success(let quality):
        text += "\(quality.grade.text)\t\(quality.grade.letter)\t\(quality.standard)\n"
        for parameter in quality.parameters {
          let name = parameter.kind.title + String(repeating: " ", count: max(0, 25 - parameter.kind.title.count))
          let measure = String(repeating: " ", count: max(0, 14 - parameter.measureText.count)) + parameter.measureText
          text += "  \(name)\(measure)  \(parameter.grade.map { "\($0.text) \($0.letter)" } ?? "not graded")\n"
        }
        for remark in quality.remarks + [SymbolQuality.limitation] { text += "  \(remark)\n" }
      }
    }
    return text
  }

  /// One JSON object, without a line feed.
  var json: String {
    var json = "{\"file\":\(JSONText.quoted(FileName.shown(file)))"
    switch outcome {
    case .unreadable(let message): json += ",\"error\":\(JSONText.quoted(FileName.shown(message)))"
    case .read(let codes, let pageCount):
      if pageCount > 1 { json += ",\"pages\":\(pageCount)" }
      json += ",\"limitation\":\(JSONText.quoted(SymbolQuality.limitation))"
      json += ",\"codes\":[" + codes.map { $0.json(hasPage: pageCount > 1) }.joined(separator: ",") + "]"
    }
    return json + "}"
  }
}

extension GradedCode {
  fileprivate func json(hasPage: Bool) -> String {
    let code = code.json(hasPage: hasPage).dropLast()
    switch quality {
    case .success(let quality): return code + ",\"quality\":\(quality.json)}"
    case .failure(let refusal): return code + ",\"not_graded\":\(JSONText.quoted(refusal.message))}"
    }
  }
}

extension SymbolQuality {
  fileprivate var json: String {
    var json = "{\(grade.json),\"standard\":\(JSONText.quoted(standard))"
    json += ",\"aperture_modules\":\(apertureModules.text(2)),\"module_pixels\":\(modulePixels.text(2))"
    let limiting = limitingParameters.map { "\"\($0.kind.rawValue)\"" }
    json += ",\"limited_by\":[" + limiting.joined(separator: ",") + "]"
    json += ",\"parameters\":[" + parameters.map(\.json).joined(separator: ",") + "]"
    switch detail {
    case .linear(let profiles):
      let all = profiles.map {
        "{\($0.grade.json),\"parameters\":[" + $0.parameters.map(\.json).joined(separator: ",") + "]}"
      }
      json += ",\"profiles\":[" + all.joined(separator: ",") + "]"
    case .matrix(let matrix):
      let all = matrix.segments.map {
        "{\"name\":\(JSONText.quoted($0.name)),\($0.grade.json),\"wrong_modules\":\($0.wrongCount),\"modules\":\($0.moduleCount)}"
      }
      json += ",\"rows\":\(matrix.rows),\"columns\":\(matrix.columns),\"segments\":[" + all.joined(separator: ",") + "]"
    }
    return json + ",\"remarks\":[" + remarks.map(JSONText.quoted).joined(separator: ",") + "]}"
  }
}

extension QualityParameter {
  fileprivate var json: String {
    var json = "{\"name\":\"\(kind.rawValue)\""
    if let measure { json += ",\"measure\":\(measure.text(4)),\"unit\":\"\(kind.isInModules ? "modules" : "share")\"" }
    if let grade { json += ",\(grade.json)" }
    return json + "}"
  }
}

extension Grade {
  fileprivate var json: String { "\"grade\":\(text),\"letter\":\"\(letter)\"" }
}
