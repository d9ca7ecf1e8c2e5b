// Behaviour §7: the scanner as a library, and the example that shows how little code it needs.

import BarcodeDecoder
import BarcodeTypes
import Devices
import Foundation
import ScanControl
import TestScenes
import TestSupport
import Testing

@testable import ReticleScanner

@Suite(.timeLimit(.minutes(1))) struct BarcodeScannerTests {
  /// A folder of pictures, one per text, in order, with an empty picture for an empty text; deleted with this object.
  private final class Pictures {
    let url = FileManager.default.temporaryDirectory.appending(path: "scanner-\(UUID())")

    init(_ texts: [String], symbology: Symbology = .qr) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for (index, text) in texts.enumerated() {
        guard !text.isEmpty else {
          try Data("P5 64 64 255\n".utf8 + [UInt8](repeating: 200, count: 64 * 64)).write(
            to: url.appending(path: "\(index).pgm"))
          continue
        }
        var scene = CameraScene(symbology, text)
        scene.modulePixels = symbology == .qr ? 5 : 2
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

  @Test func `§7: the same code in several pictures is scanned in each, and each result says which file it is from`()
    async throws
  {
    let pictures = try Pictures(["A", "A", "", "A"])
    let scanner = try BarcodeScanner(ScannerSettings(source: .pictures([pictures.url.path])))
    var files: [String] = []
    for await case .scanned(let result) in scanner.start() {
      #expect(result.code.text == "A")
      files.append(result.file ?? "")
    }
    #expect(files == [0, 1, 3].map { pictures.url.appending(path: "\($0).pgm").path })
  }

  @Test func `§7: a scanner that was stopped or has played all pictures starts again`() async throws {
    let pictures = try Pictures(["A", "B", "C"])
    let scanner = try BarcodeScanner(ScannerSettings(source: .pictures([pictures.url.path])))
    for await case .scanned(let result) in scanner.start() {
      #expect(result.code.text == "A")
      await scanner.stop()
      break
    }
    #expect(await texts(scanner.start()) == ["A", "B", "C"])
    #expect(await texts(scanner.start()) == ["A", "B", "C"])
    await scanner.stop()
    try FileManager.default.removeItem(at: pictures.url)
    var last: ScannerEvent?
    for await event in scanner.start() { last = event }
    guard case .failed(.noPictures) = last else { return #expect(Bool(false), "\(String(describing: last))") }
  }

  @Test func `§7, T3: the torch follows its setting, repeated or not, and says when it can be set`() async throws {
    let pictures = try Pictures([String](repeating: "", count: 100))
    let torch = SimulatedTorch()
    let scanner = try BarcodeScanner(ScannerSettings(source: .pictures([pictures.url.path]))) { _ in torch }
    var changes: [Bool] = []
    for await event in scanner.start() {
      switch event {
      case .torchAvailabilityChanged(true):
        for _ in 0..<3 { scanner.setTorch(isOn: true) }
      case .torchChanged(let isOn):
        changes.append(isOn)
        if changes == [true] {
          for isOn in [true, false, false] { scanner.setTorch(isOn: isOn) }
        } else if changes == [true, false] {
          scanner.setTorch(isOn: true)
        } else if changes.count == 3 {
          await scanner.stop()
        }
      default: break
      }
    }
    #expect(changes == [true, false, true])
    // The last darkness comes from the end of the run.
    #expect(torch.history == [false, true, false, true, false])
  }

  @Test func `§7: the treatment of add-ons can be chosen`() async throws {
    let pictures = try Pictures(["4006381333931"], symbology: .ean13)
    var settings = ScannerSettings(source: .pictures([pictures.url.path]))
    #expect(await texts(try BarcodeScanner(settings).start()) == ["4006381333931"])
    settings.addOns = .require
    #expect(await texts(try BarcodeScanner(settings).start()) == [])
  }

  @Test(arguments: [0, 13]) func `§7: the decoder reads the caller's pixels, with and without a stride`(padding: Int)
    throws
  {
    var scene = CameraScene(.ean13, "4006381333931")
    (scene.width, scene.height, scene.modulePixels) = (320, 240, 2)
    let packed = try scene.pgm().suffix(320 * 240)
    var pixels: [UInt8] = []
    for row in 0..<240 { pixels += packed.dropFirst(row * 320).prefix(320) + [UInt8](repeating: 0, count: padding) }
    // The last row needs no padding.
    pixels.removeLast(padding)
    var settings = DecoderSettings()
    var workspace = Workspace(pixelCountMax: 320 * 240)
    for (symbologies, count) in [([.ean13, .qr], 1), ([.qr, .code128], 0)] as [(SymbologySet, Int)] {
      settings.symbologies = symbologies
      let outcome = Decoder.decode(
        pixels.span, width: 320, height: 240, bytesPerRow: 320 + padding, settings: settings, workspace: &workspace)
      #expect(outcome.symbolCount == count)
    }
  }

  @Test func `§7: fewer pixels than declared are refused before they are read`() async {
    await #expect(processExitsWith: .failure) {
      let pixels = [UInt8](repeating: 0, count: 64 * 64 - 1)
      var workspace = Workspace(pixelCountMax: 64 * 64)
      _ = Decoder.decode(pixels.span, width: 64, height: 64, settings: DecoderSettings(), workspace: &workspace)
    }
  }

  @Test func `§7: errors are typed`() throws {
    let settings = ScannerSettings(source: .pictures(["/nowhere/*.png"]))
    #expect(throws: ScannerError.self) { try BarcodeScanner(settings) }
  }

  @Test(arguments: ["scanner-example", "decoder-example"])
  func `§7: an example prints what it reads`(program: String) throws {
    let pictures = try Pictures(["EXAMPLE"])
    let process = Process()
    process.executableURL = BuiltPrograms.folder.appending(path: program)
    process.arguments = try FileManager.default.contentsOfDirectory(atPath: pictures.url.path).map {
      pictures.url.appending(path: $0).path
    }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text == "qr EXAMPLE\n")
  }

  @Test(arguments: [("scanner-example", 66), ("decoder-example", 2)] as [(String, Int32)])
  func `§7: an example reports missing pictures in one sentence`(program: String, status: Int32) throws {
    let process = Process()
    process.executableURL = BuiltPrograms.folder.appending(path: program)
    process.arguments = ["/nowhere"]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == status)
    #expect(text.split(separator: "\n").count == 1 && text.contains("there is no such file"), "\(text)")
  }
}
