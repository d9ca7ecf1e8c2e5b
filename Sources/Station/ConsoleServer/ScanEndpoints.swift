// The scans that the outbox keeps, with what became of them: as JSON, as a table for a spreadsheet, and their pictures.

import Station
import StationConfiguration

#if Console

  import DeliveryModel
  import HTTPServer
  import Outbox

  /// A scan with what became of it.
  struct ListedScan: Encodable, Sendable {
    var record: ScanRecord
    var pictureURL: String?
    var deliveries: [ScanOutcome]

    private enum Key: CodingKey { case pictureURL, deliveries }

    func encode(to encoder: any Encoder) throws {
      try record.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(pictureURL, forKey: .pictureURL)
      try container.encode(deliveries, forKey: .deliveries)
    }

    /// - Parameter isKept: whether the scan's picture is still there.
    init(_ record: ScanRecord, _ deliveries: [ScanOutcome], isKept: Bool) {
      self.record = record
      self.deliveries = deliveries
      // The record names the picture's file; the console serves it under the scan's id.
      let ending = (isKept ? record.picture : nil)?.split(separator: ".").last.map(String.init)
      pictureURL = ending.flatMap { ScanPicture.mediaTypes[$0] == nil ? nil : "/scans/\(record.id).\($0)" }
    }

    /// The newest scans, newest first.
    static func newest(_ count: Int, _ sights: ConsoleSights) async -> [ListedScan] {
      await sights.delivery.outbox.newestOutcomes(count).map { scan, outcomes in
        ListedScan(scan, outcomes, isKept: sights.keepsPicture?(scan.id) ?? false)
      }
    }

    /// Whether any text of the scan contains another, in capitals or not.
    func contains(_ text: String) -> Bool {
      let wanted = text.lowercased()
      let texts =
        [record.text, record.hri ?? "", record.hostText ?? "", record.symbology, record.id.description]
        + record.elements.map(\.value) + record.flags
      return texts.contains { $0.lowercased().contains(wanted) }
    }
  }

  extension ScanPicture {
    /// Media types by the ending of a path.
    static let mediaTypes = ["webp": "image/webp", "jpg": "image/jpeg"]
  }

  extension Console {
    /// The most scans in an answer.
    static let scanCountMax = 1000

    private struct ScanList: Encodable, Sendable {
      var scans: [ListedScan]
      /// The most scans that the outbox keeps once they are delivered.
      var kept: Int
    }

    private static let search = Endpoint.Parameter(
      name: "search", kind: .text, summary: "Only scans with this text in their data, symbology, id or flags.")

    static func scans(_ sights: ConsoleSights) -> [Endpoint] {
      [
        .get(
          "/api/scans", .look, "The newest scans that are kept, newest first, with what became of them at each sink.",
          query: [
            search,
            Endpoint.Parameter(name: "limit", kind: .integer(1...scanCountMax), summary: "The most scans; \(scanCountMax)."),
          ], .json("ScanList"), others: [400: "The limit is no number in its range."]
        ) { request, _ in
          guard let limit = limit(request) else {
            return HTTPResponse(400, text: "limit must be a number from 1 to \(scanCountMax)\n")
          }
          return .json(
            ScanList(
              scans: await found(request, limit, sights), kept: sights.configuration.outbox.deliveredCountKept))
        },
        .get(
          "/api/scans.csv", .look, "The same as a table (RFC 4180) in UTF-8.", query: [search], .type("text/csv")
        ) { request, _ in
          var response = HTTPResponse(
            200, type: "text/csv; charset=utf-8; header=present",
            text: ScanTable.text(await found(request, scanCountMax, sights)))
          response.fields["Content-Disposition"] = "attachment; filename=\"scans.csv\""
          return response
        },
        .get(
          "/scans/{file}", .look, "The picture of a scan: its id with .webp or .jpg.", .type("image/webp"),
          others: [404: "Why there is none."]
        ) { request, _ in await picture(request.parameters["file"] ?? "", sights) },
      ]
    }

    private static func limit(_ request: HTTPRequest) -> Int? {
      guard let text = request.parameter("limit") else { return scanCountMax }
      return Int(text).flatMap { (1...scanCountMax).contains($0) ? $0 : nil }
    }

    private static func found(_ request: HTTPRequest, _ limit: Int, _ sights: ConsoleSights) async -> [ListedScan] {
      let search = request.parameter("search") ?? ""
      guard !search.isEmpty else { return await ListedScan.newest(limit, sights) }
      return Array(await ListedScan.newest(scanCountMax, sights).filter { $0.contains(search) }.prefix(limit))
    }

    /// Answers a request such as `/scans/0198c2b6-….webp`.
    private static func picture(_ file: String, _ sights: ConsoleSights) async -> HTTPResponse {
      let parts = file.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let id = ScanID(String(parts[0])), let wanted = ScanPicture.mediaTypes[String(parts[1])] else {
        return HTTPResponse(404, text: "ask for the id of a scan with .webp or .jpg\n")
      }
      guard let picture = sights.picture else {
        return HTTPResponse(404, text: "the station keeps no pictures; see pictures.of\n")
      }
      switch await picture(id) {
      case .none(let reason): return HTTPResponse(404, text: "there is no picture of this scan: \(reason)\n")
      case .file(let bytes, let mediaType):
        guard mediaType == wanted else {
          let ending = ScanPicture.mediaTypes.first { $0.value == mediaType }?.key ?? ""
          return HTTPResponse(404, text: "the picture of this scan has the ending .\(ending)\n")
        }
        return HTTPResponse(200, type: mediaType, bytes: bytes)
      }
    }
  }

  /// Scans as comma-separated values (RFC 4180).
  enum ScanTable {
    private static let columns: [(name: String, value: @Sendable (ListedScan) -> String)] = [
      ("captured", { Timestamp.text(unixMilliseconds: $0.record.captured.unixMilliseconds) }),
      ("sequence", { $0.record.sequence > 0 ? "\($0.record.sequence)" : "" }),
      ("id", { "\($0.record.id)" }),
      ("symbology", { $0.record.symbology }),
      ("aim", { $0.record.aimIdentifier }),
      ("text", { $0.record.text }),
      ("hri", { $0.record.hri ?? "" }),
      ("hostText", { $0.record.hostText ?? "" }),
      ("noRead", { $0.record.noRead?.rawValue ?? "" }),
      ("flags", { $0.record.flags.joined(separator: " ") }),
      ("elements", { $0.record.elements.map { "(\($0.ai))\($0.value)" }.joined() }),
      ("deliveries", { $0.deliveries.map { "\($0.sink)=\($0.state.rawValue)" }.joined(separator: " ") }),
    ]

    static func text(_ scans: [ListedScan]) -> String {
      let rows = [columns.map(\.name)] + scans.map { scan in columns.map { $0.value(scan) } }
      return rows.map { $0.map(quoted).joined(separator: ",") + "\r\n" }.joined()
    }

    /// A value in quotes. A spreadsheet takes text that begins with one of these characters for a formula, and anyone can print a label:
    /// an apostrophe makes it text.
    private static func quoted(_ text: String) -> String {
      let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
      return "\"" + (isFormula ? "'" : "") + text.replacing("\"", with: "\"\"") + "\""
    }
  }

#endif
