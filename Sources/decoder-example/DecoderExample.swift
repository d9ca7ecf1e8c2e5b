// The decoder alone, without cameras, events or threads: `decoder-example PICTURE` prints what stands in a picture, one line per
// code.

import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import PictureFiles

@main
struct DecoderExample {
  static func main() throws {
    var picture = Picture()
    try picture.load(path: CommandLine.arguments[1])
    var workspace = Workspace(pixelCountMax: picture.width * picture.height)
    picture.withLuma { luma in _ = Decoder.decode(luma, settings: DecoderSettings(), workspace: &workspace) }
    for index in 0..<workspace.symbolCount {
      let symbology = workspace.symbol(index).symbology
      let message = MessageText(
        payload: workspace.payload(index), segments: workspace.segments(index), unspecified: UnspecifiedBytes(of: symbology))
      print(symbology.name, message.text)
    }
  }
}
