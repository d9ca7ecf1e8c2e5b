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
