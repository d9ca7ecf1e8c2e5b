// Runs schedules of the outbox's simulator, each from a seed, until the time is over or one breaks an invariant.
//
//     outbox-simulator [--seconds N] [--count N] [--seed N]
//
// With --seed alone it runs that one. RETICLE_DEPTH multiplies the seconds.

import OutboxSimulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

var seconds = 60.0
var countMax = Int.max
var seed: UInt64?
var arguments = CommandLine.arguments.dropFirst().makeIterator()
while let argument = arguments.next() {
  switch (argument, arguments.next()) {
  case ("--seconds", let value?): seconds = Double(value) ?? seconds
  case ("--count", let value?): countMax = Int(value) ?? countMax
  case ("--seed", let value?): seed = UInt64(value)
  default:
    print("usage: outbox-simulator [--seconds N] [--count N] [--seed N]")
    exit(64)
  }
}
if let depth = getenv("RETICLE_DEPTH").flatMap({ Double(String(cString: $0)) }) { seconds *= depth }
let first = seed ?? UInt64.random(in: Simulation.newSeeds)
if seed != nil, countMax == .max { countMax = 1 }
let report = Simulation.run(from: first, count: countMax, limit: .seconds(seconds))
print(report)
exit(report.violation == nil ? 0 : 1)
