// The texts for camera trouble, in one place: the screen shows them; the log, the console and the library repeat them.

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
    case .failed(let failure): failure.fault.texts.title
    }
  }

  /// For the operator: the consequences, and whom to call.
  package var advice: ScreenText { self == .permissionRestricted ? .restrictedAdvice : .advice }

  package var detail: String {
    if case .failed(let failure) = self { failure.detail } else { "" }
  }

  /// For the technician: the remedy (behaviour §2).
  package var remedy: ScreenText {
    switch self {
    case .permissionDenied: .permissionDeniedRemedy
    case .permissionRestricted: .permissionRestrictedRemedy
    case .interrupted(.inUseByAnotherApplication): .cameraTakenRemedy
    case .interrupted(.multipleForegroundApps): .screenTakenRemedy
    case .interrupted(.applicationInBackground): .inBackgroundRemedy
    case .failed(let failure): failure.fault.texts.remedy
    }
  }
}

extension Dialog {
  /// The fault, with the device's description of it, in English.
  var cause: String { detail.isEmpty ? title.logged : "\(title.logged): \(detail)" }

  /// The cause and what to do about it, in English.
  package var sentence: String { "\(cause); \(remedy.logged)" }
}

extension CameraFault {
  fileprivate var texts: (title: ScreenText, remedy: ScreenText) {
    switch self {
    case .noCameraMatches: (.cameraMissing, .cameraMissingRemedy)
    case .cannotBeOpened: (.cameraUnopened, .cameraUnopenedRemedy)
    case .streamsCannotBeConfigured: (.cameraSize, .cameraSizeRemedy)
    case .noLumaStream: (.cameraPicture, .cameraPictureRemedy)
    case .runtimeError: (.cameraFailed, .cameraFailedRemedy)
    case .disconnected: (.cameraGone, .cameraGoneRemedy)
    case .silent: (.cameraSilent, .cameraSilentRemedy)
    }
  }
}
