// The sinks: their state, their backlog and their dead letters; a test scan; requests of an operator.

import Station

#if Console

  import DeliveryModel
  import HTTPServer
  import Outbox
  import Sinks
  import StationConfiguration

  extension Console {
    private struct SinkList: Encodable, Sendable {
      struct Sink: Encodable, Sendable {
        var report: DeliveryReport.Sink
        var kind: String
        /// The receiver, without secrets.
        var target: String
        var undeliveredCount: Int
        var deadCount: Int

        private enum Key: CodingKey { case kind, target, undeliveredCount, deadCount }

        func encode(to encoder: any Encoder) throws {
          try report.encode(to: encoder)
          var container = encoder.container(keyedBy: Key.self)
          try container.encode(kind, forKey: .kind)
          try container.encode(target, forKey: .target)
          try container.encode(undeliveredCount, forKey: .undeliveredCount)
          try container.encode(deadCount, forKey: .deadCount)
        }
      }

      var outbox: OutboxStatus
      var sinks: [Sink]
      var removedSinks: [OutboxStatus.RemovedSink]
    }

    private struct Letter: Encodable, Sendable {
      var sink: String
      var number: Int64
      var reason: String
      var tryCount: Int
      var failedAt: String
      var scan: ScanRecord?
    }

    private struct LetterList: Encodable, Sendable { var letters: [Letter] }

    /// One dead letter, or all of a sink's.
    private struct LetterChoice: Decodable, Sendable { var number: Int64? }

    private struct Outcome: Encodable, Sendable { var done: String }

    private struct TestReport: Encodable, Sendable { var id: String }

    static func sinks(_ sights: ConsoleSights) -> [Endpoint] {
      [
        .get("/api/sinks", .look, "The outbox, and the state of each sink.", .json("SinkList")) { _, _ in
          .json(await list(sights))
        },
        .post(
          "/api/sinks/{name}/test", .operate, "Sends a test scan, with the flag test, to this sink alone, on the usual way.",
          status: 202, .json("TestReport"), others: [404: "There is no such sink.", 507: "The outbox refuses scans."]
        ) { request, _ in await test(request.parameters["name"] ?? "", sights) },
        request("/api/sinks/{name}/retry", .operate, "Makes a sink try at once.", .retry, sights),
        .get("/api/dead-letters", .look, "The scans that receivers permanently refused.", .json("LetterList")) { _, _ in
          .json(LetterList(letters: await letters(sights)))
        },
        letterRequest("retry", .operate, "Sends one dead letter of a sink, or all, again.", .retryDead, sights),
        letterRequest("purge", .configure, "Gives up one dead letter of a sink, or all.", .purgeDead, sights),
      ]
    }

    private static func list(_ sights: ConsoleSights) async -> SinkList {
      let report = await sights.report()
      let letters = await sights.delivery.outbox.deadLetters()
      var sinks: [SinkList.Sink] = []
      for (settings, state) in zip(sights.configuration.sinks, report.sinks) {
        sinks.append(
          SinkList.Sink(
            report: state, kind: settings.kindWord, target: settings.shownTarget,
            undeliveredCount: await sights.delivery.outbox.undeliveredCount(for: state.name),
            deadCount: letters.count { $0.letter.sink == state.name }))
      }
      return SinkList(outbox: report.outbox, sinks: sinks, removedSinks: report.outbox.removedSinks)
    }

    private static func letters(_ sights: ConsoleSights) async -> [Letter] {
      await sights.delivery.outbox.deadLetters().map { letter, scan in
        Letter(
          sink: letter.sink, number: letter.number, reason: letter.problem, tryCount: letter.tryCount,
          failedAt: Timestamp.text(unixMilliseconds: letter.unixMilliseconds), scan: scan)
      }
    }

    /// The text of a test scan: a receiver that knows no flags recognises it.
    static let testText = "RETICLE TEST"

    private static func test(_ name: String, _ sights: ConsoleSights) async -> HTTPResponse {
      guard sights.configuration.sinks.contains(where: { $0.name == name }) else { return noSink(name) }
      let record = sights.delivery.forwarding.testRecord(text: testText, sink: name)
      guard case .success = await sights.delivery.outbox.append([record])[0] else {
        return HTTPResponse(507, text: "the outbox refuses scans; see its trouble\n")
      }
      return .json(TestReport(id: "\(record.id)"), status: 202)
    }

    private static func noSink(_ name: String) -> HTTPResponse {
      HTTPResponse(404, text: "there is no sink of this name; /api/sinks lists them\n")
    }

    private static func request(
      _ path: String, _ role: ConsoleRole, _ summary: String, _ kind: OutboxRequest.Kind, _ sights: ConsoleSights
    ) -> Endpoint {
      .post(path, role, summary, status: 200, .json("Outcome"), others: [404: "There is no such sink."]) { request, _ in
        await perform(kind, request, number: nil, sights)
      }
    }

    private static func letterRequest(
      _ word: String, _ role: ConsoleRole, _ summary: String, _ kind: OutboxRequest.Kind, _ sights: ConsoleSights
    ) -> Endpoint {
      .post(
        "/api/sinks/{name}/dead-letters/\(word)", role, summary, body: ("LetterChoice", LetterChoice.self), .json("Outcome"),
        others: [404: "There is no such sink."]
      ) { choice, request, _ in await perform(kind, request, number: choice.number, sights) }
    }

    private static func perform(
      _ kind: OutboxRequest.Kind, _ request: HTTPRequest, number: Int64?, _ sights: ConsoleSights
    ) async -> HTTPResponse {
      let name = request.parameters["name"] ?? ""
      guard sights.configuration.sinks.contains(where: { $0.name == name }) else { return noSink(name) }
      let done = await sights.delivery.outbox.perform(OutboxRequest(kind, sink: name, sequence: number))
      return .json(Outcome(done: done))
    }
  }

  extension SinkSettings {
    /// The first word of the target is the kind.
    fileprivate var kindWord: String { target.split(separator: " ").first.map(String.init) ?? "" }

    fileprivate var shownTarget: String { peer?.shown ?? serialDevice ?? inputDevice ?? kindWord }
  }

#endif
