// The shortest scanner: `scanner-example` reads from the first camera, `scanner-example FOLDER` from pictures. Each scan is a
// line.

import ReticleScanner

@main
struct ScannerExample {
  static func main() async throws {
    let patterns = Array(CommandLine.arguments.dropFirst())
    let source: ScannerSource = patterns.isEmpty ? .camera(CameraSettings()) : .pictures(patterns)
    let scanner = try BarcodeScanner(ScannerSettings(source: source))
    for await event in scanner.start() {
      switch event {
      case .scanned(let result): print(result.code.symbology.name, result.code.text)
      case .failed(let error): print("cannot scan: \(error)")
      case .recovered: print("scanning again")
      case .torchChanged(let isOn): print(isOn ? "torch on" : "torch off")
      case .torchAvailabilityChanged: break
      }
    }
  }
}
