// `reticle receive`: a webhook receiver for trying a station, on this machine or another.

#if Console

  import ArgumentParser

  import FoundationEssentials
  import ScanReceiver

  struct ReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "receive",
      abstract: "Receive scans from a station's webhook and print them.",
      discussion: """
        Prints each scan as it is received: its number, symbology, AIM identifier and text, and the time from its capture to \
        its receipt. Each scan is answered with 204 once it is printed; one that comes again under its id is marked as \
        repeated. Runs until it is ended.

        Exit status: 0 after a clean end, 64 for wrong usage, 69 if the port cannot be had.
        """)

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The port to listen on, 0 for any that is free.", valueName: "port"))
    var port = 8080

    @Option(help: ArgumentHelp("A file to write the port to once it listens.", valueName: "file"), completion: .file())
    var portFile: String?

    func validate() throws {
      guard (0...65535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
    }

    func run() async throws {
      let portFile = portFile
      do {
        try await WebhookReceiver().run(
          host: host, port: port,
          onListening: { port in
            StandardOutput.writeError("reticle: listening on \(host):\(port)\n")
            guard let portFile else { return }
            do {
              try "\(port)\n".write(toFile: portFile, atomically: true, encoding: .utf8)
            } catch {
              StandardOutput.writeError("reticle: \(portFile) cannot be written: \(error); choose another --port-file\n")
            }
          },
          onScan: { receipt in
            // A reader of standard output that has gone is no reason to refuse a scan.
            try? StandardOutput.write(receipt.line + "\n")
          })
      } catch {
        StandardOutput.writeError(
          "reticle: cannot listen on \(host):\(port): \(error); end what uses the port, or choose another --port\n")
        throw ExitCode(69)
      }
    }
  }

#endif
