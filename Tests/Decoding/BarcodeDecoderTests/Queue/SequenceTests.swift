import BarcodeTypes
import Testing

@testable import BarcodeDecoder
@testable import DrawnSymbols

/// Consecutive frames, as from a camera.
@Suite struct SequenceTests {
  private static let width = 1280
  private static let height = 720

  private func settings(_ effort: Effort) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.effort = effort
    return settings
  }

  /// A grey frame with EAN-13 symbols at given places.
  private func frame(_ symbols: [(digits: String, x: Int, y: Int)]) -> Picture {
    var picture = Picture(width: Self.width, height: Self.height)
    var view = View()
    view.modulePixels = 2
    view.barHeightPixels = 60
    for (digits, x, y) in symbols {
      let symbol = Picture(elements: LinearEncoder.ean13(digits), view: view)
      for row in 0..<symbol.height {
        for column in 0..<symbol.width {
          picture.pixels[(y + row) * Self.width + x + column] = symbol.pixels[row * symbol.width + column]
        }
      }
    }
    return picture
  }

  /// Large blocks of random stripes, which use up a frame's patience, and a small symbol below them.
  private func busyFrame() -> Picture {
    var picture = frame([("4006381333931", 500, 590)])
    var generator = SeededGenerator(seed: 3)
    for block in 0..<6 {
      let left = 20 + block % 2 * 630
      let top = 10 + block / 2 * 190
      var x = left
      var isDark = true
      while x < left + 560 {
        let width = Int.random(in: 2...8, using: &generator)
        for column in x..<min(left + 560, x + width) {
          for y in top..<(top + 130) { picture.pixels[y * Self.width + column] = isDark ? 30 : 220 }
        }
        isDark.toggle()
        x += width
      }
    }
    return picture
  }

  private func decode(
    _ picture: Picture, _ settings: DecoderSettings, workLimit: Int? = nil, _ workspace: inout Workspace
  ) -> DecodeOutcome {
    picture.pixels.withUnsafeBufferPointer {
      let luma = LumaView(base: $0.baseAddress!, width: Self.width, height: Self.height, bytesPerRow: Self.width)
      return Decoder.decode(luma, settings: settings, workLimit: workLimit, workspace: &workspace)
    }
  }

  private func texts(_ workspace: borrowing Workspace) -> [String] {
    var texts: [String] = []
    for index in 0..<workspace.symbolCount {
      let bytes = workspace.payload(index)
      var text = ""
      for offset in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[offset])) }
      texts.append(text)
    }
    return texts.sorted()
  }

  @Test func `a frame continues where the previous one stopped`() {
    let picture = busyFrame()
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    var settings = settings(.frame)
    settings.symbologies.remove(.qr)
    var counts: [Int] = []
    for _ in 0..<8 {
      let outcome = decode(picture, settings, &workspace)
      if outcome.symbolCount == 0 { #expect(outcome.limits.hasReachedWork || outcome.limits.hasReachedPatience) }
      counts.append(outcome.symbolCount)
    }
    #expect(counts.last == 1, "\(counts)")
  }

  @Test func `candidates that were passed over do not count as spent work`() {
    let picture = busyFrame()
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    let outcome = decode(picture, settings(.frame), &workspace)
    #expect(outcome.limits.hasReachedPatience && !outcome.limits.hasReachedWork)
    #expect(outcome.workUnits < outcome.workLimit && !outcome.isComplete)
  }

  /// The frames that it takes to read a faint symbol in a quiet picture, with a work limit.
  private func frameCount(dark: UInt8, noise: UInt8, workLimit: Int?) -> Int {
    let sizes = (0..<DataMatrixTables.sizeCount).map { DataMatrixTables.size($0) }
    let size = sizes.first { $0.rows == 18 && $0.columns == 18 }!
    let symbol = Picture.sharp(
      DataMatrixDrawing("SHELF-17-4711", size: size).modules, side: 4, margin: 0, light: 160, dark: dark)
    var picture = Picture(width: Self.width, height: Self.height, grey: 160)
    for y in 0..<symbol.height {
      for x in 0..<symbol.width { picture.pixels[(y + 200) * Self.width + x + 400] = symbol.pixels[y * symbol.width + x] }
    }
    var generator = SeededGenerator(seed: 5)
    for index in picture.pixels.indices { picture.pixels[index] &+= UInt8.random(in: 0...noise, using: &generator) }
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    return (1...30).first { _ in decode(picture, settings(.frame), workLimit: workLimit, &workspace).symbolCount > 0 }
      ?? .max
  }

  /// The first needs patience, the second one of the extra searches made if nothing is found.
  @Test(arguments: [(150, 3), (144, 8)] as [(UInt8, UInt8)])
  func `a frame with a higher work limit reads what would otherwise wait for later frames`(dark: UInt8, noise: UInt8) {
    let (least, more) = (
      frameCount(dark: dark, noise: noise, workLimit: nil), frameCount(dark: dark, noise: noise, workLimit: 2_000_000)
    )
    #expect(more < least, "\(least) frames of the least work, \(more) of more")
  }

  @Test(arguments: [(148, 5), (147, 6), (140, 10)] as [(UInt8, UInt8)])
  func `a faint symbol on quiet ground is read within two frames of the least work`(dark: UInt8, noise: UInt8) {
    #expect(frameCount(dark: dark, noise: noise, workLimit: nil) <= 2)
  }

  @Test func `a frame stays within its work limit, and decoding again with that limit gives the same result`() {
    let picture = busyFrame()
    var first = Workspace(pixelCountMax: Self.width * Self.height)
    var second = Workspace(pixelCountMax: Self.width * Self.height)
    for asked in [0, 500_000, 500_000, 3_000_000, .max] {
      let outcome = decode(picture, settings(.frame), workLimit: asked, &first)
      #expect(decode(picture, settings(.frame), workLimit: outcome.workLimit, &second) == outcome)
      #expect(texts(first) == texts(second))
      let least = 160_000 + Self.width * Self.height / 16
      #expect(outcome.workLimit >= least && outcome.workLimit <= max(least, asked))
    }
  }

  @Test func `a scene without readable symbols costs more only for a while`() {
    var picture = busyFrame()
    // Without the symbol.
    for y in 580..<Self.height { for x in 0..<Self.width { picture.pixels[y * Self.width + x] = 128 } }
    func work(limit: Int?) -> (first: Int, last: Int) {
      var workspace = Workspace(pixelCountMax: Self.width * Self.height)
      let spent = (0..<200).map { _ in decode(picture, settings(.frame), workLimit: limit, &workspace).workUnits }
      return (spent.prefix(3).reduce(0, +), spent.suffix(50).reduce(0, +))
    }
    let (least, more) = (work(limit: nil), work(limit: 2_000_000))
    #expect(more.first > least.first * 3 / 2, "\(least), \(more)")
    #expect(more.last < least.last * 11 / 10, "\(least), \(more)")
  }

  @Test func `a symbol whose pixels do not change is kept at little cost`() {
    let picture = frame([("4006381333931", 300, 200), ("9780201379624", 700, 400)])
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    let first = decode(picture, settings(.frame), &workspace)
    #expect(first.symbolCount == 2)
    let read = texts(workspace)
    let second = decode(picture, settings(.frame), &workspace)
    #expect(texts(workspace) == read)
    #expect(second.workUnits * 2 < first.workUnits, "\(first.workUnits), then \(second.workUnits)")
  }

  @Test func `a label with another number in the same place is read again`() {
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    _ = decode(frame([("4006381333931", 300, 200)]), settings(.frame), &workspace)
    #expect(texts(workspace) == ["4006381333931"])
    // Two digits differ.
    _ = decode(frame([("4006381333948", 300, 200)]), settings(.frame), &workspace)
    #expect(texts(workspace) == ["4006381333948"])
  }

  @Test func `a symbol that is gone is not kept`() {
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    _ = decode(frame([("4006381333931", 300, 200), ("9780201379624", 700, 400)]), settings(.frame), &workspace)
    _ = decode(frame([("9780201379624", 700, 400)]), settings(.frame), &workspace)
    #expect(texts(workspace) == ["9780201379624"])
  }

  @Test func `a symbol that moves is read where it is`() {
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    var first: Int?
    for step in 0..<5 {
      _ = decode(frame([("4006381333931", 300 + 7 * step, 200)]), settings(.frame), &workspace)
      #expect(texts(workspace) == ["4006381333931"])
      let left = Int(workspace.symbol(0).corners.topLeft.x.bits) >> 16
      first = first ?? left
      #expect(abs(left - (first ?? 0) - 7 * step) <= 2, "\(left)")
    }
  }

  @Test func `a still picture is read the same regardless of earlier frames`() {
    let picture = busyFrame()
    var fresh = Workspace(pixelCountMax: Self.width * Self.height)
    var used = Workspace(pixelCountMax: Self.width * Self.height)
    for _ in 0..<2 { _ = decode(frame([("9780201379624", 700, 400)]), settings(.frame), &used) }
    #expect(decode(picture, settings(.still), &used) == decode(picture, settings(.still), &fresh))
    #expect(texts(used) == texts(fresh))
    // The symbols of a still picture do not carry over to a sequence.
    _ = decode(frame([]), settings(.frame), &used)
    #expect(texts(used).isEmpty)
  }

  @Test func `a new sequence is read as in a new workspace`() {
    let picture = busyFrame()
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    let first = decode(picture, settings(.frame), &workspace)
    for _ in 0..<3 { _ = decode(picture, settings(.frame), &workspace) }
    workspace.beginSequence()
    #expect(decode(picture, settings(.frame), &workspace) == first)
  }

  @Test func `all of twenty symbols are read`() {
    var symbols: [(digits: String, x: Int, y: Int)] = []
    for index in 0..<20 {
      let body = "40063813\(1000 + index)"
      let sum = body.enumerated().reduce(0) { $0 + $1.element.wholeNumberValue! * ($1.offset % 2 == 0 ? 1 : 3) }
      symbols.append(("\(body)\((10 - sum % 10) % 10)", 10 + index % 5 * 250, 20 + index / 5 * 170))
    }
    var workspace = Workspace(pixelCountMax: Self.width * Self.height)
    let outcome = decode(frame(symbols), settings(.still), &workspace)
    #expect(texts(workspace) == symbols.map(\.digits).sorted())
    #expect(!outcome.limits.hasReachedCandidates && !outcome.limits.hasReachedSymbols)
  }
}
