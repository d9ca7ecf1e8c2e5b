// Behaviour T6: the torch by mode and by the brightness of the scene.

import ScanControl
import Testing

@Suite struct SceneTorchTests {
  private func scanning(_ mode: TorchMode) -> Conversation {
    var talk = Conversation { $0.torch = mode }
    talk.startScanning()
    talk.tell(.torchCapabilityReported(.full))
    return talk
  }

  @Test func `T6: a scene that stays dark lights the torch; a moment of darkness does not`() {
    var talk = scanning(.automatic)
    talk.expect([], on: .sceneMeasured(brightness: 49))
    talk.expect([], on: .sceneMeasured(brightness: 49), after: 500)
    talk.expect([], on: .sceneMeasured(brightness: 50), after: 50)
    talk.expect([], on: .sceneMeasured(brightness: 10), after: 200)
    talk.expect([], on: .sceneMeasured(brightness: 10), after: 599)
    talk.expect([.setTorch(isOn: true)], on: .sceneMeasured(brightness: 10), after: 1)
    talk.expect([], on: .sceneMeasured(brightness: 10), after: 600)
    talk.expect([.showTorch(isOn: true)], on: .torchObserved(isOn: true))
    #expect(talk.count(.count(.torchOn)) == 0, "no user pressed it")
  }

  @Test func `T6: the torch's own light does not switch it off; daylight does`() {
    var talk = scanning(.automatic)
    talk.tell(.sceneMeasured(brightness: 0))
    talk.expect([.setTorch(isOn: true)], on: .sceneMeasured(brightness: 0), after: 600)
    talk.tell(.torchObserved(isOn: true))
    for _ in 0..<10 { talk.expect([], on: .sceneMeasured(brightness: 200), after: 600) }
    talk.expect([], on: .sceneMeasured(brightness: 201), after: 100)
    talk.expect([.setTorch(isOn: false)], on: .sceneMeasured(brightness: 250), after: 600)
  }

  @Test func `T6: a torch that the user switches is left alone until the session ends`() {
    var talk = scanning(.automatic)
    talk.expect([.setTorch(isOn: true)], on: .torchPressed)
    talk.tell(.torchObserved(isOn: true))
    talk.tell(.torchPressed)
    talk.tell(.torchObserved(isOn: false))
    talk.tell(.sceneMeasured(brightness: 0))
    talk.expect([], on: .sceneMeasured(brightness: 0), after: 10_000)
  }

  @Test func `T6: a torch set to on is lit while a session records, in either order of readiness`() {
    var talk = Conversation { $0.torch = .on }
    talk.startScanning()
    talk.expect(
      [.setTorch(isOn: true), .showTorchAvailability(true)], on: .torchCapabilityReported(.full))
    talk.tell(.torchObserved(isOn: true))
    #expect(!talk.frame(.ean).contains(.setTorch(isOn: false)), "the next session takes over at once")
    #expect(talk.tell(.cancelPressed).contains(.setTorch(isOn: false)))
    talk.tell(.torchObserved(isOn: false))
    talk.tell(.shortcutPressed)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.scannerAppeared)
    talk.expect([.setTorch(isOn: true)], on: .captureStarted(run: 2))
  }

  @Test(arguments: [TorchMode.automatic, .on])
  func `T5, T6: a station without a torch sends no torch requests`(mode: TorchMode) {
    var talk = Conversation { $0.torch = mode }
    talk.startScanning()
    talk.tell(.torchCapabilityReported(.none))
    talk.expect([], on: .sceneMeasured(brightness: 0))
    talk.expect([], on: .sceneMeasured(brightness: 0), after: 10_000)
  }

  @Test func `T1, T6: an automatic torch is switched off when its session ends`() {
    var talk = scanning(.automatic)
    talk.tell(.sceneMeasured(brightness: 0))
    talk.tell(.sceneMeasured(brightness: 0), after: 600)
    talk.tell(.torchObserved(isOn: true))
    #expect(talk.tell(.cancelPressed).contains(.setTorch(isOn: false)))
    talk.tell(.torchObserved(isOn: false))
    talk.expect([], on: .sceneMeasured(brightness: 0), after: 10_000)
  }
}
