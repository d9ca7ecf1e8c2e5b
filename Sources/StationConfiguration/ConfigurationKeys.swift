// The rows of the table, in reading order.

import BarcodeDecoder
import BarcodeTypes
import ScanControl

extension ConfigurationKey {
  static let stationName = Self("station.name", .text(64), "reticle", "What this station is called in every scan.")

  static let scannerEnabled = Self("scanner.enabled", .flag, "true", "Whether any entry point opens a session.")

  static let cameraEnabled = Self("camera.enabled", .flag, "true", "Whether the camera may be used.")
  static let cameraSource = Self(
    "camera.source", .choice(CameraSource.allCases.map(\.rawValue)), "",
    "Where frames come from. Where it is missing: pictures if camera.pictures is written, else libcamera, in a build that has it."
  )
  static let cameraPictures = Self(
    "camera.pictures", .texts(4096), "",
    "Pictures that are played as a camera: folders, files, or patterns such as labels/*.png.")
  static let cameraFrameRate = Self(
    "camera.frame_rate", .decimal(0.1...1000), "",
    "Frames a second: of pictures 10 where it is missing, of a camera its own.")
  static let cameraRepeat = Self(
    "camera.repeat", .choice(PictureRepeat.allCases.map(\.rawValue)), "loop",
    "Whether pictures begin again after the last, or the station ends, or it waits for pictures that are put into the folders of "
      + "camera.pictures. What lies there at the start is read, too: take away what has been read.")
  static let cameraPace = Self(
    "camera.pace", .choice(["every frame", "latest frame"]), "every frame",
    "Whether every picture is decoded, however long that takes, or late ones are dropped as a camera drops them.")

  static let viewport = Self(
    "viewport", .region, "0, 0, 1, 1", "The part of the frame in which codes are recognised.")

  static let sessionEntry = Self(
    "session.entry", .choice(EntryPoint.allCases.map(\.rawValue)), "boot", "What opens the first session.")
  static let sessionEntries = Self(
    "session.entries", .choices(EntryPoint.allCases.map(\.rawValue)), "boot, shortcut, search",
    "What may open a session: the start of the service, a button or key for it, and a touch, the console or a host. What is left "
      + "out opens none; the trigger and the confirm button open sessions all the same.")
  static let sessionReopen = Self(
    "session.reopen", .reopening, "after 0 s", "What opens the next session after a scan.")

  static let sessionWithoutScreen = Self(
    "session.without_screen", .choice(["continue", "pause"]), "continue",
    "What becomes of sessions while another program or another console has the screen: scanning goes on unseen, or waits.")

  static let confirm = Self(
    "confirm", .choice(Confirmation.allCases.map(\.rawValue)), "never",
    "Which results the user has to confirm. With screen.output: kms, alphanumeric unless it is written, if at the start there is something to confirm with: a touchscreen, a mouse, a keyboard, or buttons.confirm."
  )

  static let assemble = Self(
    "assemble", .flag, "false",
    "Whether a message in several symbols (structured append, Macro PDF417) is one scan, made when all parts were seen, in any "
      + "order, no more than 30 s apart; otherwise each part is a scan.")

  static let licenceOverAge = Self(
    "licence.over_age", .integer(1...120), "",
    "For driver licences of North America: the only text that is shown, stored and sent of them is whether the holder has this "
      + "age, such as over 18: yes, no or unknown.")

  static let gs1Invalid = Self(
    "gs1.invalid", .choice(["mark", "refuse"]), "mark",
    "What becomes of a code with GS1 data that are wrong: it is a scan whose record has problems, or no scan, which the metrics "
      + "count.")

  static let repeatAbsence = Self(
    "repeat.absence", .duration(.zero ... .seconds(3600)), "1 s",
    "How long a code must have been out of view to be scanned again.")

  static let voteFrames = Self(
    "vote.frames", .integer(1...10), "",
    "Frames that must agree on a code of a weakly protected symbology: 2 of a camera where it is missing, 1 of pictures, which "
      + "show each label once.")
  static let voteWindow = Self(
    "vote.window", .duration(.milliseconds(10) ... .seconds(10)), "500 ms",
    "The longest time from one agreeing frame to the next.")
  static let voteSymbologies = Self(
    "vote.symbologies", .symbologies(names(of: Decoder.supportedSymbologies)),
    names(of: VoteSettings.weaklyProtected).joined(separator: ", "),
    "The symbologies that frames must agree on.")

  static let consolePort = Self(
    "console.port", .integer(0...65535), "0",
    "The port of the status server: health (/livez, /readyz), delivery (/status), figures (/metrics), what the camera sees and "
      + "buttons (/); 0 for none.")
  static let consoleAddress = Self(
    "console.address", .text(64), "127.0.0.1",
    "The address that it listens on; any but 127.0.0.1 and ::1 needs a token.")
  static let consoleTokenFile = Self(
    "console.token_file", .path(isPresent: true), "",
    "A file whose first line every request must show, as bearer token or as password of any user.")

  static let logBarcodeData = Self(
    "log.barcode_data", .flag, "false", "Whether the log may say what was scanned, and not only that something was.")

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
    ] + hostText + rules + sets + compare + devices + screen + delivery

  static func names(of symbologies: SymbologySet) -> [String] {
    (0..<Symbology.count).compactMap { index in
      guard let symbology = Symbology(rawValue: UInt8(index)), symbologies.contains(symbology) else { return nil }
      return "\(symbology.name)"
    }
  }
}
