// Hostile picture files. Use real files of each format as the corpus: the libraries reject nearly everything else. Without a corpus
// the first byte of an input chooses the beginning of a format.

import BarcodeTypes
import PictureFiles

/// Larger pictures are skipped: they are slow and reach no new code.
private let pixelCountMax = 1 << 20

/// Pages that are read of a file.
private let pageCountMax = 3

/// Beginnings of files, up to where each format's own fields begin.
private let beginnings: [[UInt8]] = [
  [], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52], [0xFF, 0xD8, 0xFF, 0xE1],
  Array("RIFF\u{20}\0\0\0WEBPVP8".utf8), Array("GIF89a".utf8) + [16, 0, 16, 0, 0xF0, 0, 0, 0, 0, 0, 255, 255, 255],
  [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0], [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8],
  Array("BM".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 1, 0],
  Array("P6 9 9 255\n".utf8), Array("P3 ".utf8), Array("P4 16 16\n".utf8), Array("P1 ".utf8), Array("P5 ".utf8),
  [0, 0, 0, 0x18] + Array("ftypheic".utf8), [0, 0, 0, 0x18] + Array("ftypavif".utf8),
]

/// The fuzzer's entry: the bytes are a choice and a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPicture(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let bytes = beginnings[Int(data[0]) % beginnings.count] + UnsafeBufferPointer(start: data + 1, count: count - 1)
  // Each PDF would start a program, which has a process of its own to be hostile to.
  if PictureFormat(beginning: bytes) == .pdf { return 0 }
  var picture = Picture()
  do throws(PictureFileError) {
    try picture.load(bytes: bytes.span.bytes)
    readAll(picture)
    for page in 0..<min(picture.pageCount, pageCountMax) {
      try picture.load(page: page, over: .black)
      readAll(picture)
    }
  } catch {
    precondition(!error.description.isEmpty)
    precondition(picture.width == 0 && picture.withLuma { _ in true } == nil)
  }
  return 0
}

/// Every pixel must be readable; a sanitizer reports any that is not.
private func readAll(_ picture: borrowing Picture) {
  guard picture.width * picture.height <= pixelCountMax else { return }
  let sum = picture.withLuma { view in
    var sum = 0
    for y in 0..<view.height { for x in 0..<view.width { sum &+= Int(view[x, y]) } }
    return sum
  }
  precondition(sum != nil)
}
