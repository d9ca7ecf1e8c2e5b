// Payloads as JSON on one line.

import BarcodeMessage
package import FoundationEssentials

extension Encodable {
  /// The JSON form on one line, members sorted by name, so that equal values have equal bytes; invisible characters and marks that change
  /// the direction of writing are escaped. For types of strings, integers, booleans and finite numbers, which always have a JSON form.
  package func jsonLine(keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = keys
    do {
      return JSONText.safe(try encoder.encode(self))
    } catch {
      preconditionFailure("\(Self.self) has no JSON form: \(error)")
    }
  }
}
