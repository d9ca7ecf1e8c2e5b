#if Console

  import CoreMetrics
  import Delivery
  import Devices
  import Foundation
  import Hummingbird
  import HummingbirdTesting
  import Logging
  import Testing

  @testable import Station

  @Suite struct StatusServerTests {
    @Test func tellsThatItLivesAndWhatWasCounted() async throws {
      let metrics = MetricsRegistry()
      metrics.makeCounter(label: "reticle_scans_total", dimensions: []).increment(by: 7)
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("reticle-\(UUID()).sqlite").path
      defer {
        for end in ["", "-wal", "-shm", "-station"] { try? FileManager.default.removeItem(atPath: path + end) }
      }
      var configuration = StationConfiguration()
      configuration.outbox.path = path
      let delivery = try await StationDelivery(configuration, logger: Logger(label: "test")) { _ in SimulatedSerialPort() }
      let application = Application(router: StatusServer.makeRouter(metrics, delivery.report))
      try await application.test(.router) { client in
        try await client.execute(uri: "/livez", method: .get) { response in
          #expect(response.status == .ok)
          #expect(String(buffer: response.body) == "ok\n")
        }
        try await client.execute(uri: "/metrics", method: .get) { response in
          #expect(response.headers[.contentType] == MetricsRegistry.contentType)
          #expect(String(buffer: response.body).contains("reticle_scans_total 7\n"))
        }
        try await client.execute(uri: "/status", method: .get) { response in
          #expect(response.headers[.contentType] == "application/json")
          let status = try JSONSerialization.jsonObject(with: Data(String(buffer: response.body).utf8)) as? [String: Any]
          let outbox = status?["outbox"] as? [String: Any]
          #expect(outbox?["path"] as? String == path)
          #expect(["power-cut", "process"].contains(outbox?["durability"] as? String))
          #expect((status?["sinks"] as? [[String: Any]])?.first?["phase"] as? String == "idle")
        }
        try await client.execute(uri: "/", method: .get) { response in #expect(response.status == .notFound) }
      }
      await delivery.outbox.close()
    }
  }

#endif
