// `reticle boards`: the known boards, and the configuration for this one.

import ArgumentParser
import BarcodeMessage
import Boards
import StationDoctor

struct BoardsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "boards",
    abstract: "List the boards and cameras that are known, or print one: lines, limits, wiring.",
    discussion: """
      Without a name: a line a board or camera, this machine's marked by a star. With a name: its file. With --configuration \
      only the part that can be pasted into a station's configuration.

      Exit status: 0, 64 if no board has that name.
      """)

  @Argument(
    help: "The name of a board or camera; \"this\" for the machine that this runs on.",
    completion: .list(["this"] + Self.known.map(\.name)))
  var name: String?

  @Flag(help: "Only the keys for a station's configuration.")
  var configuration = false

  private static let known = BoardFile.all + BoardFile.cameras

  func validate() throws { if let name { _ = try Self.board(name) } }

  func run() throws {
    let mine = BoardFile.matching(model: deviceTreeModel())
    guard let name else {
      for board in Self.known { print("\(board == mine ? "*" : " ") \(board.name): \(board.value("board") ?? "")") }
      return
    }
    let board = try Self.board(name)
    try StandardOutput.write(configuration ? board.section("configuration") : board.text)
  }

  /// The board with a name; "this" means the present machine.
  static func board(_ name: String) throws(ValidationError) -> BoardFile {
    if name == "this" { return BoardFile.matching(model: deviceTreeModel()) }
    if let board = known.first(where: { $0.name == name }) { return board }
    let names = known.map(\.name).joined(separator: ", ")
    throw ValidationError("no board is called \(TerminalText.safe(name)); there are this, \(names)")
  }
}
