// The pictures of scans on the status server.

#if Console
  import DeliveryModel
  import HTTPServer
#endif

/// The picture of a scan, as its keeper finds it.
public enum ScanPicture: Equatable, Sendable {
  case file(bytes: [UInt8], mediaType: String)
  /// The reason why the picture is missing, in words.
  case none(String)

  /// Where pictures are served.
  static let folder = "/scans/"
}

#if Console
  extension StatusServer {
    /// Media types by the ending of a path.
    private static let mediaTypes = ["webp": "image/webp", "jpg": "image/jpeg"]

    /// Answers a request such as `/scans/0198c2b6-….webp`.
    static func picture(_ path: String, _ sights: ConsoleSights) async -> HTTPResponse {
      let parts = path.dropFirst(ScanPicture.folder.count).split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let id = ScanID(String(parts[0])), let wanted = mediaTypes[String(parts[1])] else {
        return HTTPResponse(404, text: "ask for the id of a scan with .webp or .jpg\n")
      }
      guard let picture = sights.picture else {
        return HTTPResponse(404, text: "the station keeps no pictures; see pictures.of\n")
      }
      switch await picture(id) {
      case .none(let reason): return HTTPResponse(404, text: "there is no picture of this scan: \(reason)\n")
      case .file(let bytes, let mediaType):
        guard mediaType == wanted else {
          let ending = mediaTypes.first { $0.value == mediaType }?.key ?? ""
          return HTTPResponse(404, text: "the picture of this scan has the ending .\(ending)\n")
        }
        return HTTPResponse(200, type: mediaType, bytes: bytes)
      }
    }
  }
#endif
