// The server's thread: libmicrohttpd's daemon, its connections and their deadlines. No other thread touches its state.

import CMicrohttpd
import Devices

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A connection with its current request.
private final class Connection {
  enum Phase {
    /// The head is incomplete; it may not have begun.
    case head
    case body
    /// The handler has the request. The connection is suspended.
    case handling
    case answering
    case streaming
  }

  let handle: OpaquePointer
  let socket: Int32
  let peer: String
  var phase = Phase.head
  /// When this request could first begin.
  var start: ContinuousClock.Instant
  /// When the server hangs up, and the limit responsible; the limit is nil for an idle kept-alive connection.
  var deadline: (at: ContinuousClock.Instant, limit: HTTPLimit?)?
  var isHungUp = false
  var isSuspended = false

  var number: UInt64 = 0
  var target = ""
  var request: HTTPRequest?
  var handling: Task<Void, Never>?
  var response: HTTPResponse?
  var feed: ChunkFeed?

  init(handle: OpaquePointer, socket: Int32, peer: String, start: ContinuousClock.Instant) {
    self.handle = handle
    self.socket = socket
    self.peer = peer
    self.start = start
  }

  var waitsForClient: Bool {
    switch phase {
    case .head, .body, .answering: true
    case .handling, .streaming: false
    }
  }

  var ticket: HTTPTicket { HTTPTicket(connection: UInt(bitPattern: handle), number: number) }
}

final class HTTPLoop {
  /// The delay with which a passed deadline may be noticed.
  private static let sweepInterval = Duration.milliseconds(250)
  /// Connections that the server hung up on and libmicrohttpd has not closed yet.
  private static let closingCountMax: UInt32 = 64
  /// The most bytes of a stream sent at once.
  private static let streamBlockByteCount = 64 << 10

  private let limits: HTTPLimits
  private let mailbox: HTTPMailbox
  private let onLimit: @Sendable (HTTPLimit, String) -> Void
  private let handler: HTTPHandler
  private let demandsCertificate: Bool
  private var daemon: OpaquePointer?
  private var connections: [UInt: Connection] = [:]
  private var requestCount: UInt64 = 0
  private var handlerCount = 0
  private var streamCount = 0
  private var nextSweep = ContinuousClock.now

  /// - Parameter listening: a listening socket; the loop closes it.
  init(
    listening: Int32, limits: HTTPLimits, tls: HTTPServer.TLS?, mailbox: HTTPMailbox,
    onLimit: @escaping @Sendable (HTTPLimit, String) -> Void, handler: @escaping HTTPHandler
  ) throws(HTTPServerError) {
    self.limits = limits
    self.mailbox = mailbox
    self.onLimit = onLimit
    self.handler = handler
    demandsCertificate = tls?.clientAuthorities != nil
    let texts = [tls?.certificate, tls?.key, tls?.clientAuthorities].map { $0.flatMap { strdup($0) } }
    defer { for text in texts { free(text) } }
    var settings = cmicrohttpd_settings(
      listening_socket: listening, connection_limit: UInt32(limits.connectionCountMax) + Self.closingCountMax,
      stall_seconds: UInt32(limits.stallTime.components.seconds), connection_memory: limits.connectionByteCount,
      certificate: texts[0].map { UnsafePointer($0) }, key: texts[1].map { UnsafePointer($0) },
      client_authorities: texts[2].map { UnsafePointer($0) }, context: Unmanaged.passUnretained(self).toOpaque(),
      accept: { context, address, _ in
        guard let loop = HTTPLoop.at(context), let address else { return .NO }
        return loop.makeRoom(for: numericHost(address)) ? .YES : .NO
      },
      notify_connection: { context, handle, _, event in
        guard let loop = HTTPLoop.at(context), let handle else { return }
        event == .CONNECTION_NOTIFY_STARTED ? loop.opened(handle) : loop.closed(handle)
      },
      begin: { context, target, handle in
        if let loop = HTTPLoop.at(context), let target, let handle { loop.began(handle, target: String(cString: target)) }
        return nil
      },
      handle: { context, handle, _, method, _, bytes, byteCount, _ in
        guard let loop = HTTPLoop.at(context), let handle, let method, let byteCount else { return .NO }
        let part = UnsafeRawBufferPointer(start: bytes, count: byteCount.pointee)
        byteCount.pointee = 0
        return loop.handle(handle, method: method, part: part) ? .YES : .NO
      },
      complete: { context, handle, _, cause in
        if let loop = HTTPLoop.at(context), let handle { loop.completed(handle, cause) }
      })
    daemon = cmicrohttpd_start(&settings)
    if daemon == nil {
      throw HTTPServerError(
        description: tls == nil
          ? "libmicrohttpd does not start; is there memory and are there file descriptors?"
          : "libmicrohttpd does not start; certificate and key must be PEM texts that belong together")
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPLoop? {
    context.map { Unmanaged<HTTPLoop>.fromOpaque($0).takeUnretainedValue() }
  }

  private subscript(handle: OpaquePointer) -> Connection? { connections[UInt(bitPattern: handle)] }

  // MARK: The thread

  /// Serves until the mailbox says to stop.
  func run() {
    guard let daemon else { return }
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    while true {
      awaitWork(daemon)
      for letter in mailbox.takeAll() {
        switch letter {
        case .answer(let ticket, let response):
          handlerCount -= 1
          guard let connection = connection(ticket) else { continue }
          connection.response = response
          resume(connection)
        case .more(let ticket): if let connection = connection(ticket) { resume(connection) }
        case .stop(let continuation):
          stop(daemon)
          return continuation.resume()
        }
      }
      MHD_run(daemon)
      let now = ContinuousClock.now
      if now >= nextSweep { sweep(now) }
    }
  }

  /// Sleeps until data arrives, a deadline may have passed, or libmicrohttpd has work.
  private func awaitWork(_ daemon: OpaquePointer) {
    var wish: CUnsignedLongLong = 0
    let isWishing = MHD_get_timeout(daemon, &wish) == .YES
    let sweep = connections.isEmpty ? Int32(-1) : Int32(Self.sweepInterval.milliseconds)
    let patience = isWishing ? Int32(min(wish, UInt64(sweep < 0 ? Int32.max : sweep))) : sweep
    var descriptors = [
      pollfd(fd: cmicrohttpd_epoll_descriptor(daemon), events: Int16(POLLIN), revents: 0),
      pollfd(fd: mailbox.bell, events: Int16(POLLIN), revents: 0),
    ]
    poll(&descriptors, 2, patience)
  }

  private func connection(_ ticket: HTTPTicket) -> Connection? {
    connections[ticket.connection].flatMap { $0.number == ticket.number ? $0 : nil }
  }

  private func suspend(_ connection: Connection) {
    connection.isSuspended = true
    MHD_suspend_connection(connection.handle)
  }

  private func resume(_ connection: Connection) {
    guard connection.isSuspended else { return }
    connection.isSuspended = false
    MHD_resume_connection(connection.handle)
  }

  private func stop(_ daemon: OpaquePointer) {
    for connection in connections.values {
      connection.handling?.cancel()
      // The server hangs up on a suspended request that resumes without an answer.
      resume(connection)
    }
    MHD_stop_daemon(daemon)
  }

  // MARK: Limits

  /// Whether another connection may be accepted. If there are too many, the one that has waited longest for its client is
  /// closed.
  private func makeRoom(for peer: String) -> Bool {
    let open = connections.values.filter { !$0.isHungUp }
    let own = open.filter { $0.peer == peer }
    let (crowd, limit): ([Connection], HTTPLimit)
    if own.count >= limits.connectionCountMaxPerAddress {
      (crowd, limit) = (own, .addressConnections)
    } else if open.count >= limits.connectionCountMax {
      (crowd, limit) = (open, .connections)
    } else {
      return true
    }
    guard let longest = crowd.filter(\.waitsForClient).min(by: { $0.start < $1.start }) else {
      onLimit(limit, peer)
      return false
    }
    hangUp(longest, limit)
    return true
  }

  private func sweep(_ now: ContinuousClock.Instant) {
    nextSweep = now + Self.sweepInterval
    for connection in connections.values where !connection.isHungUp {
      if let deadline = connection.deadline, now >= deadline.at { hangUp(connection, deadline.limit) }
    }
  }

  /// Shuts down the socket; libmicrohttpd notices and closes it.
  private func hangUp(_ connection: Connection, _ limit: HTTPLimit?) {
    connection.isHungUp = true
    shutdown(connection.socket, Int32(SHUT_RDWR))
    if let limit { onLimit(limit, connection.peer) }
  }

  // MARK: libmicrohttpd's callbacks

  private func opened(_ handle: OpaquePointer) {
    let peer = cmicrohttpd_client_address(handle).map(numericHost) ?? "unknown"
    let connection = Connection(handle: handle, socket: cmicrohttpd_socket(handle), peer: peer, start: .now)
    connection.deadline = (connection.start + limits.headTime, .headTime)
    connections[UInt(bitPattern: handle)] = connection
    if demandsCertificate { cmicrohttpd_demand_certificate(handle) }
  }

  private func closed(_ handle: OpaquePointer) {
    let connection = connections.removeValue(forKey: UInt(bitPattern: handle))
    connection?.feed?.close()
  }

  /// Called when the request line has arrived.
  private func began(_ handle: OpaquePointer, target: String) {
    guard let connection = self[handle] else { return }
    // Until now, a kept-alive connection had no request whose time was running.
    if connection.number > 0 { connection.start = .now }
    requestCount += 1
    connection.number = requestCount
    connection.target = target
  }

  /// Called when the head, a part of the body, or all of it has arrived, or the handler has answered. False: hang up.
  private func handle(_ handle: OpaquePointer, method: UnsafePointer<CChar>, part: UnsafeRawBufferPointer) -> Bool {
    guard let connection = self[handle] else { return false }
    guard connection.request != nil else { return takeHead(of: connection, method: String(cString: method)) }
    if !part.isEmpty {
      guard (connection.request?.body.count ?? 0) + part.count <= limits.bodyByteCountMax else {
        // No answer can be given in the middle of a body without a stated size.
        onLimit(.body, connection.peer)
        return false
      }
      connection.request?.body.append(contentsOf: part)
      return true
    }
    switch connection.phase {
    case .handling: return connection.response.map { answer(connection, $0) } ?? false
    default: return letHandle(connection)
    }
  }

  private func takeHead(of connection: Connection, method: String) -> Bool {
    var fields = HTTPFields()
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = MHD_get_connection_values_n(
        connection.handle, .HEADER_KIND,
        { context, _, name, nameSize, value, valueSize in
          let text = { String(decoding: UnsafeRawBufferPointer(start: $0, count: $1), as: UTF8.self) }
          context?.assumingMemoryBound(to: HTTPFields.self).pointee.append(text(name, nameSize), text(value, valueSize))
          return .YES
        }, fields)
    }
    connection.request = HTTPRequest(method: method, target: connection.target, fields: fields, peer: connection.peer)
    connection.phase = .body
    connection.deadline = (connection.start + limits.requestTime, .requestTime)
    if cmicrohttpd_head_size(connection.handle) > limits.headByteCountMax {
      onLimit(.head, connection.peer)
      return answer(connection, HTTPResponse(431, text: "the head is too large\n"))
    }
    // An intermediary could see a different end of the body, and so a different beginning of the next request.
    guard fields.haveOneBodyLength else {
      onLimit(.head, connection.peer)
      return answer(
        connection,
        HTTPResponse(400, fields: ["Connection": "close"], body: .bytes(Array("say the body's length once\n".utf8))))
    }
    if let size = fields["Content-Length"].flatMap({ Int($0) }), size > limits.bodyByteCountMax {
      onLimit(.body, connection.peer)
      return answer(connection, HTTPResponse(413, text: "the body is too large\n"))
    }
    return true
  }

  private func letHandle(_ connection: Connection) -> Bool {
    guard let request = connection.request else { return false }
    guard handlerCount < limits.handlerCountMax else {
      onLimit(.handlers, connection.peer)
      return answer(
        connection, HTTPResponse(503, fields: ["Retry-After": "1"], body: .bytes(Array("too many ask at once\n".utf8))))
    }
    handlerCount += 1
    connection.phase = .handling
    connection.deadline = nil
    suspend(connection)
    let (ticket, handler, mailbox) = (connection.ticket, handler, mailbox)
    connection.handling = Task { mailbox.post(.answer(ticket, await handler(request))) }
    return true
  }

  private func answer(_ connection: Connection, _ response: HTTPResponse) -> Bool {
    if case .stream = response.body, streamCount >= limits.streamCountMax {
      onLimit(.streams, connection.peer)
      return answer(
        connection, HTTPResponse(503, fields: ["Retry-After": "5"], body: .bytes(Array("too many streams are open\n".utf8))))
    }
    guard let made = makeResponse(connection, response) else { return false }
    defer { MHD_destroy_response(made) }
    for field in response.fields.all where MHD_add_response_header(made, field.name, field.value) == .NO { return false }
    return MHD_queue_response(connection.handle, UInt32(response.status), made) == .YES
  }

  private func makeResponse(_ connection: Connection, _ response: HTTPResponse) -> OpaquePointer? {
    switch response.body {
    case .bytes(var bytes):
      connection.phase = .answering
      connection.deadline = (.now + limits.answerTime, .answerTime)
      return MHD_create_response_from_buffer(bytes.count, &bytes, .RESPMEM_MUST_COPY)
    case .stream(let stream):
      connection.phase = .streaming
      connection.deadline = nil
      guard connection.request?.method != "HEAD" else { return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT) }
      streamCount += 1
      let (ticket, mailbox) = (connection.ticket, mailbox)
      connection.feed = ChunkFeed(stream) { mailbox.post(.more(ticket)) }
      return MHD_create_response_from_callback(
        UInt64.max, Self.streamBlockByteCount,
        { context, _, buffer, count in
          guard let context, let buffer else { return -2 }
          return Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue().read(buffer, count)
        }, Unmanaged.passRetained(StreamReader(self, connection)).toOpaque(),
        { context in context.map { Unmanaged<StreamReader>.fromOpaque($0).release() } })
    }
  }

  /// Reads a stream for libmicrohttpd.
  private final class StreamReader {
    private unowned let loop: HTTPLoop
    private let connection: Connection

    init(_ loop: HTTPLoop, _ connection: Connection) {
      self.loop = loop
      self.connection = connection
    }

    func read(_ buffer: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
      switch connection.feed?.take(into: UnsafeMutableRawBufferPointer(start: buffer, count: count)) {
      case .bytes(let count): return count
      case .dry:
        loop.suspend(connection)
        return 0
      case .over, nil: return -1
      }
    }
  }

  /// Called when a request is over, answered or not. The connection may be kept for another one.
  private func completed(_ handle: OpaquePointer, _ cause: MHD_RequestTerminationCode) {
    guard let connection = self[handle] else { return }
    switch cause {
    case .REQUEST_TERMINATED_DAEMON_SHUTDOWN: break
    case .REQUEST_TERMINATED_TIMEOUT_REACHED: onLimit(.stallTime, connection.peer)
    // libmicrohttpd itself refuses requests that exceed the connection's memory or are not HTTP.
    default: if connection.request == nil, !connection.isHungUp { onLimit(.head, connection.peer) }
    }
    if let feed = connection.feed {
      feed.close()
      streamCount -= 1
    }
    (connection.request, connection.response, connection.handling, connection.feed) = (nil, nil, nil, nil)
    connection.phase = .head
    connection.start = .now
    connection.deadline = (connection.start + limits.keepAliveTime, nil)
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
