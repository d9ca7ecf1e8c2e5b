// The measurement itself.

import BarcodeDecoder
import BarcodeTypes
import CAllocationCounter
import Glibc
import PictureFiles

/// Measures pictures one after another, in a workspace that is allocated once and grows for larger pictures.
struct DecoderBench: ~Copyable {
  let settings: DecoderSettings
  /// Number of times each picture is decoded after the warm-up.
  let repeatCount: Int
  private var picture = Picture()
  private var workspace = Workspace(pixelCountMax: 1920 * 1080)

  init(settings: DecoderSettings, repeatCount: Int) {
    self.settings = settings
    self.repeatCount = repeatCount
  }

  /// Loads a picture and makes room for it; notes a failure.
  private mutating func load(_ path: String, into report: inout BenchmarkReport) -> Bool {
    do throws(PictureFileError) {
      try picture.load(path: path)
    } catch {
      report.failures.append("\(path): \(error)")
      return false
    }
    let pixelCount = picture.width * picture.height
    if pixelCount > workspace.pixelCountMax { workspace = Workspace(pixelCountMax: pixelCount) }
    return true
  }

  /// Decodes a picture once and prints how far its candidates came.
  mutating func tryOut(_ path: String, into report: inout BenchmarkReport) {
    guard load(path, into: &report), let trials = picture.withLuma({ TrialReport($0, settings, &workspace) }) else { return }
    print(trials.json(path: path))
  }

  /// Measures a picture and adds its results to the report.
  mutating func measure(_ path: String, into report: inout BenchmarkReport) {
    guard load(path, into: &report), let samples = picture.withLuma({ Samples($0, settings, repeatCount, &workspace) })
    else { return }
    if !samples.isSteady { report.failures.append("\(path): the same picture was decoded differently the second time") }
    report.rows.append(
      BenchmarkReport.Row(
        path: path, width: picture.width, height: picture.height, symbolCount: samples.outcome.symbolCount,
        workUnits: samples.outcome.workUnits, isComplete: samples.outcome.isComplete,
        allocationCount: callocationcounter_is_on() != 0 ? samples.allocationCount : nil, total: Times(samples.totals),
        stages: samples.stages.map { Times($0) }))
  }
}

/// The repeats for a picture.
private struct Samples {
  let outcome: DecodeOutcome
  /// Whether every repeat had the same outcome as the first.
  private(set) var isSteady = true
  /// Allocations of all repeats.
  private(set) var allocationCount = 0
  /// Nanoseconds per repeat.
  private(set) var totals: [Int]
  /// Nanoseconds per stage, then per repeat.
  private(set) var stages: [[Int]]

  /// Decodes once to warm up, and then `repeatCount` times.
  init(_ luma: LumaView, _ settings: DecoderSettings, _ repeatCount: Int, _ workspace: inout Workspace) {
    totals = [Int](repeating: 0, count: repeatCount)
    stages = [[Int]](repeating: totals, count: DecodeStage.count)
    workspace.beginSequence()
    outcome = Decoder.decode(luma, settings: settings, workspace: &workspace)
    var spent = [Int](repeating: 0, count: DecodeStage.count)
    // The first round warms up the measurement itself: an unoptimised build allocates before a closure's first call.
    for round in 0...repeatCount {
      workspace.beginSequence()
      let counted = callocationcounter_count()
      let start = now()
      for stage in spent.indices { spent[stage] = 0 }
      var last = start
      let again = spent.withUnsafeMutableBufferPointer { spent in
        Decoder.decode(luma, settings: settings, workspace: &workspace) {
          let time = now()
          spent[$0.rawValue] += time - last
          last = time
        }
      }
      let end = now()
      let allocated = Int(callocationcounter_count() - counted)
      guard round > 0 else { continue }
      allocationCount += allocated
      totals[round - 1] = end - start
      for stage in 0..<DecodeStage.count { stages[stage][round - 1] = spent[stage] }
      if again != outcome { isSteady = false }
    }
  }
}

/// The monotonic clock, in nanoseconds.
private func now() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
}
