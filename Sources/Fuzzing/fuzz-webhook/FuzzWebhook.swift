// A hostile receiver: any bytes as the answer to a webhook's request. The client gets either an answer with a valid HTTP
// status or a failure, and immediately, as the server closes the connection after its bytes.

import Dispatch
import HTTPClient
import RawServer
import Synchronization

/// The server's next bytes; empty for none.
private let answer = Mutex<[UInt8]>([])

private let server: RawServer = {
  guard
    let server = try? RawServer({ connection in
      guard connection.readRequest() != nil else { return }
      connection.send(answer.withLock { $0 })
      connection.end()
    })
  else { fatalError("no port is free") }
  return server
}()

/// Through a proxy, the first answer is the one to CONNECT.
private let connections: [HTTPConnection] = [false, true].map { usesProxy in
  var settings = HTTPSettings(url: "http://127.0.0.1:\(server.port)/")
  if usesProxy { settings.proxy = HTTPSettings.Proxy(host: "127.0.0.1", port: server.port) }
  guard let connection = HTTPConnection(settings) else { fatalError("no connection can be made") }
  return connection
}

private let limit = Duration.seconds(10)

/// The fuzzer's entry: the first byte selects whether the following bytes come from a proxy or from the receiver.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebhook(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let bytes = UnsafeBufferPointer(start: data, count: count)
  let connection = connections[Int(bytes[0] & 1)]
  answer.withLock { $0 = Array(bytes.dropFirst()) }
  let isDone = DispatchSemaphore(value: 0)
  Task {
    let started = ContinuousClock.now
    do throws(HTTPFailure) {
      let answer = try await connection.send(HTTPRequest(.post(Array("{}".utf8)), fields: []), within: limit)
      precondition((200...599).contains(answer.status) && answer.body.count <= 64 << 10 && answer.fields.count <= 256)
    } catch {
      precondition(error != .cancelled && error != .libraryUnfit)
    }
    precondition(ContinuousClock.now - started < limit / 2)
    isDone.signal()
  }
  isDone.wait()
  return 0
}
