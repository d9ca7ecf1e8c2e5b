// Appending all scans of a frame together, an operator's requests to an outbox, and the outbox's status.

import Devices
import FoundationEssentials
import Glibc
import Testing
@testable import DeliveryModel
@testable import Outbox

@Suite(.timeLimit(.minutes(2))) struct OutboxRequestTests {
  private let folder: TemporaryFolder
  private var settings = OutboxSettings()

  init() throws {
    folder = try TemporaryFolder()
    settings.path = folder.file("outbox.sqlite")
    settings.onTrouble = .memory
  }

  private func open(_ sinks: [String] = ["a", "b"]) async -> Outbox {
    await Outbox(settings: settings, sinks: sinks.map { OutboxSink($0) }, logger: quiet)
  }

  private func drain(_ outbox: Outbox, _ sink: String) async -> [String] {
    var texts: [String] = []
    while await outbox.undeliveredCount(for: sink) > 0, let record = await outbox.nextRecord(for: sink) {
      texts.append(record.text)
      await outbox.acknowledge(record, by: sink)
    }
    return texts
  }

  @Test func `the scans of a frame are numbered in order and accepted once`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    let frame = (1...4).map { _ in scans.next() }
    #expect(try await outbox.append(frame).map { try $0.get().sequence } == [1, 2, 3, 4])
    #expect(try await outbox.append([frame[3], scans.next()]).map { try $0.get().sequence } == [4, 5])
    #expect(await drain(outbox, "a") == ["1", "2", "3", "4", "5"])
  }

  @Test func `the scans of a frame that exceed a limit are refused one by one`() async throws {
    var scans = ScanMaker()
    var settings = settings
    settings.undeliveredCountMax = 3
    let outbox = await Outbox(settings: settings, sinks: [OutboxSink("a")], logger: quiet)
    let outcomes = await outbox.append((1...5).map { _ in scans.next() })
    #expect(outcomes.map { (try? $0.get()) != nil } == [true, true, true, false, false])
    #expect(await outbox.status().refusedCount == 2)
  }

  @Test func `scans that an operator asks for are delivered again`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    for _ in 1...5 { _ = try await outbox.append(scans.next()) }
    #expect(await drain(outbox, "a").count == 5)
    // A scan that the sink has in hand does not move the position from which delivery continues.
    _ = try await outbox.append(scans.next())
    let inHand = try #require(await outbox.nextRecord(for: "a"))
    #expect(await outbox.perform(OutboxRequest(.redeliver, sink: "a", sequence: 3)).hasPrefix("3 delivered scans"))
    await outbox.acknowledge(inHand, by: "a")
    #expect(await drain(outbox, "a") == ["3", "4", "5", "6"])
    #expect(await outbox.undeliveredCount(for: "b") == 6)
  }

  @Test func `purged scans are skipped and counted`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    for _ in 1...5 { _ = try await outbox.append(scans.next()) }
    #expect(await outbox.perform(OutboxRequest(.purge, sink: "a", sequence: 2)).hasPrefix("2 undelivered"))
    #expect(await drain(outbox, "a") == ["3", "4", "5"])
    await outbox.perform(OutboxRequest(.purge))
    #expect(await outbox.undeliveredCount(for: "b") == 0)
    #expect(await outbox.status().discardedCount == 7)
    #expect(await outbox.perform(OutboxRequest(.purge, sink: "c")).contains("no sink"))
  }

  @Test func `another process sends its request to the running station`() async throws {
    var scans = ScanMaker()
    let outbox = await open()
    for _ in 1...5 { _ = try await outbox.append(scans.next()) }
    let upkeep = Task {
      while !Task.isCancelled {
        await outbox.maintain()
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    let tried = AsyncSignal()
    await outbox.whenRetryIsRequested(for: "a") { tried.signal() }
    let desk = OutboxOperator(settings: settings)
    #expect(try await desk.perform(OutboxRequest(.purge, sink: "a", sequence: 4)).hasPrefix("4 undelivered"))
    #expect(await outbox.undeliveredCount(for: "a") == 1)
    #expect(try await desk.perform(OutboxRequest(.retry, sink: "a")) == "trying now: a")
    await tried.wait()
    upkeep.cancel()
    await outbox.close()
    // Without a station, the command performs the request itself.
    #expect(try await desk.perform(OutboxRequest(.redeliver, sink: "a", sequence: 2)).hasPrefix("3 delivered"))
    #expect(try await desk.perform(OutboxRequest(.retry)) == "tried when a station starts")
    let reopened = await open()
    #expect(await drain(reopened, "a") == ["2", "3", "4", "5"])
  }

  @Test func `two stations on one file are kept apart`() async throws {
    var scans = ScanMaker()
    let first = await open()
    let second = await open()
    guard case .troubled(let trouble) = await second.state else {
      Issue.record("two stations write one file")
      return
    }
    #expect(trouble.cause == .busy && trouble.detail.contains("another station"))
    #expect(try await !second.append(scans.next()).isDurable)
    #expect(try await first.append(scans.next()).isDurable)
  }

  /// A descriptor closed twice may belong to something else the second time.
  @Test func `a station that is refused closes its file once`() throws {
    let claim = try OutboxClaim(path: settings.path)
    errno = 0
    _ = try? OutboxClaim(path: settings.path)
    #expect(errno == EWOULDBLOCK, "EBADF is a second closing's")
    withExtendedLifetime(claim) {}
  }

  @Test func `a request does not create a missing file`() async throws {
    await #expect(throws: OutboxTrouble.self) { try await OutboxOperator(settings: settings).perform(OutboxRequest(.retry)) }
    #expect(!FileManager.default.fileExists(atPath: settings.path))
  }

  @Test func `the status says which failures a scan survives`() async throws {
    func open(_ settings: OutboxSettings) async -> Outbox {
      await Outbox(settings: settings, sinks: [OutboxSink("a")], logger: quiet)
    }
    var settings = settings
    let outbox = await open(settings)
    let survives = Storage(path: settings.path).survivesPowerOff
    #expect(await outbox.status().durability == (survives ? .powerCut : .process))
    await outbox.close()
    settings.synchronous = .normal
    let relaxed = await open(settings)
    #expect(await relaxed.status().durability == .process)
    await relaxed.close()
    settings.path = "/dev/shm/reticle-\(UUID().uuidString).sqlite"
    defer {
      for end in ["", "-wal", "-shm", OutboxClaim.suffix] {
        try? FileManager.default.removeItem(atPath: settings.path + end)
      }
    }
    let forgetful = await open(settings)
    let status = await forgetful.status()
    #expect(status.durability == .process && status.fileSystem == "tmpfs" && status.remedy == Storage.remedy)
    await forgetful.close()
  }
}
