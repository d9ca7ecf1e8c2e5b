// The example configurations: each passes the check, and sends the text promised in its first line.

import Foundation
import Testing

@Suite struct ExampleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/examples")

  @Test func `every example passes the check`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".yaml") }
    #expect(
      files.sorted()
        == [
          "conveyor.yaml", "counter.yaml", "desk.yaml", "gate.yaml", "kiosk.yaml", "packing-line.yaml", "pharmacy.yaml",
          "plant.yaml", "returns.yaml", "till.yaml", "usb-till.yaml",
        ])
    for file in files {
      let check = try CommandRun("config", "check", Self.folder.appending(path: file).path)
      #expect(check.status == 0, "\(file): \(check.errors)")
    }
  }

  @Test(
    arguments: [
      ("till", "ean13", "4006381333931 12", "sends: 4006381333931\n"),
      ("till", "upce", "01234565", "sends: 0012345000065\n"),
      ("till", "qr", "https://id.gs1.org/01/09501101530003?17=261100", "sends: 9501101530003\n"),
      ("till", "datamatrix", "(01)09501101530003(10)A", "sends: 9501101530003\n"),
      ("till", "qr", "https://example.org/offer", "dropped by web addresses"),
      ("packing-line", "code128", "SN12345678", "! it waits in a set for product\n"),
      ("packing-line", "code128", "SN12345678", "sends: NOREAD carton: product\n"),
      ("packing-line", "code128", "X1", "dropped by other labels"),
      (
        "pharmacy", "datamatrix", "(01)09501101530003(17)261100(10)AB-1(21)7", #"sends: 09501101530003\tAB-1\t2026-11-30\t7"#
      ),
      ("pharmacy", "datamatrix", "(01)09501101530003(17)261100", "dropped by half a label"),
      ("conveyor", "itf14", "04006381333931", "sends: 04006381333931\n"),
      ("conveyor", "qr", "hello", "dropped by anything else"),
      ("usb-till", "ean13", "4006381333931", "sends: 4006381333931\n"),
      ("usb-till", "datamatrix", "(01)09501101530003(10)A", "sends: 010950110153000310A\n"),
      ("usb-till", "qr", "https://example.org", "dropped by web addresses"),
      ("counter", "ean13", "4006381333931", "sends: 4006381333931\n"),
      ("counter", "qr", "https://example.org", "dropped by web addresses"),
      ("desk", "ean13", "4006381333931", "sends: 4006381333931\n"),
      ("desk", "qr", "hello", "dropped by anything else"),
      ("gate", "qr", "TK17-A", "sends: ticket 00000017\n"), ("gate", "pdf417", "over 18: no", "sends: age no\n"),
      ("gate", "qr", "hello", "dropped by anything else"),
    ])
  func `the host of each example receives the text that it wants`(
    _ example: String, _ symbology: String, _ data: String, _ expected: String
  ) throws {
    let file = Self.folder.appending(path: "\(example).yaml").path
    let run = try CommandRun("rules", "test", "--config", file, "--symbology", symbology, "--data", data)
    #expect(run.text.contains(expected), "\(run.text)\(run.errors)")
  }

  @Test func `the two labels of the packing line are one message`() throws {
    let run = try CommandRun(
      "rules", "test", "--config", Self.folder.appending(path: "packing-line.yaml").path, "--symbology", "code128", "--data",
      "SN12345678", "--symbology", "ean13", "--data", "4006381333931")
    #expect(run.text.contains("control\tsends: 4006381333931;12345678\n"), "\(run.text)\(run.errors)")
  }
}
