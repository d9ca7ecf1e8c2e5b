// A hostile host: any bytes on the serial line. The parser must hold no more than a line and find every command there is.

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
  // Whatever came before, the next line is understood.
  for byte in [0x0D] + Array("status".utf8) { _ = parser.take(byte) }
  precondition(parser.take(0x0A) == .command(.status))
  return 0
}
