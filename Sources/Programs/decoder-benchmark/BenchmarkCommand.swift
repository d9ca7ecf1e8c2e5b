// `decoder-benchmark`: measures the decoder stage by stage on given pictures.
//
// Each picture is decoded once to warm up and then `--repeat` times. The report has the least and the median time, as noise
// only adds. Work units and allocations are the same in every repeat; otherwise the benchmark reports that they differ.

import ArgumentParser
import BarcodeDecoder
import BarcodeMessage
import BarcodeTypes
import Glibc
import PictureFiles

@main
struct BenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decoder-benchmark",
    abstract: "Measure the decoder on pictures.",
    discussion: """
      Time in nanoseconds by stage, allocations and work units, for each picture and in sum. Pictures are read before the \
      clock starts. Build with -c release.
      """)

  enum EffortChoice: String, ExpressibleByArgument, CaseIterable { case frame, still }

  @Option(help: "How much work a picture may cost.")
  var effort = EffortChoice.frame

  @Option(help: ArgumentHelp("How often each picture is measured.", valueName: "count"))
  var `repeat` = 9

  @Option(help: ArgumentHelp("Symbologies to look for, separated by commas. (default: all)", valueName: "a,b"))
  var symbologies: String?

  @Flag(help: "Print a JSON object instead of a table.")
  var json = false

  @Flag(help: "Decode each picture once, and print its candidates and how far each came as a JSON object on one line.")
  var trials = false

  @Argument(help: ArgumentHelp("Picture files or folders of them, or - for names from standard input.", valueName: "path"))
  var paths: [String]

  static let repeatMax = 100_000

  func validate() throws {
    guard (1...BenchmarkCommand.repeatMax).contains(self.repeat) else {
      throw ValidationError("--repeat must be from 1 to \(BenchmarkCommand.repeatMax)")
    }
    _ = try settings()
  }

  func run() throws {
    let settings = try settings()
    var bench = DecoderBench(settings: settings, repeatCount: self.repeat)
    var report = BenchmarkReport()
    for path in pictures() {
      if trials { bench.tryOut(path, into: &report) } else { bench.measure(path, into: &report) }
    }
    if !trials { print(json ? report.json(effort: effort.rawValue, repeatCount: self.repeat) : report.table) }
    var errors = StandardError()
    for failure in report.failures { print("decoder-benchmark: \(failure)", to: &errors) }
    if report.rows.isEmpty, !trials { throw ExitCode(1) }
    if !report.failures.isEmpty { throw ExitCode(2) }
  }

  /// The files that the arguments select. A list that cannot be parsed is reported when it is read as a picture.
  private func pictures() -> [String] {
    var entries: [String] = []
    for path in paths where path != "-" { entries.append(path) }
    if paths.contains("-") { while let line = readLine() { entries.append(line) } }
    return entries.flatMap { entry in (try? PictureList.paths(of: [entry])) ?? [entry] }
  }

  private func settings() throws(ValidationError) -> DecoderSettings {
    var settings = DecoderSettings()
    settings.effort = effort == .still ? .still : .frame
    guard let symbologies else { return settings }
    do throws(SymbologyListError) {
      settings.symbologies = try SymbologySet(names: symbologies)
    } catch {
      throw ValidationError(error.message)
    }
    return settings
  }
}

private struct StandardError: TextOutputStream {
  func write(_ text: String) {
    var text = text
    text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
