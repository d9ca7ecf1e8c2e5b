// Translates the devices' terms into the controller's; the two modules do not know each other.

package import Devices
package import ScanControl

extension Permission {
  init(_ permission: DevicePermission) {
    switch permission {
    case .notDetermined: self = .notDetermined
    case .restricted: self = .restricted
    case .denied: self = .denied
    case .authorized: self = .authorized
    }
  }
}

extension CameraFailure {
  init(_ failure: SourceFailure) {
    let fault: CameraFault =
      switch failure.cause {
      case .nothingMatches: .noCameraMatches
      case .cannotBeOpened, .heldByAnotherProcess: .cannotBeOpened
      case .streamsCannotBeConfigured: .streamsCannotBeConfigured
      case .noLumaStream: .noLumaStream
      case .runtimeError: .runtimeError
      case .disconnected: .disconnected
      case .silent: .silent
      }
    self.init(fault, detail: failure.description)
  }
}

extension ScreenState {
  /// - Parameter trouble: why the screen is unavailable; nil while the station has it.
  package init(_ trouble: ScreenTrouble.Cause?) {
    switch trouble {
    case nil: self = .available
    case .heldByAnotherProgram: self = .multipleForegroundApps
    case .inBackground: self = .applicationInBackground
    case .missing, .disconnected, .denied, .unsupported, .failed: self = .unavailable
    }
  }
}

extension TorchCapability {
  init(_ facts: TorchFacts) {
    self.init(
      hasTorch: facts.isPresent, isAvailable: facts.isAvailable, supportsOn: facts.supportsOn,
      supportsOff: facts.supportsOff)
  }
}

extension Event {
  /// Nil for a question, and for commands that only the screen handles.
  init?(_ command: HostCommand) {
    switch command {
    case .open: self = .searchRequested
    case .trigger: self = .triggerPulsed
    case .cancel, .stop: self = .cancelPressed
    case .torch: self = .torchPressed
    case .torchOn: self = .torchRequested(isOn: true)
    case .torchOff: self = .torchRequested(isOn: false)
    case .enable: self = .enableRequested
    case .disable: self = .disableRequested
    case .confirm: self = .goPressed
    case .next: self = .nextResultRequested
    case .turn, .status: return nil
    }
  }

  /// Nil for a change without a meaning: only the trigger has a release.
  package init?(_ change: ButtonChange) {
    switch (change.button, change.isPressed) {
    case (.shortcut, true): self = .shortcutPressed
    case (.trigger, true): self = .triggerPressed
    case (.trigger, false): self = .triggerReleased
    case (.confirm, true): self = .goPressed
    case (.next, true): self = .nextResultRequested
    case (.cancel, true): self = .cancelPressed
    case (.torch, true): self = .torchPressed
    case (.shortcut, false), (.confirm, false), (.next, false), (.cancel, false), (.torch, false): return nil
    }
  }
}
