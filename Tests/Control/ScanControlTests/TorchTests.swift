// Behaviour §3, the controller's part.

import ScanControl
import Testing

@Suite struct TorchTests {
  @Test func `T4: a torch that is switched on twice is on, and counted once`() {
    var talk = Conversation()
    talk.startScanning()
    talk.tell(.torchCapabilityReported(.full))
    talk.expect([.setTorch(isOn: true)], on: .torchRequested(isOn: true))
    talk.expect([], on: .torchRequested(isOn: true))
    talk.expect([.count(.torchOn), .showTorch(isOn: true)], on: .torchObserved(isOn: true))
    talk.expect([], on: .torchRequested(isOn: true))
    talk.expect([.setTorch(isOn: false)], on: .torchRequested(isOn: false))
    talk.expect([], on: .torchRequested(isOn: false))
  }

  /// A station that is scanning, with a working torch.
  private func makeLitStation(_ change: (inout ScanSettings) -> Void = { _ in }) -> Conversation {
    var talk = Conversation(change)
    talk.startScanning()
    talk.expect([.showTorchAvailability(true)], on: .torchCapabilityReported(.full))
    talk.expect([.setTorch(isOn: true)], on: .torchPressed)
    talk.expect([.count(.torchOn), .showTorch(isOn: true)], on: .torchObserved(isOn: true))
    return talk
  }

  @Test func `T1: the torch is off on initialisation`() {
    var talk = Conversation { $0.entry = .shortcut }
    talk.expect([.setTorch(isOn: false)], on: .serviceStarted)
  }

  @Test func `T1: light that another program has switched on is turned off if no session can use it`() {
    var talk = Conversation { $0.entry = .shortcut }
    talk.tell(.serviceStarted)
    talk.tell(.torchObserved(isOn: false))
    talk.expect([.setTorch(isOn: false), .showTorch(isOn: true)], on: .torchObserved(isOn: true))
    talk.expect([.showTorch(isOn: false)], on: .torchObserved(isOn: false))
    talk.tell(.shortcutPressed)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    talk.expect([.showTorch(isOn: true)], on: .torchObserved(isOn: true))
    #expect(talk.tell(.cancelPressed).contains(.setTorch(isOn: false)))
  }

  @Test func `T1: the torch is off when a session is closed, is interrupted or fails`() {
    for ending: Event in [
      .cancelPressed, .cameraInUse, .cameraFailed(CameraFailure(.disconnected)),
      .shutdownRequested, .framesEnded(run: 1),
    ] {
      var talk = makeLitStation()
      #expect(talk.tell(ending).contains(.setTorch(isOn: false)), "\(ending)")
    }
  }

  @Test func `T1: a scan that ends the session switches the torch off, even if the next one follows at once`() {
    for reopening in [Reopening.after(.zero), .after(.seconds(1)), .onTrigger, .onConfirmation] {
      var talk = makeLitStation { $0.reopening = reopening }
      #expect(talk.frame(.ean).contains(.setTorch(isOn: false)))
    }
  }

  @Test func `T1: closing the session withdraws a pending request for light`() {
    var talk = Conversation()
    talk.startScanning()
    talk.tell(.torchCapabilityReported(.full))
    talk.tell(.torchPressed)
    #expect(talk.tell(.cancelPressed).contains(.setTorch(isOn: false)))
    talk.expect([.showTorch(isOn: true)], on: .torchObserved(isOn: true))
    talk.expect([.showTorch(isOn: false)], on: .torchObserved(isOn: false))
    #expect(talk.count(.count(.torchOn)) == 0)
  }

  @Test func `T2: the torch's capability is read when the camera has loaded`() {
    var talk = Conversation()
    talk.tell(.serviceStarted)
    talk.tell(.permissionReported(.authorized))
    #expect(talk.tell(.cameraLoaded).contains(.readTorchCapability))
  }

  @Test func `T2, T5: the control is disabled unless the torch can be switched both on and off`() {
    let lacking: [TorchCapability] = [
      .none,
      TorchCapability(hasTorch: false, isAvailable: true, supportsOn: true, supportsOff: true),
      TorchCapability(hasTorch: true, isAvailable: false, supportsOn: true, supportsOff: true),
      TorchCapability(hasTorch: true, isAvailable: true, supportsOn: false, supportsOff: true),
      TorchCapability(hasTorch: true, isAvailable: true, supportsOn: true, supportsOff: false),
    ]
    for capability in lacking {
      var talk = Conversation()
      talk.startScanning()
      talk.expect([], on: .torchCapabilityReported(capability))
      talk.expect([], on: .torchPressed)
      #expect(!talk.controller.isTorchEnabled)
    }
  }

  @Test func `T3: the control shows the observed state, and availability is separate from state`() {
    var talk = makeLitStation()
    talk.expect([.setTorch(isOn: false)], on: .torchPressed)
    #expect(talk.controller.torch.isOn)
    talk.expect([.showTorch(isOn: false)], on: .torchObserved(isOn: false))
    talk.expect([.showTorch(isOn: true)], on: .torchObserved(isOn: true))
    talk.expect([.showTorchAvailability(false)], on: .torchCapabilityReported(.none))
    #expect(talk.controller.torch.isOn)
  }

  @Test func `T4: a refused request leaves the torch in its observed state`() {
    var talk = Conversation()
    talk.startScanning()
    talk.tell(.torchCapabilityReported(.full))
    talk.expect([.setTorch(isOn: true)], on: .torchPressed)
    talk.expect([], on: .torchRefused(isOn: false))
    #expect(talk.count(.count(.torchOn)) == 0)
    talk.expect([.setTorch(isOn: true)], on: .torchPressed)
    talk.expect([.count(.torchOn), .showTorch(isOn: true)], on: .torchObserved(isOn: true))
  }

  @Test func `T5: the control is disabled while the camera is not loaded`() {
    var talk = makeLitStation()
    let actions = talk.tell(.cameraFailed(CameraFailure(.disconnected)))
    #expect(actions.last == .showTorchAvailability(false))
    talk.expect([], on: .torchPressed)
  }

  @Test func `each time the user switches the torch on is counted once`() {
    var talk = makeLitStation()
    talk.expect([], on: .torchObserved(isOn: true))
    talk.tell(.torchPressed)
    talk.tell(.torchObserved(isOn: false))
    talk.expect([.showTorch(isOn: true)], on: .torchObserved(isOn: true))
    #expect(talk.count(.count(.torchOn)) == 1)
  }
}
