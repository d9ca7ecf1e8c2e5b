// The documentation pages, executed: every configuration on them must pass `reticle config check`, and every command is run
// as printed or listed here with the reason for not running it.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct PageTests {
  /// A code block of a page: fenced, or indented.
  private struct Block {
    let page: String
    /// The heading above it.
    let section: String
    var lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }
    /// Whether it is a part of a station's configuration: its first line is a key in the first column.
    var isConfiguration: Bool { lines[0].wholeMatch(of: /[a-z_]+:( .*)?/) != nil }
  }

  private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Every page except the generated ones, whose sources are tested instead.
  private static func pages() throws -> [String] {
    let made: Set = ["docs/configuration.md", "docs/troubleshooting.md", "CHANGELOG.md"]
    let pages = try ["", "boards/", "deploy/", "docs/"].flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: checkout.path + "/" + folder).filter { $0.hasSuffix(".md") }.map {
        folder + $0
      }
    }
    return pages.filter { !made.contains($0) }.sorted()
  }

  private static func blocks() throws -> [Block] {
    var blocks: [Block] = []
    for page in try pages() {
      let text = try String(contentsOf: checkout.appending(path: page), encoding: .utf8)
      var (section, fence) = ("", String?.none)
      var block: Block?
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
        let indent = line.prefix { $0 == " " }.count
        if fence == nil, line.hasPrefix("#") { section = String(line.drop { "# ".contains($0) }) }
        if line.hasPrefix("```") {
          fence = fence == nil ? String(line.dropFirst(3)) : nil
        } else if fence == "yaml" || fence == nil && [4, 7].contains(indent) {
          block = block ?? Block(page: page, section: section, lines: [])
          block?.lines.append(fence == nil ? String(line.dropFirst(indent)) : line)
          continue
        }
        if let block { blocks.append(block) }
        block = nil
      }
    }
    return blocks
  }

  @Test func `every configuration on the pages passes the check`() throws {
    let folder = try WorkFolder()
    let configurations = try Self.blocks().filter(\.isConfiguration)
    #expect(configurations.count >= 4)
    for block in configurations {
      let file = try folder.write("page.yaml", Array(block.text.utf8))
      let check = try CommandRun("config", "check", file)
      #expect(check.status == 0, "\(block.page), \(block.section): \(check.errors)")
    }
  }

  @Test func `README's package resolves without other packages, and its program compiles`() throws {
    let page = try String(contentsOf: Self.checkout.appending(path: "README.md"), encoding: .utf8)
    let snippets = page.matches(of: #/\n```swift\n((?:.|\n)*?)```/#).map { String($0.1) }
    try #require(snippets.count == 2, "one of the manifest, one of the program")
    let folder = try WorkFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.path("reticle"), withDestinationPath: Self.checkout.path)
    try FileManager.default.createDirectory(atPath: folder.path("app/Sources/app"), withIntermediateDirectories: true)
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(name: "app", \(snippets[0]))
      """
    _ = try folder.write("app/Package.swift", Array(manifest.utf8))
    let program = try folder.write("app/Sources/app/main.swift", Array(snippets[1].utf8))
    let environment = URL(filePath: "/usr/bin/env")
    let resolved = try CommandRun(
      arguments: ["swift", "package", "--package-path", folder.path("app"), "show-dependencies", "--format", "flatlist"],
      program: environment)
    #expect(resolved.status == 0 && resolved.lines == ["reticle"], "\(resolved.text)\(resolved.errors)")
    // The modules are those of the tests; only the C headers that they import are searched for.
    let sources = Self.checkout.appending(path: "Sources").path
    let headers = try FileManager.default.contentsOfDirectory(atPath: "\(sources)/Decoding")
      .map { "\(sources)/Decoding/\($0)/include" }
      .filter(FileManager.default.fileExists).flatMap { ["-Xcc", "-I\($0)"] }
    let modules = CommandRun.command.deletingLastPathComponent().appending(path: "Modules").path
    let compiled = try CommandRun(
      arguments: ["swiftc", "-typecheck", "-I", modules] + headers + [program], program: environment)
    #expect(compiled.status == 0, "\(compiled.errors)")
  }

  /// How a command on a page is tested.
  private enum Treatment {
    /// It is run here as printed, in a folder with two labels and a station's configuration; its output contains this text.
    case typed(String)
    /// The named script runs its whole section in a fresh Debian.
    case script(String)
    /// A test cannot run it, for the given reason.
    case listed(String)
  }

  private static let needsService = "it needs systemd as the first process"
  private static let synopsis = "it shows what may be written; OutboxCommandTests run each form"

  /// Pages whose commands other tests type, all of them in one shell.
  private static let typedElsewhere = ["docs/library.md": "LibraryTests", "docs/python.md": "deploy/test-library"]

  private static let treatments: [(page: String, command: String, Treatment)] = [
    ("README.md", "deploy/demo", .script("deploy/fresh")),
    ("README.md", "deploy/test", .script("deploy/fresh")),
    ("README.md", "$(deploy/build --show-bin-path)/reticle scan deploy/pictures/parcel.jpg", .script("deploy/fresh")),
    ("README.md", "sudo apt install ./reticle_*.deb", .script("deploy/test-package")),
    (
      "README.md", "reticle config init --board this --webhook http://localhost:8080/scans --output /tmp/r.yaml",
      .script("deploy/test-package")
    ),
    (
      "README.md", "sudo install -o reticle -g reticle -m 640 /tmp/r.yaml /etc/reticle/reticle.yaml",
      .script("deploy/test-package")
    ),
    ("README.md", "journalctl -u reticle -n 20", .script("deploy/test-package")),
    ("README.md", "reticle receive --port 8080 &", .script("deploy/test-package")),
    ("README.md", "sudo reticle doctor", .script("deploy/test-package")),
    ("README.md", "sudo systemctl enable --now reticle", .script("deploy/test-package")),
    ("README.md", "journalctl -u reticle -f", .script("deploy/test-package")),
    ("README.md", "reticle scan label.png shelf.jpg", .typed("shelf.jpg\tqr\tSHELF")),
    ("README.md", "reticle scan --effort frame --sequence frames/", .listed("the folder is an example")),
    ("README.md", "reticle scan note.pdf scans.tiff photo.heic", .listed("ScanFormatTests make such files")),
    ("README.md", "reticle generate 'https://example.org' -o qr.png", .typed("")),
    ("README.md", "reticle grade --report label.pdf label.png", .typed("\t4.0\tA\t")),
    ("docs/print-quality.md", "reticle grade label.png", .typed("\t4.0\tA\t")),
    ("docs/print-quality.md", "reticle grade --report label.pdf label.png", .typed("\t4.0\tA\t")),
    ("README.md", "reticle gs1 '(01)09501101530003(17)261100'", .typed("GTIN\t09501101530003")),
    ("README.md", "reticle rules test --config station.yaml --symbology qr --data TK17-A", .typed("sends: TK17-A")),
    ("README.md", "reticle run --config station.yaml", .typed("\"text\":\"LABEL\"")),
    ("README.md", "reticle receive --port 8080", .listed("the port may be taken; deploy/test-package types it")),
    (
      "SECURITY.md", "gpg --verify SHA256SUMS.asc SHA256SUMS && sha256sum --check --ignore-missing SHA256SUMS",
      .listed("there is no release yet")
    ),
    ("docs/setup-codes.md", "reticle config code --new-key setup.pem", .typed("=")),
    (
      "docs/setup-codes.md",
      "reticle config code repeat.absence='2 s' --key setup.pem --config kiosk.yaml --station 'kiosk-*' -o setup.png",
      .listed("its key is the reader's; SetupCodeCommandTests make such codes")
    ),
    ("docs/setup-codes.md", "sudo reticle config clear-setup && sudo systemctl reload reticle", .listed(needsService)),
    ("docs/pictures.md", "sudo reticle support --output support.tar.gz", .listed("SupportCommandTests run it")),
    ("deploy/README.md", "sudo apt install ./reticle_*.deb", .script("deploy/test-package")),
    (
      "deploy/README.md",
      "reticle config init --board this --webhook http://localhost:8080/scans --output /tmp/reticle.yaml",
      .script("deploy/test-package")
    ),
    (
      "deploy/README.md", "sudo install -o reticle -g reticle -m 640 /tmp/reticle.yaml /etc/reticle/reticle.yaml",
      .script("deploy/test-package")
    ),
    ("deploy/README.md", "journalctl -u reticle -n 20", .script("deploy/test-package")),
    ("deploy/README.md", "sudo reticle config check", .script("deploy/test-package")),
    ("deploy/README.md", "reticle receive --port 8080 &", .script("deploy/test-package")),
    ("deploy/README.md", "sudo reticle doctor", .script("deploy/test-package")),
    ("deploy/README.md", "sudo systemctl enable --now reticle", .script("deploy/test-package")),
    ("deploy/README.md", "systemctl status reticle", .listed(needsService)),
    ("deploy/README.md", "journalctl -u reticle -f", .listed(needsService)),
    ("deploy/README.md", "systemctl reload reticle", .listed(needsService)),
    ("deploy/README.md", "systemctl kill -s SIGUSR1 reticle", .listed(needsService)),
    ("deploy/README.md", "systemctl kill -s SIGUSR2 reticle", .listed(needsService)),
    ("deploy/README.md", "journalctl -u reticle -o verbose", .listed(needsService)),
    ("deploy/README.md", "journalctl -u reticle RETICLE_SYMBOLOGY=ean13", .listed(needsService)),
    ("deploy/README.md", "curl -X POST http://localhost:9470/confirm", .listed("ConsoleTests post it")),
    (
      "deploy/README.md", "curl -X POST -H \"Authorization: Bearer $(cat console.token)\" http://till-3:9470/torch",
      .listed("ConsoleTests post it")
    ),
    (
      "deploy/README.md",
      "sudo install -D -m 644 /usr/share/reticle/terminal.conf /etc/systemd/system/reticle.service.d/terminal.conf",
      .listed("deploy/test-package does so")
    ),
    ("deploy/README.md", "sudo systemctl daemon-reload && sudo systemctl restart reticle", .listed(needsService)),
    (
      "deploy/README.md", "echo dtoverlay=dwc2,dr_mode=peripheral | sudo tee -a /boot/firmware/config.txt",
      .listed("it changes the machine's start")
    ),
    ("deploy/README.md", "sudo systemctl enable --now reticle-gadget", .listed(needsService)),
    ("deploy/README.md", "reticle gadget status", .listed("it needs a USB device controller; KeyboardLabTests run it")),
    ("deploy/README.md", "sudo mkfs.ext4 -L outbox /dev/mmcblk0p3", .listed("it formats a disk")),
    (
      "deploy/README.md",
      "echo 'LABEL=outbox /var/lib/reticle ext4 defaults,noatime,commit=60 0 2' | sudo tee -a /etc/fstab",
      .listed("it changes the machine's disks")
    ),
    (
      "deploy/README.md",
      "sudo mount /var/lib/reticle && sudo chown reticle: /var/lib/reticle && sudo chmod 750 /var/lib/reticle",
      .listed("it needs that disk")
    ),
    (
      "docs/delivery.md",
      "reticle outbox list   [--config FILE | --path FILE] [--sink NAME | --all | --dead] [--from N] [--through N] [--format json]",
      .listed(synopsis)
    ),
    ("docs/delivery.md", "reticle outbox show   ID|SEQUENCE [--format json]", .listed(synopsis)),
    (
      "docs/delivery.md", "reticle outbox retry  [--sink NAME]             try now what waits or is parked",
      .listed(synopsis)
    ),
    (
      "docs/delivery.md", "reticle outbox retry  [--sink NAME] --from N    deliver again from there on, under the old ids",
      .listed(synopsis)
    ),
    ("docs/delivery.md", "reticle outbox retry  [--sink NAME] --dead      deliver dead letters again", .listed(synopsis)),
    ("docs/delivery.md", "reticle outbox purge  [--sink NAME] [--through N] [--dead] --yes", .listed(synopsis)),
    ("docs/delivery.md", "reticle outbox export [--sink NAME | --all | --dead]     JSON lines", .listed(synopsis)),
    (
      "docs/delivery.md", "frame = prefix [number] [id] [AIM identifier] [symbology letter] data trailer suffix",
      .listed("a grammar")
    ),
    (
      "docs/gs1-2d.md",
      "reticle generate '(01)04006381333931(17)261130(10)AB' --symbology datamatrix --gs1 -o package/2.png", .typed("")
    ),
    (
      "docs/gs1-2d.md", "reticle generate 'https://id.gs1.org/01/04006381333931/10/AB?17=261130' -o package/3.png",
      .typed("")
    ),
    ("docs/gs1-2d.md", "reticle scan package/2.png package/3.png", .typed("datamatrix\t(01)04006381333931(17)261130(10)AB")),
    (
      "docs/gs1-2d.md", "reticle gs1 'https://id.gs1.org/01/04006381333931/10/AB?17=261130'",
      .typed("GTIN\t04006381333931")
    ),
    ("docs/gs1-2d.md", "reticle generate 4006381333931 --symbology ean13 -o package/1.png", .typed("")),
    ("docs/gs1-2d.md", "reticle run --config retail.yaml", .typed("\"symbology\":\"datamatrix\"")),
    ("docs/gs1-2d.md", "RETICLE_RETAIL_MODE=1 reticle run --config retail.yaml", .typed("\"symbology\":\"ean13\"")),
    ("docs/gs1-2d.md", "RETICLE_RETAIL_MODE=3 reticle run --config retail.yaml", .typed("\"setId\":\"")),
    (
      "docs/gs1-2d.md",
      "reticle rules test --config retail.yaml --symbology qr --data https://id.gs1.org/01/04006381333931/10/AB?17=261130",
      .typed(#"sends: 010400638133393110AB\x1d17261130"#)
    ),
    (
      "docs/gs1-2d.md",
      "RETICLE_RETAIL_SEND=gtin reticle rules test --config retail.yaml --symbology datamatrix --data '(01)04006381333931(17)261130'",
      .typed("sends: 4006381333931")
    ),
    ("docs/benchmark.md", "deploy/benchmark manifest.jsonl", .listed("it takes minutes; deploy/script_tests try its parts")),
    (
      "docs/benchmark.md", "deploy/benchmark --index zxing-cpp/test/samples zxing-cpp >manifest.jsonl",
      .listed("deploy/script_tests do so with a suite of their own")
    ),
    ("docs/datasheet.md", "deploy/datasheet", .listed("it takes half an hour; deploy/script_tests run a short one")),
    ("docs/reliability.md", "deploy/month", .listed("it takes an hour; deploy/script_tests run a day of it")),
    (
      "deploy/README.md", "docker load -i .build/container/reticle_*.docker.tar",
      .listed("deploy/test-container does so with podman")
    ),
    (
      "deploy/README.md",
      "docker run -d --name reticle -p 9470:9470 --device /dev/video0 --device /dev/media0 -v /run/udev:/run/udev:ro "
        + "-v reticle:/var/lib/reticle -v reticle-configuration:/etc/reticle reticle:VERSION",
      .listed("deploy/test-container does so with podman, without a camera")
    ),
    ("deploy/README.md", "docker logs reticle", .listed("deploy/test-container does so with podman")),
    ("docs/adding-a-symbology.md", "deploy/build --product reticle", .listed("these tests run its result")),
    ("docs/adding-a-symbology.md", "PATH=$PWD/.build/release:$PATH", .listed("it is only for the commands after it")),
    (
      "docs/adding-a-symbology.md", "reticle generate SHELF-12 --symbology telepen -o telepen.png", .typed("")
    ),
    ("docs/scan-and-generate.md", "reticle generate 4006381333931 --symbology ean13 -o label.pdf", .typed("")),
    (
      "docs/scan-and-generate.md",
      "printf 'SHELF-%s\\n' 1 2 3 | reticle generate --input - --symbology code128 --sheet a4 --columns 3 --rows 8 -o shelf.pdf",
      .typed("")
    ),
    ("docs/scan-and-generate.md", "reticle scan label.pdf shelf.pdf", .typed("shelf.pdf\tcode128\tSHELF-3")),
    (
      "docs/scan-and-generate.md",
      "reticle generate '(01)09501101530003(10)AB-123' --gs1 --symbology code128 --dpi 300 --module 0.25 -o carton.zpl",
      .typed("")
    ),
    ("docs/adding-a-symbology.md", "reticle scan --symbologies telepen telepen.png", .typed("telepen\tSHELF-12")),
    ("docs/adding-a-symbology.md", "deploy/test --decoder", .listed("it runs these tests")),
    (
      "docs/metrics.md", "histogram_quantile(0.95, sum by (le, sink) (rate(reticle_delivery_seconds_bucket[5m])))",
      .listed("a question to Prometheus")
    ),
  ]

  @Test func `every command on the pages is run, or listed with a reason`() throws {
    let folder = try WorkFolder()
    for (text, file) in [("LABEL", "label.png"), ("SHELF", "shelf.jpg")] {
      // The content of a picture file determines its format, so a PNG may be named shelf.jpg here.
      let drawn = try CommandRun("generate", text, "-o", folder.path("drawn.png"), "--scale", "4")
      try #require(drawn.status == 0, "\(drawn.errors)")
      try FileManager.default.moveItem(atPath: folder.path("drawn.png"), toPath: folder.path(file))
    }
    let station = """
      camera: {pictures: "\(folder.path("label.png"))", repeat: once}
      outbox: {path: "\(folder.path("outbox.sqlite"))"}
      """
    _ = try folder.write("station.yaml", Array(station.utf8))
    try FileManager.default.createDirectory(atPath: folder.path("package"), withIntermediateDirectories: false)
    let retail = """
      camera: {pictures: ["\(folder.path("package"))"], repeat: once}
      outbox: {path: "\(folder.path("retail.sqlite"))"}
      retail: {mode: 2, wait: 2 s, send: gtin and data}
      """
    _ = try folder.write("retail.yaml", Array(retail.utf8))
    var printed: Set<String> = []
    for block in try Self.blocks() where !block.isConfiguration && Self.typedElsewhere[block.page] == nil {
      for line in block.lines {
        let command = line.replacing(#/ +# .*/#, with: "")
        printed.insert(block.page + ": " + command)
        guard let row = Self.treatments.first(where: { $0.page == block.page && $0.command == command }) else {
          Issue.record("\(block.page), \(block.section): neither typed nor listed: \(command)")
          continue
        }
        switch row.2 {
        case .typed(let part):
          let words = "PATH=\"\(CommandRun.command.deletingLastPathComponent().path):$PATH\"; cd \"$0\" && \(command)"
          let run = try CommandRun(arguments: ["-c", words, folder.url.path], program: URL(filePath: "/bin/sh"))
          #expect(run.status == 0, "\(command): \(run.errors)")
          #expect(part.isEmpty || run.text.contains(part), "\(command): \(run.text)")
        case .script(let name):
          let script = try String(contentsOf: Self.checkout.appending(path: name), encoding: .utf8)
          #expect(script.contains("\(block.page) '\(block.section)'"), "\(name) does not type \(block.section)")
        case .listed: break
        }
      }
    }
    #expect(FileManager.default.fileExists(atPath: folder.path("qr.png")))
    for row in Self.treatments {
      #expect(printed.contains(row.page + ": " + row.command), "\(row.page) has no \(row.command) any more")
    }
  }
}
