// What a dialog says, in words an operator can act on (behaviour §2: the dialog names the remedy).

package import ScanControl

extension Dialog {
  package var title: String {
    switch self {
    case .permissionDenied: "the camera may not be used"
    case .permissionRestricted: "the camera is switched off"
    case .interrupted(.inUseByAnotherApplication): "another program holds the camera"
    case .interrupted(.multipleForegroundApps): "another program holds the screen"
    case .interrupted(.applicationInBackground): "the station is in the background"
    case .failed: "the camera does not work"
    }
  }

  package var detail: String {
    if case .failed(let failure) = self { failure.detail } else { "" }
  }

  package var remedy: String {
    switch self {
    case .permissionDenied: "add the user to the group video, or allow the device in the unit's DeviceAllow"
    case .permissionRestricted: "set camera.enabled to true, or turn the privacy switch off"
    case .interrupted(.inUseByAnotherApplication): "stop the other program; the station takes the camera back by itself"
    case .interrupted(.multipleForegroundApps): "stop the other program; the station takes the screen back by itself"
    case .interrupted(.applicationInBackground): "switch back to the station's console"
    case .failed(let failure): failure.fault.remedy
    }
  }
}

extension CameraFault {
  fileprivate var remedy: String {
    switch self {
    case .noCameraMatches: "connect the camera, or correct camera.id and camera.model"
    case .cannotBeOpened: "see the detail; the station tries again by itself"
    case .streamsCannotBeConfigured: "choose another size or camera"
    case .noLumaStream: "choose a source of luma, or pictures that can be read"
    case .runtimeError: "see the detail; the station tries again by itself"
    case .disconnected: "connect the camera again"
    case .silent: "check the camera's cable"
    }
  }
}
