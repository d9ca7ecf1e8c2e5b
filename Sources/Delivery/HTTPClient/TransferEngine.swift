// The only file that drives libcurl: a multi handle, which keeps the connection between requests and can be woken, and an
// easy handle per request.

import CCurl
import COpenSSL
import Glibc
import Synchronization

/// libcurl's handles. Only one thread at a time calls `perform`, which its owner's queue ensures; any thread may call
/// `wake`.
final class TransferEngine: @unchecked Sendable {
  private let settings: HTTPSettings
  /// The name or address that the server's certificate must contain.
  private let host: String
  /// libcurl's multi handle, with the kept connection. Other threads use it under the lock; only `perform` replaces it.
  private let multi: Mutex<Multi>
  /// The last known socket of the kept connection; it may have been closed since.
  private var keptSocket = CURL_SOCKET_BAD
  /// The last fatal alert from the server, by its TLS number (RFC 8446 §6); nil if this request got none.
  private var alert: Int32?

  /// Time limit for an answer's body after its header, which contains the essential part.
  private static let bodyLimit = Duration.seconds(2)
  /// The longest sleep of the thread, in milliseconds; libcurl and `wake` end it earlier.
  private static let sleepMax = 60_000
  /// CURLE_TOO_LARGE, which libcurl 8.6 reports for a header line that 7.88 reports as out of memory.
  private static let tooLarge = CURLcode(100)
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
  /// The slot of an OpenSSL context that holds its engine.
  private static let engineIndex = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil, nil)

  init?(_ settings: HTTPSettings, host: String) {
    guard Self.isReady, let multi = Multi() else { return nil }
    self.settings = settings
    self.host = host
    self.multi = Mutex(multi)
  }

  /// Makes `perform` check whether it is cancelled.
  func wake() { multi.withLock { _ = curl_multi_wakeup($0.handle) } }

  func perform(
    _ request: HTTPRequest, until deadline: ContinuousClock.Instant, _ isCancelled: CancellationFlag
  ) -> Result<HTTPAnswer, HTTPFailure> {
    guard let easy = curl_easy_init() else { return .failure(.libraryUnfit) }
    defer { curl_easy_cleanup(easy) }
    var fields: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(fields) }
    for line in Self.lines(of: request.fields) { fields = curl_slist_append(fields, line) ?? fields }
    let reception = Reception()
    alert = nil
    closeIfSpoilt()
    let multi = multi.withLock { $0 }
    return withExtendedLifetime((reception, multi)) {
      guard prepare(easy, request, fields, reception, until: deadline),
        curl_multi_add_handle(multi.handle, easy) == CURLM_OK
      else { return .failure(.libraryUnfit) }
      defer { curl_multi_remove_handle(multi.handle, easy) }
      let code = run(multi.handle, reception, isCancelled)
      keptSocket = ccurl_socket(easy)
      if let answer = reception.reader.answer { return .success(answer) }
      if isCancelled.isSet { return .failure(.cancelled) }
      return .failure(reception.reader.failure ?? failure(code, easy))
    }
  }

  /// Runs the transfer to its end; nil if it is abandoned because it is cancelled or its body takes too long.
  private func run(
    _ multi: UnsafeMutableRawPointer, _ reception: Reception, _ isCancelled: CancellationFlag
  ) -> CURLcode? {
    var bodyDeadline: ContinuousClock.Instant?
    while !isCancelled.isSet {
      var (runningCount, messageCount) = (Int32(0), Int32(0))
      guard curl_multi_perform(multi, &runningCount) == CURLM_OK else { return CURLE_FAILED_INIT }
      if let message = curl_multi_info_read(multi, &messageCount), message.pointee.msg == CURLMSG_DONE {
        return message.pointee.data.result
      }
      var sleep = Self.sleepMax
      if reception.reader.answer != nil {
        let deadline = bodyDeadline ?? ContinuousClock.now + Self.bodyLimit
        bodyDeadline = deadline
        guard ContinuousClock.now < deadline else { return nil }
        sleep = Self.milliseconds(ContinuousClock.now.duration(to: deadline))
      }
      guard curl_multi_poll(multi, nil, 0, Int32(sleep), nil) == CURLM_OK else { return CURLE_FAILED_INIT }
    }
    return nil
  }

  /// Abandons the kept connection if there is anything to read from it: the server has closed it, or has sent something that
  /// would be mistaken for the answer to the next request. libcurl checks only whether it is closed.
  private func closeIfSpoilt() {
    guard keptSocket != CURL_SOCKET_BAD else { return }
    var kept = pollfd(fd: keptSocket, events: Int16(POLLIN), revents: 0)
    guard poll(&kept, 1, 0) != 0, let fresh = Multi() else { return }
    multi.withLock { $0 = fresh }
    keptSocket = CURL_SOCKET_BAD
  }

  // MARK: The request

  /// Header fields in libcurl's format: a semicolon marks an empty value, because a bare colon would remove the field.
  /// `Expect` is removed: with it, libcurl would wait for an interim answer, and send again after 417.
  private static func lines(of fields: [HTTPField]) -> [String] {
    ["Expect:"] + fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
  }

  private func prepare(
    _ easy: UnsafeMutableRawPointer, _ request: HTTPRequest, _ fields: UnsafeMutablePointer<curl_slist>?,
    _ reception: Reception, until deadline: ContinuousClock.Instant
  ) -> Bool {
    var options = Options(easy: easy)
    options.set(CURLOPT_URL, settings.url)
    options.set(CURLOPT_PROTOCOLS_STR, "http,https")
    options.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    options.set(CURLOPT_NOSIGNAL, 1)
    // A lookup that never ends is abandoned with its request instead of being waited for.
    options.set(CURLOPT_QUICK_EXIT, 1)
    options.set(CURLOPT_HTTPHEADER, pointer: fields)
    options.set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(settings.connectLimit))
    options.set(CURLOPT_TIMEOUT_MS, Self.milliseconds(ContinuousClock.now.duration(to: deadline)))
    switch request.method {
    case .head: options.set(CURLOPT_NOBODY, 1)
    case .get: options.set(CURLOPT_HTTPGET, 1)
    case .post(let body): body.withUnsafeBytes { options.add(ccurl_set_post(easy, $0.baseAddress, $0.count)) }
    }
    prepareProxy(&options)
    prepareTLS(&options)
    let receptionPointer = Unmanaged.passUnretained(reception).toOpaque()
    options.set(CURLOPT_HEADERDATA, pointer: receptionPointer)
    options.add(
      ccurl_set_taker(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, reception in
        Reception.take(bytes, size * count, at: reception) { $0.take(line: $1) }
      })
    options.set(CURLOPT_WRITEDATA, pointer: receptionPointer)
    options.add(
      ccurl_set_taker(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, reception in
        Reception.take(bytes, size * count, at: reception) { $0.take(body: $1) }
      })
    return options.areSet
  }

  private func prepareProxy(_ options: inout Options) {
    // Empty, without exceptions: libcurl must ignore the environment.
    options.set(CURLOPT_NOPROXY, "")
    guard let proxy = settings.proxy else { return options.set(CURLOPT_PROXY, "") }
    options.set(CURLOPT_PROXY, "http://\(proxy.host.contains(":") ? "[\(proxy.host)]" : proxy.host)")
    options.set(CURLOPT_PROXYPORT, proxy.port)
    options.set(CURLOPT_HTTPPROXYTUNNEL, 1)
    // The proxy's answer to CONNECT is not part of the server's answer.
    options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    options.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    if let user = proxy.user { options.set(CURLOPT_PROXYUSERNAME, user) }
    if let password = proxy.password { options.set(CURLOPT_PROXYPASSWORD, password) }
  }

  private func prepareTLS(_ options: inout Options) {
    options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    options.set(CURLOPT_SSL_VERIFYPEER, 1)
    options.set(CURLOPT_SSL_VERIFYHOST, 2)
    if let file = settings.tls.authorityFile {
      options.set(CURLOPT_CAINFO, file)
      options.set(CURLOPT_CAPATH, nil)
    }
    if let certificate = settings.tls.certificateFile, let key = settings.tls.keyFile {
      options.set(CURLOPT_SSLCERT, certificate)
      options.set(CURLOPT_SSLKEY, key)
      // A key with a passphrase fails instead of prompting on the terminal.
      options.set(CURLOPT_KEYPASSWD, "")
    }
    options.set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(self).toOpaque())
    options.add(
      ccurl_set_tls_preparer(options.easy) { _, context, engine in
        guard let context, let engine else { return CURLE_SSL_CONNECT_ERROR }
        return Unmanaged<TransferEngine>.fromOpaque(engine).takeUnretainedValue().prepare(OpaquePointer(context))
      })
  }

  /// Makes OpenSSL itself verify the host: libcurl would fall back on the common name. The context belongs to a connection, so this
  /// engine outlives it.
  private func prepare(_ context: OpaquePointer) -> CURLcode {
    guard TLSSettings.demand(host: host, of: context),
      SSL_CTX_set_ex_data(context, Self.engineIndex, Unmanaged.passUnretained(self).toOpaque()) == 1
    else { return CURLE_SSL_CONNECT_ERROR }
    SSL_CTX_set_info_callback(context) { connection, kind, value in
      guard kind == SSL_CB_READ_ALERT, value >> 8 == SSL3_AL_FATAL,
        let engine = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), TransferEngine.engineIndex)
      else { return }
      Unmanaged<TransferEngine>.fromOpaque(engine).takeUnretainedValue().alert = value & 0xFF
    }
    return CURLE_OK
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return max(1, Int(min(seconds, Int64(Int32.max) / 1000)) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }

  // MARK: Failures

  private func failure(_ code: CURLcode?, _ easy: UnsafeMutableRawPointer) -> HTTPFailure {
    let isConnected = ccurl_microseconds(easy, CURLINFO_PRETRANSFER_TIME_T) > 0
    let errno = Int32(truncatingIfNeeded: ccurl_long(easy, CURLINFO_OS_ERRNO))
    if let alert { return .tls(TLSFailure(alert: alert)) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: return .hostUnresolved
    case CURLE_COULDNT_RESOLVE_PROXY: return .proxyUnresolved
    case CURLE_OPERATION_TIMEDOUT: return isConnected ? .answerLimitExceeded : .connectLimitExceeded
    case CURLE_PEER_FAILED_VERIFICATION:
      return .tls(TLSFailure(verification: Int32(truncatingIfNeeded: ccurl_long(easy, CURLINFO_SSL_VERIFYRESULT))))
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM: return .tls(.filesUnusable)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR: return .tls(.other)
    case CURLE_OUT_OF_MEMORY, Self.tooLarge: return .headerTooLong
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
      return .notHTTP
    default: break
    }
    if settings.proxy != nil, code != CURLE_COULDNT_CONNECT, !isConnected {
      return ccurl_long(easy, CURLINFO_HTTP_CONNECTCODE) == 407 ? .proxyWantsCredentials : .proxyRefuses
    }
    switch code {
    case CURLE_COULDNT_CONNECT: return .unconnected(errno: errno)
    case CURLE_OK, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: return .closed
    default: return .broken(errno: errno)
    }
  }
}

/// libcurl's multi handle, with its connections.
private final class Multi: @unchecked Sendable {
  let handle: UnsafeMutableRawPointer

  init?() {
    guard let handle = curl_multi_init() else { return nil }
    self.handle = handle
  }

  deinit { curl_multi_cleanup(handle) }
}

/// The options of a transfer; if libcurl refuses one, all count as failed.
private struct Options {
  let easy: UnsafeMutableRawPointer
  private(set) var areSet = true

  init(easy: UnsafeMutableRawPointer) { self.easy = easy }

  mutating func add(_ code: CURLcode) { areSet = areSet && code == CURLE_OK }
  mutating func set(_ option: CURLoption, _ value: Int) { add(ccurl_set_long(easy, option, value)) }
  mutating func set(_ option: CURLoption, _ text: String?) { add(ccurl_set_text(easy, option, text)) }
  mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    add(ccurl_set_pointer(easy, option, pointer))
  }
}

/// The receiver of libcurl's callbacks.
private final class Reception {
  var reader = AnswerReader()

  /// - Returns: the number of bytes, as libcurl requires; 0, which ends the transfer, if the reader accepts no more.
  static func take(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, at pointer: UnsafeMutableRawPointer?,
    by: (inout AnswerReader, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let pointer else { return 0 }
    let reception = Unmanaged<Reception>.fromOpaque(pointer).takeUnretainedValue()
    return by(&reception.reader, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
  }
}
