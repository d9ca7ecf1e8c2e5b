// Symbologies by name, for all code that reads or writes them as text.

public import BarcodeTypes

extension Symbology {
  /// The symbology with a name such as `databar-limited`, in upper or lower case.
  public init?(name: String) {
    let wanted = name.lowercased()
    guard let symbology = Symbology.inOrder.first(where: { $0.name.description == wanted }) else { return nil }
    self = symbology
  }

  /// All symbologies in the order of their raw values.
  fileprivate static var inOrder: [Symbology] { (0..<UInt8(count)).compactMap { Symbology(rawValue: $0) } }
}

/// Why a list of names is not a valid set of symbologies.
public enum SymbologyListError: Error, Equatable, Sendable {
  /// The list is empty.
  case empty
  /// No symbology has this name.
  case unknown(String)
}

extension SymbologySet {
  /// The names of the symbologies, separated by commas.
  public var names: String { Symbology.inOrder.filter(contains).map { $0.name.description }.joined(separator: ", ") }

  /// The set for a list of names separated by commas, with optional white space.
  public init(names list: String) throws(SymbologyListError) {
    self.init()
    for part in list.split(separator: ",") {
      let name = part.filter { !$0.isWhitespace }
      guard let symbology = Symbology(name: name) else { throw .unknown(name) }
      insert(symbology)
    }
    if isEmpty { throw .empty }
  }
}

extension SymbologyListError {
  /// The error and the valid names.
  public var message: String {
    switch self {
    case .empty: "no symbology is named; there are \(SymbologySet.all.names)"
    case .unknown(let name): "there is no symbology '\(TerminalText.safe(name))'; there are \(SymbologySet.all.names)"
    }
  }
}
