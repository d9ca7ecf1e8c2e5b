// Files as other programs write them: Pillow makes the pictures and documents, `reticle scan` reads them.

import BarcodeTypes
import Foundation
import SymbolPrinter
import Testing

@Suite("reticle scan: files of other programs (behaviour N8)") struct ScanFormatTests {
  /// A Python with Pillow; nil skips what needs it.
  private static let python = ProcessInfo.processInfo.environment["RETICLE_PYTHON"]

  /// An EAN-13 and a QR code as PNG in a folder, and what a script makes of them there.
  private static func folder(_ script: String) throws -> WorkFolder? {
    guard let python else {
      print("skipped: RETICLE_PYTHON names no interpreter with Pillow")
      return nil
    }
    let folder = try WorkFolder()
    _ = try folder.write(
      "a.png", try SymbolPrinter.print(SymbolRequest("4006381333931", symbology: .ean13)).png(scale: 3))
    _ = try folder.write("b.png", try SymbolPrinter.print(SymbolRequest("PAGE-2")).png(scale: 3))
    let code = "import os, sys; os.chdir(sys.argv[1])\nfrom PIL import Image\n" + script
    let run = try CommandRun(arguments: ["-c", code, folder.url.path], program: URL(filePath: python))
    #expect(run.status == 0, "\(run.errors)")
    return folder
  }

  private static let opened = "a = Image.open('a.png').convert('L'); b = Image.open('b.png').convert('L').resize(a.size)\n"

  private static let written =
    opened + """
      a.convert('1').save('1.bmp'); a.save('8.bmp'); a.convert('RGB').save('24.bmp')
      a.convert('RGB').save('rgb.ppm'); a.convert('1').save('bits.pbm'); a.convert('RGB').save('rgb.avif')
      a.save('grey.gif'); a.save('moving.gif', save_all=True, append_images=[b], duration=100)
      a.convert('1').save('fax.tif', compression='group4'); a.convert('RGB').save('jpeg.tiff', compression='jpeg')
      a.save('lzw.tiff', compression='tiff_lzw'); a.convert('CMYK').save('cmyk.tiff')
      """

  @Test func `every format of pictures is read`() throws {
    guard let folder = try Self.folder(Self.written + "\nos.remove('b.png')") else { return }
    let run = try CommandRun("scan", "--format", "json", folder.url.path)
    #expect(run.status == 0 && run.objects.count == 13, "\(run.text)")
    for object in run.objects {
      let codes = object["codes"] as? [[String: Any]] ?? []
      #expect(codes.map { $0["text"] as? String } == ["4006381333931"] && codes[0]["page"] == nil, "\(object)")
      #expect(object["pages"] == nil && object["width"] as? Int == 351)
    }
  }

  @Test func `a HEIC photo is read`() throws {
    guard let folder = try Self.folder("Image.open('a.png').transpose(Image.ROTATE_90).save('turned.png')") else { return }
    let encoder = "/usr/bin/heif-enc"
    for name in ["a", "turned"] {
      let photo = folder.path(name + ".heic")
      guard FileManager.default.isExecutableFile(atPath: encoder),
        try CommandRun(arguments: [folder.path(name + ".png"), "-o", photo], program: URL(filePath: encoder)).status == 0,
        FileManager.default.fileExists(atPath: photo)
      else { return print("skipped: no program here writes HEIC; the package libheif-examples has one") }
      let run = try CommandRun("scan", "--format", "json", photo)
      let codes = run.objects.first?["codes"] as? [[String: Any]] ?? []
      #expect(codes.map { $0["text"] as? String } == ["4006381333931"], "\(run.text)\(run.errors)")
      let (width, height) = name == "a" ? (351, 216) : (216, 351)
      #expect(run.objects.first?["width"] as? Int == width && run.objects.first?["height"] as? Int == height)
    }
  }

  @Test func `all pages of a document are read, each code with its page`() throws {
    let script =
      Self.opened + """
        a.save('pages.tiff', save_all=True, append_images=[b, a])
        rgb = [p.convert('RGB') for p in (a, b, a)]
        rgb[0].save('pages.pdf', save_all=True, append_images=rgb[1:], resolution=150)
        """
    guard let folder = try Self.folder(script) else { return }
    for (name, options, width) in [
      ("pages.tiff", [], 351), ("pages.pdf", [], 703), ("pages.pdf", ["--resolution", "200"], 468),
    ] as [(String, [String], Int)] {
      let run = try CommandRun(arguments: ["scan", "--format", "json", folder.path(name)] + options)
      let object = try #require(run.objects.first)
      #expect(
        run.objects.count == 1 && object["pages"] as? Int == 3 && abs((object["width"] as? Int ?? 0) - width) <= 1,
        "\(run.text)")
      let codes = object["codes"] as? [[String: Any]] ?? []
      #expect(codes.map { $0["page"] as? Int } == [1, 2, 3])
      #expect(codes.map { $0["text"] as? String } == ["4006381333931", "PAGE-2", "4006381333931"])
    }
    #expect(try CommandRun("scan", "--resolution", "9", folder.path("a.png")).errors.contains("give 36 to 1200"))
  }

  @Test func `corners are those of the picture that a viewer shows`() throws {
    let script =
      Self.opened + """
        turns = {2: Image.FLIP_LEFT_RIGHT, 3: Image.ROTATE_180, 4: Image.FLIP_TOP_BOTTOM, 5: Image.TRANSPOSE,
          6: Image.ROTATE_90, 7: Image.TRANSVERSE, 8: Image.ROTATE_270}
        note = Image.Exif()
        for number, turn in turns.items():
          note[0x112] = number
          for ending in 'jpg', 'png', 'webp':
            a.transpose(turn).save(f'{number}.{ending}', exif=note, quality=95)
          a.transpose(turn).save(f'{number}.tiff', tiffinfo={274: number})
        os.remove('b.png')
        """
    guard let folder = try Self.folder(script) else { return }
    let run = try CommandRun("scan", "--format", "json", folder.url.path)
    #expect(run.objects.count == 29)
    for object in run.objects {
      #expect(object["width"] as? Int == 351 && object["height"] as? Int == 216)
      let corners = ((object["codes"] as? [[String: Any]])?.first?["corners"] as? [[Double]]) ?? []
      #expect(corners.first.map { abs($0[0] - 33) < 2 && abs($0[1] - 33) < 2 } == true, "\(object)")
    }
  }

  @Test func `black bars and white bars on transparent ground are read`() throws {
    let script =
      Self.opened + """
        bars = a.point(lambda v: 255 - v)
        for name, grey in (('white', 255), ('black', 0)):
          picture = Image.merge('LA', (Image.new('L', a.size, grey), bars)).convert('RGBA')
          picture.save(f'{name}.png'); picture.save(f'{name}.webp', lossless=True); picture.save(f'{name}.tiff')
        indexed = Image.new('P', a.size, 0); indexed.putpalette([9, 9, 9] + [255, 255, 255] * 255)
        indexed.paste(1, mask=bars); indexed.save('white.gif', transparency=0); os.remove('b.png')
        # Both in one picture.
        both = Image.new('RGBA', (a.width, 2 * a.height))
        both.paste(Image.open('white.png'), (0, 0)); both.paste(Image.open('black.png'), (0, a.height)); both.save('both.png')
        """
    guard let folder = try Self.folder(script) else { return }
    let run = try CommandRun("scan", "--format", "json", folder.url.path)
    #expect(run.objects.count == 9)
    for object in run.objects {
      let isBoth = (object["file"] as? String)?.hasSuffix("both.png") == true
      #expect((object["codes"] as? [Any])?.count == (isBoth ? 2 : 1), "\(object)")
    }
  }

  @Test func `a name that is not UTF-8 is read, and told without loss`() throws {
    guard let folder = try Self.folder("os.rename(b'b.png', b'caf\\xe9\\n.png')\nos.remove('a.png')") else { return }
    let hex = "2e2f636166e90a2e706e67"
    let shell = { (script: String) in
      try CommandRun(
        arguments: ["-c", "cd \"$1\" && \(script)", CommandRun.command.path, folder.url.path],
        program: URL(filePath: "/bin/sh"))
    }
    for script in [
      "\"$0\" scan --format json ./caf*", "\"$0\" scan --format json .",
      "printf './caf\\351\\n.png\\0' | \"$0\" scan -0 --format json -",
    ] {
      let object = try #require(try shell(script).objects.first)
      #expect(object["file"] as? String == "./caf\u{FFFD}\n.png" && object["file_hex"] as? String == hex, "\(object)")
      #expect((object["codes"] as? [Any])?.count == 1)
    }
    #expect(try shell("\"$0\" scan ./caf*").text == "./caf\\xe9\\n.png\tqr\tPAGE-2\n")
    #expect(try shell("\"$0\" scan ./no$(printf '\\377')").errors.hasPrefix("reticle: ./no\\xff: there is no such file"))
    let missing = try shell("\"$0\" scan --format json ./no$(printf '\\377')")
    #expect(missing.status == 2 && missing.objects.first?["file_hex"] as? String == "2e2f6e6fff")
  }

  @Test func `cut and damaged files give one answer each, and no crash`() throws {
    let script =
      Self.written + "\n" + """
        a.convert('RGB').save('a.pdf'); a.save('a.jpg'); a.save('a.webp'); names = os.listdir('.'); count = 0
        import random; chance = random.Random(5)
        for name in names:
          data = open(name, 'rb').read(); os.remove(name)
          for part in 0.02, 0.3, 0.6, 0.97:
            open(f'cut{part}-{name}', 'wb').write(data[:int(len(data) * part)])
          for round in range(4):
            worse = bytearray(data)
            for _ in range(1 + 3 * round): worse[chance.randrange(min(len(worse), 400))] = chance.randrange(256)
            open(f'worse{round}-{name}', 'wb').write(worse)
        print(len(names))
        """
    guard let folder = try Self.folder(script) else { return }
    let run = try CommandRun("scan", "--format", "json", folder.url.path)
    #expect(run.status == 2 && run.errors.isEmpty && run.objects.count == 17 * 8, "\(run.objects.count) \(run.errors)")
    for object in run.objects {
      let error = object["error"] as? String
      #expect(error.map { $0.contains("; ") && !$0.contains("\n") } ?? (object["codes"] != nil), "\(object)")
    }
    let cut = run.objects.filter { ($0["file"] as? String)?.contains("/cut0.3-") == true }
    // poppler mends what it can.
    #expect(cut.filter { $0["error"] != nil }.count >= cut.count - 1)
  }

  @Test func `on a terminal, standard error tells the file that is read, and answers are not disturbed`() throws {
    let script = """
      import pty, subprocess, threading, time, fcntl, termios, struct
      os.mkfifo('slow'); master, terminal = pty.openpty()
      fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 40, 0, 0))
      run = subprocess.Popen(['\(CommandRun.command.path)', 'scan', 'a.png', 'slow', 'b.png', 'none'], stderr=terminal,
        stdout=subprocess.PIPE, env=dict(os.environ, TERM='xterm'))
      time.sleep(0.8); open('slow', 'wb').write(open('a.png', 'rb').read())
      answers = run.stdout.read(); run.wait(); os.close(terminal); told = b''
      try:
        while True: told += os.read(master, 4096)
      except OSError: pass
      open('told', 'wb').write(told); open('answers', 'wb').write(answers)
      os.remove('slow')
      """
    guard let folder = try Self.folder(script) else { return }
    let told = try String(contentsOfFile: folder.path("told"), encoding: .utf8)
    let answers = try String(contentsOfFile: folder.path("answers"), encoding: .utf8)
    #expect(answers == "a.png\tean13\t4006381333931\nslow\tean13\t4006381333931\nb.png\tqr\tPAGE-2\n")
    #expect(
      told == "\r\u{1B}[K3 of 4: b.png\r\u{1B}[K"
        + "reticle: none: there is no such file; check the name and the folder it is looked for in\r\n",
      "\(told.debugDescription)")
  }
}
