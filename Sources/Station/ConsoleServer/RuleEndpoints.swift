// A trial of the rules with labels that somebody types or has scanned.

import HostText
import Sinks

#if Console

  import BarcodeMessage
  import BarcodeTypes
  import DeliveryModel
  import HTTPServer
  import Station
  import StationConfiguration

  extension Console {
    private struct RuleList: Encodable, Sendable {
      var symbologies: [String]
      var rules: [String]
      var sinks: [String]
    }

    private struct TrialBody: Decodable, Sendable {
      struct Label: Decodable, Sendable {
        var symbology: String
        var text: String
      }

      var labels: [Label]
      /// The time of day instead of now, such as 22:30.
      var at: String?
      /// A configuration to try instead of the running one.
      var text: String?
    }

    private struct TrialReport: Encodable, Sendable { var lines: [RuleTrial.Line] }

    /// The most labels of a trial, and characters of each.
    static let labelCountMax = 50
    static let labelLengthMax = 8192

    static func rules(_ sights: ConsoleSights) -> [Endpoint] {
      [
        .get("/api/rules", .look, "The names of symbologies, rules and sinks.", .json("RuleList")) { _, _ in
          .json(
            RuleList(
              symbologies: Symbology.allCases.map { "\($0.name)" }, rules: sights.configuration.host.rules.map(\.name),
              sinks: sights.configuration.sinks.map(\.name)))
        },
        .post(
          "/api/rules/test", .configure, "Shows what each rule makes of labels, and what each sink would send.",
          body: ("RuleTrial", TrialBody.self), .json("RuleTrialReport"),
          others: [422: "A label, the time or the text is wrong."]
        ) { body, _, _ in await test(body, sights) },
      ]
    }

    private static func test(_ body: TrialBody, _ sights: ConsoleSights) async -> HTTPResponse {
      guard (1...labelCountMax).contains(body.labels.count), body.labels.allSatisfy({ $0.text.utf8.count <= labelLengthMax })
      else {
        return HTTPResponse(422, text: "try 1 to \(labelCountMax) labels of at most \(labelLengthMax) bytes\n")
      }
      var configuration = sights.configuration
      if let text = body.text {
        guard let desk = sights.desk, let loaded = try? await desk.loaded(text) else {
          return HTTPResponse(422, text: "the text has errors; check it first\n")
        }
        configuration = loaded.configuration
      }
      var moment = LocalTime.moment(unixMilliseconds: CaptureTime.now().unixMilliseconds)
      if let at = body.at, !at.isEmpty {
        guard let minute = RuleTrial.minute(of: at) else {
          return HTTPResponse(422, text: "write a time of day such as 22:30\n")
        }
        moment.minuteOfDay = minute
      }
      var trial = RuleTrial(configuration, at: moment)
      for label in body.labels {
        guard let symbology = Symbology(name: label.symbology) else {
          return HTTPResponse(422, text: "there is no such symbology; /api/rules lists them\n")
        }
        trial.scan(RuleTrial.content(label.text, symbology, aim: nil, year: moment.year))
      }
      trial.end()
      return .json(TrialReport(lines: trial.lines))
    }
  }

#endif
