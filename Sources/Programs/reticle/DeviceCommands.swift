// `reticle cameras` and `reticle lines`: the connected devices, in the syntax of the configuration.

import ArgumentParser
import Devices
import LinuxDevices

struct CamerasCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cameras",
    abstract: "List the cameras of this machine.",
    discussion: """
      A line a camera: its id, for camera.id, and its model, for camera.model.

      Exit status: 0 if there is a camera, 1 if there is none, 77 if cameras may not be opened.
      """)

  func run() throws {
    #if Camera
      if CameraNodes.readPermission() == .denied {
        StandardOutput.writeError(
          "reticle: the device files of cameras may not be opened; add the user to the group video\n")
        throw ExitCode(77)
      }
      CameraMessages.route { level, message in
        if level != .debug, level != .info { StandardOutput.writeError("reticle: libcamera: \(message)\n") }
      }
      let cameras = try listCameras()
      for camera in cameras {
        // YAML would read a colon and a blank as a key: in quotes, any id is a text.
        print("id: \"\(camera.id.replacing("\\", with: "\\\\"))\"  model: \(camera.model)")
      }
      if cameras.isEmpty {
        StandardOutput.writeError(
          "reticle: there is no camera that libcamera knows; connect one, then look with `sudo reticle doctor`\n")
        throw ExitCode(1)
      }
    #else
      StandardOutput.writeError("reticle: this build has no cameras; build it with the package trait Camera\n")
      throw ExitCode(1)
    #endif
  }
}

struct LinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines",
    abstract: "List the GPIO lines of this machine.",
    discussion: """
      One GPIO line per row: its chip and name, or its offset if it has no name, as the configuration accepts it; its user; \
      its direction.

      Exit status: 0 if there is a chip, 1 if there is none, 77 if chips may not be opened.
      """)

  @Flag(help: "Also lines without a name.")
  var all = false

  func run() throws {
    #if Lines
      let chips: [ChipDescription]
      do throws(LineFailure) {
        chips = try GPIOLines.chips()
      } catch {
        StandardOutput.writeError("reticle: \(error)\n")
        throw ExitCode(77)
      }
      for chip in chips {
        print("\(chip.label)  (\(chip.path), \(chip.lines.count) lines)")
        for line in chip.lines where all || !line.name.isEmpty {
          let name = line.name.isEmpty ? "\(line.offset)" : line.name
          let holder = line.isUsed ? "  held by \(line.consumer.isEmpty ? "the kernel" : line.consumer)" : ""
          print("  \(chip.label):\(name)  \(line.isOutput ? "output" : "input")\(holder)")
        }
      }
      if chips.isEmpty {
        StandardOutput.writeError("reticle: there is no GPIO chip; load its driver, or connect a USB adapter with lines\n")
        throw ExitCode(1)
      }
    #else
      StandardOutput.writeError("reticle: this build has no lines; build it with the package trait Lines\n")
      throw ExitCode(1)
    #endif
  }
}
