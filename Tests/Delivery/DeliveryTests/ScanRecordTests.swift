// The record's JSON form is an interface: these tests check it exactly.

import BarcodeMessage
import Testing
@testable import DeliveryModel

@Suite struct ScanRecordTests {
  private var record: ScanRecord {
    var record = ScanRecord(
      id: ScanID(high: 0x0190_5C7D_3E8A_7123, low: 0x8F01_2345_6789_ABCD), station: "dock 3", symbology: "datamatrix",
      aimIdentifier: "]d2", text: "01095011015300031\u{1D}10AB/\"Ü", bytes: [0x30, 0xFF, 0x00, 0x1D],
      captured: CaptureTime(
        unixMilliseconds: 1_772_357_400_125, bootNanoseconds: 98_765_432_101, bootID: "8a6f0f4e-1c1f-4a7e-9b6e-0a4f1b2c3d4e")
    )
    record.sequence = 42
    record.hri = "(01)09501101530003"
    record.isGS1 = true
    record.corners = [
      .init(x: 10, y: 20.5), .init(x: 103.33332824707031, y: 20), .init(x: 103, y: 99.999), .init(x: -0.25, y: 100),
    ]
    record.preview = [
      .init(partX: 0.1, partY: 0.25), .init(partX: 0.333333, partY: 0), .init(partX: 1, partY: 1), .init(partX: 0, partY: 1),
    ]
    record.frameCount = 2
    record.lineCount = 1
    record.confidence = 97
    return record
  }

  @Test func `a record is written as documented`() {
    let expected = """
      {"aim":"]d2","bootId":"8a6f0f4e-1c1f-4a7e-9b6e-0a4f1b2c3d4e","bytes":"MP8AHQ==",\
      "captured":"2026-03-01T09:30:00.125Z","capturedBootNanoseconds":98765432101,"confidence":97,\
      "corners":[[10,20.5],[103.33,20],[103,100],[-0.25,100]],"frames":2,"hri":"(01)09501101530003",\
      "id":"01905c7d-3e8a-7123-8f01-23456789abcd","isGS1":true,"isLink":false,"lines":1,\
      "preview":[[0.1,0.25],[0.3333,0],[1,1],[0,1]],"schema":1,"sequence":42,\
      "station":"dock 3","symbology":"datamatrix","text":"01095011015300031\\u001d10AB/\\"Ü"}
      """
    #expect(String(decoding: record.json(), as: UTF8.self) == expected)
  }

  @Test func `GS1 elements and problems are written as documented and read back`() throws {
    var record = record
    record.take(
      GS1Reading(bracketed: "(01)09501101530004(17)261100(3932)9780299(423)040276(7007)260101260131(8008)2612311405"))
    let json = String(decoding: record.json(), as: UTF8.self)
    let elements = """
      "elements":[{"ai":"01","title":"GTIN","value":"09501101530004"},\
      {"ai":"17","date":"2026-11-30","month":"2026-11","title":"USE BY or EXPIRY","value":"261100"},\
      {"ai":"3932","currency":"EUR","number":"2.99","title":"PRICE","value":"9780299"},\
      {"ai":"423","countries":["AT","DE"],"title":"COUNTRY - INITIAL PROCESS","value":"040276"},\
      {"ai":"7007","date":"2026-01-01","title":"HARVEST DATE","until":"2026-01-31","value":"260101260131"},\
      {"ai":"8008","date":"2026-12-31","time":"14:05","title":"PROD TIME","value":"2612311405"}],"frames":2,
      """
    #expect(json.contains(elements))
    #expect(json.contains(#""problems":[{"ai":"01","code":"check-digit","message":"(01): its check digit is 4;"#))
    #expect(try ScanRecord(json: record.json()) == record)
  }

  @Test func `the century of a date is that around the capture, and around 2025 where the wall clock was not set`() {
    for (year, date) in [(2026, "2030-01-01"), (2090, "2130-01-01"), (1970, "2030-01-01")] {
      var record = record
      record.captured.unixMilliseconds = Timestamp.unixMilliseconds("\(year)-06-01T00:00:00.000Z") ?? 0
      record.take(GS1Reading(bracketed: "(17)300101"))
      #expect(record.elements.first?.date == date)
    }
  }

  @Test func `a record reads back as it was written`() throws {
    #expect(try ScanRecord(json: record.json()) == record)
    var plain = record
    plain.hri = nil
    plain.preview = nil
    #expect(try ScanRecord(json: plain.json()) == plain)
  }

  @Test(arguments: ["", "{}", "[]", #"{"id":"x"}"#, "\u{0}"])
  func `an invalid record is refused`(_ text: String) {
    #expect(throws: (any Error).self) { try ScanRecord(json: Array(text.utf8)) }
  }

  @Test func `invalid corners do not invalidate the record`() {
    #expect(ScanRecord.Corner(x: .nan, y: .infinity) == ScanRecord.Corner(x: 0, y: 0))
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (1_709_251_199_999, "2024-02-29T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func `moments are written exactly`(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp.text(unixMilliseconds: milliseconds) == text)
    #expect(Timestamp.unixMilliseconds(text) == milliseconds)
  }

  @Test func `every day of four centuries survives a round trip`() {
    for day in Int64(-10_957)..<135_140
    where Timestamp.unixMilliseconds(
      Timestamp.text(unixMilliseconds: day * 86_400_000)) != day * 86_400_000
    {
      Issue.record("day \(day)")
    }
  }

  @Test(arguments: ["2026-13-01T00:00:00.000Z", "2026-03-01T24:00:00.000Z", "2026-03-01 09:30:00.125Z", "now", ""])
  func `other forms of a time are refused`(_ text: String) { #expect(Timestamp.unixMilliseconds(text) == nil) }

  @Test func `ids are UUIDs of version 7 and hold their time`() {
    var ids = ScanIDGenerator()
    var random = SystemRandomNumberGenerator()
    let id = ids.next(unixMilliseconds: 1_772_357_400_125, using: &random)
    let text = Array(id.description)
    #expect(text[14] == "7")
    #expect("89ab".contains(text[19]))
    #expect(id.unixMilliseconds == 1_772_357_400_125)
    #expect(ScanID(id.description) == id)
  }

  @Test func `ids rise even within a millisecond and when the clock is set back`() {
    var ids = ScanIDGenerator()
    var random = SystemRandomNumberGenerator()
    var last = ids.next(unixMilliseconds: 1_000_000, using: &random)
    for step in 0..<10_000 {
      let next = ids.next(unixMilliseconds: Int64(1_000_000 - step % 7), using: &random)
      #expect(last < next)
      last = next
    }
  }

  @Test(arguments: [
    "", "01905c7d-3e8a-7123-8f01-23456789abc", "01905c7d+3e8a-7123-8f01-23456789abcd",
    "x1905c7d-3e8a-7123-8f01-23456789abcd",
  ])
  func `other forms of an id are refused`(_ text: String) { #expect(ScanID(text) == nil) }

  @Test func `an earlier moment of the same boot is measured by the boot's clock`() {
    let capture = CaptureTime(unixMilliseconds: 0, bootNanoseconds: 1_000_000, bootID: "a")
    let later = CaptureTime(unixMilliseconds: 1_772_357_400_125, bootNanoseconds: 4_000_000, bootID: "a")
    #expect(capture.elapsed(until: later) == .milliseconds(3))
    #expect(CaptureTime.now().elapsed(until: .now()) < .seconds(1))
    #expect(!CaptureTime.currentBootID.isEmpty)
  }
}
