// Scans as reports of a USB scanner.

import Devices
import TestSupport
import Testing
@testable import DeliveryModel
@testable import Sinks

@Suite struct ScannerReportTests {
  private func reports(_ bytes: [UInt8], _ change: (inout ScanRecord) -> Void = { _ in }) -> [[UInt8]] {
    var scans = ScanMaker()
    var record = scans.next("x")
    record.bytes = bytes
    record.aimIdentifier = "]Q1"
    record.sequence = 0x1_2345
    change(&record)
    return ScannerReport.reports(of: record)
  }

  @Test(arguments: [0, 1, 55, 56, 57, 112, 113, 7089])
  func `a scan is in reports of 56 bytes, all but the last continued`(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let reports = reports(bytes)
    #expect(reports.count == max(1, (count + 55) / 56))
    #expect(reports.allSatisfy { $0.count == 64 && Array($0[2...4]) == Array("]Q1".utf8) && $0[0] == 2 })
    #expect(reports.allSatisfy { $0[61] == 0x45 && $0[62] == 0x23 })
    #expect(reports.flatMap { $0[5..<5 + Int($0[1])] } == bytes)
    #expect(reports.allSatisfy { $0[(5 + Int($0[1]))..<61].allSatisfy { $0 == 0 } })
    #expect(reports.map { $0[63] } == Array(repeating: 1, count: reports.count - 1) + [0])
  }

  @Test func `a host's text replaces the bytes, and EAN and UPC are as long as the identifier says`() {
    #expect(Array(reports([1, 2]) { $0.hostText = "é" }[0][1...6]) == [2, 0x5D, 0x51, 0x31, 0xC3, 0xA9])
    let upc = reports(Array("012345678905".utf8)) {
      ($0.aimIdentifier, $0.symbology, $0.text) = ("]E0", "upca", "012345678905")
    }
    #expect(Array(upc[0][5..<5 + Int(upc[0][1])]) == Array("0012345678905".utf8))
  }

  @Test func `a no-read has no identifier`() {
    var scans = ScanMaker()
    let record = ScanRecord(
      id: scans.next("x").id, station: "s", noRead: .noSymbol, text: "NOREAD", captured: .now())
    #expect(Array(ScannerReport.reports(of: record)[0].prefix(11)) == [2, 6, 0, 0, 0] + Array("NOREAD".utf8))
  }
}

@Suite struct HIDPOSSinkTests {
  private let long = String(repeating: "A", count: 100)

  private func sink(_ scanner: SimulatedScanner, _ interruption: HIDPOSSettings.Interruption = .repeat) -> HIDPOSSink {
    var settings = HIDPOSSettings()
    settings.interruption = interruption
    return HIDPOSSink(settings: settings, scanner: scanner)
  }

  @Test func `scans are sent in order`() async {
    let scanner = SimulatedScanner()
    let sink = sink(scanner)
    var scans = ScanMaker()
    let both = [scans.next("1"), scans.next(long)]
    #expect(await sink.deliver(both) == .delivered)
    #expect(scanner.reports == both.flatMap { ScannerReport.reports(of: $0) })
  }

  @Test func `a long scan that comes first ends one that a killed station may have begun`() async {
    let scanner = SimulatedScanner()
    let sink = sink(scanner)
    var scans = ScanMaker()
    let both = [scans.next(long), scans.next(long)]
    #expect(await sink.deliver(both) == .delivered)
    #expect(scanner.reports == [ScannerReport.abandonment] + both.flatMap { ScannerReport.reports(of: $0) })
  }

  @Test(arguments: HIDPOSSettings.Interruption.allCases)
  func `a scan that breaks off is ended and repeated, or left to someone`(
    _ interruption: HIDPOSSettings.Interruption
  ) async {
    let scanner = SimulatedScanner()
    let sink = sink(scanner, interruption)
    var scans = ScanMaker()
    let (first, second) = (scans.next("1"), scans.next(long))
    #expect(await sink.deliver(first) == .delivered)
    scanner.breakOff(after: 1)
    let outcome = await sink.deliver(second)
    switch (interruption, outcome) {
    case (.park, .parked(let problem, isFinal: true)), (.repeat, .retry(nil, let problem)):
      #expect(problem.summary == "simulated: broke off; the host may have the scan, or a part of it")
    default: Issue.record("\(interruption): \(outcome)")
    }
    #expect(await sink.deliver(second) == .delivered)
    let whole = ScannerReport.reports(of: second)
    #expect(scanner.reports == ScannerReport.reports(of: first) + [whole[0], ScannerReport.abandonment] + whole)
  }

  @Test func `a host that does not listen gets nothing, and the scan is retried`() async {
    let scanner = SimulatedScanner()
    scanner.fail(with: InputFailure("asleep", remedy: "wake it"))
    let sink = sink(scanner, .park)
    var scans = ScanMaker()
    #expect(await sink.deliver(scans.next("1")) == .retry(after: nil, DeliveryProblem("asleep", remedy: "wake it")))
    #expect(scanner.reports.isEmpty)
  }
}
