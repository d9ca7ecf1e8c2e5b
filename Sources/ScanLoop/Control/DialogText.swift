// The words for each trouble with the camera, in one place: the screen shows them, the log and the console repeat them.

package import ScanControl
package import ScanScreen

extension Dialog {
  package var title: ScreenText {
    switch self {
    case .permissionDenied: .permissionDenied
    case .permissionRestricted: .permissionRestricted
    case .interrupted(.inUseByAnotherApplication): .cameraTaken
    case .interrupted(.multipleForegroundApps): .screenTaken
    case .interrupted(.applicationInBackground): .inBackground
    case .failed: .cameraFailed
    }
  }

  /// The operator's part: what happens next, and whom to call.
  package var advice: ScreenText { self == .permissionRestricted ? .restrictedAdvice : .advice }

  package var detail: String {
    if case .failed(let failure) = self { failure.detail } else { "" }
  }

  /// The technician's part, in words to act on (behaviour §2: the dialog names the remedy).
  package var remedy: ScreenText {
    switch self {
    case .permissionDenied: .permissionDeniedRemedy
    case .permissionRestricted: .permissionRestrictedRemedy
    case .interrupted(.inUseByAnotherApplication): .cameraTakenRemedy
    case .interrupted(.multipleForegroundApps): .screenTakenRemedy
    case .interrupted(.applicationInBackground): .inBackgroundRemedy
    case .failed(let failure): failure.fault.remedy
    }
  }
}

extension CameraFault {
  fileprivate var remedy: ScreenText {
    switch self {
    case .noCameraMatches: .noCameraRemedy
    case .cannotBeOpened, .runtimeError: .cameraRetryRemedy
    case .streamsCannotBeConfigured, .noLumaStream: .cameraModeRemedy
    case .disconnected: .cameraGoneRemedy
    case .silent: .cameraCableRemedy
    }
  }
}

extension ScreenText {
  /// The text as the log has it: in English, and not as a sentence of its own.
  package var logged: String {
    let text = words.english
    let sentence = text.hasSuffix(".") ? text.dropLast() : text[...]
    return sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}
