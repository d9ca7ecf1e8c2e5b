// A hostile receiver: any bytes as the answer to a webhook's request. There is an answer with a status that HTTP has, or a
// failure, and either comes at once, for the server ends when it has said everything.

import Dispatch
import HTTPClient
import RawServer
import Synchronization

/// What the server says next; nil: nothing.
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

/// The fuzzer's entry: the first byte says whether the bytes behind it are a proxy's or the receiver's.
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
