// The outbox and the list of its sinks.

import BarcodeMessage
import DeliveryModel
public import HostText
public import Sinks

/// A kind of sink: its word in the configuration, its keys, and the function that reads them.
///
/// A new kind is a file like `SerialKeys.swift`, with a row in `all`; its behaviour, and everything that the station, its
/// checks and the doctor know about it, is in its settings (`SinkSettings`).
struct SinkKind: Sendable {
  let word: String
  /// An example item of the list, without its `- `.
  let example: String
  let keys: [ConfigurationKey]
  /// Reads the keys below a section such as `sinks.0.webhook`; nil if reported errors leave no sink.
  let read: @Sendable (_ section: String, _ reading: inout ConfigurationReading) -> (any SinkSettings)?

  init(
    word: String, example: String, keys: [ConfigurationKey],
    read: @escaping @Sendable (_ section: String, _ reading: inout ConfigurationReading) -> (any SinkSettings)?
  ) {
    self.word = word
    self.example = example
    self.keys = keys
    self.read = read
  }

  static let standardOutput = SinkKind(word: "stdout", example: "stdout", keys: [.standardOutput]) { section, reading in
    reading.takeOver(section)
    return StandardOutputSettings()
  }

  /// Every kind, in reference order.
  static let all = [webhook, serial, tcp, keyboard, hidPOS, mqtt, standardOutput]

  /// Whether the word alone forms an item.
  var isWordAlone: Bool { example == word }

  static var examples: String { all.map { "- \($0.example)" }.joined(separator: ", or ") }
}

extension SinkSettings {
  /// The settings that affect its text.
  public var hostSink: HostSink {
    guard let framing = textFraming else { return HostSink(name: name) }
    return HostSink(
      name: name, controlCharacters: framing.controlCharacters, sendsAIMIdentifier: framing.sendsAIMIdentifier,
      takesRecords: false)
  }
}

/// Reads the list `sinks`.
enum SinkReading {
  /// The most sinks of a station.
  static let sinkCountMax = 16

  /// The sinks in order; only standard output if the list is missing.
  static func read(_ reading: inout ConfigurationReading, station: String) -> [any SinkSettings] {
    let list = ConfigurationReading.sinksName
    guard reading.file.sections[list] != nil || reading.file.entries[list] != nil else {
      return [StandardOutputSettings()]
    }
    let places = reading.places(in: list)
    guard !places.isEmpty, places.count <= sinkCountMax else {
      reading.takeOver(list)
      reading.report(
        "\(list) must be a list of 1 to \(sinkCountMax) sinks, such as \(SinkKind.examples)", at: reading.place(of: list))
      return []
    }
    var sinks: [any SinkSettings] = []
    for place in places {
      guard var sink = sink(place, &reading) else { continue }
      sink.belong(to: station)
      if sinks.contains(where: { $0.name == sink.name }) {
        reading.report(
          "\(place) is called \(sink.name) like another sink; give it a name of its own, such as name: \(sink.name)-2",
          at: reading.place(of: place))
      }
      sinks.append(sink)
    }
    return sinks
  }

  private static func sink(_ item: String, _ reading: inout ConfigurationReading) -> (any SinkSettings)? {
    if case .scalar(let word) = reading.file.entries[item]?.value,
      let kind = SinkKind.all.first(where: { $0.word == word && $0.isWordAlone })
    {
      return kind.read(item, &reading)
    }
    let kinds = SinkKind.all.filter { reading.isThere("\(item).\($0.word)") }
    guard kinds.count == 1, let kind = kinds.first else {
      reading.takeOver(item)
      reading.report("\(item) must be one sink: \(SinkKind.examples)", at: reading.place(of: item))
      return nil
    }
    let name = name.read(&reading, at: "\(item).name") ?? kind.word
    let rejectionCountMax = deadLetterAfter.read(&reading, at: "\(item).dead_letter_after")
    guard var settings = kind.read("\(item).\(kind.word)", &reading) else { return nil }
    settings.name = name
    settings.retry.rejectionCountMax = rejectionCountMax
    return settings
  }
}
