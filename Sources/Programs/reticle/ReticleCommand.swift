// The command `reticle`. Start reading here: each subcommand is in a file with its name.

import ArgumentParser
import Glibc
import PictureFiles

@main
struct ReticleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reticle",
    abstract: "A barcode scanning station.",
    version: ReticleVersion.text,
    subcommands: [RunCommand.self, ScanCommand.self, GradeCommand.self] + printers + [
      GS1Command.self, RulesCommand.self, CollectCommand.self,
    ]
      + receivers
      + [
        OutboxCommand.self, ConfigCommand.self, CamerasCommand.self, LinesCommand.self, TorchCommand.self,
        BoardsCommand.self, GadgetCommand.self,
        ScreenCommand.self, DoctorCommand.self, SupportCommand.self,
      ])

  /// Exit status if the system's limits are too low to start: EX_OSERR of sysexits(3).
  private static let shortageStatus: Int32 = 71

  static func main() async {
    if let shortage = StartingRoom.shortage() {
      StandardOutput.writeError("reticle: cannot start: \(shortage)\n")
      Glibc.exit(shortageStatus)
    }
    await main(arguments)
  }

  /// The arguments; those that are not UTF-8 keep their bytes, as in `FileName`.
  private static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0].map { FileName.text(cString: $0) } }
  }

  private static var printers: [any ParsableCommand.Type] {
    #if Labels
      [GenerateCommand.self]
    #else
      []
    #endif
  }

  private static var receivers: [any ParsableCommand.Type] {
    #if Console
      [ReceiveCommand.self]
    #else
      []
    #endif
  }
}
