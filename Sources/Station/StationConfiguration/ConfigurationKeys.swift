// The order of all keys, and the keys of the station itself: frames, sessions, votes, console.

import BarcodeDecoder
import BarcodeTypes
import HostText
import ScanControl

extension ConfigurationKey {
  /// Every key, in the order of the reference page.
  public static let all: [ConfigurationKey] =
    [
      WrittenStation.frameKeys.rows, WrittenStation.decoderKeys.rows, DecoderSettings.optionKeys.rows,
      WrittenStation.sessionKeys.rows, WrittenRetail.keys.rows, WrittenStation.voteKeys.rows,
      ConsoleSettings.keys.rows, StationConfiguration.logKeys.rows, SetupSettings.keys.rows, PictureSettings.keys.rows,
      WrittenGrading.keys.rows,
      TextChoices.keys.rows,
      NoReadTexts.keys.rows, WrittenRule.rows, ScanSet.keys.rows, Comparison.keys.rows, DeviceConfiguration.rows,
      ScreenConfiguration.rows, delivery,
    ].flatMap { $0 }

  static func names(of symbologies: SymbologySet) -> [String] {
    Symbology.allCases.filter(symbologies.contains).map { "\($0.name)" }
  }
}

/// The configuration while it is read, with the written values of keys whose meaning other keys decide.
@dynamicMemberLookup
struct WrittenStation {
  enum Effort: String, CaseIterable { case auto, frame, still }
  enum Trigger: String, CaseIterable { case continuous, presentation, level, edge, timed }

  var configuration = StationConfiguration()
  /// Nil: it depends on whether pictures are written.
  var source: CameraSource?
  /// Frames per second; nil: it depends on the source.
  var frameRate: Double?
  var effort = Effort.auto
  var entries = EntryPoint.allCases
  /// Nil: it depends on the source.
  var voteFrameCount: Int?
  var trigger = Trigger.continuous
  /// For the triggers that have one.
  var triggerLimit = Duration.seconds(5)

  /// The share in percent with effort `auto`.
  var writtenShare: Int {
    get { configuration.frameShare ?? 100 }
    set { configuration.frameShare = newValue }
  }

  subscript<Value>(dynamicMember path: WritableKeyPath<StationConfiguration, Value>) -> Value {
    get { configuration[keyPath: path] }
    set { configuration[keyPath: path] = newValue }
  }

  static let frameKeys = KeySection(
    "", WrittenStation(),
    [
      Field("station.name", \.stationName, .text(64), "The station's name, recorded in every scan.", isCommon: true),
      Field("scanner.enabled", \.scan.isEnabled, .flag, "Enables scanning."),
      Field("camera.enabled", \.camera.isEnabled, .flag, "Permits use of the camera."),
      Field(
        "camera.source", \.source, .optional(.choice),
        "The source of frames. Default: pictures if camera.pictures is set, else libcamera, if the build includes it.",
        isCommon: true),
      Field(
        "camera.pictures", \.camera.pictures, .texts(4096),
        "Pictures to play as a camera: folders, files, or patterns such as labels/*.png.", isCommon: true),
      Field(
        "camera.frame_rate", \.frameRate, .optional(.decimal(0.1...1000)),
        "Frames per second. Default: 10 for pictures; a camera chooses its own rate."),
      Field(
        "camera.repeat", \.camera.repetition, .choice,
        "After the last picture: start over, end the station, or watch the folders of camera.pictures for new pictures. "
          + "Watching begins with the pictures already there, so remove them once they are read."),
      Field(
        "camera.pace", \.camera.keepsEveryFrame, .words([("every frame", true), ("latest frame", false)]),
        "Decodes every picture, however long that takes; with latest frame, late frames are dropped, as with a live camera."),
    ])

  static let decoderKeys = KeySection(
    "", WrittenStation(),
    [
      Field(
        "decoder.symbologies", \.decoder.symbologies, .symbologies(Decoder.supportedSymbologies),
        "The symbologies to decode. Those that are not decoded by default are weakly protected or rare: name them only "
          + "where they are expected.", isCommon: true),
      Field(
        "decoder.effort", \.effort, .choice,
        "The work per frame. frame: fast, later frames compensate; still: thorough; auto: between the two, up to "
          + "decoder.frame_share."),
      Field(
        "decoder.frame_share", \.writtenShare, .integer(5...100),
        "Percent of the time between frames that decoding may take with effort auto. A scene without symbols still costs "
          + "little more than with effort frame."),
      Field(
        "decoder.addons", \.decoder.addOns, .words([("ignore", .ignore), ("read", .read), ("require", .require)]),
        "The treatment of EAN and UPC add-ons.", isCommon: true),
      Field(
        "decoder.composite", \.decoder.composite, .words([("wait", .wait), ("ignore", .ignore)]),
        "The treatment of the two-dimensional component above a linear symbol of GS1 Composite. wait: both are one scan, and "
          + "a symbol that announces a component waits for it; ignore: the linear symbol is a scan of its own."),
    ])

  static let sessionKeys = KeySection(
    "", WrittenStation(),
    [
      Field("viewport", \.viewport, .region, "The part of the frame in which codes are recognised.", isCommon: true),
      Field(
        "session.entry", \.scan.entry, .choice,
        "How the first session opens: boot: at the start of the service; shortcut: with its button or key; search: with "
          + "a touch, the console or a host."),
      Field(
        "session.entries", \.entries, .choices(),
        "The ways to open a session: the start of the service, the shortcut button or key, and a touch, the console or a "
          + "host. The trigger and the confirm button open sessions regardless."),
      Field(
        "session.reopen", \.scan.reopening, .reopening,
        "The condition that opens the next session after a scan.", isCommon: true),
      Field(
        "session.without_screen", \.scan.pausesWithoutScreen, .words([("continue", false), ("pause", true)]),
        "Sessions while another program or another console has the screen: continue scanning unseen, or pause."),
      Field(
        "confirm", \.scan.confirmation, .choice,
        "The results that the user must confirm. With screen.output: kms, the default is alphanumeric if a touchscreen, "
          + "a mouse, a keyboard or buttons.confirm is present at the start.", isCommon: true),
      Field(
        "assemble", \.assembles, .flag,
        "Combines a message in several symbols (structured append, Macro PDF417) into one scan once all parts were seen, "
          + "in any order, at most 30 s apart; otherwise each part is a scan."),
      Field(
        "licence.over_age", \.overAge, .optional(.integer(1...120)),
        "For driver licences of North America: shows, stores and sends only whether the holder has reached this age, "
          + "such as over 18: yes, no or unknown."),
      Field(
        "gs1.invalid", \.scan.refusesWrong, .words([("mark", false), ("refuse", true)]),
        "A code with invalid GS1 data: mark records its problems in the scan; refuse drops the scan and counts it in the "
          + "metrics."),
    ])

  static let voteKeys = KeySection(
    "", WrittenStation(),
    [
      Field(
        "repeat.absence", \.scan.repeatAbsence, .duration(.zero ... .seconds(3600)),
        "How long a code must be out of view before it is scanned again.", isCommon: true),
      Field(
        "vote.frames", \.voteFrameCount, .optional(.integer(1...10)),
        "Frames that must agree on a code of a weakly protected symbology. Default: 2 for a camera, 1 for pictures, "
          + "which show each label once."),
      Field(
        "vote.window", \.scan.votes.window, .duration(.milliseconds(10) ... .seconds(10)),
        "The longest time between agreeing frames."),
      Field(
        "vote.symbologies", \.scan.votes.symbologies, .symbologies(Decoder.supportedSymbologies),
        "The weakly protected symbologies, on which frames must agree."),
    ])
}

extension StationConfiguration {
  static let logKeys = KeySection(
    "", StationConfiguration(),
    [
      Field(
        "log.barcode_data", \.logsBarcodeData, .flag,
        "Permits scanned data in the log; otherwise the log only records that a scan was made.", isCommon: true)
    ])
}
