// Names of pictures: no configuration, label or station name can lead out of the folder, and no stranger's file counts
// as a picture.

import DeliveryModel
import PictureFiles
import StationConfiguration
import Testing

@Suite struct PictureTemplateTests {
  private let id = ScanID("0198c2b6-7f00-7abc-8def-0123456789ab")!

  private func name(_ template: String, _ symbology: String = "ean13", station: String = "till 3") throws -> String {
    try #require(PictureTemplate(template)).fileName(
      id: id, kind: .noRead, symbology: symbology, station: station, format: .webp)
  }

  @Test func `placeholders become date, time, symbology and station, before the kind and the id`() throws {
    #expect(
      try name("{date}_{time}.{symbology}-{station}-")
        == "20250819_142316736.ean13-till_3-no-read-0198c2b6-7f00-7abc-8def-0123456789ab.webp")
    #expect(try name("") == "no-read-0198c2b6-7f00-7abc-8def-0123456789ab.webp")
  }

  @Test(
    arguments: [
      "../", "/tmp/", "a/b", ".hidden", "..", "{", "}", "{id", "{text}", "{data}", "{}", "a b", "ä", "a\u{0}b", "a\nb",
      "$(reboot)", "*", "%n", "{date}/{time}", "\\", String(repeating: "a", count: 101),
    ])
  func `a template that could lead elsewhere is refused`(_ template: String) {
    #expect(PictureTemplate(template) == nil)
  }

  @Test(arguments: ["../../etc/passwd", "/", "..", "a\u{0}b", "ä\n\u{202E}", String(repeating: "x", count: 10_000), ""])
  func `hostile names of stations stay plain, short words inside one file name`(_ station: String) throws {
    for template in ["{station}", "{station}{station}{station}{station}{station}{station}", "{symbology}-{station}-"] {
      let name = try name(template, station, station: station)
      #expect(name.utf8.count <= 255)
      #expect(name.utf8.allSatisfy { UInt8(ascii: "-") <= $0 && $0 < 0x7F && $0 != UInt8(ascii: "/") }, "\(name)")
      #expect(!name.hasPrefix("."))
      let parsed = try #require(PictureTemplate.parse(name))
      #expect(parsed.kind == .noRead && parsed.id == id && parsed.format == .webp)
    }
  }

  @Test(
    arguments: [
      "holiday.jpg", "0198c2b6-7f00-7abc-8def-0123456789ab.webp", "scan-0198c2b6-7f00-4abc-8def-0123456789ab.webp",
      "scan-0198c2b6-7f00-7abc-8def-0123456789ab.png", ".scan-0198c2b6-7f00-7abc-8def-0123456789ab.webp",
      "scan-0198C2B6-7f00-7abc-8def-0123456789ab.webp", "scan-0198c2b6-7f00-7abc-8def-0123456789ab.webp.bak",
      "photo-0198c2b6-7f00-7abc-8def-0123456789ab.jpg", "a b-scan-0198c2b6-7f00-7abc-8def-0123456789ab.jpg",
      "scan-0198c2b6-7f00-7abc-0def-0123456789ab.webp", "", "..",
    ])
  func `a stranger's file is no picture`(_ name: String) { #expect(PictureTemplate.parse(name) == nil) }

  @Test func `a name of any template gives its kind and format`() throws {
    for kind in PictureKind.allCases {
      for format in WrittenFormat.allCases {
        for template in ["", "{date}-", "scan-", "no-read-unread-"] {
          let name = try #require(PictureTemplate(template)).fileName(
            id: id, kind: kind, symbology: "qr", station: "a", format: format)
          let parsed = try #require(PictureTemplate.parse(name))
          #expect(parsed.kind == kind && parsed.format == format && parsed.id == id)
        }
      }
    }
  }
}
