// SPEC §7: the scanner as a library, and the example that shows how few lines it takes.

import BarcodeTypes
import Foundation
import ReticleScanner
import ScanControl
import TestScenes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct BarcodeScannerTests {
  /// A folder of pictures, one for each text, in order; deleted with this.
  private final class Pictures {
    let url = FileManager.default.temporaryDirectory.appending(path: "scanner-\(UUID())")

    init(_ texts: [String]) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for (index, text) in texts.enumerated() {
        var scene = CameraScene(.qr, text)
        scene.modulePixels = 5
        (scene.width, scene.height) = (320, 240)
        try Data(try scene.pgm()).write(to: url.appending(path: "\(index).pgm"))
      }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  private func texts(_ events: AsyncStream<ScannerEvent>) async -> [String] {
    var texts: [String] = []
    for await case .scanned(let result) in events { texts.append(result.code.text) }
    return texts
  }

  @Test func `§7: a few lines scan pictures, and the stream ends with the pictures`() async throws {
    let pictures = try Pictures(["A", "B", "C"])
    let scanner = try BarcodeScanner(ScannerSettings(source: .pictures([pictures.url.path])))
    #expect(await texts(scanner.start()) == ["A", "B", "C"])
  }

  @Test func `§7: a scanner that is not continuous waits for rescan after each scan`() async throws {
    let pictures = try Pictures(["A", "B"])
    var settings = ScannerSettings(source: .pictures([pictures.url.path]))
    settings.isContinuous = false
    let scanner = try BarcodeScanner(settings)
    var scanned: [String] = []
    for await case .scanned(let result) in scanner.start() {
      scanned.append(result.code.text)
      if scanned.count == 1 {
        try await Task.sleep(for: .milliseconds(300))
        #expect(scanned == ["A"])
        scanner.rescan()
      } else {
        await scanner.stop()
      }
    }
    #expect(scanned == ["A", "B"])
  }

  @Test func `§7: errors are typed`() throws {
    var settings = ScannerSettings(source: .pictures(["/nowhere/*.png"]))
    #expect(throws: ScannerError.self) { try BarcodeScanner(settings) }
    settings.symbologies = SymbologySet().with(.maxicode)
    #expect(throws: ScannerError.symbologyNotSupported(.maxicode)) { try BarcodeScanner(settings) }
  }

  @Test func `§7: the example prints what it scans`() throws {
    let pictures = try Pictures(["EXAMPLE"])
    let process = Process()
    process.executableURL = BuiltPrograms.folder.appending(path: "scanner-example")
    process.arguments = [pictures.url.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text == "qr EXAMPLE\n")
  }
}
