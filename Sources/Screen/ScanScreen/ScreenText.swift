// All texts on Reticle's screen, in one table: each language is a column, and an operator may override any cell. Logs, the
// library and the doctor use the same texts for faults, in English.

/// A text on the screen by its purpose. The raw value is its name in the configuration.
public enum ScreenText: String, CaseIterable, Sendable {
  case ready
  case touchToStart = "touch_to_start"
  case touchAlone = "touch_alone"
  case keyToStart = "key_to_start"
  case pressToStart = "press_to_start"
  case switchedOff = "switched_off"
  case switchedOffRemedy = "switched_off_remedy"
  case paused
  case pausedRemedy = "paused_remedy"
  case starting
  case aim
  case aimAnywhere = "aim_anywhere"
  case scanned
  case scannedAtRisk = "scanned_at_risk"
  case scanRefused = "scan_refused"
  case scanCancelled = "scan_cancelled"
  case scanTimedOut = "scan_timed_out"
  case scanDropped = "scan_dropped"
  case scanMismatched = "scan_mismatched"
  case scanWaiting = "scan_waiting"
  case scanIncomplete = "scan_incomplete"
  case setupCode = "setup_code"
  case setupChanging = "setup_changing"
  case setupChanged = "setup_changed"
  case setupRefused = "setup_refused"
  case setupMalformed = "setup_malformed"
  case setupSignature = "setup_signature"
  case setupStation = "setup_station"
  case setupClock = "setup_clock"
  case setupExpired = "setup_expired"
  case setupFuture = "setup_future"
  case setupUsed = "setup_used"
  case setupKey = "setup_key"
  case setupValue = "setup_value"
  case setupStorage = "setup_storage"
  case setupStart = "setup_start"
  case setupBusy = "setup_busy"
  case next
  case link
  case moreCodes = "more_codes"
  case list
  case listNext = "list_next"
  case listKeys = "list_keys"
  case listButton = "list_button"
  case barcode
  case unreadable
  case holdCloser = "hold_closer"
  case holdStill = "hold_still"
  case moreLight = "more_light"
  case torch
  case torchKey = "torch_key"
  case torchOn = "torch_on"
  case torchOff = "torch_off"
  case torchUnavailable = "torch_unavailable"
  case close
  case review
  case reviewKeys = "review_keys"
  case reviewButton = "review_button"
  case go
  case cancel
  case advice
  case restrictedAdvice = "restricted_advice"
  case permissionDenied = "permission_denied"
  case permissionDeniedRemedy = "permission_denied_remedy"
  case permissionRestricted = "permission_restricted"
  case permissionRestrictedRemedy = "permission_restricted_remedy"
  case cameraTaken = "camera_taken"
  case cameraTakenRemedy = "camera_taken_remedy"
  case screenTaken = "screen_taken"
  case screenTakenRemedy = "screen_taken_remedy"
  case inBackground = "in_background"
  case inBackgroundRemedy = "in_background_remedy"
  case cameraMissing = "camera_missing"
  case cameraMissingRemedy = "camera_missing_remedy"
  case cameraUnopened = "camera_unopened"
  case cameraUnopenedRemedy = "camera_unopened_remedy"
  case cameraSize = "camera_size"
  case cameraSizeRemedy = "camera_size_remedy"
  case cameraPicture = "camera_picture"
  case cameraPictureRemedy = "camera_picture_remedy"
  case cameraFailed = "camera_failed"
  case cameraFailedRemedy = "camera_failed_remedy"
  case cameraGone = "camera_gone"
  case cameraGoneRemedy = "camera_gone_remedy"
  case cameraSilent = "camera_silent"
  case cameraSilentRemedy = "camera_silent_remedy"

  /// The English and German texts.
  public var words: (english: String, german: String) {
    switch self {
    case .ready: ("Ready to scan", "Bereit zum Scannen")
    case .touchToStart: ("Touch the screen or press the button", "Bildschirm berühren oder Taste drücken")
    case .touchAlone: ("Touch the screen", "Bildschirm berühren")
    case .keyToStart: ("Press the space bar", "Leertaste drücken")
    case .pressToStart: ("Press the button", "Taste drücken")
    case .switchedOff: ("The scanner is switched off", "Der Scanner ist ausgeschaltet")
    case .switchedOffRemedy: ("Set scanner.enabled to true to use it", "Zum Benutzen scanner.enabled auf true setzen")
    case .paused: ("Scanning is paused", "Das Scannen ist angehalten")
    case .pausedRemedy: ("It goes on when the host enables it", "Es geht weiter, sobald der Host es freigibt")
    case .starting: ("The camera is starting", "Die Kamera startet")
    case .aim: ("Hold the code inside the frame", "Code in den Rahmen halten")
    case .aimAnywhere: ("Hold the code before the camera", "Code vor die Kamera halten")
    case .scanned: ("Saved", "Gespeichert")
    case .scannedAtRisk: ("At risk: %d not saved yet", "Unsicher: %d nicht gespeichert")
    case .scanRefused: ("Not saved, scan it again", "Nicht gespeichert, neu scannen")
    case .scanCancelled: ("Cancelled, not sent", "Abgebrochen, nicht gesendet")
    case .scanTimedOut: ("Not confirmed, not sent", "Nicht bestätigt, nicht gesendet")
    case .scanMismatched: ("Does not match", "Passt nicht")
    case .scanWaiting: ("Scan %d more", "Noch %d scannen")
    case .scanIncomplete: ("Incomplete, scan all again", "Unvollständig, alle neu scannen")
    case .scanDropped: ("Not sent: not wanted here", "Nicht gesendet: hier nicht gefragt")
    case .setupCode: ("Set-up code", "Einrichtungscode")
    case .setupChanging: ("Settings are changing", "Einstellungen werden geändert")
    case .setupChanged: ("Settings changed", "Einstellungen geändert")
    case .setupRefused: ("Settings not changed", "Einstellungen nicht geändert")
    case .setupMalformed:
      (
        "The set-up code is damaged, or made for another version. Make a new one.",
        "Der Einrichtungscode ist beschädigt oder für eine andere Version. Einen neuen machen."
      )
    case .setupSignature:
      (
        "No key of this station signed the set-up code. Use the right key.",
        "Kein Schlüssel dieser Station hat den Einrichtungscode unterschrieben. Den richtigen benutzen."
      )
    case .setupStation: ("The set-up code is for another station.", "Der Einrichtungscode ist für eine andere Station.")
    case .setupClock:
      (
        "The clock is not synchronised, so the age of the set-up code is unknown. Connect the station to its time server.",
        "Die Uhr ist nicht gestellt, das Alter des Einrichtungscodes daher unbekannt. Die Station mit ihrem Zeitserver verbinden."
      )
    case .setupExpired:
      (
        "The set-up code has expired. Make a new one.",
        "Der Einrichtungscode ist abgelaufen. Einen neuen machen."
      )
    case .setupFuture:
      (
        "The set-up code was made later than now. Check both clocks.",
        "Der Einrichtungscode ist erst später gemacht. Beide Uhren prüfen."
      )
    case .setupUsed:
      (
        "The set-up code was used before. Make a new one.",
        "Der Einrichtungscode wurde schon benutzt. Einen neuen machen."
      )
    case .setupKey:
      (
        "Set-up codes may not change this key. List it in setup.allow.",
        "Einrichtungscodes dürfen diesen Schlüssel nicht ändern. In setup.allow eintragen."
      )
    case .setupValue: ("The settings would be wrong.", "Die Einstellungen wären falsch.")
    case .setupStorage:
      (
        "The station cannot store the change. Check its disk, then make a new code.",
        "Die Station kann die Änderung nicht speichern. Speicher prüfen, dann einen neuen Code machen."
      )
    case .setupStart:
      (
        "The station could not start with the change, and has its former settings again.",
        "Die Station konnte damit nicht starten und hat ihre früheren Einstellungen wieder."
      )
    case .setupBusy:
      (
        "Another change is under way. Show the code again.",
        "Eine andere Änderung läuft. Den Code noch einmal zeigen."
      )
    case .next: ("Ready for the next code", "Bereit für den nächsten Code")
    case .link: ("Link", "Link")
    case .moreCodes: ("and %d more", "und %d weitere")
    case .list: ("Codes", "Codes")
    case .listNext: ("Next", "Nächster")
    case .listKeys: ("Tab: Next  ·  Esc: Close", "Tab: Nächster  ·  Esc: Schließen")
    case .listButton: ("Press the button again to go on", "Zum Weiterblättern noch einmal drücken")
    case .barcode: ("Barcode", "Strichcode")
    case .unreadable: ("not readable", "nicht lesbar")
    case .holdCloser: ("Hold it closer", "Näher heranhalten")
    case .holdStill: ("Hold it still", "Still halten")
    case .moreLight: ("It needs more light", "Es braucht mehr Licht")
    case .torch: ("Light", "Licht")
    case .torchKey: ("T: Light", "T: Licht")
    case .torchOn: ("On", "An")
    case .torchOff: ("Off", "Aus")
    case .torchUnavailable: ("Unavailable", "Nicht verfügbar")
    case .close: ("Close", "Schließen")
    case .review: ("Is this right?", "Stimmt das so?")
    case .reviewKeys: ("Enter: Go  ·  Esc: Cancel", "Enter: Weiter  ·  Esc: Abbrechen")
    case .reviewButton: ("Press the button to confirm", "Zum Bestätigen Taste drücken")
    case .go: ("Go", "Weiter")
    case .cancel: ("Cancel", "Abbrechen")
    case .advice:
      (
        "The station retries automatically. If this persists, call a technician.",
        "Die Station versucht es von selbst wieder. Bleibt es so, einen Techniker rufen."
      )
    case .restrictedAdvice:
      (
        "It was switched off. The station uses it again as soon as it is on.",
        "Jemand hat sie ausgeschaltet. Sie wird wieder benutzt, sobald sie eingeschaltet ist."
      )
    case .permissionDenied: ("The camera may not be used", "Die Kamera darf nicht benutzt werden")
    case .permissionDeniedRemedy:
      (
        "Add the user to the group video, or allow the device in the unit's DeviceAllow.",
        "Den Benutzer in die Gruppe video aufnehmen oder das Gerät in DeviceAllow der Unit erlauben."
      )
    case .permissionRestricted: ("The camera is switched off", "Die Kamera ist ausgeschaltet")
    case .permissionRestrictedRemedy:
      (
        "Set camera.enabled to true, or turn the privacy switch off.",
        "camera.enabled auf true setzen oder den Datenschutzschalter ausschalten."
      )
    case .cameraTaken: ("Another program holds the camera", "Ein anderes Programm benutzt die Kamera")
    case .cameraTakenRemedy:
      (
        "Stop the other program. The station then reclaims the camera.",
        "Das andere Programm beenden. Die Station nimmt die Kamera dann von selbst wieder."
      )
    case .screenTaken: ("Another program holds the screen", "Ein anderes Programm benutzt den Bildschirm")
    case .screenTakenRemedy:
      (
        "Stop the other program. The station then reclaims the screen.",
        "Das andere Programm beenden. Die Station nimmt den Bildschirm dann von selbst wieder."
      )
    case .inBackground: ("The station is in the background", "Die Station ist im Hintergrund")
    case .inBackgroundRemedy: ("Switch back to the station's console.", "Zur Konsole der Station zurückschalten.")
    case .cameraMissing: ("The camera is not there", "Die Kamera ist nicht da")
    case .cameraMissingRemedy:
      (
        "Connect the camera, or correct camera.id and camera.model.",
        "Die Kamera anschließen oder camera.id und camera.model berichtigen."
      )
    case .cameraUnopened: ("The camera cannot be opened", "Die Kamera lässt sich nicht öffnen")
    case .cameraUnopenedRemedy:
      ("Read the cause in the log, or connect the camera again.", "Ursache im Protokoll lesen oder Kamera neu anschließen.")
    case .cameraSize: ("The camera has no picture of this size", "Die Kamera hat kein Bild dieser Größe")
    case .cameraSizeRemedy: ("Set camera.size to another size.", "camera.size auf eine andere Größe setzen.")
    case .cameraPicture: ("The camera gives no picture that can be read", "Die Kamera gibt kein lesbares Bild")
    case .cameraPictureRemedy:
      ("Choose another camera.format, camera or picture.", "Anderes camera.format, andere Kamera oder Bilddatei wählen.")
    case .cameraFailed: ("The camera has failed", "Die Kamera ist ausgefallen")
    case .cameraFailedRemedy:
      ("Check the camera's cable, or connect it again.", "Das Kabel der Kamera prüfen oder sie neu anschließen.")
    case .cameraGone: ("The camera is gone", "Die Kamera ist weg")
    case .cameraGoneRemedy: ("Connect the camera again.", "Die Kamera wieder anschließen.")
    case .cameraSilent: ("The camera sends no picture", "Die Kamera sendet kein Bild")
    case .cameraSilentRemedy: ("Check the camera's cable and power.", "Kabel und Strom der Kamera prüfen.")
    }
  }

  /// The text for logs: in English, as part of a sentence.
  public var logged: String {
    let text = words.english
    let sentence = text.hasSuffix(".") ? text.dropLast() : text[...]
    return sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}

/// A language in the table.
public enum ScreenLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case german = "de"
}

/// The texts of a station.
public struct ScreenWords: Equatable, Sendable {
  /// The most characters in an operator's text.
  public static let overrideCharacterCountMax = 200

  public var language: ScreenLanguage
  /// Texts that override the table's.
  public var overrides: [ScreenText: String]

  public init(language: ScreenLanguage = .english, overrides: [ScreenText: String] = [:]) {
    self.language = language
    self.overrides = overrides
  }

  public subscript(text: ScreenText) -> String {
    if let override = overrides[text] { return override }
    return switch language {
    case .english: text.words.english
    case .german: text.words.german
    }
  }

  /// A text with `count` substituted for its `%d`.
  func counted(_ text: ScreenText, _ count: Int) -> String {
    self[text].split(separator: "%d", maxSplits: 1, omittingEmptySubsequences: false).joined(separator: "\(count)")
  }
}
