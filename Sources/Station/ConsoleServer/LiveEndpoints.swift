// The camera's view and the station's news, as streams.

#if Console

  import DeliveryModel
  import HTTPServer
  import StationConsole

  extension Console {
    static func viewing(_ live: LiveView, _ sights: ConsoleSights) -> [Endpoint] {
      let news = NewsDesk(sights)
      return [
        .get(
          "/api/live", .look,
          "The camera's view, ten JPEG pictures per second at most, each with its facts in a header field.",
          .type("multipart/x-mixed-replace"), others: [503: "The camera gives no frames, or too many look."]
        ) { _, visitor in await stream(live, visitor) },
        .get(
          "/snapshot.jpg", .look, "The camera's present view with its outlines.", .type("image/jpeg"),
          others: [503: "The camera gives no frames."]
        ) { _, _ in
          guard let picture = await live.drawnPicture() else {
            return HTTPResponse(503, text: "the camera gives no frames; see /readyz\n")
          }
          return HTTPResponse(200, type: "image/jpeg", bytes: picture.file)
        },
        .get(
          "/api/events", .look, "Server-sent events: each scan when anything becomes of it, and the station's state.",
          .type("text/event-stream"), others: [503: "Too many listen."]
        ) { _, visitor in
          guard let stream = news.listen(while: visitor.isAdmitted) else {
            return HTTPResponse(503, text: "too many listen; close a page\n")
          }
          return HTTPResponse(200, fields: ["Content-Type": "text/event-stream"], body: .stream(stream))
        },
      ]
    }

    /// The text between pictures. Browsers and clients of cameras know it.
    private static let boundary = "reticle"

    /// How long a viewer waits for the first picture.
    private static let firstPictureLimit = Duration.seconds(2)

    private static func stream(_ live: LiveView, _ visitor: Visitor) async -> HTTPResponse {
      guard let pictures = live.pictures() else { return HTTPResponse(503, text: "too many look; close a page\n") }
      let (stream, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingNewest(1))
      // A camera without frames is an error before the stream begins, which a page can tell.
      let (first, came) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let passing = Task {
        for await picture in pictures {
          guard visitor.isAdmitted() else { break }
          continuation.yield(part(picture))
          came.yield()
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in passing.cancel() }
      let deadline = Task {
        try? await Task.sleep(for: firstPictureLimit)
        came.finish()
      }
      defer { deadline.cancel() }
      for await _ in first {
        return HTTPResponse(
          200, fields: ["Content-Type": "multipart/x-mixed-replace; boundary=\(boundary)"], body: .stream(stream))
      }
      passing.cancel()
      return HTTPResponse(503, text: "the camera gives no frames; see /readyz\n")
    }

    private static func part(_ picture: LivePicture) -> [UInt8] {
      let head =
        "--\(boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: \(picture.file.count)\r\n"
        + "X-Reticle-Picture: \(picture.facts)\r\n\r\n"
      return Array(head.utf8) + picture.file + Array("\r\n".utf8)
    }
  }

#endif
