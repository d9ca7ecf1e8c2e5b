// `reticle screen`: actions on the screen from outside a station.

import ArgumentParser
import StationConfiguration

#if Screen
  import Devices
  import LinuxScreen
#endif

struct ScreenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "screen", abstract: "Look after the screen.", subcommands: [Restore.self])

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Give a virtual terminal back to text after a station was killed.",
      discussion: """
        A station returns its terminal when it ends. One that was killed cannot; this is for ExecStopPost= of its \
        unit. The panel itself goes back to the kernel with the killed process.

        Exit status: 0 if the terminal shows text, or the station has none; 74 if it cannot be restored; 78 if the \
        configuration is wrong.
        """)

    @Option(help: ArgumentHelp("The terminal, instead of the configuration's screen.terminal.", valueName: "device"))
    var terminal: String?

    @Option(help: ConfigurationLoading.help, completion: .file(extensions: ["yaml"]))
    var config: String?

    func run() async throws {
      #if Screen
        var terminal = terminal
        if terminal == nil { terminal = try await ConfigurationLoading.load(config).screen.terminal }
        guard let terminal else { return }
        do throws(ScreenTrouble) {
          try KernelTerminal.restore(path: terminal)
        } catch {
          StandardOutput.writeError("reticle: \(error.description)\n")
          throw ExitCode(74)
        }
      #else
        StandardOutput.writeError("reticle: this build has no screen; build it with the package trait Screen\n")
        throw ExitCode(74)
      #endif
    }
  }
}
