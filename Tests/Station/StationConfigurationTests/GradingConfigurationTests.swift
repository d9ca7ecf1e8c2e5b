// The section `grading`.

import PrintQuality
import StationConfiguration
import Testing

@Suite struct GradingConfigurationTests {
  private let camera = "camera: {pictures: x}\n"

  @Test func `scans are graded on request alone`() async throws {
    #expect(try await load(camera).grading == nil)
    #expect(try await load(camera + "grading: {enabled: false, alarm_below: 3}").grading == nil)
    #expect(try await load(camera + "grading: {enabled: true}").grading == GradingSettings())
    let grading = try await load(camera + "grading: {enabled: true, alarm_below: 2.5, transfer: linear}").grading
    #expect(grading?.alarmBelow == 2.5 && grading?.transfer == .linear)
  }

  @Test func `errors name the key and the remedy`() async {
    #expect(
      await complaint(camera + "grading: {alarm_below: 2}").contains(
        "line 2: grading.alarm_below has no effect without grading.enabled; write grading.enabled: true"))
    #expect(await complaint(camera + "grading: {enabled: true, alarm_below: 4.5}").contains("grading.alarm_below"))
    #expect(await complaint(camera + "grading: {enabled: true, transfer: rec709}").contains("srgb"))
  }
}
