// conformance-lab: symbols drawn by an encoder that is not ours, of random contents, read byte for byte.
//
//   conformance-lab SEED [DEPTH]
//
// The same seed draws the same symbols. DEPTH scales how many: 1 is what the tests take. Prints a line per symbology and a line
// per failure; exits with 1 if one is read wrongly, a fixed case fails, or more than one of a thousand is unread.

import BarcodeTypes
import Glibc

guard CommandLine.arguments.count > 1, let seed = UInt64(CommandLine.arguments[1]) else {
  print("usage: conformance-lab SEED [DEPTH]; the seed is a number")
  exit(64)
}
let depth = CommandLine.arguments.count > 2 ? Double(CommandLine.arguments[2]) ?? 1 : 1
print("seed \(seed), depth \(depth)")
var judge = Judge()
for one in fixedCases { judge.judge(one, in: fixedCasesName) }
for kind in allKinds {
  // A seed for each kind, so that a failure is found again whatever was added before it.
  var random = SeededRandom(seed: seed ^ UInt64(kind.name.utf8.reduce(5381) { ($0 &* 33) ^ UInt32($1) }))
  for _ in 0..<Int((Double(kind.count) * depth).rounded(.up)) { judge.judge(kind.make(&random), in: kind.name) }
}
judge.report()
exit(judge.isPassed ? 0 : 1)
