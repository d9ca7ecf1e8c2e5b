// Checks the source of frames: a camera that libcamera lists and this user may open, or pictures to play.

import Devices
import StationConfiguration

extension Doctor {
  static func camera(_ system: SystemView, _ configuration: StationConfiguration) -> [Finding] {
    guard configuration.camera.isEnabled else { return [Trouble.cameraOff.found(["file": fileName(system)])] }
    guard configuration.camera.source == .libcamera else { return [pictures(system, configuration)] }
    let view = system.camera
    guard !view.nodes.isEmpty else { return [Trouble.cameraAbsent.found([:])] }
    // libcamera needs a media device and its video devices: if all of either kind are refused, no camera works.
    for kind in ["/dev/media", "/dev/video"] {
      let nodes = view.nodes.filter { $0.path.hasPrefix(kind) }
      if let node = nodes.first, nodes.allSatisfy({ !$0.mayUse }) {
        return [
          Trouble.cameraDenied.found(["device": node.path, "user": system.user, "group": joinableGroup(node)])
        ]
      }
    }
    switch view.cameras {
    case .failure(let failure): return [Trouble.cameraLibraryFailed.found(["cause": failure.words])]
    case .success(let cameras): return [listed(cameras, system, configuration)] + heaps(system)
    }
  }

  private static func pictures(_ system: SystemView, _ configuration: StationConfiguration) -> Finding {
    guard let trouble = system.camera.pictureTrouble else {
      let isWatching = configuration.camera.repetition == .watch
      return .ok(
        .camera, isWatching ? "the folders are there in which pictures are waited for" : "there are pictures to play")
    }
    return Trouble.picturesMissing.found(["cause": trouble, "file": fileName(system)])
  }

  private static func listed(
    _ cameras: [CameraView.Camera], _ system: SystemView, _ configuration: StationConfiguration
  ) -> Finding {
    let view = system.camera
    guard !cameras.isEmpty else {
      if system.board.name == "raspberry-pi-5", isOlder(view.libraryVersion, than: [0, 5]) {
        return Trouble.cameraLibraryOld.found(["version": view.libraryVersion, "model": system.board.model])
      }
      return Trouble.cameraUnlisted.found([:])
    }
    let wishes = [("id", configuration.camera.settings.id), ("model", configuration.camera.settings.model)]
    for (key, wish) in wishes {
      guard let wish else { continue }
      let isThere = cameras.contains { (key == "id" ? $0.id : $0.model) == wish }
      guard isThere else {
        let names = cameras.map { key == "id" ? $0.id : $0.model }.joined(separator: ", ")
        return Trouble.cameraUnmatched.found([
          "key": key, "value": wish, "cameras": names, "file": fileName(system),
        ])
      }
    }
    if let holder = view.holder {
      guard holder.program == "reticle" else {
        return Trouble.cameraHeld.found(["device": holder.device, "program": holder.program])
      }
      return .ok(.camera, view.steering.map { "the station uses it; \($0)" } ?? "the station uses it")
    }
    return .ok(.camera, cameras.map { "\($0.model) (\($0.id))" }.joined(separator: ", "))
  }

  /// DMA heaps matter where the processor otherwise reads a camera's memory uncached: on a Raspberry Pi.
  private static func heaps(_ system: SystemView) -> [Finding] {
    let heaps = system.camera.heaps
    if let heap = heaps.first(where: \.mayUse) { return [.ok(.memory, "frames can be kept in \(heap.path)")] }
    guard system.board.name.hasPrefix("raspberry-pi") else { return [] }
    guard let heap = heaps.first else { return [Trouble.heapAbsent.found([:])] }
    return [Trouble.heapDenied.found(["device": heap.path, "user": system.user])]
  }

  /// Whether a version such as `0.4.0+rpt1` is older than another; false if it is not numeric.
  static func isOlder(_ version: String, than wanted: [Int]) -> Bool {
    let digits = version.drop { $0 == "v" }.prefix { $0.isNumber || $0 == "." }
    let numbers = digits.split(separator: ".").compactMap { Int($0) }
    return !numbers.isEmpty && numbers.lexicographicallyPrecedes(wanted)
  }
}
