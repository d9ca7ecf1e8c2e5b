// `reticle rules test`, as used by authors of rules.

import Foundation
import Testing

@Suite struct RulesCommandTests {
  private func run(_ yaml: String, _ arguments: [String]) throws -> CommandRun {
    let path = FileManager.default.temporaryDirectory.appending(path: "reticle-\(UUID()).yaml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try yaml.write(toFile: path, atomically: true, encoding: .utf8)
    return try CommandRun(arguments: ["rules", "test", "--config", path] + arguments)
  }

  private let yaml = """
    camera: {pictures: [labels]}
    sinks:
      - stdout
      - name: till
        serial: {device: /dev/ttyS9}
    text: {any: {fnc1: "|"}}
    rules:
      - name: samples
        when: {prefix: SAMPLE}
        then: {scan: drop}
      - when: {ai: ["10"], sink: [till]}
        then: {rewrite: '{(10)}\\x09{(17)|date DD.MM.YYYY}', flag: lot}
    """

  @Test func `each rule and each sink has a line`() throws {
    let lot = try run(yaml, ["--symbology", "datamatrix", "--data", "(01)09501101530003(10)AB-1(17)261130"])
    #expect(lot.status == 0)
    #expect(
      lot.text == """
        label\t010950110153000310AB-1\\x1d17261130
        samples\tno: the text begins otherwise
        rule 2\tno: it is for till
        samples for till\tno: the text begins otherwise
        rule 2 for till\tmatches: AB-1\\t30.11.2026
        flags\tlot
        stdout\tsends: 010950110153000310AB-1|17261130
        till\tsends: AB-1\\t30.11.2026

        """)
    let sample = try run(yaml, ["--symbology", "qr", "--data", "SAMPLE 1"])
    #expect(sample.text.contains("samples\tmatches: SAMPLE 1\n"))
    #expect(
      sample.text.contains("stdout\tdoes not get it\n") && sample.text.hasSuffix("! dropped by samples: no sink gets it\n"))
  }

  private let sets = """
    camera: {pictures: [labels]}
    sinks: [{serial: {device: /dev/ttyS9}}]
    host: {no_read: NOREAD}
    rules:
      - when: {symbology: [ean13]}
        then: {flag: product}
      - when: {matches: 'SN([0-9]+)'}
        then: {rewrite: '{1}', flag: serial}
    sets: [{name: carton, parts: [product, serial]}]
    compare: {flag: product, reference: "4006381333931;17"}
    """

  @Test func `several labels form a set, which is completed, compared or abandoned`() throws {
    let ean = ["--symbology", "ean13", "--data", "4006381333931"]
    let serial = ["--symbology", "code128", "--data", "SN17"]
    let carton = try run(sets.replacing("parts:", with: "separator: ';', parts:"), ean + serial)
    #expect(carton.status == 0)
    #expect(
      carton.text == """
        label\t4006381333931
        rule 1\tmatches: 4006381333931
        rule 2\tno: the expression does not match
        flags\tproduct
        ! it waits in a set for serial
        label\tSN17
        rule 1\tno: the symbology is code128
        rule 2\tmatches: 17
        flags\tserial
        set\tcarton
        compared\tmatch
        serial\tsends: 4006381333931;17

        """)
    let half = try run(sets, ean)
    #expect(
      half.text.hasSuffix("! carton is not complete without serial: no sink gets it\nserial\tsends: NOREAD serial\n"))
    // Another code for an existing part starts the set again.
    let twice = try run(sets, ean + serial + ["--symbology", "ean13", "--data", "5901234123457"])
    #expect(twice.text.contains("compared\tmismatch\n"))
    #expect(
      try run(sets, ["--symbology", "ean13", "--data", "1", "--data", "2", "--symbology", "qr", "--data", "3"]).status == 64)
  }

  @Test func `wrong usage and wrong configurations have their statuses`() throws {
    #expect(try run(yaml, ["--symbology", "qr-code", "--data", "1"]).status == 64)
    #expect(try run(yaml, ["--symbology", "qr", "--data", "1", "--at", "25:00"]).status == 64)
    #expect(try run(yaml, ["--symbology", "qr", "--data", "1", "--aim", "Q1"]).status == 64)
    let wrong = try run("rules: [{then: {rewrite: '{1}'}}]", ["--symbology", "qr", "--data", "1"])
    #expect(wrong.status == 78 && wrong.errors.contains("the expression has 0 groups"))
  }
}
