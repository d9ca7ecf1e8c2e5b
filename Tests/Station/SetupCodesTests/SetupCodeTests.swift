// The text of set-up codes: what is signed comes back, and nothing else is accepted.

import Testing

@testable import SetupCodes

@Suite struct SetupCodeTests {
  private static let key = SetupSigningKey.generate()!
  private static let other = SetupSigningKey.generate()!
  private static let keys = [other.publicKey, key.publicKey]
  private static let changes = [
    SetupCode.Change(key: "repeat.absence", value: "2 s"),
    SetupCode.Change(key: "text.any.suffix", value: "=\\x0d \u{00E4}\u{1F600}\""),
  ]

  private static func code() -> SetupCode { SetupCode(changes, for: "till-*", madeAt: 1_764_000_000, validSeconds: 3600) }

  @Test func `a signed code reads as what was signed`() throws {
    let code = Self.code()
    let text = try code.text(signedBy: Self.key)
    #expect(text.hasPrefix("RETICLE:1:"))
    #expect(text.utf8.count <= SetupCode.textByteCountMax)
    #expect(try SetupCode(text, signedByOneOf: Self.keys) == code)
    #expect(Self.code().id != Self.code().id)
  }

  @Test func `B2: a code of another key is refused, and so is one without any key`() throws {
    let text = try Self.code().text(signedBy: Self.key)
    #expect(throws: SetupCode.Fault.signature) { try SetupCode(text, signedByOneOf: [Self.other.publicKey]) }
    #expect(throws: SetupCode.Fault.signature) { try SetupCode(text, signedByOneOf: []) }
  }

  @Test func `B2: no text that is cut, extended or changed in one byte is accepted`() throws {
    let text = Array(try Self.code().text(signedBy: Self.key).utf8)
    func isAccepted(_ bytes: [UInt8]) -> Bool {
      (try? SetupCode(String(decoding: bytes, as: UTF8.self), signedByOneOf: Self.keys)) != nil
    }
    #expect(isAccepted(text))
    for count in 0..<text.count { #expect(!isAccepted(Array(text.prefix(count))), "\(count) bytes") }
    for place in text.indices {
      for byte: UInt8 in [0x00, 0x2E, 0x3D, 0x41, 0x61, 0x5F, 0x80, 0xFF, text[place] ^ 1, text[place] ^ 0x20]
      where byte != text[place] {
        var changed = text
        changed[place] = byte
        #expect(!isAccepted(changed), "byte \(byte) at \(place)")
      }
    }
    for more: [UInt8] in [[0x20], [0x0A], [0x3D], [0x2E], Array(".AAAA".utf8)] { #expect(!isAccepted(text + more)) }
  }

  @Test func `B2: random mutations of several bytes are refused, and none ends the program`() throws {
    let text = Array(try Self.code().text(signedBy: Self.key).utf8)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        guard !bytes.isEmpty else { break }
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: place)
        default: bytes.swapAt(place, Int.random(in: bytes.indices, using: &random))
        }
      }
      guard bytes != text else { continue }
      #expect((try? SetupCode(String(decoding: bytes, as: UTF8.self), signedByOneOf: Self.keys)) == nil)
    }
  }

  @Test func `B2: a signature does not make a content beyond the limits valid`() throws {
    func text(_ json: String) -> String {
      let signed = SetupCode.prefix + Base64URL.text(Array(json.utf8))
      return signed + "." + Base64URL.text(Self.key.signature(of: Array(signed.utf8)))
    }
    let id = Base64URL.text([UInt8](repeating: 7, count: 16))
    let rest = "\"at\":1764000000,\"valid\":60,\"id\":\"\(id)\""
    #expect(throws: Never.self) { try SetupCode(text("{\"set\":[\"a=b\"],\(rest)}"), signedByOneOf: Self.keys) }
    for json in [
      "", "{}", "[]", "{\"set\":[],\(rest)}", "{\"set\":[\"a\"],\(rest)}", "{\"set\":[\"=b\"],\(rest)}",
      "{\"set\":[\"a=b\",\"a=c\"],\(rest)}", "{\"set\":[\"a=b\\n\"],\(rest)}", "{\"set\":[\"a b=c\"],\(rest)}",
      "{\"set\":[" + [String](repeating: "\"a=b\"", count: 17).joined(separator: ",") + "],\(rest)}",
      "{\"set\":[\"a=b\"],\"at\":1764000000,\"valid\":0,\"id\":\"\(id)\"}",
      "{\"set\":[\"a=b\"],\"at\":1764000000,\"valid\":604801,\"id\":\"\(id)\"}",
      "{\"set\":[\"a=b\"],\"at\":-1,\"valid\":60,\"id\":\"\(id)\"}",
      "{\"set\":[\"a=b\"],\"at\":9223372036854775807,\"valid\":60,\"id\":\"\(id)\"}",
      "{\"set\":[\"a=b\"],\"at\":1764000000,\"valid\":60,\"id\":\"AAAA\"}",
      "{\"set\":[\"a=b\"],\"at\":1764000000,\"valid\":60,\"id\":\"../../../../../etc/x\"}",
    ] {
      #expect(throws: SetupCode.Fault.malformed, "\(json)") { try SetupCode(text(json), signedByOneOf: Self.keys) }
    }
  }

  @Test func `a code that would not fit one QR Code is not made`() {
    let long = SetupCode(
      [SetupCode.Change(key: "station.name", value: String(repeating: "x", count: 400))], madeAt: 1, validSeconds: 60)
    #expect(throws: SetupCode.Fault.self) { try long.text(signedBy: Self.key) }
    let empty = SetupCode([], madeAt: 1, validSeconds: 60)
    #expect(throws: SetupCode.Fault.malformed) { try empty.text(signedBy: Self.key) }
  }

  @Test(
    arguments: [
      (nil, "till-3", true), ("till-3", "till-3", true), ("till-3", "till-33", false), ("till-*", "till-3", true),
      ("till-*", "gate-3", false), ("*", "gate-3", true), ("", "till-3", false), ("till-*", "till-", true),
    ] as [(String?, String, Bool)])
  func `a code is for the station that it names`(station: String?, name: String, isRight: Bool) {
    #expect(SetupCode(Self.changes, for: station, madeAt: 1, validSeconds: 1).isFor(name) == isRight)
  }

  @Test func `a key comes back from its PEM file, and other files are no keys`() throws {
    let pem = Self.key.pem
    #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    #expect(SetupSigningKey(pem: pem)?.publicKey == Self.key.publicKey)
    #expect(SetupPublicKey(Self.key.publicKey.text) == Self.key.publicKey)
    for bytes: [UInt8] in [[], Array("x".utf8), Array(pem.prefix(60)), Array(pem.dropFirst())] {
      #expect(SetupSigningKey(pem: bytes) == nil)
    }
    for text in ["", "x", "AAAA", Self.key.publicKey.text + "A", String(Self.key.publicKey.text.dropLast())] {
      #expect(SetupPublicKey(text) == nil)
    }
  }
}
