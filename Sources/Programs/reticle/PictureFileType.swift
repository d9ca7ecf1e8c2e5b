// Files that commands write: their types by the extension of their names, and the writing itself.

import ArgumentParser
import BarcodeMessage
import Glibc
import PictureFiles

enum PictureFileType: String, ExpressibleByArgument, CaseIterable {
  case png, svg
}

/// The type that a file's extension names.
func fileType<FileType: RawRepresentable & CaseIterable>(
  of fileName: String, remedy: String = "rename it"
) throws(ValidationError) -> FileType where FileType.RawValue == String {
  if let dot = fileName.lastIndex(of: "."), let type = FileType(rawValue: fileName[dot...].dropFirst().lowercased()) {
    return type
  }
  let endings = FileType.allCases.map { ".\($0.rawValue)" }
  throw ValidationError(
    "the name '\(FileName.safe(fileName))' does not end in \(endings.dropLast().joined(separator: ", ")) or \(endings.last ?? ""); \(remedy)"
  )
}

enum OutputFile {
  /// Writes a file, or reports the failure and exits with status 74.
  static func write(_ bytes: [UInt8], to path: String) throws(ExitCode) {
    let descriptor = FileName.withPath(path) { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
    var failure = descriptor < 0 ? errno : bytes.withUnsafeBytes { writeAll(descriptor, $0) }
    if descriptor >= 0, close(descriptor) != 0, failure == 0 { failure = errno }
    if failure == 0 { return }
    StandardOutput.writeError(
      "reticle: cannot write '\(FileName.safe(path))': \(errorText(failure)); check the folder, its rights and its space\n"
    )
    throw ExitCode(74)
  }
}
