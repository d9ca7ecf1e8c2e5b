// Scans as messages of MQTT, with QoS 1: a scan counts as delivered when the broker has acknowledged it. The library's sessions and
// queues are not used: what is not acknowledged stays in the outbox and goes out again under its id.

public import DeliveryModel
import Devices
import Glibc
import HTTPClient
public import Logging
public import ServiceLifecycle
public import Sinks
import Synchronization

/// A sink that publishes to a broker.
///
/// One connection, kept open whether there are scans or not, so that the broker knows that the station lives. Scans go in their order,
/// up to `MQTTSettings.inFlightCountMax` without an answer; a scan whose answer got lost is published again under its id.
public actor MQTTSink: ScanSink {
  public nonisolated let name: String
  private nonisolated let settings: MQTTSettings
  private nonisolated let executor = BlockingExecutor(label: "mqtt")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private nonisolated let waker = MQTTWaker()
  /// Deliveries that wait for the actor: the upkeep of the connection stops for them.
  private nonisolated let waitingCount = Atomic(0)
  private let logger: Logger
  private let onRequest: (@Sendable (HostRequest) -> Bool)?
  private let backoff: Backoff
  private var connection: MQTTConnection?
  private let dialer: MQTTDialer
  private var isClosed = false
  /// Scans of the delivery in hand that the broker has acknowledged: where it failed for others, these are not published again.
  private var accepted: Set<ScanID> = []
  /// Attempts of the upkeep to connect that have failed in a row, and when the next one is due.
  private var failureCount = 0
  private var nextTry = ContinuousClock.now
  private var random = SystemRandomNumberGenerator()
  /// Messages besides scans that the broker has not acknowledged: announcements, states and answers.
  private var asides: Set<Int32> = []
  /// The station's last answer to `status`, and the state that the broker keeps.
  private var status = ""
  /// The station's last answer that says how it is, and when it is asked for the next.
  private var health = ""
  private var nextHealth = ContinuousClock.now
  private var published: MQTTState?
  private let pictures: LatestPicture?
  /// The number of the last published picture, the message with it, and when the next one may follow.
  private var pictureNumber: UInt64 = 0
  private var pictureMessage: Int32?
  private var nextPicture = ContinuousClock.now
  /// When the station is asked again; nil while an answer is due.
  private var nextQuestion: ContinuousClock.Instant? = .now
  /// Complaints about commands that this connection's log has.
  private var complaints: Set<String> = []

  /// How often the station is asked for its status.
  private static let questionInterval = Duration.seconds(2)
  /// How often it is asked how it is: its temperature changes all the time.
  private static let healthInterval = Duration.seconds(30)
  /// Answers to commands are dropped while this many messages have no PUBACK.
  private static let asideCountMax = 32
  /// The shortest time between pictures, and the most bytes of one: scans wait while a picture is sent.
  private static let pictureInterval = Duration.seconds(1)
  static let pictureByteCountMax = 1 << 20
  /// How long the upkeep waits at once.
  private static let upkeepSlice = Duration.seconds(1)

  /// - Parameters:
  ///   - pictures: the station's last picture, which is published if there is a topic for it.
  ///   - onRequest: takes commands, and questions for the station's status; false when too many wait. Without it no
  ///     command is taken and the status stays unknown.
  /// - Throws: what is wrong with the settings. The file with the credentials is not looked at here but for each connection.
  public init(
    settings: MQTTSettings, logger: Logger = Logger(label: "reticle.mqtt"), pictures: LatestPicture? = nil,
    onRequest: (@Sendable (HostRequest) -> Bool)? = nil
  ) throws(DeliveryProblem) {
    try Self.check(settings)
    self.settings = settings
    dialer = MQTTDialer(settings)
    self.onRequest = onRequest
    self.pictures = pictures
    name = settings.name
    backoff = Backoff(settings: settings.retry)
    var logger = logger
    logger[metadataKey: "sink"] = "\(settings.name)"
    self.logger = logger
  }

  public nonisolated var batching: BatchSettings {
    var batching = BatchSettings()
    batching.countMax = settings.inFlightCountMax
    return batching
  }

  /// Subscribers take each id once.
  public nonisolated var unnotedCountMax: Int { 8 }

  public nonisolated var services: [any Service] { [MQTTUpkeep(self)] }

  // MARK: Scans

  public nonisolated func deliver(_ records: [ScanRecord]) async -> DeliveryOutcome {
    waitingCount.add(1, ordering: .relaxed)
    waker.ring()
    return await withTaskCancellationHandler {
      await attempt(records)
    } onCancel: {
      waker.ring()
    }
  }

  private func attempt(_ records: [ScanRecord]) -> DeliveryOutcome {
    waitingCount.subtract(1, ordering: .relaxed)
    accepted.formIntersection(records.map(\.id))
    do throws(MQTTFailure) {
      return try publish(records.filter { !accepted.contains($0.id) }, over: try connected())
    } catch {
      drop()
      return error.outcome(settings)
    }
  }

  /// Publishes scans in order and waits for all answers.
  private func publish(_ records: [ScanRecord], over connection: MQTTConnection) throws(MQTTFailure) -> DeliveryOutcome {
    let deadline = ContinuousClock.now + settings.attemptLimit
    var waiting: [Int32: (id: ScanID, topic: String)] = [:]
    /// Of the first scan that could not go: none behind it is published.
    var refusal: DeliveryOutcome?
    var failure: MQTTFailure?
    for record in records {
      let message = message(record)
      do throws(MQTTFailure) {
        waiting[try connection.publish(message)] = (record.id, message.topic)
      } catch {
        switch error {
        case .messageTooLarge, .topicInvalid: refusal = error.outcome(settings)
        default: failure = error
        }
        break
      }
    }
    var refusals: [ScanID: DeliveryOutcome] = [:]
    while !waiting.isEmpty {
      guard !Task.isCancelled else { throw .cancelled }
      guard ContinuousClock.now < deadline else { throw .answerLimitExceeded }
      let end = connection.end(within: deadline)
      for answer in connection.takeAnswers() {
        guard let (id, topic) = waiting.removeValue(forKey: answer.number) else {
          asides.remove(answer.number)
          continue
        }
        if answer.reason.isSuccess, answer.reason != .noMatchingSubscribers || !settings.requiresSubscriber {
          accepted.insert(id)
        } else {
          refusals[id] = answer.reason.outcome(of: topic, settings)
        }
      }
      heed(connection)
      if let end, !waiting.isEmpty { throw end }
    }
    if let failure { throw failure }
    return records.lazy.compactMap { refusals[$0.id] }.first ?? refusal ?? .delivered
  }

  private func message(_ record: ScanRecord) -> MQTTMessage {
    let content = WebhookMessage([record.sent(at: .now())], body: settings.body, isBatch: false)
    var values = settings.stationValues
    values[.symbology] = record.symbology
    values[.type] = record.noRead == nil ? "scan" : "no-read"
    return MQTTMessage(
      topic: settings.topic.topic(values), payload: content.body, contentType: content.contentType, id: content.id)
  }

  // MARK: The connection

  private func connected() throws(MQTTFailure) -> MQTTConnection {
    guard !isClosed else { throw .cancelled }
    if let connection, connection.isOpen { return connection }
    let opened = try open(clientID: settings.ownClientID, will: state("offline", reason: "connection lost"))
    connection = opened
    failureCount = 0
    logger.notice("connected to the broker", metadata: ["broker": "\(settings.broker)"])
    (asides, complaints, status, published) = ([], [], "", nil)
    // The broker may have lost the last picture, or never had it.
    (pictureNumber, pictureMessage) = (0, nil)
    if nextQuestion != nil { nextQuestion = .now }
    for announcement in settings.announcements { asides.insert(try opened.publish(announcement)) }
    for topic in settings.commands.flatMap(settings.topics(of:)) { try opened.subscribe(topic) }
    try publishState(over: opened)
    return opened
  }

  private func open(clientID: String, will: MQTTMessage?) throws(MQTTFailure) -> MQTTConnection {
    try dialer.open(clientID: clientID, will: will, session: nil, waker, isCancelled: { Task.isCancelled })
  }

  /// Closes the connection without DISCONNECT, so that the broker publishes the will.
  private func drop() { connection = nil }

  /// Keeps the connection open and alive for a moment, or until a delivery waits.
  func upkeep() {
    guard !isClosed, waitingCount.load(ordering: .relaxed) == 0 else { return }
    do throws(MQTTFailure) {
      if let connection {
        try connection.turn(until: .now + Self.upkeepSlice, atMost: Self.upkeepSlice)
        for answer in connection.takeAnswers() { asides.remove(answer.number) }
        heed(connection)
        askForStatus()
        publishPicture(over: connection)
      } else if ContinuousClock.now < nextTry {
        waker.wait(until: min(nextTry, .now + Self.upkeepSlice))
      } else {
        _ = try connected()
      }
    } catch {
      drop()
      failureCount += 1
      nextTry = .now + backoff.wait(failureCount: failureCount, retryAfter: nil, using: &random)
      guard failureCount == 1, error != .cancelled else { return }
      let problem = error.problem(settings)
      logger.warning(
        "no connection to the broker", metadata: ["problem": "\(problem.summary)", "remedy": "\(problem.remedy)"])
    }
  }

  /// Keeps the connection until the task is cancelled.
  nonisolated func keep() async {
    while !Task.isCancelled {
      await withTaskCancellationHandler {
        await upkeep()
      } onCancel: {
        waker.ring()
      }
      await Task.yield()
    }
  }

  /// Publishes that the station stops, and disconnects.
  public func close() async {
    isClosed = true
    connection?.close(after: state("offline", reason: "stopped"))
    connection = nil
  }

  /// Connects once, under an id of its own and without a will, so that the station that runs is not disturbed.
  ///
  /// - Returns: what is wrong on the way to the broker; nil if it lets the station in.
  func reach() -> DeliveryProblem? {
    do throws(MQTTFailure) {
      try open(clientID: settings.ownClientID + "-doctor", will: nil).close(after: nil)
      return nil
    } catch {
      return error.problem(settings)
    }
  }

  // MARK: The state

  /// The station's state as the broker keeps it; nil if there is no topic for it.
  private func state(_ word: String, reason: String? = nil) -> MQTTMessage? {
    message(MQTTState(state: word, station: settings.station, reason: reason))
  }

  private func message(_ state: MQTTState) -> MQTTMessage? {
    guard let topic = settings.stateTopic else { return nil }
    return MQTTMessage(
      topic: topic.topic(settings.stationValues), payload: state.jsonLine(), isRetained: true,
      contentType: "application/json")
  }

  /// Publishes the known part of the state, unless the broker has it already.
  private func publishState(over connection: MQTTConnection) throws(MQTTFailure) {
    var state = MQTTState(state: "online", station: settings.station)
    state.take(status: health)
    state.take(status: status)
    guard state != published, let message = message(state) else { return }
    asides.insert(try connection.publish(message))
    published = state
  }

  /// Asks the station for its status when it is time.
  private func askForStatus() {
    guard settings.asksForStatus, let onRequest, let due = nextQuestion, ContinuousClock.now >= due else { return }
    nextQuestion = nil
    let wantsHealth = ContinuousClock.now >= nextHealth
    let request = HostRequest(sink: name, command: .status, wantsHealth: wantsHealth) { [weak self] answer in
      self?.reply(answer, isHealth: wantsHealth)
    }
    if !onRequest(request) { nextQuestion = .now + Self.questionInterval }
  }

  // MARK: Pictures

  /// Publishes the station's last picture if it is new and the broker has acknowledged the one before.
  private func publishPicture(over connection: MQTTConnection) {
    guard let topic = settings.pictureTopic?.topic(settings.stationValues), ContinuousClock.now >= nextPicture,
      pictureMessage.map(asides.contains) != true, asides.count < Self.asideCountMax,
      let picture = pictures?.newer(than: pictureNumber)
    else { return }
    pictureNumber = picture.number
    nextPicture = .now + Self.pictureInterval
    let remedy = "lower pictures.quality, write pictures.area: code, or let the broker accept larger messages"
    guard picture.bytes.count <= Self.pictureByteCountMax else {
      return complain("a picture is too large to be published", topic, remedy)
    }
    let message = MQTTMessage(topic: topic, payload: picture.bytes, isRetained: true, contentType: picture.mediaType)
    do throws(MQTTFailure) {
      let number = try connection.publish(message)
      asides.insert(number)
      pictureMessage = number
    } catch {
      // Other failures end the next turn, too; after it, the picture is published again.
      if case .messageTooLarge = error { complain("a picture is too large for the broker", topic, remedy) }
    }
  }

  // MARK: Commands

  /// Passes on the commands that came. The broker sends only those that the allow list names: no others are subscribed to.
  private func heed(_ connection: MQTTConnection) {
    for topic in connection.takeRefusedSubscriptions() {
      complain("the broker refuses the subscription to commands", topic, "allow it in the broker's access list")
    }
    for letter in connection.takeLetters() {
      guard let command = settings.commands.first(where: { settings.topics(of: $0).contains(letter.topic) }) else {
        continue
      }
      guard !letter.isRetained else {
        complain("a retained command is ignored, as its age is unknown", letter.topic, "send commands without retain")
        continue
      }
      guard !letter.isLate else {
        complain("a command that came late is ignored", letter.topic, "see why the station was held up, and send it again")
        continue
      }
      guard let hostCommand = command.hostCommand(letter.payload) else {
        complain("a command has an unknown payload", letter.topic, "send \(command.payloads)")
        tell(.unknown)
        continue
      }
      let request = HostRequest(sink: name, command: hostCommand) { [weak self] answer in self?.reply(answer) }
      if onRequest?(request) != true { tell(.busy(hostCommand)) }
    }
  }

  /// Logs each complaint once per connection.
  private func complain(_ complaint: String, _ topic: String, _ remedy: String) {
    guard complaints.insert("\(topic) \(complaint)").inserted else { return }
    logger.warning("\(complaint)", metadata: ["topic": "\(topic)", "remedy": "\(remedy)"])
  }

  /// Takes the station's answer, from any thread.
  private nonisolated func reply(_ answer: HostAnswer, isHealth: Bool = false) {
    waitingCount.add(1, ordering: .relaxed)
    waker.ring()
    Task { await take(answer, isHealth: isHealth) }
  }

  private func take(_ answer: HostAnswer, isHealth: Bool) {
    waitingCount.subtract(1, ordering: .relaxed)
    guard case .status(let text) = answer else {
      // The command may have changed the state.
      if nextQuestion != nil { nextQuestion = .now }
      return tell(answer)
    }
    status = text
    if isHealth {
      health = text
      nextHealth = .now + Self.healthInterval
    }
    nextQuestion = .now + Self.questionInterval
    guard let connection, connection.isOpen else { return }
    // A failure ends the next turn, too.
    do throws(MQTTFailure) { try publishState(over: connection) } catch {}
  }

  /// Publishes the answer to a command.
  private func tell(_ answer: HostAnswer) {
    guard let connection, connection.isOpen, asides.count < Self.asideCountMax else { return }
    let message = MQTTMessage(topic: settings.answerTopic, payload: Array(answer.words.utf8))
    // A failure ends the next turn, too.
    do throws(MQTTFailure) { asides.insert(try connection.publish(message)) } catch {}
  }

  // MARK: Settings

  /// Looks at settings as a sink does when it is made, at the files of TLS too.
  ///
  /// - Throws: what is wrong with them.
  public static func check(_ settings: MQTTSettings) throws(DeliveryProblem) {
    let hasTLSFiles = settings.certificateAuthorityFile != nil || settings.clientCertificateFile != nil
    guard settings.broker.isSecure || !hasTLSFiles else {
      throw DeliveryProblem("certificates are set for mqtt://", remedy: "write mqtts://")
    }
    guard (settings.clientCertificateFile == nil) == (settings.clientKeyFile == nil) else {
      throw DeliveryProblem("a client certificate needs its key", remedy: "set both or none")
    }
    guard settings.version == .five || !settings.requiresSubscriber else {
      throw DeliveryProblem(
        "require_subscriber has no effect with MQTT 3.1.1, which does not report it",
        remedy: "write version: 5, or take it out")
    }
    guard settings.inFlightCountMax == 1 || !settings.requiresSubscriber else {
      throw DeliveryProblem(
        "require_subscriber keeps the order of scans only with one in flight", remedy: "take in_flight out, or write 1")
    }
    guard settings.clientID?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) != true else {
      throw DeliveryProblem("client_id has a control character", remedy: "take it out")
    }
    guard settings.discoveryPrefix == nil || !settings.topic.names(.symbology) else {
      throw DeliveryProblem(
        "discovery needs one topic for all scans, and topic has {symbology}", remedy: "take one of them out")
    }
    try settings.tls.checkForDelivery()
  }
}

/// Keeps the connection of a sink as a service of the station.
struct MQTTUpkeep: Service, CustomStringConvertible {
  private let sink: MQTTSink

  init(_ sink: MQTTSink) { self.sink = sink }

  var description: String { "connection of \(sink.name)" }

  func run() async throws {
    await cancelWhenGracefulShutdown { await sink.keep() }
    // The service must not end before the group does.
    try? await gracefulShutdown()
  }
}
