// The environment variables as a dictionary.

import Glibc

func environmentVariables() -> [String: String] {
  var variables: [String: String] = [:]
  var next = environ
  while let variable = next.pointee {
    let text = String(cString: variable)
    if let equals = text.firstIndex(of: "=") {
      variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    next += 1
  }
  return variables
}

/// The name of this machine; `reticle` for a machine without a name.
func hostName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  let text = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  return text.isEmpty ? "reticle" : text
}
