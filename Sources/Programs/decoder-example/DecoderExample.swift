// The decoder alone, without cameras, events or threads: `decoder-example PICTURE` prints the contents of the codes in a
// picture, one line per code.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import PictureFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@main
struct DecoderExample {
  static func main() {
    guard CommandLine.arguments.count == 2 else { return end("usage: decoder-example PICTURE", status: 64) }
    do { try read(CommandLine.arguments[1]) } catch { end("\(error)", status: 2) }
  }

  static func read(_ path: String) throws {
    var picture = Picture()
    try picture.load(path: path)
    var workspace = Workspace(pixelCountMax: picture.width * picture.height)
    picture.withLuma { luma in _ = Decoder.decode(luma, settings: DecoderSettings(), workspace: &workspace) }
    for index in 0..<workspace.symbolCount {
      let symbology = workspace.symbol(index).symbology
      let message = MessageText(
        payload: workspace.payload(index), segments: workspace.segments(index), unspecified: UnspecifiedBytes(of: symbology))
      print(symbology.name, message.text)
    }
  }

  static func end(_ complaint: String, status: Int32) {
    _ = (complaint + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(status)
  }
}
