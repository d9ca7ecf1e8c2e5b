// The codes of a package (behaviour N12), as conversations.

import BarcodeTypes
import ScanControl
import Testing

@Suite struct RetailTests {
  private func talk(_ mode: RetailSettings.Mode, _ change: (inout ScanSettings) -> Void = { _ in }) -> Conversation {
    var talk = Conversation {
      $0.retail = RetailSettings(mode: mode)
      $0.votes.frameCount = 1
      change(&$0)
    }
    talk.startScanning()
    return talk
  }

  /// The forwarded results, each with its set id.
  private func sent(_ talk: Conversation) -> [[String]] {
    talk.allActions.compactMap { action in
      guard case .forward(let results) = action else { return nil }
      return results.map { "\($0.code.symbology.name) \($0.set.map { "\($0)" } ?? "-")" }
    }
  }

  private func names(_ talk: Conversation) -> [[String]] {
    sent(talk).map { $0.map { String($0.prefix { $0 != " " }) } }
  }

  // MARK: Mode 1

  @Test(arguments: [[ScannedCode.package, .matrix], [.matrix, .package]])
  func `N12: in mode 1 only the first code of a package is sent, at once`(codes: [ScannedCode]) {
    var talk = talk(.first)
    #expect(talk.frame(codes[0]).contains(.forward(talk.results(codes[0]))))
    #expect(talk.frame(codes[0], codes[1]) == [.countSuppressed(.package, 1)])
    #expect(talk.frame(codes[0], codes[1], .digitalLink) == [.countSuppressed(.package, 1)])
    talk.tell(.timePassed, after: 2000)
    #expect(names(talk) == [["\(codes[0].symbology.name)"]])
  }

  @Test func `N12: in one frame the first code of a package wins, and each package has its own`() {
    var talk = talk(.first)
    let other = ScannedCode.otherEAN.naming("05901234123457")
    let actions = talk.frame(.matrix, other, .package)
    #expect(actions.contains(.forward(talk.results(.matrix, other))))
    #expect(actions.contains(.countSuppressed(.package, 1)))
  }

  // MARK: Mode 2

  @Test func `N12: in mode 2 a 2D symbol is sent at once, and an EAN that waits for it is left out`() {
    var talk = talk(.preferred2D)
    #expect(talk.frame(.package).isEmpty)
    let actions = talk.frame(.package, .matrix)
    #expect(
      actions == [
        .countSuppressed(.package, 1), .count(.scannedCode), .forward(talk.results(.matrix)),
        .showScan(talk.results(.matrix), flashes: true),
      ])
    talk.tell(.timePassed, after: 2000)
    #expect(talk.frame(.package, .matrix).isEmpty)
    #expect(names(talk) == [["datamatrix"]])
  }

  @Test func `N12: in mode 2 an EAN alone is sent after the wait, whether frames come or not`() {
    var talk = talk(.preferred2D)
    #expect(talk.frame(.package).isEmpty)
    let results = talk.results(.package)
    let begin = talk.now
    #expect(talk.controller.nextDeadline == begin.advanced(by: .milliseconds(150)))
    talk.expect([], on: .timePassed, after: 149)
    talk.expect([.count(.scannedCode), .forward(results), .showScan(results, flashes: true)], on: .timePassed, after: 1)
    #expect(talk.controller.nextDeadline == nil)

    var other = self.talk(.preferred2D)
    _ = other.frame(.package)
    #expect(other.frame(.package, after: 149).isEmpty)
    #expect(other.frame(.package, after: 1) == [.count(.scannedCode), .forward(results), .showScan(results, flashes: true)])
  }

  @Test func `N12: a 2D symbol read after its EAN was sent is not a second sale`() {
    var talk = talk(.preferred2D)
    _ = talk.frame(.package)
    talk.tell(.timePassed, after: 150)
    #expect(talk.frame(.package, .matrix) == [.countSuppressed(.package, 1)])
    // The package is presented again.
    for _ in 0..<6 { _ = talk.frame() }
    #expect(talk.frame(.matrix).contains(.forward(talk.results(.matrix))))
  }

  @Test func `N12: in mode 2, if the 2D symbol comes first, it is sent and its EAN is not`() {
    var talk = talk(.preferred2D)
    #expect(talk.frame(.matrix).contains(.forward(talk.results(.matrix))))
    #expect(talk.frame(.matrix, .package) == [.countSuppressed(.package, 1)])
    talk.tell(.timePassed, after: 1000)
    #expect(names(talk) == [["datamatrix"]])
  }

  // MARK: Mode 3

  @Test func `N12: in mode 3 all codes of a package are sent together, with one set id of eight digits`() throws {
    var talk = talk(.all)
    #expect(talk.frame(.package).isEmpty)
    #expect(talk.frame(.matrix, after: 50).isEmpty)
    talk.tell(.timePassed, after: 100)
    // Milliseconds of the boot-time clock at the first code: the conversation begins at 1 s.
    #expect(sent(talk) == [["ean13 00001100", "datamatrix 00001100"]])
    // Codes seen later are sent after them.
    _ = talk.frame(.package, .matrix, .digitalLink)
    #expect(sent(talk).last == ["qr 00001100"])
    #expect(sent(talk).count == 2)
    // Another package has another id.
    let other = ScannedCode.otherEAN.naming("05901234123457")
    _ = talk.frame(other)
    talk.tell(.timePassed, after: 150)
    #expect(sent(talk).last == ["ean13 00001450"])
  }

  @Test func `N12: packages of one frame have different set ids, and ids stay eight digits`() {
    var talk = talk(.all)
    talk.tell(.timePassed, after: 100_000_000 - 1_000 - 100)
    let other = ScannedCode.otherEAN.naming("05901234123457")
    _ = talk.frame(.package, other)
    talk.tell(.timePassed, after: 150)
    #expect(sent(talk) == [["ean13 00000000", "ean13 00000001"]])
  }

  @Test func `N12: set ids continue when the configuration is read again`() {
    var talk = talk(.all)
    _ = talk.frame(.package)
    talk.tell(.shutdownRequested)
    #expect(sent(talk) == [["ean13 00001100"]])
    talk.reload()
    talk.startScanning()
    let other = ScannedCode.otherEAN.naming("05901234123457")
    _ = talk.frame(other, after: 0)
    talk.tell(.timePassed, after: 150)
    #expect(sent(talk).last == ["ean13 00001101"])
  }

  // MARK: What a package is

  @Test(arguments: RetailSettings.Mode.allCases)
  func `N12: a package stays one while any of its codes is in view`(mode: RetailSettings.Mode) {
    var talk = talk(mode)
    _ = talk.frame(.package, .matrix)
    talk.tell(.timePassed, after: 150)
    let count = sent(talk).count
    // The Data Matrix is covered for longer than the time of absence.
    for _ in 0..<20 { _ = talk.frame(.package) }
    for _ in 0..<20 { _ = talk.frame(.matrix) }
    _ = talk.frame(.package, .matrix)
    talk.tell(.timePassed, after: 1000)
    #expect(sent(talk).count == count)
  }

  @Test(arguments: RetailSettings.Mode.allCases)
  func `N12: codes that contradict each other are on two packages`(mode: RetailSettings.Mode) {
    var talk = talk(mode)
    let second = ScannedCode(.datamatrix, "B").naming("04006381333931", ["21": "B", "17": "261130"])
    _ = talk.frame(.matrix)
    talk.tell(.timePassed, after: 150)
    _ = talk.frame(second)
    talk.tell(.timePassed, after: 150)
    #expect(sent(talk).count == 2)
    if mode == .all { #expect(Set(sent(talk).joined()).count == 2) }
  }

  // MARK: What is no article

  @Test(arguments: RetailSettings.Mode.allCases, [true, false])
  func `N12: a web address on a package is sent neither before its EAN nor with it`(
    mode: RetailSettings.Mode, linkFirst: Bool
  ) {
    var talk = talk(mode)
    _ = linkFirst ? talk.frame(.link) : talk.frame(.package)
    _ = talk.frame(.link, .package)
    talk.tell(.timePassed, after: 150)
    _ = talk.frame(.link, .package)
    talk.tell(.timePassed, after: 1000)
    #expect(names(talk) == [["ean13"]])
    #expect(talk.allActions.count { $0 == .countSuppressed(.package, 1) } == 1)
  }

  @Test(arguments: RetailSettings.Mode.allCases)
  func `N12: a web address alone is sent after the wait, any other text at once`(mode: RetailSettings.Mode) {
    var talk = talk(mode)
    #expect(talk.frame(.label).contains(.forward(talk.results(.label))))
    #expect(talk.frame(.link).isEmpty)
    talk.tell(.timePassed, after: 150)
    #expect(names(talk) == [["code128"], ["qr"]])
    #expect(sent(talk).last == ["qr -"])
  }

  // MARK: Sessions that end meanwhile

  @Test(arguments: RetailSettings.Mode.allCases.dropFirst())
  func `N12: a trigger that ends while a code waits has scanned it`(mode: RetailSettings.Mode) {
    for trigger in [TriggerMode.level(limit: .seconds(3)), .edge(limit: .milliseconds(120))] {
      var talk = Conversation {
        $0.retail = RetailSettings(mode: mode)
        $0.trigger = trigger
      }
      talk.tell(.serviceStarted)
      talk.tell(.triggerPressed)
      talk.tell(.permissionReported(.authorized))
      talk.reachRecording()
      #expect(talk.frame(.package).isEmpty)
      if case .level = trigger { talk.tell(.triggerReleased) } else { talk.tell(.timePassed, after: 20) }
      #expect(names(talk) == [["ean13"]])
      #expect(talk.count(.count(.scannedCode)) == 1)
      #expect(!talk.allActions.contains { if case .reportNoRead = $0 { true } else { false } })
    }
  }

  @Test func `N12: a code that waits when the camera fails, the frames end or the station pauses is sent`() {
    for event in [Event.cameraFailed(CameraFailure(.disconnected)), .disableRequested, .shutdownRequested] {
      var talk = talk(.preferred2D)
      _ = talk.frame(.package)
      talk.tell(event)
      #expect(names(talk) == [["ean13"]], "\(event)")
      talk.tell(.timePassed, after: 1000)
      #expect(sent(talk).count == 1, "\(event)")
    }
    var talk = talk(.preferred2D)
    _ = talk.frame(.package)
    talk.tell(.framesEnded(run: talk.controller.camera.run))
    #expect(names(talk) == [["ean13"]])
  }

  @Test func `N12: a code that waits when the user closes the session is cancelled`() {
    var talk = talk(.preferred2D)
    _ = talk.frame(.package)
    let results = talk.results(.package)
    #expect(talk.tell(.cancelPressed).contains(.discard(results, .cancelled)))
    #expect(sent(talk).isEmpty)
  }

  @Test func `N12: a code that waits and is to be confirmed is scanned again when scanning goes on`() {
    var talk = talk(.preferred2D) { $0.confirmation = .always }
    _ = talk.frame(.package)
    let results = talk.results(.package)
    #expect(talk.tell(.disableRequested).contains(.discard(results, .stopped)))
    talk.tell(.enableRequested)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    _ = talk.frame(.package)
    talk.tell(.timePassed, after: 150)
    guard case .reviewing(let review, _) = talk.controller.session else { Issue.record("no review"); return }
    #expect(review.results.map(\.code) == [.package])
  }

  @Test func `N12: pictures that are separate presentations are decided one by one`() {
    var talk = talk(.preferred2D) { $0.isEachFrameNew = true }
    #expect(talk.frame(.package).contains(.forward(talk.results(.package))))
    #expect(talk.frame(.package, .matrix).contains(.forward(talk.results(.matrix))))
    #expect(talk.frame(.link).contains(.forward(talk.results(.link))))
  }

  @Test func `N12: the number of waiting codes is limited, and none beyond the limit is lost`() {
    var talk = talk(.all)
    let codes = (0..<300).map { number in
      let digits = String(number)
      return ScannedCode(.ean13, digits).naming(String(repeating: "0", count: 14 - digits.utf8.count) + digits)
    }
    talk.tell(.frameDecoded(talk.report(codes)))
    talk.tell(.timePassed, after: 150)
    #expect(sent(talk).joined().count == 300)
    #expect(Set(sent(talk).joined()).count == 300)
  }
}

extension ScannedCode {
  /// An EAN-13, a Data Matrix with a serial number and a QR Code with a Digital Link, all of the same article.
  static let package = ean.naming("04006381333931")
  static let matrix = ScannedCode(.datamatrix, "0104006381333931").naming("04006381333931", ["21": "A", "17": "261130"])
  static let digitalLink = ScannedCode(.qr, "https://id.gs1.org/01/04006381333931", mark: .link).naming("04006381333931")

  func naming(_ gtin: String, _ attributes: [String: String] = [:]) -> ScannedCode {
    var code = self
    code.product = ScannedProduct(
      gtin: gtin,
      attributes: attributes.sorted { $0.key < $1.key }.map { .init(identifier: $0.key, value: $0.value) })
    return code
  }
}
