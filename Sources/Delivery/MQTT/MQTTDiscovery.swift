// The station as a device of Home Assistant: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery. What is announced is what
// the sink publishes and obeys: a sensor with the last scan, a button for the trigger, a light for the torch, a camera with
// the last picture.

import DeliveryModel
import FoundationEssentials
import Sinks

/// The payload of a discovery topic: the configuration of an entity.
struct MQTTEntity: Encodable, Equatable {
  struct Device: Encodable, Equatable {
    let identifiers: [String]
    let name: String
    let manufacturer = "Reticle"
    let model = "barcode scanning station"
  }

  struct Availability: Encodable, Equatable {
    let topic: String
    let valueTemplate = "{{ value_json.state }}"
  }

  let name: String
  let uniqueId: String
  let device: Device
  /// Nil without a topic of the state.
  let availability: [Availability]?
  /// Of a camera, whose messages are pictures.
  var topic: String?
  var stateTopic: String?
  var valueTemplate: String?
  var jsonAttributesTopic: String?
  var commandTopic: String?
  var payloadPress: String?
  var payloadOn: String?
  var payloadOff: String?
  var stateValueTemplate: String?
  var icon: String?
}

extension MQTTSettings {
  /// Retained messages that announce the station, and withdraw entities for commands that are not allowed; none without
  /// `discoveryPrefix`.
  var announcements: [MQTTMessage] {
    guard let prefix = discoveryPrefix else { return [] }
    return [
      announcement(prefix, "sensor", "scan", scanEntity), announcement(prefix, "button", "trigger", triggerEntity),
      announcement(prefix, "light", "torch", torchEntity), announcement(prefix, "camera", "picture", pictureEntity),
    ]
  }

  /// - Parameter entity: nil withdraws it.
  private func announcement(_ prefix: String, _ component: String, _ object: String, _ entity: MQTTEntity?) -> MQTTMessage {
    MQTTMessage(
      topic: "\(prefix)/\(component)/\(deviceID)/\(object)/config",
      payload: entity?.jsonLine(keys: .convertToSnakeCase) ?? [], isRetained: true,
      contentType: entity == nil ? nil : "application/json")
  }

  private var scanEntity: MQTTEntity {
    var values = stationValues
    values[.type] = "scan"
    var entity = entity("scan", "Last scan", icon: "mdi:barcode-scan")
    entity.stateTopic = topic.topic(values)
    let text = body == .json ? "value_json.text" : "value_json.data.text"
    // A state of Home Assistant has 255 characters at most; a no-read has no text.
    entity.valueTemplate = "{{ (\(text) | default(''))[:255] }}"
    entity.jsonAttributesTopic = body == .json ? entity.stateTopic : nil
    return entity
  }

  private var triggerEntity: MQTTEntity? {
    guard commands.contains(.trigger) else { return nil }
    var entity = entity("trigger", "Trigger", icon: "mdi:gesture-tap-button")
    entity.commandTopic = topic(of: .trigger)
    entity.payloadPress = "press"
    return entity
  }

  private var torchEntity: MQTTEntity? {
    guard commands.contains(.torch) else { return nil }
    var entity = entity("torch", "Torch", icon: "mdi:flashlight")
    entity.commandTopic = topic(of: .torch)
    entity.payloadOn = "on"
    entity.payloadOff = "off"
    entity.stateTopic = stateTopic?.topic(stationValues)
    // "None" is an unknown state, as of a torch that is not there.
    let template = "{{ value_json.torch if value_json.torch in ['on', 'off'] else 'None' }}"
    entity.stateValueTemplate = stateTopic == nil ? nil : template
    return entity
  }

  private var pictureEntity: MQTTEntity? {
    guard let pictureTopic else { return nil }
    var entity = entity("picture", "Last picture", icon: "mdi:camera")
    entity.topic = pictureTopic.topic(stationValues)
    return entity
  }

  private func entity(_ object: String, _ name: String, icon: String) -> MQTTEntity {
    let device = MQTTEntity.Device(identifiers: [deviceID], name: station)
    let state = stateTopic?.topic(stationValues)
    var entity = MQTTEntity(
      name: name, uniqueId: "\(deviceID)-\(object)", device: device,
      availability: state.map { [MQTTEntity.Availability(topic: $0)] })
    entity.icon = icon
    return entity
  }

  /// The station's name as discovery topics take it; names that differ stay different.
  private var deviceID: String {
    let plain = String(station.unicodeScalars.map { Self.isPlain($0) ? Character($0) : "_" })
    let id = "reticle-\(plain)"
    return plain == station
      ? id : id + "-" + String(Array(station.utf8).withUnsafeBytes { CRC32C.of($0) }, radix: 16)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }
}

/// The payload of the state's topic.
struct MQTTState: Encodable, Equatable {
  /// `online` or `offline`.
  var state: String
  var station: String
  /// Why it is offline: `stopped`, or `connection lost`.
  var reason: String?
  /// Of the station that runs, as its answer to a host's `status` has them; nil while they are not known.
  var session: String?
  var torch: String?
  var undelivered: Int?
  var durability: String?
  /// Scans that are in memory only, and those that receivers permanently refused; nil for none.
  var atRisk: Int?
  var dead: Int?
  var version: String?
  /// When the station's process started, to the minute, and when it scanned last, in seconds since 1970 by its clock.
  var since: Int?
  var lastScan: Int?
  /// Of the last hour.
  var scans: Int?
  var noReads: Int?
  /// In degrees Celsius.
  var temperature: Int?
  var throttled: Bool?
  /// Percent of the storage's life that is used.
  var storageWorn: Int?
  /// Sinks and symbologies whose labels are badly printed, such as `erp/qr`.
  var printAlarms: [String]?
  /// The phase of each sink by its name.
  var sinks: [String: String]?

  init(state: String, station: String, reason: String? = nil) {
    (self.state, self.station, self.reason) = (state, station, reason)
  }

  /// Takes what an answer to `status` says: `name=value` pairs, separated by blanks.
  mutating func take(status: String) {
    for pair in status.split(separator: " ") {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "session": session = parts[1]
      case "torch": torch = parts[1]
      case "undelivered": undelivered = Int(parts[1])
      case "durability": durability = parts[1]
      case "at-risk": atRisk = Int(parts[1])
      case "dead": dead = Int(parts[1])
      case "version": version = parts[1]
      case "since": since = Int(parts[1])
      case "last-scan": lastScan = Int(parts[1])
      case "scans": scans = Int(parts[1])
      case "no-reads": noReads = Int(parts[1])
      case "temperature": temperature = Int(parts[1])
      case "throttled": throttled = parts[1] == "yes"
      case "worn": storageWorn = Int(parts[1])
      case "print-alarms": printAlarms = parts[1].split(separator: ",").map(String.init)
      case "sinks":
        let pairs = parts[1].split(separator: ",").compactMap { sink -> (String, String)? in
          guard let colon = sink.lastIndex(of: ":") else { return nil }
          return (String(sink[..<colon]), String(sink[colon...].dropFirst()))
        }
        sinks = Dictionary(pairs) { first, _ in first }
      default: break
      }
    }
  }
}
