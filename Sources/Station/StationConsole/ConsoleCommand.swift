// Commands through the status server, for stations without buttons or hosts near the user (behaviour S1, N2).

#if Console

  import Devices
  import HTTPServer
  import ScanLoop
  import ScanScreen

  extension HostCommand {
    /// The commands of `POST /NAME`, without a body. `GET /status` answers the question.
    static let posted = allCases.filter { $0 != .status }
    /// The buttons of the page, in this order.
    static let buttons = posted.filter { $0 != .stop }
  }

  extension ConsoleAccess {
    /// Whether a command does not come from a foreign page. Browsers send a page's requests to any host that it names,
    /// including the user's password, but state the page's origin: with Sec-Fetch-Site on trusted connections, with Origin
    /// always. Other programs send neither.
    ///
    /// - Parameters:
    ///   - origin: the Origin header field, such as `http://localhost:9470`, or `null`.
    ///   - site: the Sec-Fetch-Site header field.
    ///   - host: the host named in the request.
    static func isOwnPage(origin: String?, site: String?, host: String?) -> Bool {
      if let site { return site == "same-origin" || site == "none" }
      guard let origin else { return true }
      guard let host, let end = origin.firstRange(of: "://") else { return false }
      return origin[end.upperBound...].lowercased() == host.lowercased()
    }
  }

  extension StatusServer {
    /// Adds the commands: 204 if carried out, 409 if it had no effect, 503 if it is not possible now. A browser that sends a
    /// form stays on its page, which itself shows the station's state.
    static func addCommands(to router: inout HTTPRouter, _ inspector: StationInspector) {
      for command in HostCommand.posted {
        router.on("POST", "/\(command.rawValue)") { request in
          let isOwn = ConsoleAccess.isOwnPage(
            origin: request.fields["Origin"], site: request.fields["Sec-Fetch-Site"], host: request.fields["Host"])
          guard isOwn else { return HTTPResponse(403, text: "a page of another host may not do this\n") }
          switch await inspector.carryOut(command) {
          case .done: return HTTPResponse(204)
          case .nothing where request.fields["Sec-Fetch-Mode"] == "navigate": return HTTPResponse(204)
          case .nothing: return HTTPResponse(409, text: "there is nothing for \(command.rawValue) to do\n")
          case .busy: return HTTPResponse(503, text: "too much waits; try again\n")
          case nil: return HTTPResponse(503, text: "the station is starting\n")
          }
        }
      }
    }

    /// The page for aiming, focusing and working: the camera's view in an inner frame that reloads itself, and a button per
    /// command. The answer to a command has no content, so that the page stays. It loads nothing from other servers.
    static var page: String {
      let buttons = HostCommand.buttons.map { command in
        """
        <form method="post" action="\(command.rawValue)" style="display:inline"><button>\(command.rawValue)</button></form>
        """
      }
      return """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>Reticle</title>
        <meta name="viewport" content="width=device-width">
        <body style="margin:0;background:#000">
        \(buttons.joined(separator: "\n"))
        <iframe src="view" title="what the camera sees" style="display:block;width:100%;height:92vh;border:0"></iframe>
        </body></html>

        """
    }

    /// The camera's view, the session's state and the available controls, reloaded every second. Result values come from
    /// barcodes: they are escaped as text, regardless of content.
    static func view(_ summary: String, _ controls: [PlacedControl]) -> String {
      let rows = controls.map { control in
        let words = [control.name, control.value].filter { !$0.isEmpty }.map(escaped).joined(separator: ": ")
        return control.hasFocus ? "<li aria-current=\"true\"><b>\(words)</b></li>" : "<li>\(words)</li>"
      }
      return """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>Reticle</title><meta http-equiv="refresh" content="1">
        <body style="margin:0;background:#000;color:#fff;font-family:sans-serif">
        <p style="margin:4px">\(summary)</p><ul style="margin:4px">\(rows.joined())</ul><img src="snapshot.png" alt="what the camera sees" style="width:100%"></body></html>

        """
    }

    private static func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
  }

#endif
