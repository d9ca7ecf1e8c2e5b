// Who asks, and whether they may: every request passes here before its endpoint answers.

#if Console

  import BarcodeMessage
  import HTTPServer

  /// The one who asks.
  struct Visitor: Sendable {
    /// Nil for one who has not logged in.
    var role: ConsoleRole?
    /// The text that the page shows with requests that change anything.
    var proof: String?
    /// Whether the visitor may still see what it sees: for streams, whose session may end while they last.
    var isAdmitted: @Sendable () -> Bool = { true }
  }

  /// Admits visitors to endpoints.
  struct ConsoleGate: Sendable {
    static let cookieName = "reticle-session"
    static let proofField = "X-Reticle-CSRF"

    let access: ConsoleAccess
    let sessions: ConsoleSessions
    /// Whether browsers send the cookie over TLS alone.
    var isEncrypted = false
    let brake = GuessBrake()
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits before a client's token is checked.
    var pause: @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    /// Called with the address of a client that has presented too many wrong tokens.
    var onGuessLimit: @Sendable (String) -> Void = { _ in }

    /// The outcome of showing a token.
    enum TokenVerdict: Equatable {
      /// The role, and its token.
      case right(ConsoleRole, token: [UInt8])
      case wrong
      /// Too many of the client's tokens wait already.
      case braked
    }

    /// Checks a token, slowly if the client has guessed before.
    ///
    /// - Parameter isTyped: whether a person may have typed the one-time code instead.
    func check(_ token: [UInt8], from peer: String, isTyped: Bool = false) async -> TokenVerdict {
      guard let wait = brake.wait(of: peer, at: now()) else { return .braked }
      if wait > .zero { await pause(wait) }
      let token = isTyped ? access.token(typed: token) : token
      if let role = access.role(of: token) { return .right(role, token: token) }
      if brake.noteWrong(from: peer, at: now()) { onGuessLimit(peer) }
      return .wrong
    }

    static let brakedAnswer: HTTPResponse = {
      var response = HTTPResponse(429, text: "too many wrong tokens wait already; try again in a moment\n")
      response.fields["Retry-After"] = "\(GuessBrake.pause.components.seconds)"
      return response
    }()

    /// The secret in the request's cookie.
    static func secret(in request: HTTPRequest) -> String? {
      for pair in (request.fields["Cookie"] ?? "").split(separator: ";") {
        let halves = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        if halves.count == 2, halves[0] == cookieName { return String(halves[1]) }
      }
      return nil
    }

    /// A cookie that no script reads and no other site sends (RFC 6265bis, 4.1.2).
    ///
    /// - Parameter secret: empty to delete the cookie.
    func cookie(_ secret: String) -> String {
      let age = secret.isEmpty ? 0 : ConsoleSessions.lifeLimit.components.seconds
      return "\(Self.cookieName)=\(secret); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
        + (isEncrypted ? "; Secure" : "")
    }

    /// Recognises the one who asks.
    ///
    /// - Returns: a refusal instead, for a request with a wrong token.
    private func visitor(_ request: HTTPRequest) async -> Result<Visitor, Refusal> {
      if let secret = Self.secret(in: request), let session = sessions.use(secret, at: now()),
        let role = access.role(of: session.token)
      {
        let (sessions, access, now) = (sessions, access, now)
        return .success(
          Visitor(role: role, proof: session.proof) {
            sessions.use(secret, at: now()).map { access.role(of: $0.token) == role } ?? false
          })
      }
      if let token = ConsoleAccess.token(in: request.fields["Authorization"]), access.hasTokens {
        switch await check(token, from: request.peer) {
        case .right(let role, _): return .success(Visitor(role: role))
        case .wrong: return .failure(Refusal(HTTPResponse(401, text: "the token is wrong\n")))
        case .braked: return .failure(Refusal(Self.brakedAnswer))
        }
      }
      if access.trustsThisMachine, access.isFromThisMachine(request) {
        return .success(Visitor(role: .configure, proof: sessions.ownProof))
      }
      return .success(Visitor())
    }

    private struct Refusal: Error {
      let response: HTTPResponse

      init(_ response: HTTPResponse) { self.response = response }
    }

    /// Wraps an endpoint's answer with access control.
    func guarding(_ endpoint: Endpoint) -> HTTPHandler {
      { request in
        var response = await answer(endpoint, request)
        if endpoint.isForPrograms, response.status >= 400, response.fields["Content-Type"]?.hasPrefix("text/plain") == true,
          case .bytes(let text) = response.body
        {
          let words = String(decoding: text, as: UTF8.self).replacing("\n", with: "")
          response.body = .bytes(Array("{\"error\":\(JSONText.quoted(words))}\n".utf8))
          response.fields["Content-Type"] = "application/json"
        }
        return secured(response)
      }
    }

    private func answer(_ endpoint: Endpoint, _ request: HTTPRequest) async -> HTTPResponse {
      // Any client that can reach the port may check liveness, as load balancers do.
      if endpoint.isOpenToAll { return await endpoint.respond(request, Visitor()) }
      if !access.hasTokens, !access.isFromThisMachine(request) {
        return HTTPResponse(403, text: "ask for localhost or 127.0.0.1\n")
      }
      let visitor: Visitor
      switch await self.visitor(request) {
      case .success(let known): visitor = known
      case .failure(let refusal): return refusal.response
      }
      if let wanted = endpoint.role {
        guard let role = visitor.role else {
          var response = HTTPResponse(401, text: "log in, or send the token of console.token_file\n")
          response.fields["WWW-Authenticate"] = "Bearer realm=\"reticle\""
          return response
        }
        guard role >= wanted else { return HTTPResponse(403, text: "this takes the role \(wanted.rawValue)\n") }
      }
      if endpoint.method != "GET" {
        let isOwn = ConsoleAccess.isOwnPage(
          origin: request.fields["Origin"], site: request.fields["Sec-Fetch-Site"], host: request.fields["Host"])
        guard isOwn else { return HTTPResponse(403, text: "a page of another host may not do this\n") }
        if Self.secret(in: request) != nil, endpoint.role != nil, let proof = visitor.proof,
          request.fields[Self.proofField] != proof
        {
          return HTTPResponse(403, text: "send the csrf of /api/session in \(Self.proofField)\n")
        }
      }
      return await endpoint.respond(request, visitor)
    }

    /// Adds headers that restrict what browsers do with an answer.
    private func secured(_ response: HTTPResponse) -> HTTPResponse {
      var response = response
      if response.fields["Cache-Control"] == nil { response.fields["Cache-Control"] = "no-store" }
      response.fields["X-Content-Type-Options"] = "nosniff"
      response.fields["Referrer-Policy"] = "no-referrer"
      response.fields["Cross-Origin-Resource-Policy"] = "same-origin"
      // Only the console's own scripts run, and no other page may cover it.
      response.fields["Content-Security-Policy"] =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        + "frame-ancestors 'none'; form-action 'self'; base-uri 'none'"
      return response
    }
  }

#endif
