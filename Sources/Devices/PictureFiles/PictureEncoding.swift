// Writes luma as picture files. The formats are those of photographs: small, and opened by every browser.

public import BarcodeTypes
import CPicture

/// A format in which pictures are written.
public enum WrittenFormat: String, Sendable, CaseIterable {
  case webp, jpeg

  /// The ending of a file's name, without the dot.
  public var fileEnding: String {
    switch self {
    case .webp: "webp"
    case .jpeg: "jpg"
    }
  }

  /// The media type (RFC 9649, RFC 2046).
  public var mediaType: String { "image/\(rawValue)" }
}

/// Encodes pictures in memory.
public enum PictureEncoding {
  /// Encodes luma as a grey picture. Blocks for milliseconds per million pixels; may be called on any thread.
  ///
  /// - Parameters:
  ///   - luma: sides of 1…16383 pixels for WebP, 1…65535 for JPEG.
  ///   - quality: 1…100, as cjpeg(1) and cwebp(1) count it.
  /// - Returns: the file's bytes; nil if there is no memory, or a side is too long.
  public static func file(_ luma: LumaView, format: WrittenFormat, quality: Int) -> [UInt8]? {
    let write = format == .webp ? cpicture_webp_write : cpicture_jpeg_write
    return collectFile { sink, file, detail in
      write(luma.row(0), UInt32(luma.width), UInt32(luma.height), luma.bytesPerRow, Int32(quality), sink, file, detail)
    }
  }
}

/// Collects the bytes that a writer of `CPicture` hands to a function, with a context for it; nil if the writer fails.
func collectFile(
  _ write: (cpicture_sink, UnsafeMutableRawPointer, UnsafeMutablePointer<cpicture_detail>) -> Int32
) -> [UInt8]? {
  var file: [UInt8] = []
  var detail = cpicture_detail()
  let code = withUnsafeMutablePointer(to: &file) { file in
    write(
      { context, bytes, count in
        context?.assumingMemoryBound(to: [UInt8].self).pointee.append(
          contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        return 0
      }, file, &detail)
  }
  return code == 0 ? file : nil
}
