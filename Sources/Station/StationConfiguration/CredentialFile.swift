// Files that systemd passes to the service.

import Glibc

/// A file that is named by its path, or as `credential:NAME` (systemd.exec(5), `LoadCredential`).
enum CredentialFile {
  /// The prefix of the names of credentials from the folder that `deploy/debian/reticle.service` passes.
  private static let folderPrefix = "credentials_"

  /// The path of the file; nil if this user cannot read it.
  static func path(_ text: String, _ environment: [String: String]) -> String? {
    let prefix = "credential:"
    guard text.hasPrefix(prefix) else { return access(text, R_OK) == 0 ? text : nil }
    let name = text.dropFirst(prefix.count)
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !name.isEmpty, !name.contains("/"), name != "..", name != "."
    else { return nil }
    return ["", folderPrefix].map { "\(folder)/\($0)\(name)" }.first { access($0, R_OK) == 0 }
  }
}
