// conformance-lab: reads symbols drawn by independent encoders, with random contents, and compares them byte for byte.
//
//   conformance-lab SEED [DEPTH [KIND]]
//   conformance-lab --drawn
//
// The first form draws with libzint; the same seed draws the same symbols. DEPTH scales their number: the tests use 1. KIND
// is the name of a single kind. The second form reads symbols drawn by another program from standard input, see
// DrawnSymbols.swift. Prints one line per kind and one line per failure, whose picture goes into the folder that
// RETICLE_PICTURES names; exits with 1 if a symbol is misread, a fixed case
// fails, or more symbols are unread or corrected than `Judge` allows.

import BarcodeTypes
import Glibc

let arguments = CommandLine.arguments.dropFirst()
var judge = Judge()
if arguments.first == "--drawn" {
  while let line = readLine() {
    guard let symbol = DrawnSymbol(line) else {
      print("not a drawn symbol: \(line.prefix(200))")
      exit(65)
    }
    judge.judge(symbol.picture, symbol.expected, in: symbol.kind)
  }
  judge.judgeDrawnKinds()
} else {
  guard let first = arguments.first, let seed = UInt64(first) else {
    print("usage: conformance-lab SEED [DEPTH [KIND]], or conformance-lab --drawn; the seed is a number")
    exit(64)
  }
  let depth = arguments.count > 1 ? Double(CommandLine.arguments[2]) ?? 1 : 1
  let name = arguments.count > 2 ? CommandLine.arguments[3] : nil
  print("seed \(seed), depth \(depth)")
  for one in fixedCases where name == nil { judge.judge(one, in: fixedCasesName) }
  for kind in allKinds where name == nil || name == kind.name {
    // A separate seed per kind, so that a failure can be reproduced after other kinds are added.
    var random = SeededRandom(seed: seed ^ UInt64(kind.name.utf8.reduce(5381) { ($0 &* 33) ^ UInt32($1) }))
    for index in 0..<Int((Double(kind.count) * max(depth, kind.depthMin)).rounded(.up)) {
      judge.judge(kind.make(index % kind.count, &random), in: kind.name)
    }
    judge.judgeCounts(
      in: kind.name, unreadMax: Int((Double(kind.unreadMax) * max(depth, 1)).rounded()),
      correctedPercentMax: kind.correctedPercentMax)
  }
}
judge.report()
exit(judge.isPassed ? 0 : 1)
