// `reticle rules`: tries a configuration's choices and rules with a typed label.

import ArgumentParser
import BarcodeMessage
import BarcodeTypes
import DeliveryModel
import HostText
import Station
import StationConfiguration

struct RulesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Try the rules of a configuration.", subcommands: [Test.self])

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test", abstract: "Show what each rule makes of a label, and what each sink sends.",
      discussion: """
        One line per rule: whether it matched, or why not, and the text behind it. Then one line per sink, and what sets and compare \
        make of the label. Control characters are written as \\x1d. Element strings of a GS1 symbol begin with ^, which stands for \
        FNC1, or are written with identifiers in parentheses.

        Exit status: 0, 64 for wrong usage, 66 if there is no configuration, 78 if it is wrong.

        Examples:
          reticle rules test --config till.yaml --symbology ean13 --data 4006381333931
          reticle rules test --symbology datamatrix --data '(01)09501101530003(10)AB-123(17)261130'
          reticle rules test --symbology ean13 --data 4006381333931 --symbology code128 --data SN00004711
        """)

    @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"])) var config: String?

    @Option(
      parsing: .singleValue,
      help: ArgumentHelp(
        "The text of a label; several are scanned in this order, within the time of a set.", valueName: "text"))
    var data: [String]

    @Option(
      parsing: .singleValue, help: ArgumentHelp("Its symbology: one for all labels, or one for each.", valueName: "name"))
    var symbology: [String]

    @Option(help: ArgumentHelp("The AIM symbology identifier, if it is not the usual one.", valueName: "identifier"))
    var aim: String?

    @Option(help: ArgumentHelp("The time of day of the scan instead of now, such as 22:30.", valueName: "time"))
    var at: String?

    func validate() throws {
      for symbology in symbology where Symbology(name: symbology) == nil {
        throw ValidationError(SymbologyListError.unknown(symbology).message)
      }
      guard symbology.count == 1 || symbology.count == data.count else {
        throw ValidationError(
          "there are \(data.count) labels and \(symbology.count) symbologies; write --symbology once, or once for each --data"
        )
      }
      if let at, RuleTrial.minute(of: at) == nil {
        throw ValidationError("'\(TerminalText.safe(at))' is no time of day; write such as 22:30")
      }
      if let aim, !aim.hasPrefix("]") || aim.utf8.count != 3 {
        throw ValidationError("'\(TerminalText.safe(aim))' is no AIM identifier; write such as ]d2")
      }
    }

    func run() async throws {
      let station: StationConfiguration
      do throws(ConfigurationError) {
        station = try await StationConfiguration.load(
          path: ConfigurationLoading.file(config), environment: environmentVariables())
      } catch {
        StandardOutput.writeError("reticle: \(error)\n")
        throw ExitCode(78)
      }
      var moment = LocalTime.moment(unixMilliseconds: CaptureTime.now().unixMilliseconds)
      if let minute = at.flatMap({ RuleTrial.minute(of: $0) }) { moment.minuteOfDay = minute }
      var trial = RuleTrial(station, at: moment)
      for (index, text) in data.enumerated() {
        let name = symbology[symbology.count == 1 ? 0 : index]
        trial.scan(RuleTrial.content(text, Symbology(name: name) ?? .qr, aim: aim, year: moment.year))
      }
      trial.end()
      try StandardOutput.write(trial.text)
    }
  }
}
