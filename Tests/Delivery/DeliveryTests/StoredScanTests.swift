import Testing

@testable import ScanStore

@Suite("scans for the store") struct StoredScanTests {
  private static let id = "019ace33-5b80-7abc-8def-0123456789ab"

  private func message(_ id: String = id, captured: String = "2026-11-29T09:30:00.125Z", text: String = "a") -> [UInt8] {
    Array(#"{"id":"\#(id)","symbology":"qr","text":"\#(text)","sequence":7,"captured":"\#(captured)","more":[1]}"#.utf8)
  }

  @Test func `a record becomes a row, and the topic names the station`() throws {
    let scan = try StoredScan(topic: "reticle/till-3/scan", payload: message(text: #"a\tb\\\u0000"#))
    #expect(scan.id == Self.id && scan.station == "till-3" && scan.sequence == 7 && scan.noRead == nil)
    #expect(scan.text == "a\tb\\\u{2400}")
    let record = String(decoding: message(text: #"a\tb\\\u0000"#), as: UTF8.self).replacing("\\", with: "\\\\")
    #expect(scan.row == "\(Self.id)\ttill-3\t2026-11-29T09:30:00.125Z\tqr\ta\\tb\\\\\u{2400}\t\\N\t7\t\(record)")
  }

  @Test func `a day of ids is a partition`() throws {
    let scan = try StoredScan(topic: "reticle/till-3/scan", payload: message())
    // 0x019ace335b80 milliseconds are 2025-11-29T06:01:03.616Z.
    #expect(scan.day == 20421)
    let day = StoreDay(number: 20421)
    #expect(day.date == "2025-11-29")
    #expect(
      day.statement
        == "CREATE TABLE IF NOT EXISTS scans_2025_11_29 PARTITION OF scans FOR VALUES FROM ('019acce8-cc00-0000-0000-000000000000') "
        + "TO ('019ad20f-2800-0000-0000-000000000000');")
  }

  @Test(arguments: [
    ("reticle", "{}", "names no station"), ("a//scan", "{}", "names no station"), ("a/b/scan", "{}", "not a record"),
    ("a/b/scan", "\u{FEFF}", "not a record"),
  ])
  func `what is no scan is refused with the reason`(topic: String, payload: String, reason: String) {
    let fault = #expect(throws: StoredScanFault.self) { try StoredScan(topic: topic, payload: Array(payload.utf8)) }
    #expect(fault?.reason.contains(reason) == true)
  }

  @Test(arguments: ["", "019ace33-5b80-4abc-8def-0123456789ab", "019ACE33-5B80-7ABC-8DEF-0123456789AB", id + "\\n"])
  func `an id other than a UUID of version 7 is refused`(id: String) {
    #expect(throws: StoredScanFault.self) { try StoredScan(topic: "a/b/scan", payload: message(id)) }
  }

  @Test(arguments: ["", "yesterday", "2026-11-29T09:30:00+01:00", "2026-11-29T09:30:00Z'); DROP TABLE scans; --"])
  func `a record without the time of its capture is refused`(captured: String) {
    #expect(throws: StoredScanFault.self) { try StoredScan(topic: "a/b/scan", payload: message(captured: captured)) }
  }
}
