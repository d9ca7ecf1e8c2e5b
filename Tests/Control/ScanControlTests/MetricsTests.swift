// Behaviour §8: each user action is counted under its documented name, exactly once per occurrence.

import ScanControl
import Testing

@Suite struct MetricsTests {
  @Test func `§8: user actions have the documented names`() {
    #expect(
      UserAction.allCases.map(\.rawValue) == [
        "ApplicationShortcut.ScanQRCodePressed", "IOS.Spotlight.Action", "MobileQRScannerClose", "MobileQRScannerError",
        "MobileQRScannerScannedCode", "MobileQRScannerTorchOn",
      ])
  }

  @Test func `§8: every user action is counted exactly once per occurrence`() {
    var talk = Conversation {
      $0.entry = .shortcut
      $0.reopening = .onTrigger
    }
    talk.tell(.serviceStarted)
    talk.tell(.torchObserved(isOn: false))
    // Opened through a shortcut, lit, closed by a scan.
    talk.tell(.shortcutPressed)
    talk.tell(.shortcutPressed)
    talk.tell(.permissionReported(.authorized))
    talk.reachRecording()
    talk.tell(.torchCapabilityReported(.full))
    talk.tell(.torchPressed)
    talk.tell(.torchObserved(isOn: true))
    talk.tell(.torchObserved(isOn: true))
    _ = talk.frame(.ean, .label)
    _ = talk.frame(.ean, .label)
    talk.tell(.torchObserved(isOn: false))
    // Opened through search, closed from an error dialog.
    talk.tell(.searchRequested)
    talk.tell(.permissionReported(.denied))
    talk.tell(.permissionReported(.denied))
    talk.tell(.cancelPressed)
    talk.tell(.cancelPressed)
    // Opened again, closed without a scan.
    talk.tell(.shortcutPressed)
    talk.tell(.permissionReported(.authorized))
    talk.tell(.cancelPressed)
    talk.tell(.cancelPressed)
    #expect(talk.count(.count(.openedByShortcut)) == 2)
    #expect(talk.count(.count(.openedBySearch)) == 1)
    #expect(talk.count(.count(.scannedCode)) == 1)
    #expect(talk.count(.count(.closedFromError)) == 1)
    #expect(talk.count(.count(.closed)) == 1)
    #expect(talk.count(.count(.torchOn)) == 1)
  }
}
