// The rows of the table, in reading order.

import BarcodeDecoder
import BarcodeTypes
import ScanControl

extension ConfigurationKey {
  static let stationName = Self(
    "station.name", .text(64), "reticle", "The station's name, recorded in every scan.", isCommon: true)

  static let scannerEnabled = Self("scanner.enabled", .flag, "true", "Enables scanning.")

  static let cameraEnabled = Self("camera.enabled", .flag, "true", "Permits use of the camera.")
  static let cameraSource = Self(
    "camera.source", .choice(CameraSource.allCases.map(\.rawValue)), "",
    "The source of frames. Default: pictures if camera.pictures is set, else libcamera, if the build includes it.",
    isCommon: true)
  static let cameraPictures = Self(
    "camera.pictures", .texts(4096), "",
    "Pictures to play as a camera: folders, files, or patterns such as labels/*.png.", isCommon: true)
  static let cameraFrameRate = Self(
    "camera.frame_rate", .decimal(0.1...1000), "",
    "Frames per second. Default: 10 for pictures; a camera chooses its own rate.")
  static let cameraRepeat = Self(
    "camera.repeat", .choice(PictureRepeat.allCases.map(\.rawValue)), "loop",
    "After the last picture: start over, end the station, or watch the folders of camera.pictures for new pictures. "
      + "Watching begins with the pictures already there, so remove them once they are read.")
  static let cameraPace = Self(
    "camera.pace", .choice(["every frame", "latest frame"]), "every frame",
    "Decodes every picture, however long that takes; with latest frame, late frames are dropped, as with a live camera.")

  static let viewport = Self(
    "viewport", .region, "0, 0, 1, 1", "The part of the frame in which codes are recognised.", isCommon: true)

  static let sessionEntry = Self(
    "session.entry", .choice(EntryPoint.allCases.map(\.rawValue)), "boot",
    "How the first session opens: boot: at the "
      + "start of the service; shortcut: with its button or key; search: with a touch, the console or a host.")
  static let sessionEntries = Self(
    "session.entries", .choices(EntryPoint.allCases.map(\.rawValue)), "boot, shortcut, search",
    "The ways to open a session: the start of the service, the shortcut button or key, and a touch, the console or a "
      + "host. The trigger and the confirm button open sessions regardless.")
  static let sessionReopen = Self(
    "session.reopen", .reopening, "after 0 s", "The condition that opens the next session after a scan.", isCommon: true)

  static let sessionWithoutScreen = Self(
    "session.without_screen", .choice(["continue", "pause"]), "continue",
    "Sessions while another program or another console has the screen: continue scanning unseen, or pause.")

  static let confirm = Self(
    "confirm", .choice(Confirmation.allCases.map(\.rawValue)), "never",
    "The results that the user must confirm. With screen.output: kms, the default is alphanumeric if a touchscreen, a "
      + "mouse, a keyboard or buttons.confirm is present at the start.", isCommon: true)

  static let assemble = Self(
    "assemble", .flag, "false",
    "Combines a message in several symbols (structured append, Macro PDF417) into one scan once all parts were seen, in "
      + "any order, at most 30 s apart; otherwise each part is a scan.")

  static let licenceOverAge = Self(
    "licence.over_age", .integer(1...120), "",
    "For driver licences of North America: shows, stores and sends only whether the holder has reached this age, such as "
      + "over 18: yes, no or unknown.")

  static let gs1Invalid = Self(
    "gs1.invalid", .choice(["mark", "refuse"]), "mark",
    "A code with invalid GS1 data: mark records its problems in the scan; refuse drops the scan and counts it in the "
      + "metrics.")

  static let repeatAbsence = Self(
    "repeat.absence", .duration(.zero ... .seconds(3600)), "1 s",
    "How long a code must be out of view before it is scanned again.", isCommon: true)

  static let voteFrames = Self(
    "vote.frames", .integer(1...10), "",
    "Frames that must agree on a code of a weakly protected symbology. Default: 2 for a camera, 1 for pictures, which "
      + "show each label once.")
  static let voteWindow = Self(
    "vote.window", .duration(.milliseconds(10) ... .seconds(10)), "500 ms",
    "The longest time between agreeing frames.")
  static let voteSymbologies = Self(
    "vote.symbologies", .symbologies(names(of: Decoder.supportedSymbologies)),
    names(of: SymbologySet.voted).joined(separator: ", "),
    "The weakly protected symbologies, on which frames must agree.")

  static let consolePort = Self(
    "console.port", .integer(0...65535), "0",
    "The port of the status server: health (/livez, /readyz), delivery (/status), metrics (/metrics), the camera's view "
      + "and buttons (/); 0 disables it.", isCommon: true)
  static let consoleAddress = Self(
    "console.address", .text(64), "127.0.0.1",
    "The address of the status server; any except 127.0.0.1 and ::1 requires a token.", isCommon: true)
  static let consoleTokenFile = Self(
    "console.token_file", .path(isPresent: true), "",
    "A file whose first line is the token for every request, sent as bearer token or as the password of any user.",
    isCommon: true)

  static let logBarcodeData = Self(
    "log.barcode_data", .flag, "false",
    "Permits scanned data in the log; otherwise the log only records that a scan was "
      + "made.", isCommon: true)

  /// Every key.
  public static let all: [ConfigurationKey] =
    [
      stationName, scannerEnabled, cameraEnabled, cameraSource, cameraPictures, cameraFrameRate, cameraRepeat, cameraPace,
    ] + decoder + [
      viewport, sessionEntry, sessionEntries, sessionReopen, sessionWithoutScreen, confirm, assemble, licenceOverAge,
      gs1Invalid,
    ] + retail + [
      repeatAbsence, voteFrames,
      voteWindow,
      voteSymbologies,
      consolePort,
      consoleAddress, consoleTokenFile, logBarcodeData,
    ] + setup + pictures + hostText + rules + sets + compare + devices + screen + delivery

  static func names(of symbologies: SymbologySet) -> [String] {
    Symbology.allCases.filter(symbologies.contains).map { "\($0.name)" }
  }
}
