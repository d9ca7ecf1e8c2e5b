// The configuration: every key with its meaning and its value, changes, the trial of a new text, and former texts.

#if Console

  import BarcodeMessage
  import DeliveryModel
  import HTTPServer
  import Station
  import StationConfiguration

  extension Console {
    private struct Problem: Encodable, Sendable {
      var line: Int?
      var message: String

      init(_ problem: ConfigurationProblem) {
        if case .line(let number) = problem.place { line = number }
        message = line == nil ? problem.description : problem.message
      }
    }

    private struct Problems: Encodable, Sendable {
      /// Without one the text is right.
      var error: String?
      var problems: [Problem]
    }

    private struct Value: Encodable, Sendable {
      var name: String
      /// The key that the name means.
      var key: String
      var value: String
      var origin: String
    }

    private struct Report: Encodable, Sendable {
      var file: String
      var text: String
      var revision: String
      /// Why the file cannot be changed here, with the remedy.
      var readOnly: String?
      var keys: [KeyReport]
      var values: [Value]
    }

    private struct TextBody: Decodable, Sendable { var text: String }
    private struct EditBody: Decodable, Sendable {
      var text: String
      var changes: [ConfigurationChange]
    }
    private struct NewText: Decodable, Sendable {
      var text: String
      var revision: String
    }
    private struct Edited: Encodable, Sendable {
      var text: String
      var problems: [Problem]
    }
    private struct Revision: Encodable, Sendable {
      var id: String
      var savedAt: String
      var isCurrent: Bool
    }
    private struct RevisionList: Encodable, Sendable { var revisions: [Revision] }
    private struct RevisionText: Encodable, Sendable { var text: String }

    /// The most characters of a text.
    static let textCountMax = 256 << 10

    static func configuration(_ sights: ConsoleSights) -> [Endpoint] {
      guard let desk = sights.desk else { return [] }
      let unreadable = [
        422: "The file may hold secrets that cannot be hidden, so it is not shown.", 507: "The file cannot be read.",
      ]
      return [
        .get(
          "/api/configuration", .configure, "The file, every key, and every value.", .json("Configuration"),
          others: unreadable
        ) { _, _ in
          do throws(ConfigurationRefusal) { return try await report(desk) } catch { return refused(error) }
        },
        .get(
          "/api/configuration/file", .configure, "The file, without secrets.", .type("application/yaml"), others: unreadable
        ) { _, _ in
          do throws(ConfigurationRefusal) {
            var response = HTTPResponse(200, type: "application/yaml", text: try await desk.present().text)
            response.fields["Content-Disposition"] = "attachment; filename=\"reticle.yaml\""
            return response
          } catch {
            return refused(error)
          }
        },
        .post(
          "/api/configuration/check", .configure, "The errors in a text.", body: ("Text", TextBody.self), .json("Problems"),
          others: [413: tooLongMeaning]
        ) { body, _, _ in
          guard body.text.utf8.count <= textCountMax else { return tooLong }
          return .json(Problems(problems: await desk.check(body.text).map(Problem.init)))
        },
        .post(
          "/api/configuration/edit", .configure, "A text with changes of keys; comments stay. Nothing is saved.",
          body: ("Edit", EditBody.self), .json("Edited"),
          others: [413: tooLongMeaning, 422: "A key cannot be changed alone."]
        ) { body, _, _ in await edit(body, desk) },
        .post(
          "/api/configuration", .configure, "Puts a text on trial: the station starts over with it.",
          body: ("NewText", NewText.self), status: 202, .json("Trial"),
          others: [
            409: "Somebody else has changed the file, or a trial is running.", 413: tooLongMeaning,
            422: "The text has errors.",
            507: "The file cannot be written.",
          ], method: "PUT"
        ) { body, _, _ in await begin(body, desk) },
        .get(
          "/api/configuration/trial", .configure,
          "The state of the last trial. To ask is the proof that the station can still be reached.", .json("Trial")
        ) { _, _ in .json(await desk.state(isOperator: true)) },
        .post("/api/configuration/undo", .configure, "Ends a running trial: the former text comes back.") { _, _ in
          await desk.undo()
          return HTTPResponse(204)
        },
        .get("/api/configuration/history", .configure, "The former texts, newest first.", .json("RevisionList")) { _, _ in
          let current = try? await desk.present().revision
          let revisions = await desk.revisions.map {
            Revision(
              id: $0.id, savedAt: Timestamp.text(unixMilliseconds: $0.unixMilliseconds), isCurrent: $0.id == current)
          }
          return .json(RevisionList(revisions: revisions))
        },
        .get(
          "/api/configuration/history/{id}", .configure, "A former text, without secrets.", .json("RevisionText"),
          others: [404: "It is not kept.", 422: "It may hold secrets that cannot be hidden."]
        ) { request, _ in
          do throws(ConfigurationRefusal) {
            guard let text = try await desk.text(of: request.parameters["id"] ?? "") else {
              return HTTPResponse(404, text: "this text is not kept; /api/configuration/history lists those that are\n")
            }
            return .json(RevisionText(text: text))
          } catch {
            return refused(error)
          }
        },
      ]
    }

    private static let keyReports = ConfigurationKey.all.map(KeyReport.init)

    private static let tooLongMeaning = "The text is too long."

    private static var tooLong: HTTPResponse {
      HTTPResponse(413, text: "the text is longer than \(textCountMax) bytes\n")
    }

    private static func report(_ desk: ConfigurationDesk) async throws(ConfigurationRefusal) -> HTTPResponse {
      let present = try await desk.present()
      // A file with errors has no values, and can be corrected as a text.
      let values = (try? await desk.loaded().values) ?? []
      return .json(
        Report(
          file: present.path, text: present.text, revision: present.revision, readOnly: await desk.obstacle,
          keys: keyReports,
          values: values.map {
            Value(
              name: $0.name, key: ConfigurationKey.named($0.name).first?.name ?? $0.name, value: $0.shownValue,
              origin: $0.origin)
          }))
    }

    private static func edit(_ body: EditBody, _ desk: ConfigurationDesk) async -> HTTPResponse {
      guard body.text.utf8.count <= textCountMax else { return tooLong }
      guard body.changes.count <= ConfigurationChange.countMax else {
        return HTTPResponse(422, text: "make at most \(ConfigurationChange.countMax) changes at once\n")
      }
      do throws(ConfigurationEditFault) {
        let text = try ConfigurationChange.apply(body.changes, to: body.text)
        return .json(Edited(text: text, problems: await desk.check(text).map(Problem.init)))
      } catch {
        return HTTPResponse(422, text: TerminalText.safe(error.description) + "\n")
      }
    }

    private static func begin(_ body: NewText, _ desk: ConfigurationDesk) async -> HTTPResponse {
      guard body.text.utf8.count <= textCountMax else { return tooLong }
      do throws(ConfigurationRefusal) {
        try await desk.begin(body.text, revision: body.revision)
        return .json(await desk.state(isOperator: false), status: 202)
      } catch {
        return refused(error)
      }
    }

    private static func refused(_ refusal: ConfigurationRefusal) -> HTTPResponse {
      switch refusal {
      case .changed: HTTPResponse(409, text: "somebody else has changed the file; load it again\n")
      case .busy: HTTPResponse(409, text: "another configuration is on trial; wait until it is kept or taken back\n")
      case .wrong(let wrong):
        .json(Problems(error: "the text has errors", problems: wrong.problems.map(Problem.init)), status: 422)
      case .unclear(let reason): HTTPResponse(422, text: TerminalText.safe(reason) + "\n")
      case .storage(let reason): HTTPResponse(507, text: TerminalText.safe(reason) + "\n")
      }
    }
  }

  /// A key as a form shows it.
  struct KeyReport: Encodable, Sendable {
    var name: String
    var section: String
    var summary: String
    /// The requirement on the value, in words.
    var values: String
    var kind: String
    var choices: [String]?
    var minimum: Double?
    var maximum: Double?
    var `default`: String
    var isCommon: Bool
    var isSecret: Bool

    init(_ key: ConfigurationKey) {
      name = key.name
      section = key.name.lastIndex(of: ".").map { String(key.name[..<$0]) } ?? key.name
      summary = key.summary
      values = key.kind.expectation
      (`default`, isCommon, isSecret) = (key.fallback, key.isCommon, key.isSecret)
      switch key.kind {
      case .flag: kind = "flag"
      case .integer(let range):
        (kind, minimum, maximum) = ("integer", Double(range.lowerBound), Double(range.upperBound))
      case .decimal(let range): (kind, minimum, maximum) = ("decimal", range.lowerBound, range.upperBound)
      case .duration, .durationOr: kind = "duration"
      case .choice(let words): (kind, choices) = ("choice", words)
      case .choices(let words), .symbologies(let words): (kind, choices) = ("choices", words)
      case .texts, .paths: kind = "texts"
      case .text, .path: kind = "text"
      default: kind = "other"
      }
    }
  }

#endif
