// The results as a table and as JSON.

import BarcodeDecoder
import BarcodeMessage

/// Least and median of repeated times, in nanoseconds.
struct Times {
  private(set) var least = 0
  private(set) var median = 0

  init(_ samples: [Int]) {
    let sorted = samples.sorted()
    least = sorted.first ?? 0
    median = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
  }
}

/// The results for all pictures.
struct BenchmarkReport {
  struct Row {
    var path: String
    var width: Int
    var height: Int
    var symbolCount: Int
    var workUnits: Int
    var isComplete: Bool
    /// Allocations of all repeats; nil if this build does not count them.
    var allocationCount: Int?
    var total: Times
    /// By `DecodeStage.rawValue`.
    var stages: [Times]
  }

  var rows: [Row] = []
  /// The failures, one line each.
  var failures: [String] = []
}

extension DecodeStage {
  static var all: [DecodeStage] { (0..<count).compactMap { DecodeStage(rawValue: $0) } }
  var name: String { "\(self)" }
}

extension BenchmarkReport {
  /// One line per picture in microseconds (medians), followed by the means.
  var table: String {
    let headings =
      ["size", "codes", "units", "allocs"] + DecodeStage.all.map { "\($0.name) µs" } + ["total µs", "least µs", "picture"]
    var lines = [headings]
    for row in rows {
      lines.append(
        ["\(row.width)×\(row.height)", "\(row.symbolCount)", "\(row.workUnits)" + (row.isComplete ? "" : "!")]
          + [row.allocationCount.map(String.init) ?? "-"] + row.stages.map { microseconds($0.median) }
          + [microseconds(row.total.median), microseconds(row.total.least), row.path])
    }
    if !rows.isEmpty {
      lines.append(
        ["mean", "\(sum(\.symbolCount)) in all", "\(sum(\.workUnits) / rows.count)", "\(allocationSum ?? "-")"]
          + DecodeStage.all.map { stage in microseconds(sum { $0.stages[stage.rawValue].median } / rows.count) }
          + [microseconds(sum(\.total.median) / rows.count), microseconds(sum(\.total.least) / rows.count)]
          + ["\(rows.count) pictures; ! marks work cut off by the budget"])
    }
    return aligned(lines)
  }

  /// A JSON object with the settings, the sums, and one object per picture.
  func json(effort: String, repeatCount: Int) -> String {
    var json = "{\"effort\":\"\(effort)\",\"repeat\":\(repeatCount),\"picture_count\":\(rows.count)"
    json += ",\"allocations\":\(allocationSum ?? "null"),\"work_units\":\(sum(\.workUnits))"
    json += ",\"decode_ns_median\":\(sum(\.total.median)),\"decode_ns_least\":\(sum(\.total.least))"
    json += ",\"pictures\":[\(rows.map(rowJSON).joined(separator: ",\n"))]"
    return json + ",\"failures\":[\(failures.map(JSONText.quoted).joined(separator: ","))]}"
  }

  private func rowJSON(_ row: Row) -> String {
    var json = "{\"file\":\(JSONText.quoted(row.path)),\"width\":\(row.width),\"height\":\(row.height)"
    json += ",\"codes\":\(row.symbolCount),\"work_units\":\(row.workUnits),\"is_complete\":\(row.isComplete)"
    json += ",\"allocations\":\(row.allocationCount.map(String.init) ?? "null")"
    json += ",\"decode_ns_median\":\(row.total.median),\"decode_ns_least\":\(row.total.least),\"stages\":{"
    json += DecodeStage.all.map { stage in
      let times = row.stages[stage.rawValue]
      return "\"\(stage.name)\":{\"ns_median\":\(times.median),\"ns_least\":\(times.least)}"
    }.joined(separator: ",")
    return json + "}}"
  }

  private var allocationSum: String? {
    var sum = 0
    for row in rows {
      guard let count = row.allocationCount else { return nil }
      sum += count
    }
    return String(sum)
  }

  private func sum(_ value: (Row) -> Int) -> Int { rows.reduce(0) { $0 + value($1) } }

  private func microseconds(_ nanoseconds: Int) -> String {
    "\(nanoseconds / 1000).\(nanoseconds % 1000 / 100)"
  }

  /// Right-aligns all columns except the last, which is left-aligned.
  private func aligned(_ lines: [[String]]) -> String {
    let columnCount = lines.map(\.count).max() ?? 0
    let widths = (0..<columnCount).map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      line.enumerated().map { column, cell in
        column == columnCount - 1 ? cell : String(repeating: " ", count: widths[column] - cell.count) + cell
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}
