// Drawn labels through all real parts: picture files, decoder, text, controller, outbox, and a serial host.

import BarcodeDecoder
import BarcodeTypes
import DeliveryModel
import Devices
import Foundation
import HostText
import Logging
import PictureFiles
import ScanControl
import ScanLoop
import ScanScreen
import Sinks
import Station
import StationConfiguration
import TestScenes
import Testing
@testable import Outbox

@Suite(.timeLimit(.minutes(2))) struct LabelRunTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "reticle-labels-\(UUID())")

  private let labels: [(symbology: Symbology, text: String)] = [
    (.ean13, "4006381333931"), (.code128, "PALLET-17"), (.qr, "https://example.org/17"), (.ean13, "5901234123457"),
  ]

  /// Draws one picture file per label, in order.
  private func drawLabels() throws -> [String] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try labels.enumerated().map { index, label in
      let path = folder.appending(path: "\(index).pgm").path
      try Data(CameraScene(label.symbology, label.text).pgm()).write(to: URL(filePath: path))
      return path
    }
  }

  /// Plays pictures once; returns the text that the host received and the outbox's records, oldest first.
  private func run(
    _ paths: [String], _ change: (inout StationConfiguration) -> Void = { _ in }
  ) async throws -> (received: String, records: [ScanRecord]) {
    var configuration = StationConfiguration()
    configuration.outbox.path = folder.appending(path: "outbox-\(UUID()).sqlite").path
    configuration.sinks = [SerialSettings(device: "simulated")]
    change(&configuration)
    let port = SimulatedSerialPort()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let delivery = try await StationDelivery(
      configuration, logger: logger, keyboard: { _ in SimulatedKeyboard() }, scanner: { _ in SimulatedScanner() }
    ) { _ in
      port
    }
    var playback = PicturePlayback()
    playback.period = .milliseconds(1)
    let camera = PictureCamera(paths: paths, playback: playback, loader: Picture())
    var parts = StationParts(
      source: camera,
      reading: DecoderReading(
        settings: configuration.decoder, overAge: configuration.overAge, today: LocalTime.today),
      forwarding: delivery.forwarding)
    parts.deliveryServices = delivery.services
    try await Station(
      settings: configuration.scan, viewport: configuration.viewport, parts: parts, logger: logger, signals: []
    ).run()
    let records = await Array(delivery.outbox.newest(100).reversed())
    await delivery.outbox.close()
    return (String(decoding: port.takeSent(), as: UTF8.self), records)
  }

  /// Serial lines receive text, and no-reads only if a text for them is configured; sinks for records receive all.
  @Test(arguments: [
    (NoReadTexts(), nil, ["stdout"]),
    (NoReadTexts(noSymbol: "NOREAD", unreadable: "BAD"), "NOREAD", ["serial", "stdout"]),
    (NoReadTexts(noSymbol: "NOREAD", sendsRecords: false), "NOREAD", ["serial"]),
    (NoReadTexts(unreadable: "BAD"), nil, ["stdout"]), (NoReadTexts(sendsRecords: false), nil, []),
  ])
  func `§9: a trigger that finds nothing reaches serial lines as text, and every other sink as a record`(
    noReads: NoReadTexts, text: String?, listeners: [String]
  ) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var configuration = StationConfiguration()
    configuration.outbox.path = folder.appending(path: "outbox-\(UUID()).sqlite").path
    configuration.sinks = [
      SerialSettings(device: "simulated"), StandardOutputSettings(),
    ]
    configuration.noReads = noReads
    configuration.scan.trigger = .edge(limit: .milliseconds(100))
    let port = SimulatedSerialPort()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let delivery = try await StationDelivery(
      configuration, logger: logger, keyboard: { _ in SimulatedKeyboard() }, scanner: { _ in SimulatedScanner() }
    ) { _ in
      port
    }
    var parts = StationParts(
      source: SimulatedCamera(script: [.silence(.seconds(60))], time: BootTime()),
      reading: DecoderReading(settings: configuration.decoder), forwarding: delivery.forwarding)
    let (buttons, signals) = (SimulatedButtons(), SimulatedSignals())
    (parts.scan.buttons, parts.scan.signals) = (buttons, signals)
    // Only the serial line: a record on standard output would mix with the output of the tests.
    parts.deliveryServices = Array(delivery.services.prefix(1))
    let station = Station(settings: configuration.scan, parts: parts, logger: logger, signals: [])
    async let running: Void = station.run()
    buttons.press(.trigger)
    while signals.history.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    var line = ""
    if let text {
      while line.count <= text.count {
        line += String(decoding: port.takeSent(), as: UTF8.self)
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    await station.shutDown()
    try await running
    line += String(decoding: port.takeSent(), as: UTF8.self)
    #expect(line == (text.map { $0 + "\r" } ?? ""))
    let records = await delivery.outbox.newest(10)
    #expect(records.map(\.noRead?.rawValue) == (listeners.isEmpty ? [] : ["no symbol"]))
    #expect(records.allSatisfy { $0.text == text ?? "" && $0.sinks ?? ["serial", "stdout"] == listeners })
    await delivery.outbox.close()
  }

  @Test func `a symbol that could not be read has its own text`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var configuration = StationConfiguration()
    configuration.outbox.path = folder.appending(path: "outbox.sqlite").path
    configuration.sinks = [SerialSettings(device: "simulated")]
    configuration.noReads = NoReadTexts(noSymbol: "NOREAD", unreadable: "BAD")
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let delivery = try await StationDelivery(
      configuration, logger: logger, keyboard: { _ in SimulatedKeyboard() }, scanner: { _ in SimulatedScanner() }
    ) { _ in
      SimulatedSerialPort()
    }
    _ = await delivery.forwarding.reportNoRead(.unreadable)
    let records = await delivery.outbox.newest(10)
    #expect(records.map(\.noRead?.rawValue) == ["unreadable"] && records.map(\.text) == ["BAD"])
    await delivery.outbox.close()
  }

  @Test func `labels reach a serial host in order, each once, with a complete record`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try drawLabels()
    let (received, records) = try await run(paths.flatMap { [$0, $0, $0] }) { configuration in
      guard var serial = configuration.sinks[0] as? SerialSettings else { return }
      serial.framing.sendsAIMIdentifier = true
      configuration.sinks = [serial]
    }
    #expect(received == "]E04006381333931\r]C0PALLET-17\r]Q1https://example.org/17\r]E05901234123457\r")
    #expect(records.map(\.text) == labels.map(\.text))
    #expect(records.map(\.symbology) == labels.map { "\($0.symbology.name)" })
    #expect(records.map(\.isLink) == [false, false, true, false])
    #expect(records.map(\.bytes) == labels.map { Array($0.text.utf8) })
    #expect(Set(records.map(\.id)).count == records.count)
    for record in records {
      #expect(record.station == "reticle")
      #expect(record.corners.count == 4)
      #expect(record.corners.allSatisfy { $0.x > 0 && $0.x < 640 && $0.y > 0 && $0.y < 480 })
      let preview = try #require(record.preview)
      for (corner, part) in zip(record.corners, preview) {
        #expect(abs(part.x - (corner.x + 0.5) / 640) < 2e-4 && abs(part.y - (corner.y + 0.5) / 480) < 2e-4)
      }
      let age = CaptureTime.now().unixMilliseconds - record.captured.unixMilliseconds
      #expect((0..<120_000).contains(age))
    }
  }

  /// A GS1 symbol, a Digital Link whose GTIN has a wrong check digit, and an EAN.
  private func drawGS1Labels() throws -> [String] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let scenes = [
      CameraScene(.datamatrix, "(01)09501101530003(17)261100", isGS1: true),
      CameraScene(.qr, "https://example.com/01/09501101530004"), CameraScene(.ean13, "4006381333931"),
    ]
    return try scenes.enumerated().map { index, scene in
      let path = folder.appending(path: "gs1-\(index).pgm").path
      try Data(scene.pgm()).write(to: URL(filePath: path))
      return path
    }
  }

  @Test func `N11: GS1 elements and their problems are in the record, and invalid ones can be refused`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try drawGS1Labels()
    let (_, records) = try await run(paths)
    #expect(
      records.map { $0.elements.map { "\($0.ai) \($0.value)" } } == [
        ["01 09501101530003", "17 261100"], ["01 09501101530004"], ["01 04006381333931"],
      ])
    #expect(records.first?.elements.last?.date == "2026-11-30")
    #expect(records.map { $0.problems.map(\.code) } == [[], ["check-digit"], []])
    let (received, accepted) = try await run(paths) { $0.scan.refusesWrong = true }
    #expect(accepted.map(\.symbology) == ["datamatrix", "ean13"])
    #expect(received == "010950110153000317261100\r4006381333931\r")
  }

  @Test func `H1: a host gets the text that was chosen, and the record holds both`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (received, records) = try await run(try drawGS1Labels()) { configuration in
      configuration.host.choices.suffix = "\t"
      configuration.host.choicesBySymbology[.ean13] = TextChoices()
      configuration.host.choicesBySymbology[.ean13]?.sendsCheckDigit = false
    }
    #expect(received == "010950110153000317261100\t\rhttps://example.com/01/09501101530004\t\r400638133393\t\r")
    #expect(records.map(\.text).last == "4006381333931")
    #expect(records.map(\.hostText).last == "400638133393\t")
  }

  @Test func `H2: a rule rewrites, routes or drops a scan; a dropped scan reaches no sink, and is not a good read`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    var (drop, flag, elsewhere) = (Rule(name: "no links"), Rule(name: "pallets"), Rule(name: "not here"))
    drop.conditions.prefix = "https://"
    drop.actions.ending = .drop
    flag.conditions.expression = try Expression("PALLET-([0-9]+)")
    flag.actions.rewrite = try TextTemplate("P{1|pad 4}\\x09", expression: flag.conditions.expression)
    flag.actions.flag = "pallet"
    elsewhere.conditions.prefix = "5901"
    elsewhere.actions.sinks = ["other"]
    let rules = [drop, flag, elsewhere]
    let outbox = folder.appending(path: "outbox.sqlite").path
    let (received, records) = try await run(try drawLabels()) { configuration in
      configuration.outbox.path = outbox
      configuration.host.rules = rules
      configuration.sinks.append(SerialSettings(device: "other"))
      if var other = configuration.sinks[1] as? SerialSettings {
        other.name = "other"
        other.framing.suffix = .lf
        configuration.sinks[1] = other
      }
    }
    // Both sinks write to the same port.
    #expect(received.split(separator: "\r").sorted().joined(separator: "|").contains("P0017\t"))
    #expect(received.contains("5901234123457\n") && !received.contains("5901234123457\r"))
    #expect(!received.contains("https"))
    #expect(records.map(\.text) == ["4006381333931", "PALLET-17", "5901234123457"])
    #expect(records.map(\.flags) == [[], ["pallet"], []])
    #expect(records.map(\.sinks) == [nil, nil, ["other"]])
    let file = RuleMemory.read(RuleMemory.path(outbox: outbox))
    #expect(Set(file.keys) == ["no links", "pallets", "not here"] && file.values.allSatisfy { $0.lastMatched != nil })
  }

  @Test func `H3: hosts receive a no-read with the missing parts of an abandoned set, if configured`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for texts in [NoReadTexts(noSymbol: "NOREAD", unreadable: "BAD"), NoReadTexts()] {
      let (received, records) = try await run([try drawLabels()[0]]) { configuration in
        configuration.host = Self.cartons
        configuration.noReads = texts
      }
      #expect(received == (texts.noSymbol == nil ? "" : "NOREAD pallet\r"))
      #expect(records.map(\.noRead) == (texts.noSymbol == nil ? [] : [.incompleteSet]))
      #expect(records.allSatisfy { $0.set == "carton" && $0.missing == ["pallet"] })
      for record in records { #expect(try ScanRecord(json: record.json()) == record) }
    }
  }

  /// An EAN and a pallet's label form a carton.
  private static var cartons: HostFormat {
    var (product, pallet, format) = (Rule(name: "products"), Rule(name: "pallets"), HostFormat())
    product.conditions.symbologies = [.ean13]
    product.actions.flag = "product"
    pallet.conditions.prefix = "PALLET"
    pallet.actions.flag = "pallet"
    format.rules = [product, pallet]
    format.sets = [ScanSet(name: "carton", parts: ["product", "pallet"])]
    return format
  }

  @Test(arguments: [true, false])
  func `H3: a set continues when the configuration is read again, unless its definition has changed`(isSame: Bool)
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var configuration = StationConfiguration()
    configuration.outbox.path = folder.appending(path: "outbox.sqlite").path
    configuration.host = Self.cartons
    configuration.noReads = NoReadTexts(noSymbol: "NOREAD", unreadable: "BAD")
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    func result(_ symbology: Symbology, _ text: String) -> ScanResult {
      let code = ScannedCode(symbology: symbology, payload: Array(text.utf8), text: text, mark: .search)
      let corner = PixelPoint(x: Fixed16(1), y: Fixed16(1))
      let corners = Quad(topLeft: corner, topRight: corner, bottomRight: corner, bottomLeft: corner)
      return ScanResult(
        Sighting(code: code, corners: corners),
        in: FrameReport(
          run: 0, sequence: 0, capturedAt: Instant(nanoseconds: CaptureTime.now().bootNanoseconds), sightings: []))
    }
    let first = try await StationDelivery(
      configuration, logger: logger, keyboard: { _ in SimulatedKeyboard() }, scanner: { _ in SimulatedScanner() }
    ) { _ in
      SimulatedSerialPort()
    }
    guard case .success(.waiting) = await first.forwarding.accept([result(.ean13, "4006381333931")])[0] else {
      Issue.record("the first code does not wait")
      return
    }
    first.forwarding.keepSets()
    #expect(first.forwarding.abandonSets().isEmpty)
    await first.outbox.close()
    if !isSame { configuration.host.sets[0].separator = ";" }
    let second = try await StationDelivery(
      configuration, after: first.forwarding, logger: logger, keyboard: { _ in SimulatedKeyboard() },
      scanner: { _ in SimulatedScanner() }
    ) { _ in
      SimulatedSerialPort()
    }
    let outcome = await second.forwarding.accept([result(.code128, "PALLET-17")])[0]
    if isSame {
      guard case .success(.stored) = outcome else { Issue.record("\(outcome)"); return }
      #expect(await second.outbox.newest(10).map(\.hostText) == ["4006381333931\tPALLET-17"])
    } else {
      guard case .success(.waiting(let missing)) = outcome else { Issue.record("\(outcome)"); return }
      #expect(missing == ["product"])
      var givenUp = second.forwarding.incomplete.makeAsyncIterator()
      #expect(await givenUp.next()?.missing == ["pallet"])
    }
    await second.outbox.close()
  }

  /// GS1's criteria for a "2D capable" scanner, each tested through the decoder and the outbox to the line.
  private func package(_ scenes: [CameraScene], _ change: (inout StationConfiguration) -> Void) async throws
    -> (received: String, records: [ScanRecord])
  {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var rows: [[UInt8]] = Array(repeating: [], count: 480)
    for scene in scenes {
      let pixels = try scene.draw()
      for y in 0..<480 { rows[y] += pixels[y * scene.width..<(y + 1) * scene.width] }
    }
    let path = folder.appending(path: "package-\(UUID()).pgm").path
    try Data(Array("P5 \(rows[0].count) 480 255\n".utf8) + rows.flatMap { $0 }).write(to: URL(filePath: path))
    return try await run([path], change)
  }

  private static let elementStrings = "010400638133393117261130" + "10AB"
  private static let ean = CameraScene(.ean13, "4006381333931")
  private static let matrix = CameraScene(.datamatrix, "(01)04006381333931(17)261130(10)AB", isGS1: true)
  private static let dataMatrixLink = CameraScene(.datamatrix, "https://id.gs1.org/01/04006381333931/10/AB?17=261130")
  private static let qrLink = CameraScene(.qr, "https://id.gs1.org/01/04006381333931/10/AB?17=261130")

  @Test(arguments: [false, true], ["gtin", "gtin and data"])
  func `N12: each 2D symbol of retail gives the same text, in normal and reversed reflectance`(
    isReversed: Bool, send: String
  ) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for var scene in [Self.matrix, Self.dataMatrixLink, Self.qrLink] {
      if isReversed { (scene.dark, scene.light) = (scene.light, scene.dark) }
      let (received, records) = try await package([scene]) { configuration in
        configuration.scan.retail = RetailSettings(mode: .first)
        configuration.host.product = ProductText(send == "gtin" ? .gtin : .gtinAndData, form: .ean13)
      }
      // In a link, the elements of the path come before those of the query.
      let data = scene.symbology == .datamatrix && scene.isGS1 ? Self.elementStrings : "010400638133393110AB\u{1D}17261130"
      #expect(received == (send == "gtin" ? "4006381333931" : data) + "\r", "\(scene.symbology.name)")
      #expect(records.map(\.isGS1) == [scene.isGS1])
    }
  }

  @Test func `N12: for an EAN and a 2D symbol on one package, each mode sends the code that GS1 requires`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for mode in RetailSettings.Mode.allCases {
      let (received, records) = try await package([Self.ean, Self.matrix]) { configuration in
        configuration.scan.retail = RetailSettings(mode: mode)
        configuration.host.product = ProductText(.gtin, form: .ean13)
        configuration.host.sendsSetID = mode == .all
      }
      let symbologies = records.map(\.symbology)
      switch mode {
      case .first: #expect(received == "4006381333931\r" && symbologies.count == 1)
      case .preferred2D: #expect(received == "4006381333931\r" && symbologies == ["datamatrix"])
      case .all:
        #expect(Set(symbologies) == ["ean13", "datamatrix"] && symbologies.count == 2)
        let ids = records.compactMap(\.setID)
        #expect(Set(ids).count == 1 && ids.count == 2 && ids.allSatisfy { $0.count == 8 && $0.allSatisfy(\.isNumber) })
        #expect(received == ids.map { $0 + "4006381333931\r" }.joined())
      }
    }
  }

  @Test func `N12: a QR Code with a plain web address does not beat the EAN of its package`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for mode in RetailSettings.Mode.allCases {
      let (_, records) = try await package([CameraScene(.qr, "https://example.org/win"), Self.ean]) {
        $0.scan.retail = RetailSettings(mode: mode)
      }
      #expect(records.map(\.symbology) == ["ean13"])
    }
  }

  @Test func `H3: two labels are one message, and one without the other is not a scan`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var (product, pallet) = (Rule(name: "products"), Rule(name: "pallets"))
    product.conditions.symbologies = [.ean13]
    product.actions.flag = "product"
    pallet.conditions.prefix = "PALLET"
    pallet.actions.flag = "pallet"
    let rules = [product, pallet]
    let (received, records) = try await run(try drawLabels()) { configuration in
      configuration.host.rules = rules
      configuration.host.sets = [ScanSet(name: "load", parts: ["pallet", "product"])]
      configuration.host.sets[0].limit = 60_000_000_000
    }
    // The second product waits for a pallet until the pictures end.
    #expect(received == "PALLET-17\t4006381333931\rhttps://example.org/17\r")
    #expect(records.map(\.set) == ["load", nil])
    #expect(
      records.first?.parts.map { "\($0.name) \($0.symbology) \($0.text)" } == [
        "pallet code128 PALLET-17", "product ean13 4006381333931",
      ])
    #expect(records.first?.elements.map(\.ai) == ["01"])
  }

  @Test func `H5: only the answer about the age of a licence is stored and sent`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let licence = "@\n\u{1E}\rANSI 636000080101DL00410043DLDAQT64235789\nDCSSAMPLE\nDBB06061986\nDCGUSA\r"
    let path = folder.appending(path: "licence.pgm").path
    try Data(CameraScene(.pdf417, licence).pgm()).write(to: URL(filePath: path))
    let (plain, open) = try await run([path])
    #expect(plain.contains("T64235789") && open.first?.fields.map(\.id) == ["DAQ", "DCS", "DBB", "DCG"])
    for (age, answer) in [(18, "over 18: yes"), (120, "over 120: no")] {
      let (received, records) = try await run([path, path]) { $0.overAge = age }
      #expect(received == answer + "\r")
      #expect(records.map(\.text) == [answer] && records.map(\.bytes) == [Array(answer.utf8)])
      #expect(records.first?.fields.isEmpty == true && records.first?.elements.isEmpty == true)
      let json = String(decoding: records.first?.json() ?? [], as: UTF8.self)
      #expect(!json.contains("SAMPLE") && !json.contains("1986") && !json.contains(Data(licence.utf8).base64EncodedString()))
    }
  }

  @Test func `H4: scans are compared with a reference, and those that do not match are flagged`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (received, records) = try await run(try drawLabels()) { configuration in
      var rule = Rule(name: "products")
      rule.conditions.symbologies = [.ean13]
      rule.actions.flag = "product"
      configuration.host.rules = [rule]
      configuration.host.comparison = Comparison()
      configuration.host.comparison?.flag = "product"
    }
    #expect(records.map(\.flags) == [["product", "match"], [], [], ["product", "mismatch"]])
    #expect(received.hasSuffix("5901234123457\r"))
    let (_, pairs) = try await run(try drawLabels()) { configuration in
      var rule = Rule(name: "products")
      rule.conditions.symbologies = [.ean13]
      rule.actions.flag = "product"
      configuration.host.rules = [rule]
      configuration.host.sets = [ScanSet(name: "pair", parts: ["product", "product"])]
      configuration.host.sets[0].mustMatch = true
      configuration.host.sets[0].limit = 60_000_000_000
    }
    #expect(pairs.last?.flags == ["product", "mismatch"] && pairs.last?.set == "pair")
  }

  @Test func `V1: a code outside the viewport is not read`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try drawLabels()
    let (received, records) = try await run(paths) { $0.viewport = Viewport(x: 0, y: 0, width: 0.2, height: 0.2) }
    #expect(received.isEmpty)
    #expect(records.isEmpty)
  }

  @Test func `only the enabled symbologies are scanned`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try drawLabels()
    let (received, _) = try await run(paths) { $0.decoder.symbologies = SymbologySet().with(.qr) }
    #expect(received == "https://example.org/17\r")
  }
}
