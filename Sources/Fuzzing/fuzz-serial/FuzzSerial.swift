// A hostile host: any bytes on the serial line. The parser must hold at most one line and find every command.

import Devices

/// The fuzzer's entry: the bytes are what the host sends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSerial(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var parser = HostCommandParser()
  var lines = 0
  var ends = 0
  for byte in UnsafeBufferPointer(start: data, count: count) {
    if byte == 0x0D || byte == 0x0A { ends += 1 }
    if let line = parser.take(byte) {
      lines += 1
      if case .command(let command) = line { precondition(HostAnswer.done(command).bytes.last == 0x0A) }
    }
  }
  precondition(lines <= ends)
  // The next line is understood regardless of the bytes before it.
  for byte in [0x0D] + Array("status".utf8) { _ = parser.take(byte) }
  precondition(parser.take(0x0A) == .command(.status))
  return 0
}
