// libreticle says what `reticle scan` says, on both machines, and takes no more of a process than its page says.

import Foundation
import BarcodeTypes
import PictureFiles
import TestScenes
import TestSupport
import Testing

@Suite(.serialized) struct LibraryTests {
  /// Pictures as PGM files, with the luma that the command decodes.
  private static let pictures = Result { try Pictures() }

  @Test func `a header's functions are those of the library, and none needs more than glibc 2.17`() throws {
    let header = try String(contentsOf: Place.source.appending(path: "include/reticle.h"), encoding: .utf8)
    let declared = Set(header.matches(of: #/(?m)^[a-z].*[ *](reticle_\w+)\(/#).map { String($0.1) })
    for library in [try BuiltLibrary.x86.get(), try BuiltLibrary.arm.get()] {
      let file = library.prefix.appending(path: "lib/libreticle.so.1").path
      let symbols = try run("readelf", ["--dyn-syms", "--wide", file]).lines.map { $0.split(separator: " ") }
      let functions = symbols.filter { $0.count > 7 && $0[3] == "FUNC" && $0[6] != "UND" }
        .map { String($0[7].prefix { $0 != "@" }) }
      #expect(Set(functions) == declared, "\(library.machine)")
      let versions = symbols.compactMap { $0.last { $0.contains("@GLIBC_") } }
        .compactMap { $0.firstMatch(of: #/@GLIBC_(\d+)\.(\d+)/#) }.compactMap { Int($0.1)! * 1000 + Int($0.2)! }
      let newest = try #require(versions.max())
      #expect(newest <= 2017, "\(library.machine) needs glibc \(newest)")
      let needed = try run("readelf", ["-d", file]).lines.filter { $0.contains("(NEEDED)") }
      #expect(needed.allSatisfy { $0.contains("[libc.so.6]") || $0.contains("[ld-linux") }, "\(needed)")
    }
  }

  @Test func `every wrong argument has a status with a sentence of its own, and changes nothing`() throws {
    let version = try String(
      contentsOf: Place.package.appending(path: "Sources/Programs/reticle/ReticleVersion.swift"), encoding: .utf8)
    let number = try #require(version.firstMatch(of: #/number = "([0-9.]+)"/#)).1
    for library in [try BuiltLibrary.x86.get(), try BuiltLibrary.arm.get()] {
      let program = try library.program("arguments", library.machine == "x86_64" ? [] : ["-static"])
      let result = try library.start(program, [String(number)])
      #expect(result.status == 0 && result.output.hasSuffix(", 0 failures\n"), "\(library.machine): \(result.output)")
    }
  }

  @Test(arguments: [[], ["--all", "--add-ons"], ["--frames"]])
  func `the library says what the command says, on two machines`(options: [String]) throws {
    let pictures = try Self.pictures.get()
    let expected = try pictures.scanned(options)
    let kinds = Set(expected.flatMap { $0.matches(of: #/"(symbology|hri|link|part|component)"/#).map { String($0.1) } })
    #expect(kinds.isSuperset(of: ["symbology", "hri", "link"]), "too little is compared: \(kinds)")
    for library in [try BuiltLibrary.x86.get(), try BuiltLibrary.arm.get()] {
      let program = try library.program("answers", library.machine == "x86_64" ? [] : ["-static"])
      // The emulator takes ten times as long.
      let count = library.machine == "x86_64" ? pictures.files.count : min(pictures.files.count, pictures.armCount)
      let result = try library.start(program, options + pictures.files.prefix(count))
      #expect(result.status == 0, "\(result.errors)")
      let answers = result.lines.map(Pictures.canonical)
      #expect(answers.count == count)
      var passedOver = 0
      for (file, (answer, wanted)) in zip(pictures.files, zip(answers, expected)) {
        // Debian's cross libraries lack iconv's tables.
        if library.machine != "x86_64", answer != wanted, Pictures.needsNationalSet(wanted) {
          passedOver += 1
        } else {
          #expect(answer == wanted, "\(library.machine): \(file)")
        }
      }
      #expect(passedOver * 10 < count)
    }
  }

  @Test func `a thousand threads with a workspace each read the same at once`() throws {
    let program = try BuiltLibrary.x86.get().program("threads")
    let result = try run(program, ["1000"] + Self.pictures.get().threadFiles)
    #expect(result.status == 0 && result.output == "1000 threads, 0 different\n", "\(result.output)\(result.errors)")
  }

  @Test func `decoding takes no memory of the process, and texts give back what they take`() throws {
    let wrap = "-Wl,--wrap=malloc,--wrap=posix_memalign,--wrap=free"
    let program = try BuiltLibrary.x86.get().program("memory", [wrap])
    let result = try run(program, Self.pictures.get().files)
    #expect(result.status == 0, "\(result.output)")
    let sizes = try #require(result.output.wholeMatch(of: #/texts (\d+) tables (\d+) stack (\d+)\n/#))
    // The header and the page state these.
    #expect(Int(sizes.1)! < 1 << 20 && Int(sizes.2)! < 300_000 && Int(sizes.3)! < 128 << 10, "\(result.output)")
  }

  @Test func `valgrind finds no access beyond a picture, a workspace or a text, and no leak`() throws {
    let program = try BuiltLibrary.x86.get().program("answers")
    let options = [
      "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
      // Vector loops read past the end of a row inside the workspace and drop what they read there: the programs fill workspaces
      // with a pattern, which shows in no answer.
      "--undef-value-errors=no",
    ]
    for mode in [[], ["--frames"]] {
      let result = try run("valgrind", options + [program] + mode + Self.pictures.get().threadFiles)
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test func `AddressSanitizer finds no access beyond a picture, a workspace or a text, and sees those that there are`()
    throws
  {
    let library = try BuiltLibrary.checked.get()
    // Leaks are valgrind's to find.
    let options = ["ASAN_OPTIONS": "detect_leaks=0:exitcode=99"]
    let beyond = try run(library.program("beyond"), [], environment: options)
    #expect(beyond.status == 99 && beyond.errors.contains("heap-buffer-overflow"), "\(beyond.errors)")
    let program = try library.program("answers")
    for mode in [[], ["--all", "--add-ons"], ["--frames"]] {
      let files = try Self.pictures.get().files
      let result = try run(program, mode + files, environment: options)
      #expect(result.status == 0 && result.lines.count == files.count, "\(result.errors)")
    }
  }

  @Test func `the Python package passes its own tests, which compare it with the command`() throws {
    guard let python = ProcessInfo.processInfo.environment["RETICLE_PYTHON"] else {
      return print("skipped: RETICLE_PYTHON names no interpreter with pytest, Pillow and NumPy")
    }
    let folder = try Place.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try run(Place.package.appending(path: "deploy/wheel").path, ["--architecture", "x86_64", folder.path])
    let wheel = try #require(made.lines.last.map(String.init), "\(made.errors)")
    // A wheel is a zip file of what is installed.
    let unpacked = folder.appending(path: "site").path
    #expect(try run(python, ["-m", "zipfile", "-e", wheel, unpacked]).status == 0)
    let tests = Place.package.appending(path: "Sources/Library/python/tests").path
    let environment = [
      "PYTHONPATH": unpacked, "RETICLE_COMMAND": BuiltPrograms.folder.appending(path: "reticle").path,
      "RETICLE_PICTURES": Pictures.folder.path, "PYTHONDONTWRITEBYTECODE": "1",
    ]
    _ = try Self.pictures.get()
    let result = try run(
      python, ["-m", "pytest", "-q", "-p", "no:cacheprovider", tests], environment: environment)
    #expect(result.status == 0 && !result.output.contains("skipped"), "\(result.output)")
  }

  @Test func `the page's commands do what it says, as they are printed`() throws {
    _ = try BuiltLibrary.x86.get()
    let page = try String(contentsOf: Place.package.appending(path: "docs/library.md"), encoding: .utf8)
    let example = try String(contentsOf: Place.source.appending(path: "example/example.c"), encoding: .utf8)
    #expect(page.contains("```c\n" + example + "```"), "the page shows another example")
    let folder = try Place.makeTemporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["deploy", "Sources", ".build"] {
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: name), withDestinationURL: Place.package.appending(path: name))
    }
    try FileManager.default.copyItem(
      at: URL(filePath: Self.pictures.get().threadFiles[0]), to: folder.appending(path: "label.pgm"))
    let shell = page.replacing(#/```c\n(?:.|\n)*?\n```/#, with: "").split(separator: "\n")
    var commands = shell.filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
    #expect(commands.count >= 6)
    // Installing for all users is left to deploy/test-package; so is cmake where it is missing.
    let hasCMake = try run("cmake", ["--version"]).status == 0
    commands.removeAll { $0.contains("sudo") || !hasCMake && $0.contains("cmake") }
    let script = "set -e\n" + commands.joined(separator: "\n")
    let result = try run("bash", ["-c", script], in: folder, environment: ["HOME": folder.path])
    #expect(result.status == 0 && result.output.contains("ean13 ]E0 4006381333931"), "\(result.output)\(result.errors)")
  }
}

extension BuiltLibrary {
  /// Runs a program of its machine.
  func start(_ program: String, _ arguments: [String]) throws -> ProgramResult {
    machine == "x86_64" ? try run(program, arguments) : try run("qemu-aarch64", [program] + arguments)
  }
}

/// The pictures that command and library read.
private struct Pictures {
  static let folder = Place.package.appending(path: ".build/library/pictures")

  private(set) var files: [String] = []
  /// Those that an emulated machine reads, too.
  private(set) var armCount = 0

  /// Small ones of several kinds.
  var threadFiles: [String] { Array(files.prefix(4)) }

  init() throws {
    let folder = Self.folder
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var scenes = [
      CameraScene(.ean13, "4006381333931"), CameraScene(.code128, "(01)09521234543213(10)AB", isGS1: true),
      CameraScene(.qr, "https://example.org/reticle"), CameraScene(.datamatrix, "検査済み ✓"),
      CameraScene(.pdf417, "Reticle \u{1}\"station\\ 417"), CameraScene(.aztec, "Ä°±³"), CameraScene(.upce, "04252614"),
      CameraScene(.hanxin, "汉信码"), CameraScene(.databarExpanded, "(01)09521234543213(17)261130", isGS1: true),
    ]
    for index in scenes.indices {
      (scenes[index].width, scenes[index].height) = (320, 240)
      scenes[index].modulePixels = scenes[index].symbology.family == .matrix ? 4 : 1.6
      scenes[index].rotation = Double(index * 3)
      let file = folder.appending(path: "scene-\(index).pgm")
      try Data(scenes[index].pgm()).write(to: file)
      files.append(file.path)
    }
    try convert(Place.package.appending(path: "deploy/pictures/parcel.jpg"), to: folder)
    let ownCount = files.count
    guard let shared = Place.shared else {
      print("skipped: the public sample pictures are not on this machine")
      armCount = ownCount
      return
    }
    struct Sample: Decodable { var file: String }
    let corpus = shared.appending(path: "corpus")
    let samples = try String(contentsOf: corpus.appending(path: "manifest.jsonl"), encoding: .utf8).split(separator: "\n")
      .map { try JSONDecoder().decode(Sample.self, from: Data($0.utf8)) }
    // A sample from all of the sets; all pictures at depth 20.
    let count = min(samples.count, TestDepth.scaled(71))
    for index in 0..<count { try convert(corpus.appending(path: samples[index * samples.count / count].file), to: folder) }
    armCount = ownCount + TestDepth.scaled(10)
  }

  private mutating func convert(_ source: URL, to folder: URL) throws {
    var picture = Picture()
    try picture.load(path: source.path)
    let header = "P5 \(picture.width) \(picture.height) 255\n"
    let file = folder.appending(path: "picture-\(files.count).pgm")
    let luma = picture.withLuma { luma in
      UnsafeRawBufferPointer(start: luma.base, count: luma.bytesPerRow * luma.height).withMemoryRebound(to: UInt8.self) {
        Data($0)
      }
    }
    try (Data(header.utf8) + (luma ?? Data())).write(to: file)
    files.append(file.path)
  }

  /// The command's answers, without names and times.
  func scanned(_ options: [String]) throws -> [String] {
    var arguments = ["scan", "--format", "json"]
    if options.contains("--frames") { arguments += ["--effort", "frame", "--sequence"] }
    if options.contains("--add-ons") { arguments += ["--addons", "read"] }
    if options.contains("--all") { arguments += ["--symbologies", try Self.allSymbologies()] }
    let command = BuiltPrograms.folder.appending(path: "reticle").path
    let result = try run(command, arguments + ["-"], input: files.joined(separator: "\n") + "\n")
    #expect(result.status <= 1, "\(result.errors)")
    return result.lines.map(Self.canonical)
  }

  /// The symbologies that the command lists.
  private static func allSymbologies() throws -> String {
    let command = BuiltPrograms.folder.appending(path: "reticle").path
    let refusal = try run(command, ["scan", "--symbologies", "none", "x.png"]).errors
    let list = try #require(refusal.firstMatch(of: #/there are ([a-z0-9, \n-]+)/#)).1
    return String(list.filter { !$0.isWhitespace })
  }

  /// Whether an answer has a text of more than Latin-1 whose bytes are no UTF-8.
  static func needsNationalSet(_ json: String) -> Bool {
    guard let answer = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any],
      let codes = answer["codes"] as? [[String: Any]]
    else { return false }
    return codes.contains { code in
      guard let text = code["text"] as? String, let hex = code["bytes_hex"] as? String else { return false }
      return text.unicodeScalars.contains { $0.value > 0xFF }
        && text.utf8.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined() != hex
    }
  }

  /// An answer's members in one order, without name and times.
  static func canonical(_ json: some StringProtocol) -> String {
    guard var answer = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] else {
      return String(json)
    }
    for key in ["file", "decode_ns", "frames"] { answer[key] = nil }
    let data = try? JSONSerialization.data(withJSONObject: answer, options: [.sortedKeys])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? String(json)
  }
}
