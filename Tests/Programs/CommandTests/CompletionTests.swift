// The completions of shells, used as a shell uses them; the package installs what `--generate-completion-script` prints.

import Foundation
import Testing

@Suite struct CompletionTests {
  private let folder: WorkFolder
  private let script: String

  init() throws {
    folder = try WorkFolder()
    script = try folder.write("reticle", Array(try CommandRun("--generate-completion-script", "bash").text.utf8))
  }

  /// The words that bash offers after a line.
  private func words(after line: String) throws -> Set<String> {
    let asking = #"""
      source "$0"
      read -ra COMP_WORDS <<<"$1"
      case "$1" in *' ') COMP_WORDS+=("") ;; esac
      COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      $(complete -p reticle | sed -n 's/.*-F \([^ ]*\).*/\1/p') reticle "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
      printf '%s\n' "${COMPREPLY[@]}"
      """#
    let run = try CommandRun(arguments: ["-c", asking, script, line], program: URL(filePath: "/bin/bash"))
    #expect(run.status == 0, "\(run.errors)")
    return Set(run.lines.map { $0.trimmingCharacters(in: .whitespaces) })
  }

  @Test(
    arguments: [
      ("reticle con", ["config"]), ("reticle config ", ["check", "init", "explain", "reference"]),
      ("reticle run --co", ["--config"]),
      ("reticle generate x --symbology databar-", ["databar-limited", "databar-expanded"]),
      ("reticle run --log-level w", ["warning"]),
      ("reticle config explain console.t", ["console.tls", "console.token_file"]),
    ] as [(String, [String])])
  func `bash completes subcommands, options and values`(line: String, expected: [String]) throws {
    let offered = try words(after: line)
    #expect(offered.isSuperset(of: expected), "\(offered)")
    let begun = line.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
    #expect(offered.allSatisfy { $0.hasPrefix(begun) }, "\(offered)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `every shell's script names every subcommand`(shell: String) throws {
    let text = try CommandRun("--generate-completion-script", shell).text
    let help = try #require(CommandRun("help").text.components(separatedBy: "SUBCOMMANDS:").last)
    let commands = help.matches(of: #/(?m)^  ([a-z]+) /#).map { String($0.1) }
    #expect(commands.count > 10)
    for command in commands { #expect(text.contains(command), "\(command)") }
  }
}
