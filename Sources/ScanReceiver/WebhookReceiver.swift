// The other end of the webhook: a small server that takes scans, for the demo and for the tests of delivery. It does what a
// good receiver does (checks the signature, takes each id once, answers 2xx only when it has the scan) and, when told to,
// everything that a bad one does.

import BarcodeMessage
public import Delivery
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A webhook receiver on one address.
public final class WebhookReceiver: Sendable {
  public struct Settings: Sendable {
    /// Secrets, one of which must have signed each request; none: signatures are not looked at.
    public var secrets: [WebhookSecret] = []
    /// The bearer token that each request must carry; nil: none.
    public var bearerToken: String?
    /// How far a request's timestamp may be from the clock: Standard Webhooks 1.0.0 leaves it to the receiver, 5 minutes
    /// are usual.
    public var timestampToleranceSeconds: Int64 = 300
    /// Ids that are remembered, at least 10; the oldest are forgotten. A hundred thousand take some 20 MB.
    public var idCountMax = 100_000

    public init() {}
  }

  /// A scan that came in.
  public struct Receipt: Sendable {
    public var record: ScanRecord
    /// Whether a scan of this id had been taken before.
    public var isRepeat: Bool
    /// The time from capture to receipt, by the boot's clock when sender and receiver run on the same boot.
    public var latency: Duration
    /// The header fields of the request, names in lower case.
    public var headers: [String: String]

    /// One line for people: sequence, symbology, text and latency.
    public var line: String {
      let tenths = latency.nanoseconds / 100_000
      return "#\(record.sequence) \(record.symbology) \(record.aimIdentifier) \"\(TerminalText.safe(record.text))\" "
        + "\(tenths / 10).\(tenths % 10) ms" + (isRepeat ? " (repeated)" : "")
    }
  }

  /// What the receiver answers to a sound request; by its first scan, when it is a batch.
  public struct Answer: Sendable {
    public var status: Int
    public var headers: [(name: String, value: String)]
    /// How long it takes its time.
    public var delay: Duration
    /// Whether it takes the scan; by default when the status says so.
    public var takesScan: Bool
    /// Whether it closes the connection instead of answering.
    public var hangsUp: Bool
    /// Whether it then resets the connection (RST) rather than end it (FIN).
    public var resets = false
    /// Whether it announces a body that never comes.
    public var stalls: Bool
    /// The body.
    public var text = ""

    public init(
      _ status: Int = 204, headers: [(name: String, value: String)] = [], delay: Duration = .zero,
      takesScan: Bool? = nil, hangsUp: Bool = false, stalls: Bool = false
    ) {
      self.status = status
      self.headers = headers
      self.delay = delay
      self.takesScan = takesScan ?? (200..<300).contains(status)
      self.hangsUp = hangsUp
      self.stalls = stalls
    }
  }

  public enum StartError: Error { case alreadyStarted }

  /// Bytes of a request's body at most.
  static let bodyByteCountMax = 1 << 20
  private struct State {
    var channel: (any Channel)?
    var connections: [ObjectIdentifier: any Channel] = [:]
    var ids: Set<String> = []
    var idsInOrder: [String] = []
    var onScan: @Sendable (Receipt) -> Void = { _ in }
  }

  private let settings: Settings
  private let answer: @Sendable (ScanRecord) -> Answer
  private let state = Mutex(State())

  /// - Parameter answer: what to answer to a scan; by default 204.
  public init(settings: Settings = Settings(), answer: @escaping @Sendable (ScanRecord) -> Answer = { _ in Answer() }) {
    self.settings = settings
    self.answer = answer
  }

  /// Receives until the task is cancelled.
  ///
  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - onListening: called with the port once it listens.
  ///   - onScan: called for each scan that is taken, repeats included, before it is answered.
  public func run(
    host: String, port: Int, onListening: @Sendable (Int) -> Void = { _ in },
    onScan: @escaping @Sendable (Receipt) -> Void
  ) async throws {
    onListening(try await start(host: host, port: port, onScan: onScan))
    let closed = state.withLock { $0.channel?.closeFuture }
    await withTaskCancellationHandler {
      try? await closed?.get()
    } onCancel: {
      state.withLock { $0.channel }?.close(promise: nil)
    }
    await stop()
  }

  /// Starts to listen.
  /// - Parameter port: 0 for any that is free.
  /// - Returns: the port.
  public func start(
    host: String = "127.0.0.1", port: Int = 0, onScan: @escaping @Sendable (Receipt) -> Void
  ) async throws -> Int {
    guard state.withLock({ $0.channel == nil }) else { throw StartError.alreadyStarted }
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
          try channel.pipeline.syncOperations.addHandler(RequestHandler(receiver: self))
          self.opened(channel)
        }
      }
    let channel = try await bootstrap.bind(host: host, port: port).get()
    state.withLock {
      $0.channel = channel
      $0.onScan = onScan
    }
    return channel.localAddress?.port ?? port
  }

  /// Stops to listen and hangs up on everyone. It may be started again; ids stay known.
  public func stop() async {
    let channels = state.withLock { state in
      defer {
        state.channel = nil
        state.connections = [:]
      }
      return [state.channel].compactMap { $0 } + state.connections.values
    }
    for channel in channels { try? await channel.close().get() }
  }

  private func opened(_ channel: any Channel) {
    let key = ObjectIdentifier(channel)
    state.withLock { $0.connections[key] = channel }
    channel.closeFuture.whenComplete { _ in self.state.withLock { _ = $0.connections.removeValue(forKey: key) } }
  }

  // MARK: Requests

  /// Looks at a request, takes its scan if all is well, and says what to answer.
  func receive(_ head: HTTPRequestHead, _ body: [UInt8]) -> (answer: Answer, text: String) {
    guard head.method == .POST else { return (Answer(405), "only POST is understood here") }
    guard body.count <= Self.bodyByteCountMax else { return (Answer(413), "the body is too large") }
    if let token = settings.bearerToken, head.headers.first(name: "authorization") != "Bearer \(token)" {
      return (Answer(401), "the bearer token is missing or wrong")
    }
    guard let id = head.headers.first(name: "webhook-id") else { return (Answer(400), "webhook-id is missing") }
    if !settings.secrets.isEmpty, let wrong = signatureFault(head, id, body) { return (Answer(401), wrong) }
    let records: [ScanRecord]
    do {
      records = try Self.records(body, contentType: head.headers.first(name: "content-type") ?? "")
    } catch {
      return (Answer(400), "the body is not a scan record: \(error)")
    }
    guard let first = records.first else { return (Answer(400), "the batch is empty") }
    guard id == first.id.description || id.hasPrefix("batch_\(first.id)_") else {
      return (Answer(400), "webhook-id is not the record's id")
    }
    let answer = answer(first)
    if answer.takesScan { for record in records { take(record, head) } }
    return (answer, answer.text)
  }

  private func signatureFault(_ head: HTTPRequestHead, _ id: String, _ body: [UInt8]) -> String? {
    guard let timestamp = head.headers.first(name: "webhook-timestamp").flatMap({ Int64($0) }),
      let signatures = head.headers.first(name: "webhook-signature")
    else { return "the signature is missing" }
    let now = CaptureTime.now().unixMilliseconds / 1000
    let tolerance = settings.timestampToleranceSeconds
    guard timestamp >= now - tolerance, timestamp <= now + tolerance else {
      return "the signature's time is too far from the clock"
    }
    let isSigned = settings.secrets.contains {
      $0.accepts(signatures: signatures, id: id, timestamp: timestamp, body: body)
    }
    return isSigned ? nil : "the signature is wrong"
  }

  private struct Event: Decodable {
    let specversion: String
    let id: String
    let source: String
    let type: String
    let data: ScanRecord
  }

  /// The scans of a body: one, or an array of them.
  private static func records(_ body: [UInt8], contentType: String) throws -> [ScanRecord] {
    let (data, decoder) = (Data(body), JSONDecoder())
    if contentType.hasPrefix("application/cloudevents-batch+json") {
      return try decoder.decode([Event].self, from: data).map(\.data)
    }
    if contentType.hasPrefix("application/cloudevents+json") { return [try decoder.decode(Event.self, from: data).data] }
    if body.first == UInt8(ascii: "[") { return try decoder.decode([ScanRecord].self, from: data) }
    return [try ScanRecord(json: body)]
  }

  private func take(_ record: ScanRecord, _ head: HTTPRequestHead) {
    let id = record.id.description
    let (isNew, onScan) = state.withLock { state in
      let isNew = state.ids.insert(id).inserted
      if isNew {
        state.idsInOrder.append(id)
        if state.idsInOrder.count > settings.idCountMax {
          let part = settings.idCountMax / 10
          for old in state.idsInOrder.prefix(part) { state.ids.remove(old) }
          state.idsInOrder.removeFirst(part)
        }
      }
      return (isNew, state.onScan)
    }
    let headers = head.headers.reduce(into: [:]) { $0[$1.name.lowercased()] = $1.value }
    onScan(
      Receipt(record: record, isRepeat: !isNew, latency: record.captured.elapsed(until: .now()), headers: headers))
  }
}

/// Collects the parts of a request and sends the answer. Lives on its channel's event loop.
private final class RequestHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let receiver: WebhookReceiver
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []

  init(receiver: WebhookReceiver) { self.receiver = receiver }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body = []
    case .body(let part):
      // One byte more than allowed is kept, so that the request is known to be too large.
      body += part.readableBytesView.prefix(WebhookReceiver.bodyByteCountMax + 1 - body.count)
    case .end:
      guard let head else { return }
      self.head = nil
      let (answer, text) = receiver.receive(head, body)
      let channel = context.channel
      let keepsAlive = head.isKeepAlive
      channel.eventLoop.scheduleTask(in: .nanoseconds(answer.delay.nanoseconds)) {
        Self.send(answer, text, keepsAlive: keepsAlive, to: channel)
      }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private static func send(_ answer: WebhookReceiver.Answer, _ text: String, keepsAlive: Bool, to channel: any Channel) {
    if answer.hangsUp {
      guard answer.resets, let options = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
      // A socket that does not linger is reset when it is closed (socket(7), SO_LINGER).
      return options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
    }
    let status = HTTPResponseStatus(statusCode: answer.status)
    var headers = HTTPHeaders(answer.headers.map { ($0.name, $0.value) })
    if answer.stalls {
      headers.add(name: "content-length", value: "1000")
      let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
      return channel.writeAndFlush(HTTPServerResponsePart.head(head)).cascade(to: nil)
    }
    if status.mayHaveResponseBody { headers.add(name: "content-length", value: String(text.utf8.count)) }
    if !keepsAlive { headers.add(name: "connection", value: "close") }
    channel.write(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
      .cascade(to: nil)
    if status.mayHaveResponseBody, !text.isEmpty {
      channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text)))).cascade(to: nil)
    }
    channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
      if !keepsAlive { channel.close(promise: nil) }
    }
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
