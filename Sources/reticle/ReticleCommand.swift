// The command `reticle`. Start reading here: each subcommand is a file of its name.

import ArgumentParser

@main
struct ReticleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reticle",
    abstract: "A barcode scanning station.",
    version: ReticleVersion.text,
    subcommands: [RunCommand.self, ScanCommand.self, GenerateCommand.self, GS1Command.self] + receivers + [
      OutboxCommand.self, ConfigCommand.self, CamerasCommand.self, LinesCommand.self, TorchCommand.self, BoardsCommand.self,
      ScreenCommand.self, DoctorCommand.self,
    ])

  private static var receivers: [any ParsableCommand.Type] {
    #if Console
      [ReceiveCommand.self]
    #else
      []
    #endif
  }
}
