// Pictures through the whole station: each record's path leads to the picture of its frame, and pictures cost no scan.

import BarcodeTypes
import DeliveryModel
import Devices
import Foundation
import HostText
import Logging
import PictureFiles
import ScanControl
import ScanLoop
import Sinks
import Station
import StationConfiguration
import StationPictures
import Testing
@testable import Outbox

/// Reads pictures like `TopRowReading`, and finds a symbol in empty ones that cannot be read.
private struct UnreadReading: SymbolReading {
  var unread: [UnreadSymbol] = []

  mutating func read(
    _ frame: LumaView, region: PixelRegion?, at moment: Instant, into sightings: inout [Sighting]
  ) -> FrameReading {
    let outcome = TopRowReading().read(frame, region: region, at: moment, into: &sightings)
    let point = PixelPoint(x: Fixed16(20), y: Fixed16(4))
    let quad = Quad(topLeft: point, topRight: point, bottomRight: point, bottomLeft: point)
    unread = sightings.isEmpty ? [UnreadSymbol(symbology: .qr, corners: quad, help: .closer)] : []
    return outcome
  }
}

@Suite(.timeLimit(.minutes(1))) struct PictureRunTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-picture-run-\(UUID())")

  /// A picture of a code, or of none, whose lower rows have this grey.
  private func frame(_ text: String, grey: UInt8) -> SimulatedPicture {
    var picture = picture(of: text)
    for index in 64..<64 * 8 { picture.luma[index] = grey }
    return picture
  }

  /// Runs a station; returns the records, oldest first.
  private func run(
    _ camera: any FrameSource, reading: any SymbolReading = TopRowReading(), _ kinds: Set<PictureKind>?,
    _ change: (inout PictureSettings) -> Void = { _ in }
  ) async throws -> [ScanRecord] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var configuration = StationConfiguration()
    configuration.outbox.path = folder.appending(path: "outbox-\(UUID()).sqlite").path
    configuration.outbox.synchronous = .normal
    configuration.sinks = [SerialSettings(device: "simulated")]
    configuration.scan.repeatAbsence = .milliseconds(10)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    var settings = PictureSettings(kinds: kinds ?? [])
    settings.folder = folder.appending(path: "pictures").path
    settings.format = .jpeg
    settings.quality = 100
    change(&settings)
    let archive = kinds == nil ? nil : PictureArchive(settings, station: "test", logger: logger)
    let delivery = try await StationDelivery(
      configuration, pictures: archive, logger: logger, keyboard: { _ in SimulatedKeyboard() },
      scanner: { _ in SimulatedScanner() }
    ) { _ in SimulatedSerialPort() }
    var parts = StationParts(source: camera, reading: reading, forwarding: delivery.forwarding)
    parts.deliveryServices = delivery.services
    parts.pictures = archive
    try await Station(settings: configuration.scan, parts: parts, logger: logger, signals: []).run()
    let records = await Array(delivery.outbox.newest(1000).reversed())
    await delivery.outbox.close()
    return records
  }

  private func grey(_ path: String) throws -> UInt8 {
    var picture = Picture()
    try picture.load(path: path)
    return try #require(picture.withLuma { $0[40, 6] })
  }

  @Test func `each of 120 scans at 60 per second has the picture of its own frame, and none is missing or late`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = (0..<120).map { SimulatedCamera.Step.frame(frame("L\($0)", grey: UInt8(2 * $0))) }
    func camera() -> SimulatedCamera {
      SimulatedCamera(script: script, period: .microseconds(16_667), time: BootTime())
    }
    let records = try await run(camera(), [.scan])
    #expect(records.map(\.text) == (0..<120).map { "L\($0)" })
    for (index, record) in records.enumerated() {
      let path = try #require(record.picture, "\(record.text)")
      #expect(path.contains("-scan-\(record.id)."))
      #expect(abs(Int(try grey(path)) - 2 * index) <= 3, "\(record.text)")
    }
    let without = try await run(camera(), nil)
    #expect(without.map(\.text) == records.map(\.text))
    #expect(without.allSatisfy { $0.picture == nil })
  }

  @Test func `a station whose pictures cannot be written scans on`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = (0..<50).map { SimulatedCamera.Step.frame(frame("L\($0)", grey: 9)) }
    let records = try await run(SimulatedCamera(script: script, period: .milliseconds(2), time: BootTime()), [.scan]) {
      $0.folder = "/proc/pictures"
    }
    #expect(records.map(\.text) == (0..<50).map { "L\($0)" })
  }

  @Test func `a symbol that stays unread leaves one picture, without a record`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = (0..<100).map { _ in SimulatedCamera.Step.frame(frame("", grey: 77)) }
    let records = try await run(
      SimulatedCamera(script: script, period: .milliseconds(10), time: BootTime()), reading: UnreadReading(), [.unread])
    #expect(records.isEmpty)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "pictures").path)
    let name = try #require(names.first)
    #expect(names.count == 1 && name.contains("-unread-"))
    #expect(abs(Int(try grey(folder.appending(path: "pictures/\(name)").path)) - 77) <= 3)
  }
}
