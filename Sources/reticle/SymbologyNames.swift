// Symbologies as they are written on the command line.

import ArgumentParser
import BarcodeDecoder
import BarcodeTypes

/// Symbologies by name.
enum SymbologyNames {
  /// Every symbology that has a name, in the order of its table.
  static var all: [Symbology] { (0..<UInt8(Symbology.count)).compactMap { Symbology(rawValue: $0) } }

  /// The symbology of a name, whatever its case.
  static func symbology(_ name: some StringProtocol) -> Symbology? {
    let wanted = name.lowercased()
    return all.first { $0.name.description == wanted }
  }

  /// The names of a set's symbologies, separated by commas.
  static func list(_ set: SymbologySet) -> String {
    all.filter(set.contains).map(\.name.description).joined(separator: ", ")
  }

  /// The set of symbologies that this build reads, from a list of names separated by commas.
  static func decodableSet(_ list: String) throws(ValidationError) -> SymbologySet {
    var set = SymbologySet()
    for part in list.split(separator: ",") {
      let name = part.filter { $0 != " " }
      guard let symbology = symbology(name) else {
        throw ValidationError(
          "there is no symbology '\(name)'; this build decodes \(Self.list(Decoder.supportedSymbologies))")
      }
      guard Decoder.supportedSymbologies.contains(symbology) else {
        throw ValidationError(
          "this build does not decode \(symbology.name); it decodes \(Self.list(Decoder.supportedSymbologies))")
      }
      set.insert(symbology)
    }
    if set.isEmpty {
      throw ValidationError("--symbologies names none; this build decodes \(Self.list(Decoder.supportedSymbologies))")
    }
    return set
  }
}
