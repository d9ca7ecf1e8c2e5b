// Hostile picture files. Use real files of each format as the corpus: the libraries reject nearly everything else.

import BarcodeTypes
import PictureFiles

/// Larger pictures are skipped: they are slow and reach no new code.
private let pixelCountMax = 1 << 20

/// The fuzzer's entry: the bytes are a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPicture(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var picture = Picture()
  let bytes = UnsafeBufferPointer(start: data, count: count)
  do throws(PictureFileError) {
    try picture.load(bytes: bytes.span.bytes)
  } catch {
    precondition(!error.description.isEmpty)
    precondition(picture.width == 0 && picture.withLuma { _ in true } == nil)
    return 0
  }
  // Every pixel must be readable; a sanitizer reports any that is not.
  guard picture.width * picture.height <= pixelCountMax else { return 0 }
  let sum = picture.withLuma { view in
    var sum = 0
    for y in 0..<view.height { for x in 0..<view.width { sum &+= Int(view[x, y]) } }
    return sum
  }
  precondition(sum != nil)
  return 0
}
