// The print of scans through the whole station: drawn labels, worn or not, through the decoder, the outbox and the grading.

import BarcodeTypes
import DeliveryModel
import Devices
import Foundation
import Logging
import MetricsTestKit
import PrintQuality
import ScanControl
import ScanLoop
import Sinks
import Station
import StationGrading
import SymbolPrinter
import Testing
import WornSymbols
@testable import Outbox
@testable import StationConfiguration

@Suite(.timeLimit(.minutes(3))) struct GradingRunTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-grading-\(UUID())")
  private let metrics = TestMetrics()
  private let notebook = Notebook()

  /// A picture of a label. Labels of the same symbology have the same size.
  private func frame(
    _ symbology: Symbology, _ number: Int, _ defect: Defect? = nil, strength: Double = 0, scale: Double = 4
  ) throws -> SimulatedPicture {
    let picture = try SymbolPrinter.print(SymbolRequest("LABEL-\(1000 + number)", symbology: symbology))
    let symbol = WornSymbol(picture, defect, strength: strength, scale: scale)
    return SimulatedPicture(width: symbol.width, height: symbol.height, luma: symbol.luma)
  }

  /// Plays frames to a station, with time for each to be graded unless they come faster.
  ///
  /// - Parameter text: the configuration.
  /// - Returns: the records, oldest first, and what was graded.
  private func run(
    _ frames: [SimulatedPicture], _ text: String, period: Duration = .milliseconds(60)
  ) async throws -> (records: [ScanRecord], report: PrintReport?) {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = try StationConfiguration.load(
      text: "camera: {pictures: x}\nrepeat: {absence: 10ms}\n" + text, of: "reticle.yaml", environment: [:]
    ).configuration
    configuration.outbox.path = folder.appending(path: "outbox.sqlite").path
    configuration.outbox.synchronous = .normal
    let grading = configuration.grading.map {
      PrintGrading($0, decoder: configuration.decoder, metrics: metrics, logger: notebook.logger)
    }
    let delivery = try await StationDelivery(
      configuration, grading: grading, logger: notebook.logger, keyboard: { _ in SimulatedKeyboard() },
      scanner: { _ in SimulatedScanner() }
    ) { _ in SimulatedSerialPort() }
    let camera = SimulatedCamera(script: frames.map { .frame($0) }, period: period, time: BootTime())
    var parts = StationParts(
      source: camera, reading: DecoderReading(settings: configuration.decoder), forwarding: delivery.forwarding)
    parts.deliveryServices = delivery.services
    parts.grading = grading
    try await Station(settings: configuration.scan, parts: parts, logger: notebook.logger, signals: []).run()
    let records = await Array(delivery.outbox.newest(1000).reversed())
    await delivery.outbox.close()
    return (records, grading?.report)
  }

  private func count(_ label: String, _ name: String, _ value: String) -> Int {
    Int((try? metrics.expectCounter(label, [(name, value)]).totalValue) ?? 0)
  }

  private func omittedCount(_ reason: String) -> Int { count("reticle_print_not_graded_total", "reason", reason) }

  private static let sink = "sinks: [{name: erp, serial: {device: simulated}}]\n"

  @Test func `P1: worn labels raise one alarm per sink and symbology, with the remedy, and good ones clear it`() async throws
  {
    var frames = try (0..<16).map { try frame(.qr, $0) }
    frames += try (16..<52).map { try frame(.qr, $0, .fading, strength: 0.75) }
    let worn = try await run(frames, "grading: {enabled: true}\n" + Self.sink)
    #expect(worn.records.count == 52, "every label is read")
    let line = try #require(worn.report?.lines.first)
    #expect(worn.report?.lines.count == 1 && line.sink == "erp" && line.symbology == "qr")
    #expect(line.isAlarmed && line.grade < 2 && line.gradeCount == PrintTrend.gradeCountMax, "\(line)")
    #expect(worn.report?.words == " print-alarms=erp/qr")
    let alarms = notebook.text.split(separator: "\n").filter { $0.hasPrefix("warning symbols are badly printed") }
    #expect(alarms.count == 1 && alarms[0].contains("Change the ribbon or clean the print head"), "\(alarms)")
    #expect(alarms[0].contains("lowest=symbol contrast") && alarms[0].contains("sink=erp"), "\(alarms)")
    #expect(!notebook.text.contains("LABEL-"), "the log shows no barcode data")
    // The figures of a station that has ended say nothing.
    let dimensions = [("sink", "erp"), ("symbology", "qr")]
    #expect(try metrics.expectGauge("reticle_print_alarm", dimensions).values.suffix(2) == [1, 0])
    #expect(try metrics.expectGauge("reticle_print_grade", dimensions).values.last?.isNaN == true)

    let mended = try await run(
      frames.suffix(24) + (52..<92).map { try frame(.qr, $0) }, "grading: {enabled: true}\n" + Self.sink)
    #expect(mended.report?.lines.first?.isAlarmed == false && mended.report?.words == "")
    #expect(notebook.text.contains("notice symbols are well printed again"))
    #expect(try metrics.expectGauge("reticle_print_alarm", dimensions).values.contains(1))
  }

  @Test func `P1: a sink's trend has only the scans that it gets`() async throws {
    let frames = try (0..<12).flatMap { [try frame(.qr, $0), try frame(.code128, $0)] }
    let (records, report) = try await run(
      frames,
      """
      grading: {enabled: true}
      sinks: [{name: erp, serial: {device: simulated}}, {name: dock, serial: {device: simulated2}}]
      rules: [{when: {symbology: qr}, then: {sinks: [erp]}}]
      """)
    #expect(records.count == 24)
    let lines = try #require(report?.lines)
    #expect(lines.map { "\($0.sink)/\($0.symbology)" } == ["dock/code128", "erp/code128", "erp/qr"])
    #expect(lines.allSatisfy { $0.letter == "A" && !$0.isAlarmed }, "\(lines)")
    #expect(lines[0].gradeCount == lines[1].gradeCount && report?.words == "")
    #expect(count("reticle_print_graded_total", "symbology", "qr") >= lines[2].gradeCount)
  }

  @Test func `P1: what cannot be graded is counted with the reason, and scanned all the same`() async throws {
    let aztec = try frame(.aztec, 1)
    // Just below the limit of 2 pixels per module.
    let tiny = try (0..<3).map { try frame(.qr, $0, scale: 1.8) }
    let (records, report) = try await run(
      [aztec] + tiny, "grading: {enabled: true}\ndecoder: {effort: still}\n" + Self.sink, period: .milliseconds(200))
    #expect(records.count == 4, "\(records.map(\.text))")
    #expect(report?.lines.isEmpty == true)
    #expect(omittedCount("unsupported") == 1 && omittedCount("small") == 3)
  }

  @Test func `P1: scans come through while others are graded; each is graded or counted`() async throws {
    let frames = try (0..<120).map { try frame(.qr, $0) }
    let (records, report) = try await run(
      frames, "grading: {enabled: true}\n" + Self.sink, period: .microseconds(16_667))
    #expect(records.map(\.text) == (0..<120).map { "LABEL-\(1000 + $0)" }, "in order, none missing")
    let gradedCount = count("reticle_print_graded_total", "symbology", "qr")
    let reasons = ["busy", "no frame", "small", "unsupported", "cut", "unread"]
    #expect(gradedCount > 0 && gradedCount + reasons.reduce(0) { $0 + omittedCount($1) } == 120)
    #expect(report?.lines.first?.letter == "A")
  }

  @Test func `P1: without grading nothing is graded, and a threshold of 0 raises no alarm`() async throws {
    let frames = try (0..<24).map { try frame(.qr, $0, .fading, strength: 0.75) }
    let off = try await run(Array(frames.prefix(3)), Self.sink)
    #expect(off.records.count == 3 && off.report == nil)
    let never = try await run(frames, "grading: {enabled: true, alarm_below: 0}\n" + Self.sink)
    #expect(never.report?.lines.first?.isAlarmed == false && never.report?.lines.first.map { $0.grade < 2 } == true)
    #expect(!notebook.text.contains("badly printed"))
  }
}
