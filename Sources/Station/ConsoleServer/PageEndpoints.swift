// The page's files, which are part of the program, and the first start.

#if Console

  import DeliveryModel
  import HTTPServer
  import Station

  /// The beginnings of a first start.
  public struct FirstStart: Encodable, Sendable {
    public struct Camera: Encodable, Sendable {
      public var id: String
      public var model: String

      public init(id: String, model: String) { (self.id, self.model) = (id, model) }
    }

    public var cameras: [Camera]
    public var serialDevices: [String]
    public var board: String
    public var stationName: String
    /// The configuration to begin with.
    public var firstText: String
    /// The token that logs in afterwards; shown once, to be written down.
    public var token: String

    public init(
      cameras: [Camera], serialDevices: [String], board: String, stationName: String, firstText: String, token: String
    ) {
      (self.cameras, self.serialDevices, self.board) = (cameras, serialDevices, board)
      (self.stationName, self.firstText, self.token) = (stationName, firstText, token)
    }
  }

  /// A file of the page.
  enum PageFile {
    /// By name, with the media type.
    static let all: [String: (type: String, bytes: [UInt8])] = [
      "index.html": ("text/html; charset=utf-8", PackageResources.index_html),
      "console.css": ("text/css; charset=utf-8", PackageResources.console_css),
      "icon.svg": ("image/svg+xml", PackageResources.icon_svg),
      "api.js": (script, PackageResources.api_js),
      "app.js": (script, PackageResources.app_js),
      "configuration.js": (script, PackageResources.configuration_js),
      "health.js": (script, PackageResources.health_js),
      "live.js": (script, PackageResources.live_js),
      "scans.js": (script, PackageResources.scans_js),
      "setup.js": (script, PackageResources.setup_js),
      "sinks.js": (script, PackageResources.sinks_js),
      "words.js": (script, PackageResources.words_js),
    ]

    private static let script = "text/javascript; charset=utf-8"

    /// The schemas of the API, as JSON.
    static var schemas: String { String(decoding: PackageResources.schemas_json, as: UTF8.self) }
  }

  extension Console {
    static func page() -> [Endpoint] {
      [
        .get("/", nil, "The page.", .type("text/html")) { _, _ in file("index.html") },
        .get("/page/{file}", nil, "A file of the page.", .type("text/css")) { request, _ in
          file(request.parameters["file"] ?? "")
        },
        .get("/card.svg", nil, "A test card to print.", .type("image/svg+xml")) { _, _ in
          HTTPResponse(200, type: "image/svg+xml", text: TestCard.svg)
        },
      ]
    }

    static func firstStart(_ sights: ConsoleSights) -> [Endpoint] {
      guard let firstStart = sights.firstStart else { return [] }
      return [
        .get("/api/setup", .configure, "What a first start begins with.", .json("FirstStart")) { _, _ in
          .json(await firstStart())
        }
      ]
    }

    private static func file(_ name: String) -> HTTPResponse {
      guard let file = PageFile.all[name] else { return HTTPResponse(404, text: "there is no such page\n") }
      var response = HTTPResponse(200, type: file.type, bytes: file.bytes)
      // The program's next version has other files under the same names.
      response.fields["Cache-Control"] = "no-cache"
      return response
    }
  }

#endif
