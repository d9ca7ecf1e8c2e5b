// `reticle screen`: what is to be done about the screen from outside of a station.

import ArgumentParser
import LinuxDevices

#if Screen
  import Devices
#endif

struct ScreenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "screen", abstract: "Look after the screen.", subcommands: [Restore.self])

  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Give a virtual terminal back to text after a station was killed.",
      discussion: """
        A station that ends gives its terminal back by itself. One that was killed cannot; this is for ExecStopPost= of its \
        unit. The panel itself goes back to the kernel with the killed process.

        Exit status: 0 if the terminal shows text, 74 if it cannot be restored.
        """)

    @Option(help: ArgumentHelp("The terminal, as in screen.terminal.", valueName: "device"))
    var terminal = "/dev/tty1"

    func run() throws {
      #if Screen
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
