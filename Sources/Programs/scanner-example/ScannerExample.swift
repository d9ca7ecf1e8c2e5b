// The shortest scanner: `scanner-example` reads from the first camera, `scanner-example FOLDER` from pictures. It prints one
// line per scan.

import ReticleScanner

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@main
struct ScannerExample {
  static func main() async {
    let patterns = Array(CommandLine.arguments.dropFirst())
    let source: ScannerSource = patterns.isEmpty ? .camera(CameraSettings()) : .pictures(patterns)
    do throws(ScannerError) {
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
    } catch {
      _ = "cannot scan: \(error)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
      exit(66)
    }
  }
}
