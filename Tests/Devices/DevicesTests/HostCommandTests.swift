// The host's command language: commands and answers, and a parser that holds at most one short line of any input.

import Devices
import Testing

@Suite struct HostCommandParserTests {
  private func lines(_ text: String) -> [HostCommandParser.Line] {
    var parser = HostCommandParser()
    return text.utf8.compactMap { parser.take($0) }
  }

  @Test(arguments: HostCommand.allCases)
  func `a command is recognised in either case, with any blanks and line ending`(_ command: HostCommand) {
    for text in ["\(command.rawValue)\r", "\(command.rawValue.uppercased())\n", " \t\(command.rawValue) \r\n"] {
      #expect(lines(text) == [.command(command)])
    }
  }

  @Test func `empty lines are ignored`() { #expect(lines("\r\n\n\r  \r\t\n").isEmpty) }

  @Test func `a line that is not a command is reported as unknown`() {
    #expect(lines("trigge\rtriggers\rtrigger now\r\u{0}\rtr\u{e4}ger\r") == Array(repeating: .unknown, count: 5))
  }

  @Test func `a line that is too long is skipped as a whole`() {
    let long = String(repeating: "trigger", count: 10_000)
    #expect(lines(long + "\rstop\r") == [.tooLong, .command(.stop)])
    let longest = String(repeating: "x", count: HostCommandParser.lineByteCountMax)
    #expect(lines(longest + "\r" + longest + "x\r") == [.unknown, .tooLong])
  }

  @Test func `a prefix starts a new line, and the parser reports it`() {
    var parser = HostCommandParser(prefix: 0x16)
    var heard: [HostCommandParser.Line] = []
    var prefixed: [Bool] = []
    for byte in "stop\r\u{16}stop\rrub\u{16} Torch \r\n\u{16}\rstop\r\u{16}bish\r".utf8 {
      guard let line = parser.take(byte) else { continue }
      heard.append(line)
      prefixed.append(parser.lastLineHasPrefix)
    }
    #expect(heard == [.command(.stop), .command(.stop), .command(.torch), .command(.stop), .unknown])
    #expect(prefixed == [false, true, true, false, true])
    #expect(HostCommandParser.isPrefix(HostCommandParser.usualPrefix))
    for byte in [0x06, 0x0D, 0x10, 0x11, 0x15, 0x1D, 0x20, 0x41, 0x80] as [UInt8] {
      #expect(!HostCommandParser.isPrefix(byte))
    }
  }

  @Test func `forgetting discards a partial line`() {
    var parser = HostCommandParser()
    for byte in "trig".utf8 { #expect(parser.take(byte) == nil) }
    parser.forget()
    #expect("stop\r".utf8.compactMap { parser.take($0) } == [.command(.stop)])
  }

  @Test func `arbitrary bytes leave the parser usable`() {
    var random = SystemRandomNumberGenerator()
    var parser = HostCommandParser()
    for _ in 0..<20_000 { _ = parser.take(UInt8.random(in: 0...255, using: &random)) }
    _ = parser.take(0x0D)
    #expect("status\r".utf8.compactMap { parser.take($0) } == [.command(.status)])
  }

  @Test func `answers are lines of printable ASCII`() {
    #expect(HostAnswer.done(.trigger).bytes == [0x10] + Array("trigger ok\r\n".utf8))
    #expect(HostAnswer.busy(.torch).bytes == [0x10] + Array("torch busy\r\n".utf8))
    #expect(HostAnswer.unknown.bytes == [0x10] + Array("error unknown command\r\n".utf8))
    #expect(HostAnswer.prefixMissing.bytes == [0x10] + Array("error prefix missing\r\n".utf8))
    #expect(HostAnswer.tooLong.bytes == [0x10] + Array("error line too long\r\n".utf8))
    #expect(HostAnswer.status("a=b\r\nü").bytes == [0x10] + Array("status a=b???\r\n".utf8))
  }
}
