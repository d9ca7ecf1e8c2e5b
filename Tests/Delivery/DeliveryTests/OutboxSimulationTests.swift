// The simulator in the test run: seeds that once failed, and new ones for a share of the time.

import OutboxSimulation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct OutboxSimulationTests {
  /// Seeds that broke an invariant before a fix.
  static let mendedSeeds: [UInt64] = [
    3, 72, 350, 393, 419, 50_090, 50_241, 136_928_484_251_309, 139_339_436_113_102,
    74_840_503_737_107, 178_798_404_638_138, 8_912_354_944_621, 146_047_684_285_765, 1036, 1058, 2067, 3946, 4383, 5135,
    11_185,
    200_394, 200_753, 300_274, 300_812, 302_073, 400_194,
    177_099_152_496_985, 22_514_974_893_505, 192_298_247_023_598, 170_908_047_307_600, 37_155_166_839_480,
    59_765_433_917_710, 263_963_232_314_236, 20_619_623_110_017, 216_323_477_194_815,
    3_414_646_400_075, 1_553_062_385, 12_040_233_630_670, 230_502_531_528_265,
    105_229_307_153_018, 79_558_309_310_805, 80_698_602_351_650,
    433_453_433_886_365, 481_145_833_333_042, 509_973_681_712_681, 335_360_691_386_858,
    366_095_180_048_590, 337_224_312_806_433, 506_476_043_448_829,
    746_331_186_999_736, 444_483_607_281_496, 330_833_049_836_857, 461_802_609_409_882, 340_978_227_368_390,
    987_981_594_552_369, 885_458_642_146_556,
  ]

  @Test(arguments: mendedSeeds) func `a seed that once failed holds`(_ seed: UInt64) {
    let report = Simulation.run(from: seed, count: 1, limit: .seconds(60))
    #expect(report.violation == nil, "\(report)")
  }

  @Test func `new seeds hold`() {
    let report = Simulation.run(from: UInt64.random(in: Simulation.newSeeds), limit: .seconds(TestDepth.scaled(10)))
    print(report)
    #expect(report.violation == nil)
  }
}
