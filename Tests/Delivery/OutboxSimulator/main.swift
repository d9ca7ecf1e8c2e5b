// Runs schedules of the outbox's simulator, each from a seed, until the time is over or one violates an invariant. Then runs
// schedules of serial lines for a twentieth of that time.
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
let serial = await SerialSchedule.run(from: first, limit: .seconds(seed == nil ? seconds / 20 : 0.1))
print("\(serial.count) schedules of serial lines, \(serial.scanCount) scans delivered, \(serial.wrong ?? "0 wrong")")
exit(report.violation == nil && serial.wrong == nil ? 0 : 1)
