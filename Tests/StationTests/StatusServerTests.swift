#if Console

  import CoreMetrics
  import Hummingbird
  import HummingbirdTesting
  import Testing

  @testable import Station

  @Suite struct StatusServerTests {
    @Test func tellsThatItLivesAndWhatWasCounted() async throws {
      let metrics = MetricsRegistry()
      metrics.makeCounter(label: "reticle_scans_total", dimensions: []).increment(by: 7)
      let application = Application(router: StatusServer.makeRouter(metrics))
      try await application.test(.router) { client in
        try await client.execute(uri: "/livez", method: .get) { response in
          #expect(response.status == .ok)
          #expect(String(buffer: response.body) == "ok\n")
        }
        try await client.execute(uri: "/metrics", method: .get) { response in
          #expect(response.headers[.contentType] == MetricsRegistry.contentType)
          #expect(String(buffer: response.body).contains("reticle_scans_total 7\n"))
        }
        try await client.execute(uri: "/", method: .get) { response in #expect(response.status == .notFound) }
      }
    }
  }

#endif
